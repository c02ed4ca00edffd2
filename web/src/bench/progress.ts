// How far somebody is with an exercise. It is kept while the bench is open, by the exercise's file; strokes and equations longer, in files
// beside it.

import type { Comparison, Stroke } from './ask';

/** `none`: there is nothing to do, or it can't be judged. */
export type State = 'open' | 'done' | 'shown' | 'none';

/** What a student finds beside the graph, in files of these endings. */
export type Kept = 'strokes' | 'equations';
export const allKept: readonly Kept[] = ['strokes', 'equations'];

export class Progress {
    tries = 0;
    hints = 0;
    /** The text that was found to be right; null: none is. */
    right: string | null = null;
    verdict: Comparison | null = null;
    /** Whether the page that is shown has no strokes and equations. */
    hiding = true;

    strokes: { state: State; bonds: string[]; placed: Stroke[]; shown: Stroke[]; wrong: number } = { state: 'open', bonds: [], placed: [], shown: [], wrong: 0 };
    equations: { state: State; states: string[]; known: string[]; why: string; typed: Map<string, string>; told: Map<string, { right: boolean; text: string }>; wrong: number } = { state: 'open', states: [], known: [], why: '', typed: new Map(), told: new Map(), wrong: 0 };

    /** Of the files of entries beside the answer, as the server had them last. */
    readonly versions = new Map<Kept, string>();

    /** What the commands read from such files; of lines that are none nothing is taken. */
    take(kept: Kept, text: string): void {
        for (const line of text.split('\n')) {
            const [left, ...rest] = line.replace(/#.*/, '').split('='), right = rest.join('=').trim();
            if (right === '') continue;
            if (kept === 'strokes') { this.strokes.placed.push({ bond: left.trim(), end: right as Stroke['end'] }); continue; }
            const state = left.replace(/\s/g, '').match(/^(?:der\((.+)\)|d\((.+)\)\/dt|d(.+)\/dt|(.+)'|(.+))$/)?.slice(1).find(Boolean);
            if (state) this.equations.typed.set(state, right);
        }
    }

    entries(kept: Kept): string[] {
        if (kept === 'strokes') return this.strokes.placed.map((p) => `${p.bond} = ${p.end}`);
        return [...this.equations.typed].filter(([, typed]) => typed.trim() !== '').map(([state, typed]) => `der(${state}) = ${typed.trim()}`);
    }

    get strokesOver(): boolean { return this.right !== null && this.strokes.state !== 'open'; }
    get over(): boolean { return this.strokesOver && this.equations.state !== 'open'; }
    get derived(): number { return this.equations.states.filter((s) => this.equations.told.get(s)?.right).length; }

    /** A word or two for a list. */
    get brief(): string {
        if (this.right === null) return this.tries > 0 ? 'not right yet' : 'begun';
        if (!this.strokesOver) return `graph right, ${this.strokes.placed.length} of ${this.strokes.bonds.length} strokes`;
        if (!this.over) return `graph and strokes, ${this.derived} of ${this.equations.states.length} equations`;
        return this.strokes.state === 'shown' || this.equations.state === 'shown' ? 'done, with what was shown' : 'done';
    }

    /** One line to hand in. */
    result(exercise: string, hintsOfAll: number): string {
        const tries = (n: number): string => `${n} ${n === 1 ? 'try' : 'tries'}`;
        const hints = hintsOfAll > 0 ? `, ${this.hints} of ${hintsOfAll} hints` : '';
        const graph = `graph ${this.right !== null ? 'right' : 'not right yet'} (${tries(this.tries)}${hints})`;
        const s = this.strokes, e = this.equations;
        const strokes = s.bonds.length === 0 && s.state !== 'none' ? 'strokes not begun' : s.state === 'none' ? 'no strokes'
            : `strokes ${s.placed.length} of ${s.bonds.length} (${s.wrong} wrong${s.state === 'shown' ? ', then shown' : ''})`;
        const equations = e.state === 'none' ? e.why ? 'equations not judged' : 'no equations' : e.states.length === 0 ? 'equations not begun'
            : `equations ${this.derived} of ${e.states.length} (${e.wrong} wrong${e.state === 'shown' ? ', then shown' : ''})`;
        return `${exercise}: ${graph}; ${strokes}; ${equations}`;
    }
}
