// Energies since the start of the run, and what does not add up of them: a line that has to stay level.

import { counted, deviationAt, worst, type Course } from './account';
import { instant, quantity, span } from './data';
import { clear, make, makeSvg } from './elements';
import { setTime, state } from './state';
import { stepOf, ticksOf, tickText } from './ticks';

const kLeft = 58, kRight = 8;

/** Round shares of the throughput: the line is drawn over the smallest of them that holds it, so that level looks level. */
const scales = [1e-4, 1e-3, 1e-2, 0.1, 0.2, 0.5, 1, 10, 100];

/** Share of what moved that steps may be the cause of; more than that needs another explanation. */
export const kMostOfIntegration = 1e-3;
export const unbalanced = 'These books do not add up: run it with a smaller tolerance. If that changes nothing, a law and the energy that is given for it disagree.';
export const percent = (share: number): string => `${Number((100 * share).toPrecision(2))} %`;

export interface Curve { name: string; kind: string; values: (k: number) => number }

export const curvesOf = (c: Course): Curve[] => {
    const all: Curve[] = [{ name: 'supplied', kind: 'supplied', values: (k) => c.balance.supplied[k] }, { name: 'stored', kind: 'stored', values: (k) => c.balance.stored[k] },
        { name: 'dissipated', kind: 'dissipated', values: (k) => c.balance.dissipated[k] }, { name: 'taken by own types', kind: 'other', values: (k) => c.balance.other[k] },
        { name: 'lost in events', kind: 'events', values: (k) => c.balance.events[k] }];
    const moved = c.moved[c.moved.length - 1];
    return all.filter((curve, k) => k < 3 || c.time.some((_, i) => counted(curve.values(i), moved) !== 0));
};

export class BalanceChart {
    readonly element = make('div', { class: 'balance-charts' });
    private readonly above = make('div', { class: 'balance-chart' });
    private readonly below = make('div', { class: 'balance-chart leveling' });
    private cursors: SVGElement[] = [];
    private width = 0;

    constructor(private readonly course: Course, private readonly moved: number, private window: [number, number]) {
        const at = worst(course), off = deviationAt(course, at), share = moved > 0 ? Math.abs(off) / moved : 0;
        const keys = make('ul', { class: 'keys' }, ...curvesOf(course).map((c) => make('li', {}, make('span', { class: `swatch bar ${c.kind}` }), c.name)));
        const told = moved > 0 ? `Supplied − ${curvesOf(course).slice(1).map((c) => c.name).join(' − ')} stays level within ${share.toExponential(1)} of the ${quantity(moved, 'J')} that moved in the run` +
            `${off === 0 ? '.' : `: it is farthest off at ${instant(course.time[at])}, by ${quantity(off, 'J')}.`}` : 'No energy moved in this run.';
        this.element.append(make('h3', {}, 'Balance since the start'), keys, this.above,
            make('p', { class: share > kMostOfIntegration ? 'level-told wrong' : 'level-told', id: 'level-told' }, told, share > kMostOfIntegration ? ` ${unbalanced}` : ''), this.below);
        for (const chart of [this.above, this.below]) chart.addEventListener('click', (e) => this.goto(e));
        new ResizeObserver(() => this.draw()).observe(this.element);
    }

    setWindow(window: [number, number]): void { this.window = window; this.draw(true); }

    private goto(e: MouseEvent): void {
        const box = (e.currentTarget as Element).getBoundingClientRect(), t = this.course.time;
        setTime(t[0] + Math.min(1, Math.max(0, (e.clientX - box.left - kLeft) / (box.width - kLeft - kRight))) * (t[t.length - 1] - t[0]));
    }

    private x(t: number): number {
        const all = this.course.time, low = all[0], high = all[all.length - 1];
        return kLeft + (t - low) / (high - low || 1) * (this.width - kLeft - kRight);
    }

    private draw(again = false): void {
        const width = this.above.clientWidth;
        if (width < 60 || (width === this.width && !again)) return;
        this.width = width;
        this.cursors = [];
        const n = this.course.time.length, indices = Array.from({ length: n }, (_, k) => k);
        const curves = curvesOf(this.course);
        let low = 0, high = 0;
        for (const c of curves) for (const k of indices) { low = Math.min(low, c.values(k)); high = Math.max(high, c.values(k)); }
        const room = 0.05 * (high - low) || 1;
        this.chart(this.above, 150, curves, low < 0 ? low - room : 0, high + room, 'J', (v, step) => tickText(v, step), `Energy supplied, stored and dissipated since the start, over ${quantity((span?.stop ?? 0) - (span?.start ?? 0), 's')}`);
        const share: Curve = { name: 'off', kind: 'deviation', values: (k) => (this.moved > 0 ? deviationAt(this.course, k) / this.moved : 0) };
        const most = Math.max(...indices.map((k) => Math.abs(share.values(k)))), scale = scales.find((s) => s >= most) ?? most;
        this.chart(this.below, 74, [share], -scale, scale, '%', (v) => (v === 0 ? '0' : `${v > 0 ? '+' : '−'}${Number((100 * Math.abs(v)).toPrecision(2))}`),
            `Supplied less stored less dissipated over time, of what moved, on a scale to ${percent(scale)}: ${document.getElementById('level-told')?.textContent ?? ''}`, [-scale, 0, scale]);
        this.moveCursor();
    }

    private chart(place: HTMLElement, height: number, curves: Curve[], low: number, high: number, unit: string, said: (v: number, step: number) => string, label: string, fixed?: number[]): void {
        clear(place);
        const top = 14, bottom = height - 18, y = (v: number): number => bottom - (v - low) / (high - low) * (bottom - top);
        const svg = makeSvg('svg', { class: 'chart', viewBox: `0 0 ${this.width} ${height}`, width: this.width, height, role: 'img', 'aria-label': label });
        const [from, to] = this.window.map((k) => this.x(this.course.time[k]));
        svg.append(makeSvg('rect', { class: 'window', x: from, y: top, width: Math.max(0, to - from), height: bottom - top }));
        const up = fixed ?? ticksOf(low, high, Math.max(2, (bottom - top) / 40));
        for (const v of up) svg.append(makeSvg('line', { x1: kLeft, x2: this.width - kRight, y1: y(v), y2: y(v) }), makeSvg('text', { x: kLeft - 5, y: y(v) + 4, 'text-anchor': 'end' }, said(v, stepOf(up))));
        svg.append(makeSvg('text', { x: 2, y: 10 }, unit));
        const times = this.course.time, along = ticksOf(times[0], times[times.length - 1], Math.max(2, this.width / 110));
        for (const t of along) if (this.x(t) < this.width - 20) svg.append(makeSvg('text', { x: this.x(t), y: height - 4, 'text-anchor': 'middle' }, tickText(t, stepOf(along))));
        svg.append(makeSvg('text', { x: this.width - 2, y: height - 4, 'text-anchor': 'end' }, 's'));
        for (const c of curves) {
            const d = Array.from(times, (t, k) => `${k === 0 ? 'M' : 'L'}${this.x(t).toFixed(1)},${y(c.values(k)).toFixed(1)}`).join('');
            svg.append(makeSvg('path', { class: `curve ${c.kind}`, d }));
        }
        const cursor = makeSvg('line', { class: 'cursor', y1: top, y2: bottom });
        svg.append(cursor);
        this.cursors.push(cursor);
        place.append(svg);
    }

    moveCursor(): void {
        for (const c of this.cursors) { const x = this.x(state.time).toFixed(1); c.setAttribute('x1', x); c.setAttribute('x2', x); }
    }
}
