// The stages of an exercise behind its graph: strokes placed in the picture, equations derived. Both are judged by the program, of the
// student's own graph.

import { clear, make } from '../elements';
import { askDerive, askStrokes, type BenchMessage, type Stroke } from './ask';
import type { Progress, State } from './progress';

export interface Task { name: string; text: string }
const words: Record<State | 'locked', string> = { open: 'open', done: 'done', shown: 'shown', none: 'nothing to do', locked: 'after the stage before' };

/** A heading with its state, and what belongs to it. */
export class Stage {
    private readonly state = make('span', { class: 'stage-state' });
    readonly body = make('div');
    readonly element: HTMLElement;

    constructor(readonly id: string, number: number, title: string) {
        this.element = make('section', { class: 'stage', id: `stage-${id}`, 'aria-labelledby': `stage-${id}-title` }, make('h2', { id: `stage-${id}-title` }, `${number}. ${title} `, this.state), this.body);
        this.set('locked');
    }

    set(state: State | 'locked'): void {
        this.element.dataset.state = state;
        this.state.textContent = words[state];
    }
}

const first = (messages: BenchMessage[] | undefined, error: string | undefined): string => error ?? messages?.find((m) => !m.warning)?.text ?? 'The server gave no answer.';

/** `show`: the places in the picture; `changed`: how far one is. */
export class StrokeStage {
    readonly stage = new Stage('strokes', 2, 'Strokes');
    private readonly told = make('p', { id: 'strokes-told', role: 'status' });
    private readonly tools = make('div', { class: 'tools' });

    constructor(private readonly show: () => void, private readonly changed: () => void) { this.stage.body.append(this.told, this.tools); }

    /** Asks which bonds get strokes; those that were placed before the graph was changed stay as far as they still do. */
    async begin(task: Task, progress: Progress): Promise<void> {
        const said = await askStrokes(task.name, task.text, progress.strokes.placed);
        const s = progress.strokes;
        if (!said.value.places) { s.state = 'none'; this.told.textContent = first(said.value.messages, said.value.error); return; }
        s.bonds = said.value.places.filter((p) => !p.inside).map((p) => p.bond);
        s.placed = (said.value.judged ?? []).filter((j) => j.verdict === 'forced' || j.verdict === 'chosen').map((j) => ({ bond: j.bond, end: j.end as Stroke['end'] }));
        if (s.state === 'shown') await this.reveal(task, progress);
        else s.state = s.bonds.length === 0 ? 'none' : s.placed.length === s.bonds.length ? 'done' : 'open';
    }

    /** Judges one more stroke: the sentence about it. */
    async judge(task: Task, progress: Progress, stroke: Stroke): Promise<{ accepted: boolean; text: string }> {
        const s = progress.strokes;
        const said = await askStrokes(task.name, task.text, [...s.placed, stroke]);
        const last = said.value.judged?.[said.value.judged.length - 1];
        if (!last) return { accepted: false, text: first(said.value.messages, said.value.error) };
        const accepted = last.verdict === 'forced' || last.verdict === 'chosen';
        if (accepted && progress.right === task.text && s.state === 'open') s.placed.push(stroke); else if (!accepted) ++s.wrong;
        if (s.state === 'open' && s.placed.length === s.bonds.length) s.state = 'done';
        this.changed();
        return { accepted, text: sentenceOf(last.verdict, last.reason) };
    }

    private async reveal(task: Task, progress: Progress): Promise<void> {
        const said = await askStrokes(task.name, task.text, progress.strokes.placed, true);
        progress.strokes.shown = (said.value.places ?? []).filter((p) => !p.placed && p.end).map((p) => ({ bond: p.bond, end: p.end! }));
        progress.strokes.state = 'shown';
    }

    paint(task: Task, progress: Progress): void {
        const s = progress.strokes, locked = progress.right === null;
        this.stage.set(locked ? 'locked' : s.state);
        clear(this.tools);
        if (locked) { this.told.textContent = ''; return; }
        const wrong = s.wrong === 0 ? '' : `, ${s.wrong} wrong ${s.wrong === 1 ? 'try' : 'tries'}`;
        if (s.state === 'open') this.told.textContent = `Click, in the picture, the end of each bond on which the effort acts: ${s.placed.length} of ${s.bonds.length} placed${wrong}.`;
        if (s.state === 'done') this.told.textContent = `All ${s.bonds.length} placed${wrong}.`;
        if (s.state === 'shown') this.told.textContent = `Shown, dashed; ${s.placed.length} of ${s.bonds.length} were placed${wrong}.`;
        if (s.state === 'none' && s.bonds.length === 0 && !this.told.textContent) this.told.textContent = 'No bond of this graph gets a stroke by itself.';
        if (s.state !== 'open') return;
        this.tools.append(
            make('button', { id: 'strokes-again', disabled: s.placed.length === 0, click: () => { s.placed = []; this.show(); this.changed(); } }, 'Take them away'),
            make('button', { id: 'strokes-show', click: () => void this.reveal(task, progress).then(() => { this.show(); this.changed(); }) }, 'Show them'));
    }
}

export function sentenceOf(verdict: string, reason: string): string {
    if (verdict === 'forced') return `right${reason ? ` (${reason})` : ''}.`;
    if (verdict === 'chosen') return 'possible, as the other end would be: what follows, follows from your choice.';
    return `not there. ${reason ? `${reason[0].toUpperCase()}${reason.slice(1)}.` : ''}`.trimEnd();
}

export class EquationStage {
    readonly stage = new Stage('equations', 3, 'Equations');

    constructor(private readonly changed: () => void) {}

    /** Asks for the states, and judges again what is there. */
    async begin(task: Task, progress: Progress): Promise<void> {
        const e = progress.equations;
        const said = await askDerive(task.name, task.text, progress.strokes.placed, []);
        e.why = said.value.states ? said.value.unjudged ?? '' : first(said.value.messages, said.value.error);
        e.states = said.value.states ?? [];
        e.known = said.value.known ?? [];
        for (const list of [e.typed, e.told]) for (const state of list.keys()) if (!e.states.includes(state)) list.delete(state);
        if (e.states.length === 0) { e.state = 'none'; return; }
        for (const [state, typed] of e.typed) await this.judge(task, progress, state, typed, false);
        if (e.state !== 'shown') e.state = progress.derived === e.states.length ? 'done' : 'open';
    }

    private async judge(task: Task, progress: Progress, state: string, typed: string, counts: boolean): Promise<void> {
        const e = progress.equations;
        e.typed.set(state, typed);
        if (typed.trim() === '') { e.told.delete(state); return; }
        const said = await askDerive(task.name, task.text, progress.strokes.placed, [`der(${state}) = ${typed}`]);
        const judged = said.value.judged?.[0] ?? { right: false, text: first(said.value.messages, said.value.error) };
        e.told.set(state, { right: judged.right, text: judged.text });
        if (counts && !judged.right) ++e.wrong;
    }

    paint(task: Task, progress: Progress): void {
        const e = progress.equations, body = this.stage.body, locked = !progress.strokesOver;
        this.stage.set(locked ? 'locked' : e.state);
        clear(body);
        if (locked) return;
        if (e.state === 'none') { body.append(make('p', {}, e.why ? `Equations of this model can't be judged: ${e.why}.` : 'There is no state, so there is no derivative to be derived.')); return; }
        const count = make('p', { id: 'equations-told', role: 'status' });
        const tell = () => { count.textContent = `${progress.derived} of ${e.states.length} derived${e.wrong > 0 ? `, ${e.wrong} wrong ${e.wrong === 1 ? 'try' : 'tries'}` : ''}.`; };
        tell();
        body.append(make('p', {}, `The derivative of each state, by ${e.known.join(', ')}. However you write it, it is judged by what it gives.`));
        for (const state of e.states) {
            const verdict = make('output', { class: 'judgement', role: 'status' });
            const say = () => {
                const told = e.told.get(state);
                verdict.textContent = told?.text ?? '';
                verdict.className = `judgement ${told?.right ? 'right' : 'wrong'}`;
            };
            const input = make('input', { type: 'text', class: 'derivation', spellcheck: 'false', autocomplete: 'off', 'data-state': state, 'aria-label': `Derivative of ${state}`, value: e.typed.get(state) ?? '', readonly: e.state !== 'open',
                change: () => void this.judge(task, progress, state, input.value, e.state === 'open').then(() => {
                    say();
                    tell();
                    if (e.state !== 'open' || progress.derived < e.states.length) return;
                    e.state = 'done';
                    this.changed();
                }) });
            say();
            body.append(make('div', { class: 'task' }, make('label', {}, `d ${state} / dt = `, input), verdict));
        }
        body.append(count);
        if (e.state === 'open') body.append(make('div', { class: 'tools' }, make('button', { id: 'equations-show', click: () => { e.state = 'shown'; this.changed(); } }, 'Show them')));
        else body.append(make('p', {}, `The page has ${e.state === 'shown' ? 'them' : 'the program\'s own'} under Equations, and the program's strokes: where there was a choice, they may be others than yours.`));
    }
}
