// Curves over time, over another result or over frequencies: zoom, cursor, events, files of measured data beside the run.

import { readBeside } from './beside';
import { columns, outputs, quantity, rowBefore, span, valueAt, type Column } from './data';
import { clear, colour, curveColours, make } from './elements';
import { drawSoon } from './picture';
import { spectrum } from './spectrum';
import { stepOf, ticksOf, tickText } from './ticks';
import { set, setTime, state, watch } from './state';

interface Range { low: number; high: number }
interface Panel { names: string[]; unit: string }
/** A panel as it is drawn. What marks the instant lies over its curves, which need not be drawn again when it moves. */
interface DrawnPanel { panel: Panel; canvas: HTMLCanvasElement; marks: HTMLElement; line: HTMLElement; dots: HTMLElement[]; values: HTMLElement[];
    x: Range; left: number; right: number; place: ((name: string) => [number, number]) | null }

const kFont = '12px system-ui, sans-serif';
/** Room for the numbers of the vertical axis, more where they need it: axes of panels stand one below the other. */
const kLeft = 62;

/** Of the horizontal axis, where it is no result: amplitudes over frequencies of the time shown. */
const kFrequency = ' frequency';

/** Of a curve with more rows than pixels, the least and the largest value of each pixel, in the order in which they come. */
export function decimated(c: Column, from: number, to: number, pixels: number): { x: number[]; y: number[] } {
    const x: number[] = [], y: number[] = [];
    const first = Math.max(0, rowBefore(c.time, from) - 1), last = Math.min(c.time.length - 1, rowBefore(c.time, to) + 1);
    const value = (row: number) => (c.values.length === 1 ? c.values[0] : c.values[row]);
    if (last - first < 4 * pixels) {
        for (let row = first; row <= last; ++row) { x.push(c.time[row]); y.push(value(row)); }
        return { x, y };
    }
    const width = (to - from) / pixels;
    let row = first;
    while (row <= last) {
        const end = c.time[row] + width;
        let low = row, high = row, next = row;
        while (next <= last && c.time[next] < end) {
            if (value(next) < value(low)) low = next;
            if (value(next) > value(high)) high = next;
            ++next;
        }
        const last_here = Math.max(row, next - 1);
        for (const r of [...new Set([row, low, high, last_here])].sort((a, b) => a - b)) { x.push(c.time[r]); y.push(value(r)); }
        row = Math.max(next, row + 1);
    }
    return { x, y };
}

export class PlotsView {
    readonly element = make('section', { class: 'plots', 'aria-label': 'Plots' });
    private panels: Panel[] = [];
    private readonly area = make('div', { class: 'panels' });
    private readonly axis = make('select', { id: 'axis', 'aria-label': 'Horizontal axis', change: () => { if (this.axis.value !== kFrequency) this.range = null; set('looking', state.looking + 1); this.draw(); } });
    private range: Range | null = null;
    private drag: { from: number; canvas: HTMLCanvasElement } | null = null;
    private drawn: DrawnPanel[] = [];
    private outdated = true;
    private listed = '';

    constructor() {
        const list = make('datalist', { id: 'results' });
        const input = make('input', { type: 'search', list: 'results', id: 'add-result', placeholder: 'Add a result', 'aria-label': 'Add a result',
            change: () => { if (columns.has(input.value)) { this.add([input.value]); input.value = ''; } else if (input.value) this.tell(`There is no result '${input.value}' on this page.`); } });
        const file = make('input', { type: 'file', accept: '.csv,.html', id: 'measured', 'aria-label': 'Lay a CSV file or the page of another run beside the run', change: () => this.read(file) });
        this.element.append(make('div', { class: 'tools' }, input, list, make('label', {}, 'over ', this.axis),
            make('button', { id: 'unzoom', click: () => { this.range = null; this.draw(); } }, 'All of the time'),
            make('label', { class: 'file' }, 'CSV or page ', file)), this.area);
        this.fillLists();
        for (const name of outputs.slice(0, 6)) this.place([name]);
        watch(['time'], () => drawSoon(this.update));
        watch(['run'], () => { this.fillLists(); this.shown(); });
        new ResizeObserver(() => this.shown()).observe(this.area);
        // On paper all views are there, those too that the screen does not show.
        addEventListener('beforeprint', () => {
            const hidden = this.element.hidden;
            this.element.hidden = false;
            this.draw();
            this.element.hidden = hidden;
        });
        this.build();
    }

    private fillLists(): void {
        const names = [...columns.keys()].join('\n');
        if (names === this.listed) return; // of another run of the same model
        this.listed = names;
        const list = this.element.querySelector('#results')!;
        clear(list);
        const chosen = this.axis.value;
        clear(this.axis);
        this.axis.append(make('option', { value: '' }, 'time'), make('option', { value: kFrequency }, 'frequency (spectrum)'));
        for (const name of columns.keys()) {
            list.append(make('option', { value: name }));
            if (this.axis.childElementCount < 400) this.axis.append(make('option', { value: name }, name));
        }
        this.axis.value = chosen;
    }

    /** Into a panel of the same unit where there is one. */
    private place(names: string[]): void {
        for (const name of names) {
            const column = columns.get(name);
            if (!column || this.panels.some((p) => p.names.includes(name))) continue;
            const panel = this.panels.find((p) => p.unit === column.unit && p.names.length < 8);
            if (panel) panel.names.push(name); else this.panels.push({ names: [name], unit: column.unit });
        }
    }

    add(names: string[]): void { this.place(names); this.build(); }

    private async read(input: HTMLInputElement): Promise<void> {
        const file = input.files?.[0];
        if (!file) return;
        const found = await readBeside(file);
        if (typeof found === 'string') { this.tell(found); return; }
        for (const c of found) columns.set(`${file.name}: ${c.name}`, { ...c, name: `${file.name}: ${c.name}`, unit: c.unit || (columns.get(c.name)?.unit ?? '') });
        const added = found.map((c) => `${file.name}: ${c.name}`);
        this.tell(`${file.name}: ${found.length} columns, ${found[0].time.length} rows`);
        this.fillLists();
        const shown = new Set(this.panels.flatMap((p) => p.names));
        const alike = found.filter((c) => shown.has(c.name)).map((c) => `${file.name}: ${c.name}`);
        this.add((alike.length > 0 ? alike : added).slice(0, 6));
    }

    private tell(text: string): void {
        this.element.querySelector('.note')?.remove();
        this.area.before(make('p', { class: 'note', role: 'status' }, text));
    }

    /** The results whose curves are drawn. */
    get looksAt(): string[] { return [...this.panels.flatMap((p) => p.names), this.axis.value]; }

    private build(): void {
        set('looking', state.looking + 1);
        clear(this.area);
        this.drawn = [];
        if (this.panels.length === 0) this.area.append(make('p', { class: 'empty' }, columns.size === 0 ? 'There is no run to show.' : 'Add a result, or choose a bond in the graph.'));
        this.panels.forEach((panel, index) => {
            const values = panel.names.map((name) => make('output', { 'data-value': name }));
            const keys = make('ul', { class: 'keys' }, ...panel.names.map((name, k) => make('li', {},
                make('span', { class: 'swatch', style: `background:${curveColours[k % curveColours.length]}` }), make('span', { class: 'key-name' }, name), ' ',
                values[k], make('button', { class: 'remove', 'aria-label': `Remove ${name}`, title: `Remove ${name}`, click: () => this.remove(index, name) }, '×'))));
            const canvas = make('canvas', { tabindex: 0, role: 'img', 'aria-label': `Curves of ${panel.names.join(', ')}` });
            const line = make('i', { class: 'instant' }), dots = panel.names.map((_, k) => make('i', { class: 'dot', style: `background:${curveColours[k % curveColours.length]}` }));
            const marks = make('div', { class: 'instants', 'aria-hidden': true }, line, ...dots);
            const drawn: DrawnPanel = { panel, canvas, marks, line, dots, values, x: { low: 0, high: 1 }, left: 0, right: 1, place: null };
            this.listen(drawn);
            this.drawn.push(drawn);
            this.area.append(make('div', { class: 'panel' }, keys, make('div', { class: 'curves' }, canvas, marks)));
        });
        this.draw();
    }

    private remove(index: number, name: string): void {
        const panel = this.panels[index];
        panel.names = panel.names.filter((n) => n !== name);
        if (panel.names.length === 0) this.panels.splice(index, 1);
        this.build();
    }

    private listen(l: DrawnPanel): void {
        const canvas = l.canvas;
        const timeAt = (e: PointerEvent | WheelEvent): number | null => {
            if (!l.place || this.axis.value) return null;
            const at = e.clientX - canvas.getBoundingClientRect().left;
            return l.x.low + (at - l.left) / (l.right - l.left) * (l.x.high - l.x.low);
        };
        canvas.addEventListener('pointerdown', (e) => { const t = timeAt(e); if (t !== null) { this.drag = { from: t, canvas }; canvas.setPointerCapture(e.pointerId); } });
        canvas.addEventListener('pointerup', (e) => {
            const t = timeAt(e);
            if (t === null || !this.drag) return;
            const from = this.drag.from;
            this.drag = null;
            if (Math.abs(t - from) > 0.02 * (l.x.high - l.x.low)) { this.range = { low: Math.min(t, from), high: Math.max(t, from) }; this.draw(); }
            else setTime(t);
        });
        canvas.addEventListener('dblclick', () => { this.range = null; this.draw(); });
        canvas.addEventListener('wheel', (e) => {
            const t = timeAt(e);
            if (t === null || !(e.ctrlKey || e.shiftKey)) return;
            e.preventDefault();
            const f = Math.exp(0.002 * (e.deltaY || e.deltaX));
            this.range = { low: t - (t - l.x.low) * f, high: t + (l.x.high - t) * f };
            this.draw();
        }, { passive: false });
        canvas.addEventListener('keydown', (e) => {
            if (e.key === '+' || e.key === '-') {
                const f = e.key === '+' ? 0.5 : 2;
                if (l.place && !this.axis.value) { this.range = { low: state.time - (state.time - l.x.low) * f, high: state.time + (l.x.high - state.time) * f }; this.draw(); }
            } else if (e.key === '0') { this.range = null; this.draw(); }
        });
    }

    shown(): void {
        this.outdated = true;
        drawSoon(this.update);
    }

    private draw(): void {
        this.outdated = true;
        this.update();
    }

    private readonly update = (): void => {
        if (!this.element.isConnected || this.element.hidden) return;
        if (this.outdated) for (const d of this.drawn) this.drawPanel(d);
        this.outdated = false;
        for (const d of this.drawn) this.markInstant(d);
    };

    /** Moved, not drawn: neither the curves nor what stands around them are touched. */
    private markInstant({ panel, line, dots, values, x, left, right, place }: DrawnPanel): void {
        line.style.transform = `translateX(${((state.time - x.low) / (x.high - x.low) * (right - left)).toFixed(1)}px)`;
        panel.names.forEach((name, k) => {
            const column = columns.get(name)!, [across, down] = place?.(name) ?? [0, 0];
            if (Number.isFinite(across + down)) dots[k].style.transform = `translate(${across.toFixed(1)}px, ${down.toFixed(1)}px)`;
            const text = quantity(valueAt(column, state.time), column.unit);
            if (values[k].textContent !== text) values[k].textContent = text;
        });
    }

    private drawPanel(drawn: DrawnPanel): void {
        const { panel, canvas } = drawn;
        const width = canvas.clientWidth, height = canvas.clientHeight, ratio = devicePixelRatio || 1;
        if (width < 20) return;
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        const g = canvas.getContext('2d')!;
        g.setTransform(ratio, 0, 0, ratio, 0, 0);
        g.clearRect(0, 0, width, height);
        const over = columns.get(this.axis.value) ?? null, frequencies = this.axis.value === kFrequency;
        const right = width - 10, top = panel.unit ? 24 : 10; // above the first tick stands the unit
        const curves = panel.names.map((n) => (frequencies ? this.amplitudes(columns.get(n)!) : this.curve(columns.get(n)!, over, right - kLeft)));
        const x = frequencies ? heard(curves) : over ? extent(curves.map((c) => c.x)) : this.timeRange(curves);
        const y = padded(extent(curves.map((c) => c.y)));
        g.font = kFont;
        const title = frequencies ? this.frequencyTitle() : over ? `${over.name} ${over.unit}` : 'time / s';
        const up = ticksOf(y.low, y.high, Math.max(2, (height - 26 - top) / 40));
        const left = Math.max(kLeft, ...up.map((v) => Math.ceil(g.measureText(tickText(v, stepOf(up))).width) + 12));
        const along = ticksOf(x.low, x.high, Math.max(2, (right - left) / 110));
        const px = (v: number) => left + (v - x.low) / (x.high - x.low) * (right - left);
        // Beside the numbers, or below them where it would take the place of most.
        const beside = along.filter((v) => px(v) + 0.5 * g.measureText(tickText(v, stepOf(along))).width < right - g.measureText(title).width - 8);
        const below = beside.length < Math.min(3, along.length), bottom = height - (below ? 42 : 26);
        const py = (v: number) => bottom - (v - y.low) / (y.high - y.low) * (bottom - top);
        this.drawAxes(g, { left, right, top, bottom, width }, { up, along, numbers: below ? along : beside }, px, py, panel.unit, title, below);
        g.save();
        g.beginPath();
        g.rect(left, top, right - left, bottom - top);
        g.clip();
        if (!over && !frequencies) this.drawEvents(g, px, top, bottom, x);
        g.lineWidth = 1.6;
        g.lineJoin = 'round';
        curves.forEach((c, k) => {
            g.strokeStyle = curveColours[k % curveColours.length];
            g.setLineDash(k >= curveColours.length ? [5, 3] : []);
            g.beginPath();
            let pen = false;
            for (let i = 0; i < c.x.length; ++i) {
                if (!Number.isFinite(c.y[i]) || !Number.isFinite(c.x[i])) { pen = false; continue; }
                if (pen) g.lineTo(px(c.x[i]), py(c.y[i])); else g.moveTo(px(c.x[i]), py(c.y[i]));
                pen = true;
            }
            g.stroke();
        });
        g.restore();
        Object.assign(drawn, { x, left, right });
        drawn.place = (name) => [px(over ? valueAt(over, state.time) : state.time) - left, py(valueAt(columns.get(name)!, state.time)) - top];
        drawn.marks.style.cssText = `left:${left}px;top:${top}px;width:${right - left}px;height:${bottom - top}px`;
        drawn.marks.hidden = frequencies;
        drawn.line.hidden = over !== null;
    }

    private curve(c: Column, over: Column | null, pixels: number): { x: number[]; y: number[] } {
        if (!over) {
            const range = this.stretch(c);
            return decimated(c, range.low, range.high, pixels);
        }
        const x: number[] = [], y: number[] = [];
        const stride = Math.max(1, Math.floor(c.time.length / 4000));
        // At an event both have two rows: which belong together the rows tell, not the time.
        const alike = over.values.length > 1 && over.time.length === c.time.length;
        for (let row = 0; row < c.time.length; row += stride) { x.push(alike ? over.values[row] : valueAt(over, c.time[row])); y.push(c.values.length === 1 ? c.values[0] : c.values[row]); }
        return { x, y };
    }

    private stretch(c: Column): Range { return this.range ?? { low: c.time[0], high: c.time[c.time.length - 1] }; }

    private amplitudes(c: Column): { x: number[]; y: number[] } {
        const stretch = this.stretch(c);
        const from = Math.max(stretch.low, c.time[0]), to = Math.min(stretch.high, c.time[c.time.length - 1]);
        return spectrum((t) => valueAt(c, t), from, to, rowBefore(c.time, to) - rowBefore(c.time, from));
    }

    private frequencyTitle(): string {
        return this.range ? `frequency / Hz, of ${quantity(this.range.low, 's')} to ${quantity(this.range.high, 's')}` : 'frequency / Hz';
    }

    private timeRange(curves: { x: number[] }[]): Range {
        if (this.range) return this.range;
        const all = extent(curves.map((c) => c.x));
        return all.high > all.low ? all : { low: all.low, high: all.low + 1 };
    }

    private drawAxes(g: CanvasRenderingContext2D, b: { left: number; right: number; top: number; bottom: number; width: number }, ticks: { up: number[]; along: number[]; numbers: number[] },
        px: (v: number) => number, py: (v: number) => number, unit: string, title: string, below: boolean): void {
        const { up, along } = ticks;
        g.font = kFont;
        g.fillStyle = colour('--text');
        g.strokeStyle = colour('--line');
        g.lineWidth = 1;
        g.beginPath();
        g.textAlign = 'right';
        g.textBaseline = 'middle';
        for (const v of up) {
            g.moveTo(b.left, py(v));
            g.lineTo(b.right, py(v));
            g.fillText(tickText(v, stepOf(up)), b.left - 6, py(v));
        }
        g.textAlign = 'center';
        g.textBaseline = 'top';
        for (const v of along) {
            g.moveTo(px(v), b.top);
            g.lineTo(px(v), b.bottom);
        }
        for (const v of ticks.numbers) {
            const text = tickText(v, stepOf(along)), half = 0.5 * g.measureText(text).width;
            g.fillText(text, Math.min(px(v), b.width - half - 1), b.bottom + 6);
        }
        g.stroke();
        g.textAlign = 'left';
        g.textBaseline = 'top';
        if (unit) g.fillText(unit, 4, 2);
        g.textAlign = 'right';
        g.textBaseline = 'top';
        g.fillText(title, b.right, b.bottom + (below ? 23 : 6));
    }

    private drawEvents(g: CanvasRenderingContext2D, px: (v: number) => number, top: number, bottom: number, x: Range): void {
        const events = (span?.events ?? []).filter((e) => e.time >= x.low && e.time <= x.high);
        if (events.length === 0) return;
        g.strokeStyle = colour('--event');
        g.setLineDash([2, 4]);
        g.beginPath();
        let last = -Infinity; // where many are closer than pixels, one line stands for them
        for (const e of events) {
            if (px(e.time) - last < 2) continue;
            last = px(e.time);
            g.moveTo(last, top);
            g.lineTo(last, bottom);
        }
        g.stroke();
        g.setLineDash([]);
    }
}

function extent(lists: number[][]): Range {
    let low = Infinity, high = -Infinity;
    for (const list of lists) for (const v of list) { if (v < low) low = v; if (v > high) high = v; }
    return low <= high ? { low, high } : { low: 0, high: 1 };
}

/** Frequencies up to the last that is more than a thousandth of the largest, and some more. */
function heard(curves: { x: number[]; y: number[] }[]): Range {
    let last = 0;
    for (const c of curves) {
        const most = Math.max(0, ...c.y);
        c.y.forEach((v, k) => { if (v > 1e-3 * most) last = Math.max(last, 1.25 * c.x[k]); });
    }
    const all = extent(curves.map((c) => c.x)).high;
    return { low: 0, high: last > 0 ? Math.min(last, all) : all || 1 };
}

function padded(r: Range): Range {
    const room = r.high > r.low ? 0.06 * (r.high - r.low) : Math.max(1e-12, 0.1 * Math.abs(r.low)) || 1;
    return { low: r.low - room, high: r.high + room };
}
