// The account of energy between two instants of the run. All sums are the program's own, taken at ends of its steps and
// before and after events: nothing is integrated here.

import { model, type EnergyRow } from './data';
import { bytes, type Packed } from './packed';

const kinds = ['supplied', 'stored', 'dissipated', 'other', 'events'] as const;
export type Kind = typeof kinds[number];

/** From the start of the run, one per instant. */
type Part = Record<Kind, Float64Array>;

export interface NetFlow { from: number; to: number; domain: string; energy: number }
export interface Course {
    time: Float64Array; balance: Part; moved: Float64Array; components: Part[];
    flows: { from: number; to: number; domain: string; net: Float64Array }[]; colours: Map<string, string>;
    /** By domain, parallel to the rows of the whole run; and what single elements have given one. Null where the page has none. */
    domains: { parts: Part[]; crossings: { domain: number; net: Float64Array }[] } | null;
}
export interface Account extends Record<Kind, number> {
    from: number; to: number; imbalance: number; components: EnergyRow[]; flows: NetFlow[]; colours: Map<string, string>;
    domains: EnergyRow[] | null;
}

function series(text: Packed | undefined, length: number): Float64Array {
    if (text === undefined) return new Float64Array(length);
    const values = new Float64Array(bytes(text));
    return values.length === length ? values : new Float64Array(length).fill(values[0]);
}

/** How the account of the run that is shown came about; null where the page has none. */
export function courseOf(): Course | null {
    const raw = model.run?.energy?.course;
    if (!raw) return null;
    const time = new Float64Array(bytes(raw.time)), length = time.length;
    if (length < 2) return null;
    const part = (p: Partial<Record<Kind, Packed>>): Part => Object.fromEntries(kinds.map((k) => [k, series(p[k], length)])) as Part;
    return { time, balance: part(raw.balance), moved: series(raw.moved, length), components: raw.components.map(part), colours: new Map(raw.colours),
        flows: raw.flows.map((f) => ({ from: f.from, to: f.to, domain: f.domain, net: series(f.net, length) })),
        domains: raw.domains && raw.crossings ? { parts: raw.domains.map(part), crossings: raw.crossings.map((c) => ({ domain: c.domain, net: series(c.net, length) })) } : null };
}

/** Of sums over all parts: what rounding has left of energies that are much larger is nothing. */
export const counted = (energy: number, moved: number): number => (Math.abs(energy) > 1e-13 * moved ? energy : 0);

/** What is supplied and is not found again, since the start of the run. */
export function deviationAt(c: Course, k: number): number {
    const b = c.balance;
    return b.supplied[k] - b.stored[k] - b.dissipated[k] - b.other[k] - b.events[k];
}

/** The instant where the books are farthest from level. */
export function worst(c: Course): number {
    let at = 0;
    for (let k = 0; k < c.time.length; ++k) if (Math.abs(deviationAt(c, k)) > Math.abs(deviationAt(c, at))) at = k;
    return at;
}

const close = (rows: EnergyRow[]): void => { for (const r of rows) r.residual = r.supplied + r.in - r.out - r.stored - r.dissipated - r.other - r.events; };

/** Between the instants with these numbers. */
export function accountOf(c: Course, from: number, to: number): Account {
    const change = (p: Part): Record<Kind, number> => Object.fromEntries(kinds.map((k) => [k, p[k][to] - p[k][from]])) as Record<Kind, number>;
    const rowsOf = (parts: Part[], whole: EnergyRow[]): EnergyRow[] =>
        parts.map((p, k) => ({ name: whole[k].name, type: whole[k].type, ...change(p), in: 0, out: 0, residual: 0, passes_on: whole[k].passes_on }));
    const all = model.run!.energy!, components = rowsOf(c.components, all.components), domains = c.domains ? rowsOf(c.domains.parts, all.domains) : null;
    const flows = c.flows.map((f): NetFlow => {
        const net = f.net[to] - f.net[from];
        return net < 0 ? { from: f.to, to: f.from, domain: f.domain, energy: -net } : { from: f.from, to: f.to, domain: f.domain, energy: net };
    });
    for (const f of flows) { components[f.from].out += f.energy; components[f.to].in += f.energy; }
    for (const { domain, net } of c.domains?.crossings ?? []) {
        const given = net[to] - net[from];
        if (given > 0) domains![domain].in += given; else domains![domain].out -= given;
    }
    close(components);
    if (domains) close(domains);
    return { from: c.time[from], to: c.time[to], ...change(c.balance), imbalance: deviationAt(c, to) - deviationAt(c, from), components, flows, colours: c.colours, domains };
}

/** The instant nearest to a time; of two at an event the later one. */
export function nearest(c: Course, t: number): number {
    let low = 0, high = c.time.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (c.time[middle] <= t) low = middle; else high = middle - 1;
    }
    return low + 1 < c.time.length && c.time[low + 1] - t < t - c.time[low] ? low + 1 : low;
}
