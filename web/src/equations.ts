// The sorted equations, typeset; a variable lights up wherever it stands.

import katex from 'katex';
import { model, type Equation, type Equations } from './data';
import { judge, tasksOf } from './derive';
import { clear, make } from './elements';
import { modesText, told, toldOfModes } from './modes';
import { drawSoon } from './picture';
import { set, state, watch } from './state';

const mostAtOnce = 300;

export function typeset(latex: string): HTMLElement {
    const place = make('span', { class: 'math' });
    katex.render(latex, place, { output: 'mathml', displayMode: false, throwOnError: false, strict: 'ignore' });
    return place;
}

/** "R1.e", "cell[2].c.q", "a->b.f", "body.r[1]". */
const names = /[\p{L}_][\p{L}\p{N}_]*(\[[\d,]+\])?((\.|->)[\p{L}_][\p{L}\p{N}_]*(\[[\d,]+\])?)*/gu;

const texts = (e: Equation): string => [e.variable, e.state, e.name, e.expression, e.derivative, e.residual].filter(Boolean).join(' ');

export class EquationsView {
    readonly element = make('section', { class: 'equations', 'aria-label': 'Equations' });
    private readonly list = make('div', { class: 'equation-list' });
    private symbols = false;
    private deriving = false;
    private modes = make('p', { class: 'modes-told' });
    private readonly typed = new Map<string, string>();
    private all = false;
    private readonly found = new Map<string, Element[]>();

    constructor() {
        const button = make('button', { class: 'toggle', id: 'symbols', 'aria-pressed': 'false',
            click: () => { this.symbols = !this.symbols; button.setAttribute('aria-pressed', String(this.symbols)); this.show(); } }, 'Symbols');
        const tasks = tasksOf(model.symbolic ?? model.equations);
        const derive = make('button', { class: 'toggle', id: 'derive', 'aria-pressed': 'false', title: 'Derive them yourself; each is judged',
            click: () => { this.deriving = !this.deriving; derive.setAttribute('aria-pressed', String(this.deriving)); this.show(); } }, 'Derive them');
        if (model.symbolic || tasks.length > 0) this.element.append(make('div', { class: 'tools' }, model.symbolic ? button : null, tasks.length > 0 ? derive : null));
        this.element.append(this.list);
        this.list.addEventListener('click', (e) => {
            const row = (e.target as Element).closest<HTMLElement>('[data-variable]');
            if (row?.dataset.variable) set('selection', { kind: 'variable', name: row.dataset.variable });
        });
        watch(['selection'], () => this.light());
        watch(['read'], () => { if (!this.deriving) this.show(); });
        watch(['time', 'run', 'mode', 'read'], () => drawSoon(this.tellModes));
        this.show();
    }

    private get equations(): Equations | undefined { return (this.symbols ? told().symbolic : undefined) ?? told().equations; }

    private show(): void {
        clear(this.list);
        this.found.clear();
        if (this.deriving) { this.showTasks(); return; }
        const equations = this.equations;
        if (!equations) { this.list.append(make('p', { class: 'empty' }, model.unsolved ? 'The equations are yours to be derived, with the exercise.' : 'There are no equations: causality comes first.')); return; }
        this.modes = make('p', { class: 'modes-told' });
        this.tellModes();
        this.list.append(this.modes);
        let room = this.all ? Infinity : mostAtOnce;
        const sections: [string, Equation[]][] = [['Abbreviations', equations.abbreviations], ['States', equations.states],
            ['Computed in this order', equations.assignments], ['Solved together', equations.implicit], ['At events', equations.discrete]];
        let left = 0;
        for (const [title, list] of sections) {
            if (list.length === 0) continue;
            this.list.append(make('h3', {}, title));
            for (const e of list.slice(0, room)) this.list.append(this.row(e));
            left += Math.max(0, list.length - room);
            room = Math.max(0, room - list.length);
        }
        if (left > 0) this.list.append(make('button', { id: 'all-equations', click: () => { this.all = true; this.show(); } }, `${left} more equations`));
        const whens = equations.when ?? [];
        if (whens.length > 0) {
            this.list.append(make('h3', {}, 'As a condition becomes true'));
            for (const w of whens) this.list.append(make('div', { class: 'equation' }, make('code', {}, `${w.if}: ${[...Object.entries(w.reinit), ...Object.entries(w.set)].map(([k, v]) => `${k} := ${v}`).join(', ')}`)));
        }
        const parameters = Object.entries(equations.parameters);
        if (parameters.length > 0) {
            this.list.append(make('h3', {}, 'Parameters, in SI units'),
                make('table', {}, ...parameters.map(([name, value]) => make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, String(Number(value.toPrecision(6))))))));
        }
        if (equations.state_space) this.list.append(...this.matrices(equations));
        this.light();
    }

    private readonly tellModes = (): void => {
        const text = toldOfModes('Equations');
        this.modes.hidden = text === '';
        if (this.modes.textContent !== text) this.modes.textContent = text;
    };

    /** Each state with a place for its derivative; the program's own equations stay hidden. */
    private showTasks(): void {
        const equations = (model.symbolic ?? model.equations)!, tasks = tasksOf(equations), start = modesText(equations.modes ?? {});
        this.list.append(make('p', {}, `The derivative of each state, by states, parameters and sources: ${tasks[0].known.join(', ')}. However you write it, it is judged by what it gives.${start ? ` They are those at the start of the run: ${start}.` : ''}`));
        for (const task of tasks.slice(0, 40)) {
            const verdict = make('output', { class: 'judgement', role: 'status' });
            const input = make('input', { type: 'text', class: 'derivation', spellcheck: 'false', autocomplete: 'off', 'data-state': task.state, 'aria-label': `Derivative of ${task.state}`, value: this.typed.get(task.state) ?? '',
                change: () => {
                    this.typed.set(task.state, input.value);
                    const found = input.value.trim() === '' ? { right: false, text: '' } : judge(task, equations, input.value);
                    verdict.textContent = found.text;
                    verdict.className = `judgement ${found.right ? 'right' : 'wrong'}`;
                } });
            this.list.append(make('div', { class: 'task' }, make('label', {}, typeset(`${task.latex.slice(0, task.latex.indexOf(' = '))} =`), ' ', input), verdict));
        }
    }

    private row(e: Equation): HTMLElement {
        const variable = e.variable ?? e.state ?? e.name ?? '';
        const row = make('div', { class: 'equation', tabindex: 0, role: 'button', 'data-variable': variable, 'aria-label': texts(e),
            keydown: (k: KeyboardEvent) => { if (k.key === 'Enter') set('selection', { kind: 'variable', name: variable }); } },
        typeset(e.latex), e.element ? make('span', { class: 'of' }, e.element) : null);
        for (const name of new Set(texts(e).match(names) ?? []))
            this.found.set(name, [...(this.found.get(name) ?? []), row]);
        return row;
    }

    private matrices(e: Equations): HTMLElement[] {
        const m = e.state_space!;
        const text = (v: number | string) => (typeof v === 'number' ? String(Number(v.toPrecision(5))) : v);
        const table = (name: string, rows: (number | string)[][], down: string[], across: string[]) => make('figure', { class: 'matrix' },
            make('figcaption', {}, name), make('table', {}, make('thead', {}, make('tr', {}, make('td', {}), ...across.map((c) => make('th', { scope: 'col' }, c)))),
                make('tbody', {}, ...rows.map((row, i) => make('tr', {}, make('th', { scope: 'row' }, down[i]), ...row.map((v) => make('td', {}, text(v))))))));
        const s = m.symbolic && this.symbols ? m.symbolic : m;
        return [make('h3', {}, 'State space'), make('p', {}, typeset('\\dot{x} = A x + B u, \\quad y = C x + D u')),
            table('A', s.A, m.states, m.states), table('B', s.B, m.states, m.inputs), table('C', s.C, m.outputs, m.states), table('D', s.D, m.outputs, m.inputs)];
    }

    private light(): void {
        for (const row of this.list.querySelectorAll('.lit')) row.classList.remove('lit');
        const s = state.selection;
        if (!s) return;
        const hit = (name: string) => { for (const row of this.found.get(name) ?? []) row.classList.add('lit'); };
        if (s.kind === 'variable') hit(s.name);
        for (const row of this.list.querySelectorAll<HTMLElement>('.equation')) {
            const of = row.querySelector('.of')?.textContent;
            const variable = row.dataset.variable ?? '';
            if (s.kind === 'node' && of === s.name) row.classList.add('lit');
            if (s.kind === 'bond' && (variable === `${s.name}.e` || variable === `${s.name}.f`)) row.classList.add('lit');
        }
        if (s.kind === 'bond') { hit(`${s.name}.e`); hit(`${s.name}.f`); }
    }
}
