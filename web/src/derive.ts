// Equations to be derived by hand: judged by what they give at many points, not by how they are written.

import type { Equation, Equations } from './data';
import { parse, type Parsed, type Values } from './expression';

/** What a derivation may use, and what it has to give. */
export interface Task { state: string; latex: string; known: string[]; right: (v: Values) => number }
export interface Judgement { right: boolean; text: string }

const samples = 40;

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

export function judge(task: Task, equations: Equations, text: string): Judgement {
    let mine: Parsed;
    try {
        mine = parse(text);
    } catch (e) {
        return { right: false, text: `This can't be read: ${(e as Error).message}.` };
    }
    const strange = [...mine.names].filter((n) => !task.known.includes(n));
    if (strange.length > 0) return { right: false, text: `Write it with states, parameters and sources only: '${strange[0]}' is none of them.` };
    const random = numbers(12345);
    const pairs: [number, number][] = [];
    for (let k = 0; k < samples; ++k) {
        const v: Values = new Map([['time', 3 * random()]]);
        // Parameters of any positive size: a relation between values is no law.
        for (const name of Object.keys(equations.parameters)) v.set(name, 0.3 + 2 * random());
        for (const s of equations.states) v.set(s.state!, 4 * random() - 2);
        const right = task.right(v), own = mine.evaluate(v);
        if (Number.isFinite(right)) pairs.push([own, right]);
    }
    if (pairs.length < samples / 4) return { right: false, text: 'This equation can\'t be judged here: it has no value at most points.' };
    const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-7 * (Math.abs(a) + Math.abs(b)) + 1e-12;
    if (pairs.every(([a, b]) => near(a, b))) return { right: true, text: 'Right.' };
    if (pairs.every(([a, b]) => near(a, -b))) return { right: false, text: 'All of it has the other sign.' };
    const [first] = pairs.filter(([, b]) => b !== 0), factor = first ? first[0] / first[1] : NaN;
    if (Number.isFinite(factor) && factor !== 0 && pairs.every(([a, b]) => near(a, factor * b))) return { right: false, text: `It is ${Number(factor.toPrecision(4))} times what it should be.` };
    return { right: false, text: 'It is another function.' };
}
