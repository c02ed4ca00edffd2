// All there is to say about what is chosen.

import { columnsOf, model, quantity, valueAt, type Edge, type Node } from './data';
import { clear, make } from './elements';
import { typeset } from './equations';
import { told } from './modes';
import { set, shownDrawing, state, watch } from './state';

const row = (label: string, value: globalThis.Node | string) => make('tr', {}, make('th', { scope: 'row' }, label), make('td', {}, value));

export class DetailsView {
    readonly element = make('section', { class: 'details', 'aria-label': 'Chosen part' });
    private live: (() => void)[] = [];

    constructor(private readonly plot: (names: string[]) => void, private readonly lightPath: (names: string[], elements: string[]) => void) {
        watch(['selection', 'graph', 'opened', 'run', 'read'], () => this.show());
        watch(['time'], () => { for (const action of this.live) action(); });
        this.show();
    }

    private show(): void {
        clear(this.element);
        this.live = [];
        const s = state.selection;
        const both = [shownDrawing(), ...model.graphs];
        if (s?.kind === 'bond') {
            for (const d of both) {
                const edge = d.edges?.find((e) => e.name === s.name);
                if (edge) { this.bond(edge, d.nodes![edge.from], d.nodes![edge.to], d.edges!); return; }
            }
        }
        if (s?.kind === 'node') {
            for (const d of both) {
                const index = d.nodes?.findIndex((n) => n.name === s.name) ?? -1;
                if (index >= 0) { this.node(d.nodes![index], d.edges!.filter((e) => e.from === index || e.to === index)); return; }
            }
        }
        if (s?.kind === 'variable') { this.variable(s.name); return; }
        this.overview();
    }

    private overview(): void {
        this.element.append(make('h2', {}, model.model));
        if (model.description) this.element.append(make('p', {}, model.description));
        const c = told().causality;
        if (c) {
            const states = c.storages.filter((x) => x.integral).length, dependent = c.storages.length - states;
            this.element.append(make('p', {}, `${states} ${states === 1 ? 'storage' : 'storages'} in integral causality, ${dependent} in derivative causality, ${c.loops.length} algebraic ${c.loops.length === 1 ? 'loop' : 'loops'}.`));
            this.ways('Algebraic loops', c.loops.map((l) => ({ text: l.elements.join(', '), gain: '', names: l.variables, elements: l.elements })));
            this.ways('Causal loops', c.causal_loops.map((l) => ({ text: l.variables.join(' → '), gain: l.gain, names: l.variables })));
            this.ways('Causal paths', c.paths.map((p) => ({ text: `${p.from} → ${p.to}`, gain: p.gain, names: p.variables })));
        }
        this.element.append(make('p', { class: 'hint' }, `Choose a part or a bond in the graph to see what it does${model.unsolved ? '' : ', and why its stroke is where it is'}.`));
    }

    private ways(title: string, list: { text: string; gain: string; names: string[]; elements?: string[] }[]): void {
        if (list.length === 0) return;
        const items = list.slice(0, 60).map((w) => make('li', {}, make('button', { class: 'link way', click: () => this.lightPath(w.names, w.elements ?? []) }, w.text), w.gain ? make('code', {}, ` ${w.gain}`) : null));
        this.element.append(make('details', { open: title === 'Algebraic loops' }, make('summary', {}, `${title} (${list.length})`), make('ul', {}, ...items)));
    }

    private values(name: string): [string, HTMLElement] | null {
        const found = columnsOf(name);
        if (found.length === 0) return null;
        const out = make('output');
        const show = () => { out.textContent = found.map((c) => quantity(valueAt(c, state.time), found.length > 1 ? '' : c.unit)).join(', ') + (found.length > 1 ? ` ${found[0].unit}` : ''); };
        show();
        this.live.push(show);
        return [name, out];
    }

    private bond(edge: Edge, from: Node, to: Node, edges: Edge[]): void {
        this.element.append(make('h2', {}, `Bond ${edge.name}`));
        const link = (n: Node) => make('button', { class: 'link', click: () => set('selection', { kind: 'node', name: n.name }) }, n.name);
        const table = make('table', {}, row('from', link(from)), row('to', link(to)), row('domain', edge.domain));
        for (const [label, name] of [['effort', edge.effort], ['flow', edge.flow]] as const) {
            const v = this.values(name);
            if (v) table.append(row(`${label} ${name}`, v[1]));
        }
        this.element.append(table);
        const e = columnsOf(edge.effort), f = columnsOf(edge.flow);
        if (e.length > 0 && e.length === f.length && !edge.domain.endsWith('_pseudo')) {
            const out = make('output');
            const show = () => {
                const power = (edge.against ? -1 : 1) * e.reduce((sum, c, i) => sum + valueAt(c, state.time) * valueAt(f[i], state.time), 0);
                out.textContent = `${quantity(Math.abs(power), 'W')}${power === 0 ? '' : power > 0 ? ` to ${to.name}` : ` to ${from.name}`}`;
            };
            show();
            this.live.push(show);
            table.append(row('power', out));
        }
        const names = [...columnsOf(edge.effort), ...columnsOf(edge.flow)].map((c) => c.name);
        if (names.length > 0) this.element.append(make('button', { id: 'plot-chosen', click: () => this.plot(names) }, 'Plot effort and flow'));
        if (!model.unsolved) this.element.append(make('h3', {}, 'Why its stroke is there'), this.chain(edge, edges));
    }

    /** From this bond to the one that nothing else decided. */
    private chain(edge: Edge, edges: Edge[]): HTMLElement {
        const list = make('ol', { class: 'chain' });
        const seen = new Set<string>();
        let at: Edge | undefined = edge;
        while (at && !seen.has(at.name)) {
            const here: Edge = at;
            seen.add(here.name);
            const open = here.components.every((c) => c.stroke === 'open');
            const sides = [...new Set(here.components.map((c) => c.stroke))];
            const where = open ? 'no stroke' : sides.length > 1 ? 'its components differ' : sides[0] === 'to' ? 'stroke at the head of the half arrow' : 'stroke at its tail';
            const reasons = [...new Set(here.components.map((c) => c.reason).filter(Boolean))].join('; ');
            list.append(make('li', {}, make('button', { class: 'link', click: () => set('selection', { kind: 'bond', name: here.name }) }, here.name), `: ${where}${reasons ? `, for ${reasons}` : ''}`));
            const next = here.components.find((c) => c.follows)?.follows;
            at = next ? edges.find((e) => e.name === next) : undefined;
        }
        return list;
    }

    private node(node: Node, bonds: Edge[]): void {
        this.element.append(make('h2', {}, node.name));
        const table = make('table', {}, row('type', node.type));
        if (node.value) table.append(row('value', node.value));
        if (node.kind !== 'junction') table.append(row('domain', node.domain));
        for (const s of (told().causality?.storages ?? []).filter((x) => x.name === node.name || x.name.startsWith(`${node.name}[`)))
            table.append(row(s.name, s.integral ? 'integral causality: a state' : `derivative causality${s.depends.length > 0 ? `: ${s.depends.join(', ')} determine it` : ''}`));
        const own = model.run?.energy?.components.find((r) => r.name === node.name);
        if (own && !own.passes_on) table.append(row('energy of the run', ['supplied', 'stored', 'dissipated'].map((k) => [k, (own as any)[k] as number] as const)
            .filter(([, v]) => v !== 0).map(([k, v]) => `${k} ${quantity(v, 'J')}`).join(', ') || '0 J'));
        this.element.append(table);
        const all = told().symbolic ?? told().equations;
        const equations = [...all?.states ?? [], ...all?.assignments ?? []].filter((e) => e.element === node.name).slice(0, 30);
        if (equations.length > 0) this.element.append(make('h3', {}, 'Its equations, as they are computed'), ...equations.map((e) => make('div', { class: 'equation' }, typeset(e.latex))));
        const list = bonds.filter((e) => e.kind === 'bond');
        if (list.length > 0) this.element.append(make('h3', {}, 'Bonds'), make('ul', {}, ...list.map((e) => make('li', {}, make('button', { class: 'link', click: () => set('selection', { kind: 'bond', name: e.name }) }, e.name)))));
    }

    private variable(name: string): void {
        this.element.append(make('h2', {}, name));
        const v = this.values(name);
        if (v) this.element.append(make('table', {}, row('now', v[1])), make('button', { id: 'plot-chosen', click: () => this.plot(columnsOf(name).map((c) => c.name)) }, 'Plot'));
        else this.element.append(make('p', {}, 'Its values are not on this page: name it under outputs: in the model.'));
    }
}
