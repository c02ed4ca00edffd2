// Where energy went, as bands: the same drawing as the program's own (`run --sankey`), of any stretch of the run.
// Layered layout in the manner of Sugiyama, Tagawa, Toda (1981): circles broken, columns by longest paths, places kept
// where a band passes a column, order by barycentres, positions by isotonic regression.

import type { Account, NetFlow } from './account';

const kColumn = 150, kBands = 300, kGap = 22, kPassingGap = 10, kMargin = 20, kTop = 56, kBottom = 46, kLane = 14;
const kNarrow = 70, kBar = 10, kCharacter = 6.9, kRoomForLabel = 13, kLeast = 420, kSweeps = 24, kRelaxations = 40;
const kVisible = 1e-3, kNoDomain = '#888888';

interface Node { name: string; note: string }
interface Flow { from: number; to: number; amount: number; colour: string; label: string }
interface Diagram { title: string; nodes: Node[]; flows: Flow[]; legend: [string, string][]; remark: string }

/** "117.6 J", "59.47 mJ": four digits. */
export function energyText(joule: number): string {
    const size = Math.abs(joule);
    if (size === 0) return '0 J';
    const prefixes: [number, string][] = [[1e12, 'TJ'], [1e9, 'GJ'], [1e6, 'MJ'], [1e3, 'kJ'], [1, 'J'], [1e-3, 'mJ'], [1e-6, 'µJ'], [1e-9, 'nJ']];
    for (const [factor, text] of prefixes) if (size >= 0.99995 * factor) return `${Number((joule / factor).toPrecision(4))} ${text}`;
    return `${short(joule, 4)} J`;
}

/** As C's %g writes it. */
export function short(value: number, digits: number): string {
    const text = String(Number(value.toPrecision(digits)));
    if (value === 0 || (Math.abs(value) >= 1e-4 && Math.abs(value) < 10 ** digits)) return text;
    return value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace(/e([+-])(\d)$/, 'e$10$2');
}

// ---- what is drawn

const mechanical = (domain: string): boolean => domain === 'translational' || domain === 'rotational';

/** What forces and torques of one connection carry is one flow: how it is divided between them depends on a choice of
 * origins and means nothing. */
function netFlows(flows: NetFlow[]): NetFlow[] {
    const net: NetFlow[] = [];
    for (const flow of flows) {
        const same = net.find((f) => mechanical(f.domain) && mechanical(flow.domain) && f.domain !== flow.domain &&
            Math.min(f.from, f.to) === Math.min(flow.from, flow.to) && Math.max(f.from, f.to) === Math.max(flow.from, flow.to));
        if (!same) { net.push({ ...flow }); continue; }
        if (flow.energy > same.energy) same.domain = flow.domain;
        same.energy += same.from === flow.from ? flow.energy : -flow.energy;
        if (same.energy < 0) { [same.from, same.to] = [same.to, same.from]; same.energy = -same.energy; }
    }
    return net.filter((f) => f.energy !== 0);
}

function partsOf(row: Account['components'][number], eventsApart: boolean): [number, string, string][] {
    return [[-row.supplied, 'taken back', 'supplied'], [row.stored, 'stored', 'released'], [row.dissipated, 'dissipated', 'supplied'],
        [row.other, 'taken', 'supplied'], [eventsApart ? 0 : row.events, 'lost in events', 'from events'],
        [row.residual, 'numerical error', 'numerical error']];
}

export function diagramOf(account: Account, model: string): Diagram {
    const flows = netFlows(account.flows);
    const least = kVisible * Math.max(0, ...flows.map((f) => f.energy), ...account.components.map((r) => Math.abs(r.events)));
    const eventsApart = account.components.some((r) => r.events < -least);
    const diagram: Diagram = { title: `Energy of ${model} from ${short(account.from, 6)} s to ${short(account.to, 6)} s`, nodes: [], flows: [], legend: [], remark: '' };
    const node: number[] = [], colour = account.components.map(() => kNoDomain), most = account.components.map(() => 0);
    const colourOf = (domain: string): string => account.colours.get(domain) ?? kNoDomain;
    for (const f of flows) for (const k of [f.from, f.to]) if (f.energy > most[k]) { most[k] = f.energy; colour[k] = colourOf(f.domain); }
    const addNode = (name: string, note: string): number => diagram.nodes.push({ name, note }) - 1;
    const nodeOf = (k: number): number => (node[k] ??= addNode(account.components[k].name, ''));
    const connect = (from: number, to: number, amount: number, of: string): void => { diagram.flows.push({ from, to, amount, colour: of, label: energyText(amount) }); };
    const present = new Set<string>();
    let leftOut = 0;
    for (const f of flows) {
        if (f.energy < least) { ++leftOut; continue; }
        const to = nodeOf(f.to); // numbered first, as in the program
        connect(nodeOf(f.from), to, f.energy, colourOf(f.domain));
        present.add(f.domain);
    }
    account.components.forEach((row, k) => {
        if (row.passes_on) return;
        const parts = partsOf(row, eventsApart).filter(([amount]) => Math.abs(amount) >= least);
        const end = Math.min(row.in, row.out) < least && !(eventsApart && Math.abs(row.events) >= least) && parts.length === 1;
        if (end) {
            const [amount, taken, given] = parts[0];
            diagram.nodes[nodeOf(k)].note = `${energyText(Math.abs(amount))} ${amount > 0 ? taken : given}`;
            return;
        }
        for (const [amount, taken, given] of parts) {
            if (amount === 0) continue;
            const other = addNode(row.name, `${energyText(Math.abs(amount))} ${amount > 0 ? taken : given}`);
            if (amount > 0) connect(nodeOf(k), other, amount, colour[k]); else connect(other, nodeOf(k), -amount, colour[k]);
        }
    });
    if (eventsApart) {
        const events = addNode('events', '');
        let lost = 0;
        account.components.forEach(({ events: energy }, k) => {
            if (Math.abs(energy) < least) return;
            lost += energy;
            if (energy > 0) connect(nodeOf(k), events, energy, colour[k]); else connect(events, nodeOf(k), -energy, colour[k]);
        });
        if (Math.abs(lost) >= least) {
            const end = addNode('events', `${energyText(Math.abs(lost))} ${lost > 0 ? 'lost' : 'supplied'}`);
            if (lost > 0) connect(events, end, lost, kNoDomain); else connect(end, events, -lost, kNoDomain);
        }
    }
    for (const [domain, of] of account.colours) if (present.has(domain)) diagram.legend.push([of, domain]);
    if (diagram.flows.length === 0) diagram.remark = 'no energy was moved';
    else if (leftOut > 0) diagram.remark = `not drawn: ${leftOut} below ${energyText(least)}`;
    return diagram;
}

// ---- where it stands

interface Point { x: number; y: number }
interface Bar { x: number; y: number; height: number; begins: boolean; ends: boolean }
interface Band { points: Point[]; width: number; returns: boolean }
interface Layout { width: number; height: number; bars: Bar[]; bands: Band[] }
interface Item { passing: boolean; column: number; amount: number; height: number; y: number }
interface Piece { from: number; to: number; flow: number; amount: number; offsetFrom: number; offsetTo: number }

/** The flows that close circles: those that lead back to a node still being visited by a depth-first search. */
function closingFlows(d: Diagram): boolean[] {
    const closing = d.flows.map(() => false), condition = d.nodes.map(() => 'fresh');
    const entered = new Set(d.flows.map((f) => f.to));
    const visit = (root: number): void => {
        const stack = [{ node: root, begin: 0 }];
        condition[root] = 'open';
        while (stack.length > 0) {
            const top = stack[stack.length - 1];
            let f = top.begin;
            while (f < d.flows.length && d.flows[f].from !== top.node) ++f;
            if (f === d.flows.length) { condition[top.node] = 'done'; stack.pop(); continue; }
            top.begin = f + 1;
            const to = d.flows[f].to;
            if (condition[to] === 'open') closing[f] = true;
            if (condition[to] !== 'fresh') continue;
            condition[to] = 'open';
            stack.push({ node: to, begin: 0 });
        }
    };
    for (const second of [false, true]) d.nodes.forEach((_, n) => { if (entered.has(n) === second && condition[n] === 'fresh') visit(n); });
    return closing;
}

function columnsOf(d: Diagram, closing: boolean[]): number[] {
    const column = d.nodes.map(() => 0), leaves = new Set(d.flows.map((f) => f.from));
    let last = 0;
    for (let changed = true; changed;) {
        changed = false;
        d.flows.forEach((flow, f) => {
            if (closing[f] || column[flow.to] > column[flow.from]) return;
            column[flow.to] = column[flow.from] + 1;
            last = Math.max(last, column[flow.to]);
            changed = true;
        });
    }
    return column.map((c, n) => (leaves.has(n) ? c : Math.max(last, 1)));
}

/** The positions nearest to those wanted that keep an order and distances (pool adjacent violators). */
function settle(y: number[], room: number[], height: number): void {
    const blocks: { sum: number; count: number }[] = [];
    const mean = (b: { sum: number; count: number }): number => b.sum / b.count;
    let offset = 0;
    y.forEach((wanted, k) => {
        blocks.push({ sum: wanted - offset, count: 1 });
        offset += room[k];
        while (blocks.length > 1 && mean(blocks[blocks.length - 2]) > mean(blocks[blocks.length - 1])) {
            const b = blocks.pop()!, a = blocks[blocks.length - 1];
            a.sum += b.sum;
            a.count += b.count;
        }
    });
    const most = Math.max(height - offset, 0);
    let k = 0, before = 0;
    for (const b of blocks) for (let left = b.count; left > 0; --left, ++k) { y[k] = Math.min(Math.max(mean(b), 0), most) + before; before += room[k]; }
}

function layOut(d: Diagram, fitting: number): Layout {
    const closing = closingFlows(d), column = columnsOf(d, closing);
    const into = d.nodes.map(() => 0), out = d.nodes.map(() => 0);
    for (const f of d.flows) { out[f.from] += f.amount; into[f.to] += f.amount; }
    const items: Item[] = d.nodes.map((_, n) => ({ passing: false, column: column[n], amount: Math.max(into[n], out[n]), height: 0, y: 0 }));
    const pieces: Piece[] = [];
    const piece = (from: number, to: number, flow: number, amount: number): void => { pieces.push({ from, to, flow, amount, offsetFrom: 0, offsetTo: 0 }); };
    d.flows.forEach((flow, f) => {
        if (closing[f]) return;
        let at = flow.from;
        for (let c = column[flow.from] + 1; c < column[flow.to]; ++c) {
            const passing = items.push({ passing: true, column: c, amount: flow.amount, height: 0, y: 0 }) - 1;
            piece(at, passing, f, flow.amount);
            at = passing;
        }
        piece(at, flow.to, f, flow.amount);
    });
    const entering: number[][] = items.map(() => []), leaving: number[][] = items.map(() => []);
    pieces.forEach((p, k) => { leaving[p.from].push(k); entering[p.to].push(k); });
    const place = order(items, pieces, entering, leaving);
    const columns = place.columns;
    const room = (k: number): number => items[k].height + (items[k].passing ? kPassingGap : kGap);
    const most = Math.max(0, ...columns.map((c) => c.reduce((sum, k) => sum + items[k].amount, 0)));
    const scale = most > 0 ? kBands / most : 1;
    for (const item of items) item.height = item.amount * scale;
    const height = Math.max(0, ...columns.map((c) => c.reduce((sum, k) => sum + room(k), -kGap)));
    for (const c of columns) { let y = 0; for (const k of c) { items[k].y = y; y += room(k); } }
    // Bands leave and enter a bar in the order of where they go to and come from.
    items.forEach((_, k) => {
        leaving[k].sort((a, b) => place.of[pieces[a].to] - place.of[pieces[b].to]);
        entering[k].sort((a, b) => place.of[pieces[a].from] - place.of[pieces[b].from]);
        let offset = 0;
        for (const p of leaving[k]) { pieces[p].offsetFrom = offset; offset += pieces[p].amount * scale; }
        offset = 0;
        for (const p of entering[k]) { pieces[p].offsetTo = offset; offset += pieces[p].amount * scale; }
    });
    for (let sweep = 0; sweep < kRelaxations; ++sweep) relax(sweep % 2 === 0, columns, items, pieces, entering, leaving, room, height);
    return placed(d, closing, column, items, pieces, columns.length, into, out, scale, height, fitting);
}

function relax(forward: boolean, columns: number[][], items: Item[], pieces: Piece[], entering: number[][], leaving: number[][], room: (k: number) => number, height: number): void {
    for (const c of forward ? columns : [...columns].reverse()) {
        const wanted = c.map((k) => {
            let weight = 0, sum = 0;
            for (const p of (forward ? entering : leaving)[k].map((i) => pieces[i])) {
                // So that the band lies level.
                sum += p.amount * (forward ? items[p.from].y + p.offsetFrom - p.offsetTo : items[p.to].y + p.offsetTo - p.offsetFrom);
                weight += p.amount;
            }
            return weight > 0 ? sum / weight : items[k].y;
        });
        settle(wanted, c.map(room), height + kGap);
        c.forEach((k, i) => { items[k].y = wanted[i]; });
    }
}

/** Items of each column from top to bottom, so that few bands cross. */
function order(items: Item[], pieces: Piece[], entering: number[][], leaving: number[][]): { columns: number[][]; of: number[] } {
    const columns: number[][] = Array.from({ length: Math.max(0, ...items.map((i) => i.column + 1)) }, () => []);
    const of: number[] = items.map((item, k) => columns[item.column].push(k) - 1);
    const crossings = (): number => {
        let sum = 0;
        for (const c of columns) {
            const there = c.flatMap((k) => leaving[k].map((p) => pieces[p]));
            there.forEach((a, i) => { for (const b of there.slice(i + 1)) if (a.from !== b.from && of[a.to] > of[b.to]) sum += Math.min(a.amount, b.amount); });
        }
        return sum;
    };
    const sweep = (forward: boolean): void => {
        for (let step = 0; step < columns.length; ++step) {
            const c = columns[forward ? step : columns.length - 1 - step];
            const centre = new Map(c.map((k) => {
                let sum = 0, weight = 0;
                for (const p of (forward ? entering : leaving)[k].map((i) => pieces[i])) {
                    const other = forward ? p.from : p.to;
                    sum += p.amount * (of[other] + 0.5) / columns[items[other].column].length;
                    weight += p.amount;
                }
                return [k, weight > 0 ? sum / weight : (of[k] + 0.5) / c.length];
            }));
            c.sort((a, b) => { const by = centre.get(a)! - centre.get(b)!; return Math.abs(by) <= 1e-9 ? 0 : by; });
            c.forEach((k, i) => { of[k] = i; });
        }
    };
    let best = columns.map((c) => [...c]), least = crossings();
    for (let k = 0; k < kSweeps && least > 0; ++k) {
        sweep(k % 2 === 0);
        const now = crossings();
        if (now < least * (1 - 1e-9)) { least = now; best = columns.map((c) => [...c]); }
    }
    for (const c of best) c.forEach((k, i) => { of[k] = i; });
    return { columns: best, of };
}

function placed(d: Diagram, closing: boolean[], column: number[], items: Item[], pieces: Piece[], columns: number, into: number[], out: number[], scale: number, height: number, fitting: number): Layout {
    const bars: Bar[] = d.nodes.map((_, n) => ({ x: 0, y: kTop + items[n].y, height: items[n].height, begins: into[n] === 0, ends: out[n] === 0 }));
    const text = (side: 'begins' | 'ends'): number => Math.max(kMargin, ...d.nodes.map((n, k) => (bars[k][side] ? kCharacter * ([...n.name].length + [...n.note].length + 1) + kMargin : 0)));
    const left = text('begins'), right = text('ends');
    // Closer where there is little room, as long as what stands above bars within has its own.
    const said = d.nodes.map((n, k) => (bars[k].begins || bars[k].ends ? 0 : kCharacter * [...n.name].length + kMargin / 2));
    const apart = Math.max(kNarrow, Math.min(kColumn, ...said.length > 0 ? [Math.max((fitting - left - right - kBar) / Math.max(1, columns - 1), ...said)] : []));
    const xOf = (c: number): number => left + apart * c;
    bars.forEach((b, n) => { b.x = xOf(column[n]); });
    const bands: Band[] = d.flows.map((f) => ({ points: [], width: f.amount * scale, returns: false }));
    for (const p of pieces) {
        bands[p.flow].points.push({ x: xOf(items[p.from].column) + kBar, y: kTop + items[p.from].y + p.offsetFrom },
            { x: xOf(items[p.to].column), y: kTop + items[p.to].y + p.offsetTo });
    }
    let bottom = kTop + height;
    d.flows.forEach((f, k) => {
        if (!closing[k]) return;
        const w = bands[k].width, later = d.flows.filter((_, i) => i > k && closing[i]);
        const below = (same: (g: Flow) => boolean): number => later.filter(same).reduce((sum, g) => sum + g.amount * scale, 0);
        const leave = bars[f.from].y + out[f.from] * scale - below((g) => g.from === f.from) - w;
        const enter = bars[f.to].y + into[f.to] * scale - below((g) => g.to === f.to) - w;
        const lane = bottom + kLane;
        bands[k] = { width: w, returns: true, points: [{ x: bars[f.from].x + kBar, y: leave }, { x: bars[f.from].x + kBar, y: lane }, { x: bars[f.to].x, y: lane }, { x: bars[f.to].x, y: enter }] };
        bottom += kLane + w;
    });
    return { width: xOf(Math.max(1, columns) - 1) + kBar + right, height: bottom + kBottom, bars, bands };
}

// ---- and on paper

const n2 = (v: number): string => v.toFixed(2);
const escaped = (t: string): string => t.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);

function outline(band: Band): string {
    const parts: string[] = [];
    for (let k = 0; k + 1 < band.points.length; k += 2) {
        const a = band.points[k], b = band.points[k + 1], m = 0.5 * (a.x + b.x), w = band.width;
        parts.push(`M${n2(a.x)},${n2(a.y)}C${n2(m)},${n2(a.y)} ${n2(m)},${n2(b.y)} ${n2(b.x)},${n2(b.y)}v${n2(w)}C${n2(m)},${n2(b.y + w)} ${n2(m)},${n2(a.y + w)} ${n2(a.x)},${n2(a.y + w)}z`);
        const next = band.points[k + 2];
        if (next) parts.push(`M${n2(b.x)},${n2(b.y)}H${n2(next.x)}v${n2(w)}H${n2(b.x)}z`);
    }
    return parts.join(' ');
}

/** The middle line of a band that returns: out to the right, down, back, up, in from the left. */
function returning({ points: p, width }: Band): string {
    const half = 0.5 * width, turn = half + 10;
    return `M${n2(p[0].x)},${n2(p[0].y + half)}h2c${n2(turn / 2)},0 ${n2(turn)},0 ${n2(turn)},${n2(turn)}V${n2(p[1].y + half - turn)}` +
        `c0,${n2(turn / 2)} 0,${n2(turn)} ${n2(-turn)},${n2(turn)}H${n2(p[2].x - 2)}c${n2(-turn / 2)},0 ${n2(-turn)},0 ${n2(-turn)},${n2(-turn)}` +
        `V${n2(p[3].y + half + turn)}c0,${n2(-turn / 2)} 0,${n2(-turn)} ${n2(turn)},${n2(-turn)}H${n2(p[3].x)}`;
}

/** `fitting`: how wide it should be at most, if that can be. */
export function sankeySvg(d: Diagram, fitting = Infinity): string {
    const l = layOut(d, fitting);
    const legendLength = [...d.remark].length + d.legend.reduce((sum, [, t]) => sum + [...t].length + 6, 0);
    const texts = kCharacter * Math.max(legendLength, Math.floor([...d.title].length * 5 / 4)) + 40;
    const width = Math.max(l.width, kLeast, texts);
    const lines = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width.toFixed(0)}" height="${l.height.toFixed(0)}" viewBox="0 0 ${width.toFixed(0)} ${l.height.toFixed(0)}" font-family="sans-serif" font-size="12">`,
        '<rect width="100%" height="100%" fill="white"/>', `<text x="20.00" y="24.00" font-size="15">${escaped(d.title)}</text>`];
    d.flows.forEach((f, k) => {
        const band = l.bands[k], title = `<title>${escaped(`${d.nodes[f.from].name} → ${d.nodes[f.to].name}: ${f.label}`)}</title>`;
        lines.push(band.returns ? `<path d="${returning(band)}" fill="none" stroke="${f.colour}" stroke-opacity="0.55" stroke-width="${n2(Math.max(band.width, 0.5))}">${title}</path>`
            : `<path d="${outline(band)}" fill="${f.colour}" fill-opacity="0.55">${title}</path>`);
    });
    d.nodes.forEach((node, k) => {
        const b = l.bars[k], begins = b.begins, said = `<tspan font-weight="bold">${escaped(node.name)}</tspan>${node.note ? ` ${escaped(node.note)}` : ''}`;
        lines.push(`<rect x="${n2(b.x)}" y="${n2(b.y)}" width="${kBar}" height="${n2(Math.max(b.height, 1))}" fill="#333333"/>`);
        if (begins || b.ends) lines.push(`<text x="${n2(begins ? b.x - 6 : b.x + kBar + 6)}" y="${n2(b.y + 0.5 * b.height + 4)}"${begins ? ' text-anchor="end"' : ''}>${said}</text>`);
        else lines.push(`<text x="${n2(b.x + 0.5 * kBar)}" y="${n2(b.y - 5)}" text-anchor="middle">${said}</text>`);
    });
    d.flows.forEach((f, k) => {
        const band = l.bands[k];
        if (band.width < kRoomForLabel || l.bars[f.from].begins || l.bars[f.to].ends) return;
        const a = band.points[band.returns ? 1 : 0], b = band.points[band.returns ? 2 : 1];
        lines.push(`<text x="${n2(0.5 * (a.x + b.x))}" y="${n2(0.5 * (a.y + b.y + band.width) + 4)}" text-anchor="middle" font-size="11">${escaped(f.label)}</text>`);
    });
    let x = 20;
    const y = l.height - 16;
    for (const [colour, meaning] of d.legend) {
        lines.push(`<rect x="${n2(x)}" y="${n2(y - 9)}" width="14" height="10" fill="${colour}" fill-opacity="0.55"/>`, `<text x="${n2(x + 19)}" y="${n2(y)}">${escaped(meaning)}</text>`);
        x += 36 + kCharacter * [...meaning].length;
    }
    if (d.remark) lines.push(`<text x="${n2(x + 4)}" y="${n2(y)}" fill="#555555">${escaped(d.remark)}</text>`);
    return lines.join('\n') + '\n</svg>\n';
}
