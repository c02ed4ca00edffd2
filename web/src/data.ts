// What the program has put into the page, and how it is read.

import { given } from './given';
import { bytes, type Packed } from './packed';
import type { Sensitivities } from './sensitivity';

export interface Component { stroke: 'from' | 'to' | 'open'; kind: string; reason: string; order: number; follows: string }
export interface Node {
    name: string; type: string; value: string; kind: string; domain: string;
    derivative: boolean; conflict: boolean; loop: number;
}
export interface Edge {
    kind: 'bond' | 'signal' | 'frame'; name: string; from: number; to: number; domain: string;
    effort: string; flow: string; against: boolean; conflict: boolean; loop: number; components: Component[];
}
/** Where a wire of a circuit ends; `inward`: whether its flow counts what goes into the part (1), out of it (-1), or is none. */
export interface Pin { part: number; name: string; x: number; y: number; inward: number; /** the part's name; empty where it has none */ of: string }
export interface Net { kind: 'connection' | 'bond' | 'signal'; domain: string; pins: Pin[] }
export interface Drawing { title: string; svg: string; nodes?: Node[]; edges?: Edge[];
    /** Of a circuit. */
    parts?: { name: string; type: string }[]; nets?: Net[];
    /** The same with one component each looked into, by its name; and those that are too much for this page. */
    /** With components looked into: by their names, joined by line breaks. */
    opened?: Record<string, Drawing>; closed?: string[]; frames?: string[] }
export interface Message { warning: boolean; code: string; text: string; line: number; notes: [string, string][]; shown: string }
export interface Equation { variable?: string; state?: string; name?: string; expression?: string; derivative?: string;
    residual?: string; element?: string; latex: string }
export interface Matrices { states: string[]; inputs: string[]; outputs: string[];
    A: number[][]; B: number[][]; C: number[][]; D: number[][];
    symbolic: null | { A: string[][]; B: string[][]; C: string[][]; D: string[][] } }
export interface Equations {
    abbreviations: Equation[]; assignments: Equation[]; states: Equation[]; implicit: Equation[]; discrete: Equation[];
    when: { if: string; reinit: Record<string, string>; set: Record<string, string> }[]; modes: Record<string, number | boolean>;
    parameters: Record<string, number>; state_space: Matrices | null;
}
/** In a mode other than that at the start: strokes of bonds and marks of nodes by their names, where they are not as there. */
export interface Structure { modes: Record<string, number | boolean>; edges: Record<string, { components: Component[]; loop: number }>;
    nodes: Record<string, { derivative: boolean; loop: number }>; causality: Causality; equations: Equations; symbolic?: Equations }
/** Which of the modes there was from each time on; beyond `until` it is not told. */
interface PackedCourseOfModes { names: string[]; modes: (number | boolean)[][]; time: Packed; mode: Packed; until?: number }
export interface CourseOfModes { modes: Record<string, number | boolean>[]; time: Float64Array; mode: Uint32Array; until: number }
export interface Causality {
    storages: { name: string; integral: boolean; depends: string[] }[];
    paths: { from: string; to: string; variables: string[]; gain: string }[];
    loops: { elements: string[]; variables: string[] }[];
    causal_loops: { variables: string[]; gain: string }[];
}
export interface EnergyRow { name: string; type: string; supplied: number; in: number; out: number; stored: number;
    dissipated: number; other: number; events: number; residual: number; passes_on: boolean }
export interface Energy { from: number; to: number; supplied: number; stored: number; dissipated: number; other: number;
    events: number; imbalance: number; moved: number; components: EnergyRow[]; domains: EnergyRow[]; sankey: string; course?: PackedCourse }
type PackedBooks = Partial<Record<'supplied' | 'stored' | 'dissipated' | 'other' | 'events', Packed>>;
/** From the start of the run to instants of it, doubles; of what never changes one number, of what is always 0 none. */
interface PackedCourse { time: Packed; balance: PackedBooks; moved: Packed; components: PackedBooks[]; colours: [string, string][];
    flows: { from: number; to: number; domain: string; net: Packed }[];
    domains?: PackedBooks[]; crossings?: { domain: number; net: Packed }[] }
/** NaN where there is no number. */
export interface Responses { abscissa: Packed;
    channels: { input: string; output: string; unit: string; values: Packed; phases?: Packed }[] }
export interface Linear { states: string[]; inputs: string[]; outputs: string[]; poles: [number, number][]; time: number;
    bode?: Responses; step?: Responses }
interface PackedColumn { name: string; unit: string; description: string; data: Packed; wide?: boolean }
interface PackedShape { component: string; kind: string; measures: string; scale: number; x: Packed; R: Packed; size: Packed; mesh?: number; nominal?: Shape['nominal'] }
interface PackedMesh { low: number[]; side: number[]; wide: boolean; places: Packed; parts: { colour: string; triangles: Packed }[] }
interface PackedFrame { name: string; x: Packed; R: Packed; f: Packed; t: Packed }
interface Raw {
    format: number; program: string; model: string; description: string; graphs: Drawing[]; causality?: Causality;
    equations?: Equations; symbolic?: Equations;
    /** At instants of the run, the first of them its start; one where they are all alike. */
    linear?: Linear[]; conflict: Message[] | null; failure: Message[] | null;
    warnings: Message[];
    /** Strokes and equations are to be found first. */
    unsolved?: boolean;
    /** Of those modes that the run was in. */
    modes?: Structure[];
    run?: Run; sensitivities?: Sensitivities; no_sensitivities?: Message[];
}
export interface Run { start: number; stop: number; tolerance: number; steps: number;
    events: { time: number; cause: string; jumped: boolean }[];
    tables: { time: Packed; columns: PackedColumn[] }[];
    modes?: PackedCourseOfModes;
    /** What nobody looks at is left out while a slider is dragged. */
    energy?: Energy | null;
    animation?: null | { time: Packed; gravity?: number[]; shapes: PackedShape[]; meshes?: PackedMesh[] };
    frames?: null | { time: Packed; frames: PackedFrame[] } }

/** Numbers over time: linear between rows; at an event there are two rows of one time. One value where it is constant. */
export interface Column { name: string; unit: string; description: string; time: Float64Array; values: Float32Array | Float64Array }
export interface Shape { component: string; kind: string; measures: string; scale: number;
    x: Float32Array; R: Float32Array; size: Float32Array; mesh: Form | null;
    /** Sizes that no length of the model gives, those of a mechanism of about a metre: all, or width and height. */
    nominal: 'all' | 'thickness' | '' }
/** What a file has: places of three numbers, in its own axes and unit, and triangles of places. An empty colour is any. */
export interface Form { places: Float32Array; parts: { colour: string; triangles: Uint16Array | Uint32Array }[] }

/** A frame of mechanics: h_frame = R h_world; the force and torque that act on its component there, in the world. */
export interface Frame { name: string; component: string; x: Float32Array; R: Float32Array; f: Float32Array; t: Float32Array }

/** The row that was asked for last: all results of a table have one time, and are asked for the same instant. */
const last = { time: new Float64Array() as Float64Array, t: NaN, row: -1 };

/** The row at or before a time, from -1; of several rows of one time the last. */
export function rowBefore(time: Float64Array, t: number): number {
    if (time === last.time && t === last.t) return last.row;
    let low = -1, high = time.length;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (time[middle] <= t) low = middle; else high = middle;
    }
    last.time = time;
    last.t = t;
    last.row = low;
    return low;
}

export function valueAt(c: Column, t: number): number {
    if (c.values.length === 1) return c.values[0];
    const row = Math.max(0, rowBefore(c.time, t));
    if (row >= c.values.length - 1) return c.values[c.values.length - 1];
    const span = c.time[row + 1] - c.time[row];
    const share = span > 0 ? (t - c.time[row]) / span : 0;
    return c.values[row] + share * (c.values[row + 1] - c.values[row]);
}

export function unpack(run: Run): Column[] {
    return run.tables.flatMap((table) => {
        const time = new Float64Array(bytes(table.time));
        return table.columns.map((c) => ({ name: c.name, unit: c.unit, description: c.description, time,
            values: c.wide ? new Float64Array(bytes(c.data)) : new Float32Array(bytes(c.data)) }));
    });
}

const raw = given.raw as Raw;
for (const g of raw.graphs ?? []) for (const net of g.nets ?? []) for (const pin of net.pins) pin.of = g.parts![pin.part].name;

/** By name; those of files that were laid beside the run come later. */
export const columns = new Map<string, Column>();

/** The columns of a result, which may be a vector. */
export function columnsOf(name: string): Column[] {
    if (!name) return [];
    const one = columns.get(name);
    if (one) return [one];
    const found: Column[] = [];
    for (let i = 1; ; ++i) {
        const part = columns.get(`${name}[${i}]`);
        if (!part) return found;
        found.push(part);
    }
}

export interface Span { start: number; stop: number; events: Run['events'] }
/** `gravity`: the acceleration where it is the same everywhere, else 0. */
export interface Motion { time: Float64Array; gravity: number[]; shapes: Shape[] }
export interface Frames { time: Float64Array; frames: Frame[] }

export const model = raw;
export let span: Span | null = null;
/** Until where the run came. */
export let reached = 0;
export let animation: Motion | null = null;
export let frames: Frames | null = null;
export let courseOfModes: CourseOfModes | null = null;
/** Of the last run that has one: those of a slider that is dragged may have none. */
export let account: Energy | null = null;
/** The names of the model's own outputs, in order. */
export let outputs: string[] = [];

function formOf(mesh: PackedMesh): Form {
    const steps = new Uint16Array(bytes(mesh.places));
    const places = new Float32Array(steps.length);
    for (let i = 0; i < steps.length; ++i) places[i] = mesh.low[i % 3] + mesh.side[i % 3] * steps[i] / 65535;
    return { places, parts: mesh.parts.map((p) => ({ colour: p.colour,
        triangles: mesh.wide ? new Uint32Array(bytes(p.triangles)) : new Uint16Array(bytes(p.triangles)) })) };
}

/** Another run of the same model takes the place of the one that is shown. */
export function takeRun(run: Run | undefined): void {
    raw.run = run;
    const found = run ? unpack(run) : [];
    for (const c of found) columns.set(c.name, c);
    span = run ? { start: run.start, stop: run.stop, events: run.events } : null;
    reached = found.length > 0 ? found[0].time[found[0].time.length - 1] : span?.start ?? 0;
    const course = run?.modes;
    courseOfModes = course ? { modes: course.modes.map((values) => Object.fromEntries(values.map((v, i) => [course.names[i], v]))),
        time: new Float64Array(bytes(course.time)), mode: new Uint32Array(bytes(course.mode)), until: course.until ?? Infinity } : null;
    outputs = run ? run.tables[0].columns.map((c) => c.name) : [];
    if (!run || run.energy !== undefined) account = run?.energy ?? null;
    if (run && run.animation === undefined) return;
    const forms = (run?.animation?.meshes ?? []).map(formOf);
    animation = run?.animation ? {
        time: new Float64Array(bytes(run.animation.time)), gravity: run.animation.gravity ?? [0, 0, 0],
        shapes: run.animation.shapes.map((s): Shape => ({
            component: s.component, kind: s.kind, measures: s.measures, scale: s.scale,
            x: new Float32Array(bytes(s.x)), R: new Float32Array(bytes(s.R)), size: new Float32Array(bytes(s.size)), mesh: s.mesh === undefined ? null : forms[s.mesh], nominal: s.nominal ?? '',
        })),
    } : null;
    const floats = (text: Packed) => new Float32Array(bytes(text));
    frames = run?.frames ? {
        time: new Float64Array(bytes(run.frames.time)),
        frames: run.frames.frames.map((f): Frame => ({ name: f.name, component: f.name.slice(0, f.name.lastIndexOf('.')),
            x: floats(f.x), R: floats(f.R), f: floats(f.f), t: floats(f.t) })),
    } : null;
}
takeRun(raw.run);

/** The row before a time, and how far it is on to the next. */
export function between(time: Float64Array, t: number): { row: number; share: number } {
    const row = Math.max(0, rowBefore(time, t));
    const gap = row + 1 < time.length ? time[row + 1] - time[row] : 0;
    return { row, share: gap > 0 ? Math.min(1, (t - time[row]) / gap) : 0 };
}

/** Some numbers at an instant; of what never changes there is one row. */
export function numbersAt(data: Float32Array, width: number, at: { row: number; share: number }, out: number[]): number[] {
    const constant = data.length === width;
    for (let i = 0; i < width; ++i) {
        const a = data[constant ? i : width * at.row + i];
        const next = constant ? a : data[Math.min(width * (at.row + 1) + i, data.length - width + i)];
        out[i] = a + at.share * (next - a);
    }
    return out;
}

/** With the digits that tell instants of this run apart. */
export function instant(t: number): string {
    const length = reached - (span?.start ?? 0);
    if (!(length > 0) || Math.abs(t) < 100 * length) return quantity(t, 's');
    return `${t.toFixed(Math.min(12, Math.max(0, 4 - Math.floor(Math.log10(length)))))} s`;
}

/** Four digits, in a unit of 1000s where there is a unit. */
export function quantity(value: number, unit: string): string {
    if (!Number.isFinite(value)) return '–';
    if (value === 0) return unit ? `0 ${unit}` : '0';
    const size = Math.abs(value);
    if (unit && /^(V|A|W|J|N|Pa|C|s|m|N\.m|Hz|ohm)$/.test(unit)) {
        const prefixes: [number, string][] = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p']];
        for (const [factor, prefix] of prefixes) {
            if (size >= factor * 0.99995) return `${Number((value / factor).toPrecision(4))} ${prefix}${unit}`;
        }
    }
    const text = size >= 1e5 || size < 1e-3 ? value.toExponential(3) : String(Number(value.toPrecision(4)));
    return unit ? `${text} ${unit}` : text;
}
