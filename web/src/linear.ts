// The model seen as a linear one: poles, frequency response, answer to a step, with a cursor.

import { instant, model, type Linear, type Responses } from './data';
import { clear, curveColours, make, makeSvg } from './elements';
import { bytes, type Packed } from './packed';
import { drawSoon } from './picture';
import { state, watch } from './state';

const text = (v: number) => (v !== 0 && (Math.abs(v) >= 1e7 || Math.abs(v) < 1e-4) ? String(Number(v.toPrecision(5)).toExponential()) : String(Number(v.toPrecision(5))));
const width = 585, height = 200, left = 62, right = 550, top = 10, bottom = 172;

/** Numbers at which an axis has lines: powers of ten on a logarithmic one. */
function lines(low: number, high: number, logarithmic: boolean): number[] {
    const found: number[] = [];
    if (logarithmic) {
        const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9);
        const stride = Math.max(1, Math.ceil((to - from) / 8));
        for (let k = from; k <= to; k += stride) found.push(10 ** k);
        return found;
    }
    const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough)!;
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) found.push(k * step);
    return found;
}

/** NaN where there is no number. */
interface Curve { label: string; values: number[] }

/** Where cursors stand, as shares of their axes, by titles: they stay where another instant is shown. */
const cursors = new Map<string, number>();

/** Curves over one abscissa; the cursor follows the pointer, or the arrow keys. */
function chart(title: string, unit: string, x: number[], curves: Curve[], logarithmic: boolean, xLabel: string): HTMLElement {
    const finite = curves.flatMap((c) => c.values).filter((v) => !Number.isNaN(v));
    let low = Math.min(...finite), high = Math.max(...finite);
    if (!(high - low > 1e-12 * Math.max(Math.abs(low), Math.abs(high)))) { low -= 1; high += 1; }
    const room = 0.06 * (high - low);
    low -= room;
    high += room;
    const along = (v: number) => logarithmic ? Math.log(v / x[0]) / Math.log(x[x.length - 1] / x[0]) : (v - x[0]) / (x[x.length - 1] - x[0]);
    const px = (v: number) => left + along(v) * (right - left), py = (v: number) => bottom - (v - low) / (high - low) * (bottom - top);
    const picture = makeSvg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', tabindex: 0, 'aria-label': `${title} of ${curves.map((c) => c.label).join('; ')}` });
    for (const v of lines(low, high, false)) picture.append(makeSvg('line', { x1: left, x2: right, y1: py(v), y2: py(v) }), makeSvg('text', { x: left - 5, y: py(v) + 4, 'text-anchor': 'end' }, text(v)));
    for (const v of lines(x[0], x[x.length - 1], logarithmic)) picture.append(makeSvg('line', { x1: px(v), x2: px(v), y1: top, y2: bottom }), makeSvg('text', { x: px(v), y: bottom + 14, 'text-anchor': 'middle' }, text(v)));
    picture.append(makeSvg('text', { x: right, y: height - 2, 'text-anchor': 'end' }, xLabel));
    curves.forEach((c, k) => {
        let path = '', pen = false;
        c.values.forEach((v, i) => { if (Number.isNaN(v)) { pen = false; return; } path += `${pen ? 'L' : 'M'}${px(x[i]).toFixed(1)},${py(v).toFixed(1)}`; pen = true; });
        picture.append(makeSvg('path', { d: path, stroke: curveColours[k % curveColours.length] }));
    });
    const cursor = makeSvg('line', { class: 'cursor', y1: top, y2: bottom, visibility: 'hidden' });
    picture.append(cursor);
    const told = make('output', { class: 'told' });
    const placed = cursors.get(title);
    let at = Math.round((placed ?? 0.5) * (x.length - 1));
    const show = () => {
        cursors.set(title, at / (x.length - 1));
        cursor.setAttribute('visibility', 'visible');
        cursor.setAttribute('x1', String(px(x[at])));
        cursor.setAttribute('x2', String(px(x[at])));
        told.textContent = `${text(x[at])} ${xLabel.split(' / ')[1]}: ${curves.map((c) => (Number.isNaN(c.values[at]) ? '–' : `${text(c.values[at])} ${unit}`)).join(', ')}`;
    };
    picture.addEventListener('pointermove', (e: Event) => {
        const box = picture.getBoundingClientRect();
        const share = (((e as PointerEvent).clientX - box.left) / box.width * width - left) / (right - left);
        let best = 0;
        x.forEach((v, i) => { if (Math.abs(along(v) - share) < Math.abs(along(x[best]) - share)) best = i; });
        at = best;
        show();
    });
    picture.addEventListener('keydown', (e: Event) => {
        const key = (e as KeyboardEvent).key;
        if (key !== 'ArrowLeft' && key !== 'ArrowRight') return;
        at = Math.min(x.length - 1, Math.max(0, at + (key === 'ArrowRight' ? 1 : -1)));
        show();
        e.stopPropagation();
    });
    if (placed !== undefined) show();
    const keys = make('ul', { class: 'keys' }, ...curves.map((c, k) => make('li', {}, make('span', { class: 'swatch', style: `background:${curveColours[k % curveColours.length]}` }), c.label)));
    return make('figure', { class: 'response' }, make('figcaption', {}, unit ? `${title}, ${unit}` : title), keys, picture, told);
}

/** `all`: those of other instants show where they move. */
function poles(linear: Linear, all: Linear[]): HTMLElement {
    const list = linear.poles;
    const size = Math.max(1e-12, ...all.flatMap((l) => l.poles.map(([re, im]) => Math.max(Math.abs(re), Math.abs(im)))));
    const at = (v: number) => 110 + 95 * v / size;
    const others = all.filter((l) => l !== linear).flatMap((l) => l.poles);
    const picture = makeSvg('svg', { viewBox: '0 0 220 220', class: 'poles', role: 'img', 'aria-label': `${list.length} poles` },
        makeSvg('line', { x1: 5, y1: 110, x2: 215, y2: 110 }), makeSvg('line', { x1: 110, y1: 5, x2: 110, y2: 215 }),
        ...others.map(([re, im]) => makeSvg('circle', { class: 'other', cx: at(re), cy: at(-im), r: 1.5 })),
        ...list.map(([re, im]) => makeSvg('path', { d: `M${at(re) - 4},${at(-im) - 4} l8,8 m0,-8 l-8,8` })));
    return make('div', {}, make('h3', {}, `Poles at ${instant(linear.time)}`), picture,
        make('ul', {}, ...list.map(([re, im]) => make('li', {}, im === 0 ? `${text(re)} 1/s` : `${text(re)} ${im < 0 ? '−' : '+'} ${text(Math.abs(im))}i 1/s`))));
}

const floats = (packed: Packed): number[] => [...new Float32Array(bytes(packed))];
const labelled = (r: Responses, key: 'values' | 'phases'): Curve[] => r.channels.map((c) => ({ label: `${c.input} → ${c.output}`, values: floats(c[key]!) }));

/** That of the instants nearest to a time. */
const nearest = (all: Linear[], t: number): Linear => all.reduce((best, l) => (Math.abs(l.time - t) < Math.abs(best.time - t) ? l : best));

function show(element: HTMLElement, linear: Linear, all: Linear[]): void {
    clear(element);
    if (all.length > 1) element.append(make('p', { class: 'linear-at' }, `The model linearized where the run is at ${instant(linear.time)}: of ${all.length} instants on this page the nearest to the slider.${all.some((l) => l.poles.length > 0) ? ' Dots: the poles at the others.' : ''}`));
    if (linear.poles.length > 0) element.append(poles(linear, all));
    if (linear.bode && linear.bode.channels.length > 0) {
        element.append(make('h3', {}, 'Frequency response'), chart('Magnitude', 'dB', floats(linear.bode.abscissa), labelled(linear.bode, 'values'), true, 'angular frequency / rad/s'),
            chart('Phase', '°', floats(linear.bode.abscissa), labelled(linear.bode, 'phases'), true, 'angular frequency / rad/s'));
    }
    if (linear.step && linear.step.channels.length > 0) {
        element.append(make('h3', {}, 'Answer to a unit step'));
        for (const unit of new Set(linear.step.channels.map((c) => c.unit)))
            element.append(chart('Outputs', unit, floats(linear.step.abscissa), labelled({ ...linear.step, channels: linear.step.channels.filter((c) => c.unit === unit) }, 'values'), false, 'time / s'));
    }
    if (!linear.bode && all.some((l) => l.bode)) element.append(make('p', {}, 'Frequency response and answer to a step are on this page for the start only: there are many.'));
}

export function linearView(): HTMLElement | null {
    const all = model.linear ?? [];
    if (!all.some((l) => l.poles.length > 0 || l.bode?.channels.length)) return null;
    const element = make('section', { class: 'linear' });
    let shown: Linear | null = null;
    const follow = (): void => {
        const next = nearest(all, state.time);
        if (next === shown) return;
        shown = next;
        const charts = (): SVGElement[] => [...element.querySelectorAll<SVGElement>('.chart')];
        const focused = charts().findIndex((c) => c === document.activeElement);
        show(element, next, all);
        charts()[focused]?.focus({ preventScroll: true });
    };
    const followSeen = (): void => { if (state.view === 'linear') follow(); };
    watch(['time', 'view'], () => drawSoon(followSeen));
    addEventListener('beforeprint', follow);
    follow();
    return element;
}
