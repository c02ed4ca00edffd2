// What is looked at: one instant and one selection for all views. Views register what they do when these change.

import { model, reached, span, type Drawing } from './data';

export type Selection = { kind: 'node' | 'bond' | 'variable'; name: string } | null;

interface State { time: number; playing: boolean; speed: number; loop: boolean; selection: Selection; graph: number; view: string;
    step: number | null; run: number;
    /** Counts how often a view has come to look at other results. */
    looking: number;
    /** Of the account of energy, from and to; null: the whole run. */
    window: [number, number] | null;
    /** A component of the graph that is looked into where it stands. */
    opened: string | null }

export const state: State = { time: span?.start ?? 0, playing: false, speed: 1, loop: true, selection: null, graph: 0,
    view: '', step: null, run: 0, looking: 0, window: null, opened: null };

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

/** The drawing that is chosen, with the component looked into that is opened in it. */
export function shownDrawing(): Drawing {
    const base = model.graphs[Math.min(state.graph, model.graphs.length - 1)];
    return (state.opened !== null ? base.opened?.[state.opened] : undefined) ?? base;
}

export function setTime(t: number): void {
    if (!span) return;
    set('time', Math.min(Math.max(t, span.start), reached));
}

/** A link that opens the same view. */
export function linkText(): string {
    const parts = [`t=${Number(state.time.toPrecision(9))}`, `view=${state.view}`, `graph=${state.graph}`];
    if (state.opened !== null) parts.push(`open=${encodeURIComponent(state.opened)}`);
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
    const opened = given.get('open');
    set('opened', opened !== null && model.graphs[Math.min(state.graph, model.graphs.length - 1)]?.opened?.[opened] ? opened : null);
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
