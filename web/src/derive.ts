// Equations to be derived by hand: judged by what they give at many points, not by how they are written.

import type { Equation, Equations } from './data';
import { parse, type Parsed, type Values } from './expression';

/** What a derivation may use, and what it has to give. */
export interface Task { state: string; latex: string; known: string[]; right: (v: Values) => number }
export interface Judgement { right: boolean; text: string }

const samples = 100;

/** Those states of a model whose derivatives follow by expressions that can be evaluated here. */
export function tasksOf(equations: Equations | undefined): Task[] {
    if (!equations || equations.implicit.length > 0 || equations.discrete.length > 0) return [];
    const parameters = Object.keys(equations.parameters), states = equations.states.map((s) => s.state!);
    const steps: { name: string; parsed: Parsed }[] = [];
    const given = new Set(['time', ...parameters]);
    const sources: string[] = [];
    try {
        for (const e of [...equations.abbreviations, ...equations.assignments] as Equation[]) {
            const name = e.name ?? e.variable!, parsed = parse(e.expression!);
            steps.push({ name, parsed });
            if ([...parsed.names].every((n) => given.has(n))) { given.add(name); sources.push(name); }
        }
        const known = [...states, ...parameters, ...sources, 'time'];
        return equations.states.map((e) => {
            const last = parse(e.derivative!);
            return { state: e.state!, latex: e.latex, known, right: (v: Values) => {
                for (const s of steps) v.set(s.name, s.parsed.evaluate(v));
                return last.evaluate(v);
            } };
        });
    } catch {
        return []; // conditions and the like
    }
}

/** The same numbers in every browser. */
function numbers(seed: number): () => number {
    let s = seed;
    return () => { s = (s * 1103515245 + 12345) % 2147483648; return s / 2147483648; };
}

const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-7 * Math.max(Math.abs(a), Math.abs(b)) + 1e-300;

/** What a derivation gives and what it has to, at points far and near. */
function pairsOf(task: Task, equations: Equations, mine: Parsed, anyParameters: boolean): [number, number][] {
    const random = numbers(12345);
    const pairs: [number, number][] = [];
    for (let k = 0; k < samples; ++k) {
        const v: Values = new Map([['time', 3 * random()]]), scale = 10 ** (k % 5 - 2);
        for (const [name, value] of Object.entries(equations.parameters)) v.set(name, anyParameters ? 0.3 + 2 * random() : value);
        // Beside a model's own numbers states of any size: a source beside what 1 pF holds is small, or all there is.
        for (const s of equations.states) v.set(s.state!, anyParameters ? scale * (4 * random() - 2) : (random() < 0.5 ? -1 : 1) * 10 ** (16 * random() - 12));
        const right = task.right(v), own = mine.evaluate(v);
        if (Number.isFinite(right)) pairs.push([own, right]);
    }
    return pairs;
}

export function judge(task: Task, equations: Equations, text: string): Judgement {
    let mine: Parsed;
    try {
        mine = parse(text);
    } catch (e) {
        return { right: false, text: `This can't be read: ${(e as Error).message}.` };
    }
    const strange = [...mine.names].filter((n) => !task.known.includes(n));
    if (strange.length > 0) return { right: false, text: `Write it with states, parameters and sources only: '${strange[0]}' is none of them.` };
    // Parameters of any positive size first: a relation between values is no law. An equation with the model's numbers in
    // it is right with these alone.
    const general = pairsOf(task, equations, mine, true);
    if (general.length > 0 && general.every(([a, b]) => near(a, b))) return { right: true, text: 'Right.' };
    const pairs = pairsOf(task, equations, mine, false);
    if (pairs.length > 0 && pairs.every(([a, b]) => near(a, b))) return { right: true, text: Object.keys(equations.parameters).length > 0 ? 'Right, with the numbers of this model.' : 'Right.' };
    if (pairs.length < samples / 4) return { right: false, text: 'This equation can\'t be judged here: it has no value at most points.' };
    if (pairs.every(([a, b]) => near(a, -b))) return { right: false, text: 'All of it has the other sign.' };
    const [first] = pairs.filter(([, b]) => b !== 0), factor = first ? first[0] / first[1] : NaN;
    if (Number.isFinite(factor) && factor !== 0 && pairs.every(([a, b]) => near(a, factor * b))) return { right: false, text: `It is ${Number(factor.toPrecision(4))} times what it should be.` };
    return { right: false, text: 'It is another function.' };
}
