// The circuit: what flows along its wires. What pins take follows from the run; what each stretch of wire carries, from
// that what comes to a connection also leaves it.

import { columnsOf, quantity, valueAt, type Column, type Drawing, type Net } from './data';
import { makeSvg } from './elements';
import type { Stream } from './moving';

interface Point { x: number; y: number }
/** A straight stretch of wire, and the pins behind it: what they take together flows along it. */
interface Stretch { a: Point; b: Point; behind: number[]; wire: SVGElement; passed: Column }
interface Wired { net: Net; index: number; takes: (t: number, pin: number) => number; stretches: Stretch[]; unit: string }

const key = (p: Point): string => `${Math.round(4 * p.x)},${Math.round(4 * p.y)}`;

/** The lines of a wire cut wherever another one of them ends. */
function cutLines(paths: Point[][]): [Point, Point][] {
    const ends = paths.flat(), cut: [Point, Point][] = [];
    for (const path of paths) {
        for (let i = 0; i + 1 < path.length; ++i) {
            const a = path[i], b = path[i + 1], length = Math.hypot(b.x - a.x, b.y - a.y);
            if (length < 1e-6) continue;
            const along = (p: Point): number => ((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)) / length;
            const across = (p: Point): number => Math.abs((p.x - a.x) * (b.y - a.y) - (p.y - a.y) * (b.x - a.x)) / length;
            const places = [...new Set(ends.filter((p) => across(p) < 0.3 && along(p) > -0.3 && along(p) < length + 0.3).map((p) => Math.round(4 * along(p)) / 4))].sort((p, q) => p - q);
            const at = (s: number): Point => ({ x: a.x + s / length * (b.x - a.x), y: a.y + s / length * (b.y - a.y) });
            for (let k = 0; k + 1 < places.length; ++k) cut.push([at(places[k]), at(places[k + 1])]);
        }
    }
    return cut;
}

/** Of a tree of lines with pins in it, for each line from a to b the pins on b's side; null where it is no tree. */
export function pinsBehind(lines: [Point, Point][], pins: Point[]): number[][] | null {
    const around = new Map<string, { other: string; line: number }[]>();
    const seenLines = new Set<string>();
    const kept = lines.map(([a, b], k) => {
        const name = [key(a), key(b)].sort().join(' ');
        if (seenLines.has(name)) return false;
        seenLines.add(name);
        around.set(key(a), [...(around.get(key(a)) ?? []), { other: key(b), line: k }]);
        around.set(key(b), [...(around.get(key(b)) ?? []), { other: key(a), line: k }]);
        return true;
    });
    if (around.size !== seenLines.size + 1 || pins.some((p) => !around.has(key(p)))) return null;
    const at = new Map<string, number[]>();
    pins.forEach((p, k) => at.set(key(p), [...(at.get(key(p)) ?? []), k]));
    return lines.map(([a, b], k) => {
        if (!kept[k]) return [];
        const found: number[] = [], seen = new Set([key(a)]), left = [key(b)];
        while (left.length > 0) {
            const here = left.pop()!;
            if (seen.has(here)) continue;
            seen.add(here);
            found.push(...(at.get(here) ?? []));
            for (const { other, line } of around.get(here)!) if (line !== k) left.push(other);
        }
        return found;
    });
}

function pathOf(shape: SVGElement): Point[] {
    return [...(shape.getAttribute('d') ?? '').matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g)].map((m) => ({ x: Number(m[1]), y: Number(m[2]) }));
}

/** Where connections have one speed, and forces add up to 0. */
const commonFlow = (domain: string): boolean => ['translational', 'rotational', 'generic'].includes(domain);

/** What each pin takes: of one pin at most nothing is known (a ground, a pin that several parts of its component share), and the others give it. Null where there is no such
 * flow, or where flows do not add up to 0 (at a shaft it is the torques that do). */
function takesOf(net: Net): { takes: (t: number, pin: number) => number; columns: Column[] } | null {
    const names = net.pins.map((p) => (p.inward === 0 ? '' : `${p.of}.${p.name}.f`));
    const columns = names.map((n) => columnsOf(n));
    const unknown = columns.map((c, k) => (c.length === 0 ? k : -1)).filter((k) => k >= 0);
    if (columns.some((c) => c.length > 1) || unknown.length > 1 || (unknown.length > 0 && commonFlow(net.domain)) || unknown.length === net.pins.length) return null;
    const known = (t: number, k: number): number => net.pins[k].inward * valueAt(columns[k][0], t);
    const takes = (t: number, k: number): number => {
        if (columns[k].length > 0) return known(t, k);
        return -columns.reduce((sum, c, i) => sum + (c.length > 0 ? known(t, i) : 0), 0);
    };
    const list = columns.flat(), time = list.map((c) => c.time).reduce((a, b) => (b.length < a.length ? b : a));
    let largest = 0, off = 0;
    for (let row = 0; row < time.length; row += Math.max(1, Math.floor(time.length / 50))) {
        let sum = 0;
        net.pins.forEach((_, k) => { sum += takes(time[row], k); largest = Math.max(largest, Math.abs(takes(time[row], k))); });
        off = Math.max(off, Math.abs(sum));
    }
    return largest > 0 && off <= 1e-3 * largest ? { takes, columns: list } : null;
}

export class Currents {
    private readonly wired: Wired[] = [];
    private readonly largest = new Map<string, number>();
    private readonly length: number;

    constructor(private readonly drawing: Drawing, parts: (of: string) => SVGElement[]) {
        let length = 0;
        (drawing.nets ?? []).forEach((net, index) => {
            if (net.kind !== 'connection') return;
            const found = takesOf(net);
            const shapes = parts(`net-${index}`).filter((s) => s.classList.contains('wire'));
            if (!found || shapes.length === 0) return;
            const lines = cutLines(shapes.map(pathOf));
            const behind = pinsBehind(lines, net.pins);
            if (!behind) return;
            const time = found.columns.map((c) => c.time).reduce((a, b) => (b.length < a.length ? b : a));
            length = Math.max(length, time[time.length - 1] - time[0]);
            const stretches = lines.map(([a, b], k): Stretch | null => {
                if (behind[k].length === 0 || behind[k].length === net.pins.length) return null;
                const along = (t: number): number => behind[k].reduce((sum, pin) => sum + found.takes(t, pin), 0);
                const passed = new Float64Array(time.length);
                let before = along(time[0]), most = Math.abs(before);
                for (let row = 1; row < time.length; ++row) {
                    const now = along(time[row]);
                    passed[row] = passed[row - 1] + 0.5 * (before + now) * (time[row] - time[row - 1]);
                    most = Math.max(most, Math.abs(now));
                    before = now;
                }
                this.largest.set(net.domain, Math.max(this.largest.get(net.domain) ?? 0, most));
                return { a, b, behind: behind[k], wire: shapes[0], passed: { name: '', unit: '', description: '', time, values: passed } };
            }).filter((s): s is Stretch => s !== null);
            this.wired.push({ net, index, takes: found.takes, stretches, unit: found.columns[0].unit });
        });
        this.length = length;
    }

    /** How many wires carry something that is known. */
    get count(): number { return this.wired.length; }

    /** What goes along the wires: dashes as far as has passed there. Where nothing shall move they would not tell which way it
     * goes: that is told when a wire is pointed at. */
    streams(): Stream[] {
        return this.wired.flatMap(({ net, takes, stretches }) => stretches.map((s): Stream => {
            const most = this.largest.get(net.domain) ?? 0, scale = 400 / (most * this.length || 1);
            return { kind: 'current', d: `M${s.a.x},${s.a.y}L${s.b.x},${s.b.y}`, colour: s.wire.getAttribute('stroke')!, behind: s.wire, at: (t) => {
                const flow = s.behind.reduce((sum, pin) => sum + takes(t, pin), 0), share = most > 0 ? Math.abs(flow) / most : 0;
                return share < 1e-4 ? null : { width: 1.4 + 3.6 * Math.sqrt(share), gone: valueAt(s.passed, t) * scale };
            } };
        }));
    }

    /** What is known of a wire, or of a part, at an instant. */
    told(of: string, t: number): string {
        const [what, number] = of.split('-'), index = Number(number);
        const list = this.drawing.nets ?? [];
        if (what === 'net') {
            const net = list[index];
            if (!net) return '';
            const ends = net.pins.map((p) => (p.of ? (p.name ? `${p.of}.${p.name}` : p.of) : this.drawing.parts?.[p.part]?.type || 'expression'));
            const wired = this.wired.find((w) => w.index === index);
            const efforts = net.pins.flatMap((p) => (p.of && p.name ? columnsOf(`${p.of}.${p.name}.e`).slice(0, 3).map((c) => ({ p, c })) : []));
            const lines = [`${net.domain} ${net.kind === 'signal' ? 'signal' : net.kind}`.replace(/^generic /, '')];
            // At a connection of equal efforts one of them says all.
            if (wired && efforts.length > 0) lines.push(`${efforts[0].c.unit === 'V' ? 'potential' : 'effort'} ${quantity(valueAt(efforts[0].c, t), efforts[0].c.unit)}`);
            net.pins.forEach((_, k) => lines.push(wired ? this.line(ends[k], wired.takes(t, k), wired.unit) : ends[k]));
            if (net.kind === 'connection' && !wired) lines.push('no flow along this wire is shown');
            return lines.join('\n');
        }
        const part = this.drawing.parts?.[index];
        if (!part) return '';
        const lines = [part.name ? `${part.type} : ${part.name}` : part.type];
        for (const w of this.wired) w.net.pins.forEach((p, k) => { if (p.part === index) lines.push(this.line(p.name || 'pin', w.takes(t, k), w.unit)); });
        return lines.join('\n');
    }

    private line(name: string, flow: number, unit: string): string {
        return `${name}: ${quantity(Math.abs(flow), unit)}${flow === 0 ? '' : flow > 0 ? ' into it' : ' out of it'}`;
    }
}

/** Wires and parts of a circuit can be pointed at, and come one after the other. */
export function addCircuitHandles(drawing: Drawing, svg: SVGSVGElement, parts: Map<string, SVGElement[]>, reach: (shape: SVGElement, label: string) => void): void {
    (drawing.nets ?? []).forEach((net, index) => {
        const shapes = parts.get(`net-${index}`)?.filter((s) => ['wire', 'bond', 'signal'].some((c) => s.classList.contains(c))) ?? [];
        if (shapes.length === 0) return;
        const handle = makeSvg('path', { class: 'handle', d: shapes.map((s) => s.getAttribute('d')).join(' '), 'data-of': `net-${index}` });
        const ends = net.pins.map((p) => (p.of && p.name ? `${p.of}.${p.name}` : p.of || drawing.parts![p.part].type));
        reach(handle, `${net.kind === 'connection' ? 'Wire' : net.kind === 'bond' ? 'Bond' : 'Signal'} of ${ends.join(', ')}`);
        svg.append(handle);
        parts.get(`net-${index}`)?.push(handle);
    });
    (drawing.parts ?? []).forEach((part, index) => {
        const shapes = (parts.get(`part-${index}`) ?? []) as SVGGraphicsElement[];
        const drawn = shapes.filter((s) => s.tagName !== 'text');
        if (!part.name || drawn.length === 0) return;
        const boxes = drawn.map((s) => s.getBBox());
        const x = Math.min(...boxes.map((b) => b.x)), y = Math.min(...boxes.map((b) => b.y));
        const cover = makeSvg('rect', { class: 'cover', x: x - 2, y: y - 2, width: Math.max(...boxes.map((b) => b.x + b.width)) - x + 4, height: Math.max(...boxes.map((b) => b.y + b.height)) - y + 4, rx: 3, 'data-of': `part-${index}` });
        reach(cover, `${part.type} ${part.name}`);
        svg.append(cover);
        parts.get(`part-${index}`)?.push(cover);
    });
}
