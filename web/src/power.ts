// Power and energy along bonds, and in the nodes they end at.

import { account, columnsOf, model, valueAt, type Column, type Drawing, type Edge } from './data';

/** Powers are positive along the half arrow as it is drawn. */
export interface Flow { edge: number; sign: number; efforts: Column[]; flows: Column[]; time: Float64Array; energy: Column; largest: number }

/** Effort times flow is a power in every domain but the pseudo ones, whose flow is one itself. */
function carriesPower(edge: Edge): boolean { return edge.kind === 'bond' && !edge.domain.endsWith('_pseudo'); }

function powerAtRow(flow: { efforts: Column[]; flows: Column[]; sign: number }, row: number): number {
    let sum = 0;
    for (let i = 0; i < flow.efforts.length; ++i) {
        const e = flow.efforts[i].values, f = flow.flows[i].values;
        sum += (e.length === 1 ? e[0] : e[row]) * (f.length === 1 ? f[0] : f[row]);
    }
    return flow.sign * sum;
}

function keptAt(c: Column, time: Float64Array): Column {
    if (c.time === time || c.values.length === 1) return { ...c, time };
    if (c.time.length === time.length) return { ...c, time };
    return { ...c, time, values: Float64Array.from(time, (t) => valueAt(c, t)) };
}

/** Where both variables of a bond are known over the same times. */
function flowOf(edge: Edge, index: number): Flow | null {
    if (!carriesPower(edge)) return null;
    const efforts = columnsOf(edge.effort), flows = columnsOf(edge.flow);
    if (efforts.length === 0 || efforts.length !== flows.length) return null;
    // Of columns that were kept at different rows, those of the fewest.
    const time = [...efforts, ...flows].map((c) => c.time).reduce((a, b) => (b.length < a.length ? b : a));
    efforts.forEach((c, i) => { efforts[i] = keptAt(c, time); });
    flows.forEach((c, i) => { flows[i] = keptAt(c, time); });
    const energy = new Float64Array(time.length);
    const sign = edge.against ? -1 : 1; // results of a component have its own convention, whichever way the arrow is drawn
    let largest = 0, before = powerAtRow({ efforts, flows, sign }, 0);
    largest = Math.abs(before);
    for (let row = 1; row < time.length; ++row) {
        const now = powerAtRow({ efforts, flows, sign }, row);
        energy[row] = energy[row - 1] + 0.5 * (before + now) * (time[row] - time[row - 1]);
        largest = Math.max(largest, Math.abs(now));
        before = now;
    }
    return { edge: index, sign, efforts, flows, time, energy: { name: '', unit: 'J', description: '', time, values: energy }, largest };
}

export function flowsOf(drawing: Drawing): Flow[] {
    return (drawing.edges ?? []).map(flowOf).filter((f): f is Flow => f !== null);
}

export function powerAt(flow: Flow, t: number): number {
    let sum = 0;
    for (let i = 0; i < flow.efforts.length; ++i) sum += valueAt(flow.efforts[i], t) * valueAt(flow.flows[i], t);
    return flow.sign * sum;
}

export function energyAt(flow: Flow, t: number): number { return valueAt(flow.energy, t); }

/** A node whose bonds are all known, with the sign by which each brings energy in. */
export interface Books { node: number; flows: { flow: Flow; sign: number }[]; storage: boolean; coarse: boolean; loses: boolean; low: number; high: number; largest: number }

/** Whose sums are another than the program's own, as of the last run that has an account. */
const coarse = new Map<string, boolean>();

export function booksOf(drawing: Drawing, flows: Flow[]): Books[] {
    const edges = drawing.edges ?? [];
    const byEdge = new Map(flows.map((f) => [f.edge, f]));
    const storages = new Set((model.causality?.storages ?? []).map((s) => s.name.replace(/\[\d+\]$/, '')));
    const losing = new Set((account?.components ?? []).filter((r) => r.dissipated > 0 && !r.passes_on).map((r) => r.name));
    const result: Books[] = [];
    (drawing.nodes ?? []).forEach((n, index) => {
        if (n.kind !== 'element') return;
        const at = edges.map((e, i) => ({ e, i })).filter(({ e }) => e.kind === 'bond' && (e.from === index || e.to === index));
        const known = at.map(({ e, i }) => ({ flow: byEdge.get(i)!, sign: e.to === index ? 1 : -1 })).filter((x) => x.flow);
        const storage = storages.has(n.name), loses = losing.has(n.name);
        if (known.length === 0 || known.length < at.length || !(storage || loses)) return;
        const books: Books = { node: index, flows: known, storage, coarse: false, loses, low: 0, high: 0, largest: 0 };
        for (const t of known[0].flow.time) {
            let stored = 0, power = 0;
            for (const { flow, sign } of known) {
                stored += sign * energyAt(flow, t);
                power += sign * powerAt(flow, t);
            }
            books.low = Math.min(books.low, stored);
            books.high = Math.max(books.high, stored);
            books.largest = Math.max(books.largest, Math.abs(power));
        }
        // Rows too far apart, or jumps, would give another sum than the program's own account: then there is none.
        if (model.run?.energy !== undefined) {
            const own = account?.components.find((r) => r.name === n.name);
            const end = storedAt(books, known[0].flow.time[known[0].flow.time.length - 1]);
            coarse.set(n.name, !own || Math.abs(end - own.stored) > 0.02 * (books.high - books.low));
        }
        books.coarse = coarse.get(n.name) ?? true;
        result.push(books);
    });
    return result;
}

export function storedAt(books: Books, t: number): number {
    return books.flows.reduce((sum, { flow, sign }) => sum + sign * energyAt(flow, t), 0);
}
export function intakeAt(books: Books, t: number): number {
    return books.flows.reduce((sum, { flow, sign }) => sum + sign * powerAt(flow, t), 0);
}
