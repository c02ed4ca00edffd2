// What is looked at: one instant and one selection for all views. Views register what they do when these change.

import { model, reached, span, type Drawing } from './data';

export type Selection = { kind: 'node' | 'bond' | 'variable'; name: string } | null;

interface State { time: number; playing: boolean; speed: number; loop: boolean; selection: Selection; graph: number; view: string;
    step: number | null; run: number;
    /** The mode at this time, and the one that texts are about. */
    mode: string; read: string;
    /** Counts how often a view has come to look at other results. */
    looking: number;
    /** Of the account of energy, from and to; null: the whole run. */
    window: [number, number] | null;
    /** Components of the graph that are looked into where they stand. */
    opened: readonly string[] }

export const state: State = { time: span?.start ?? 0, playing: false, speed: 1, loop: true, selection: null, graph: 0,
    view: '', step: null, run: 0, mode: '', read: '', looking: 0, window: null, opened: [] };

type Key = keyof State;
const watchers = new Map<Key, (() => void)[]>();

export function watch(keys: Key[], action: () => void): void {
    for (const key of keys) watchers.set(key, [...(watchers.get(key) ?? []), action]);
}

export function set<K extends Key>(key: K, value: State[K]): void {
    if (Object.is(state[key], value)) return;
    state[key] = value;
    for (const action of watchers.get(key) ?? []) action();
}

export const baseDrawing = (): Drawing => model.graphs[Math.min(state.graph, model.graphs.length - 1)];

/** The chosen drawing with some components looked into, if the page has one. */
export function openedDrawing(names: readonly string[]): Drawing | undefined {
    const base = baseDrawing();
    if (names.length === 0) return base;
    const inOrder = (base.nodes ?? []).map((n) => n.name).filter((n) => names.includes(n));
    return inOrder.length === names.length ? base.opened?.[inOrder.join('\n')] : undefined;
}

/** The drawing that is chosen, with the components looked into that are opened in it. */
export const shownDrawing = (): Drawing => openedDrawing(state.opened) ?? baseDrawing();

export function setTime(t: number): void {
    if (!span) return;
    set('time', Math.min(Math.max(t, span.start), reached));
}

/** A link that opens the same view. */
export function linkText(): string {
    const parts = [`t=${Number(state.time.toPrecision(9))}`, `view=${state.view}`, `graph=${state.graph}`];
    for (const name of state.opened) parts.push(`open=${encodeURIComponent(name)}`);
    if (state.step !== null) parts.push(`step=${state.step}`);
    if (state.window) parts.push(`window=${state.window.map((t) => Number(t.toPrecision(12))).join(',')}`);
    if (state.selection) parts.push(`${state.selection.kind}=${encodeURIComponent(state.selection.name)}`);
    return '#' + parts.join('&');
}

export function readLink(text: string): void {
    const given = new URLSearchParams(text.replace(/^#/, ''));
    const number = (key: string): number | null => {
        const value = given.get(key);
        return value !== null && value !== '' && Number.isFinite(Number(value)) ? Number(value) : null;
    };
    const time = number('t');
    if (time !== null) setTime(time);
    const window = (given.get('window') ?? '').split(',').map(Number);
    set('window', window.length === 2 && window.every(Number.isFinite) && window[0] < window[1] ? [window[0], window[1]] : null);
    set('selection', null);
    const graph = number('graph');
    if (graph !== null && graph >= 0) set('graph', Math.floor(graph));
    const opened = [...new Set(given.getAll('open'))];
    set('opened', openedDrawing(opened) ? opened : []);
    const step = number('step');
    set('step', step === null ? null : Math.max(0, Math.floor(step)));
    for (const kind of ['node', 'bond', 'variable'] as const) {
        const name = given.get(kind);
        if (name) set('selection', { kind, name });
    }
    // Last: choosing something may show its page.
    const view = given.get('view');
    if (view) set('view', view);
}
