// The mode (of switches, diodes, friction …) that a run is in: strokes and equations are those of the time that is looked at.

import { courseOfModes, model, rowBefore, type Causality, type Component, type Drawing, type Edge, type Equations, type Node, type Structure } from './data';
import { set, state, watch } from './state';

type Modes = Record<string, number | boolean>;
/** What equations and causality there are in a mode. */
export interface Told { equations?: Equations; symbolic?: Equations; causality?: Causality }

/** "switch closed, diode not on". */
export function modesText(modes: Modes): string {
    return Object.entries(modes).map(([name, value]) => {
        const dot = name.lastIndexOf('.');
        if (typeof value !== 'boolean' || dot < 0) return `${name} = ${value}`;
        return `${name.slice(0, dot)} ${value ? '' : 'not '}${name.slice(dot + 1)}`;
    }).join(', ');
}

const keyOf = (modes: Modes): string => Object.entries(modes).map(([name, value]) => `${name}=${Number(value)}`).sort().join(',');

const atStart: Modes = model.equations?.modes ?? {};
export const startMode = keyOf(atStart);
const structures = new Map<string, Structure>((model.modes ?? []).map((s) => [keyOf(s.modes), s]));
/** While strokes are placed they are those of the start. */
let held = false;

/** That at the time looked at; nothing where the run does not tell. */
function now(): Modes | null {
    const course = courseOfModes;
    if (!course || course.time.length === 0 || state.time >= course.until) return null;
    return course.modes[course.mode[Math.max(0, rowBefore(course.time, state.time))]];
}

/** What drawings have of the mode at the start. */
const edges = new Map<Edge, { components: Component[]; loop: number }>();
const nodes = new Map<Node, { derivative: boolean; loop: number }>();
function keep(drawing: Drawing): void {
    for (const edge of drawing.edges ?? []) edges.set(edge, { components: edge.components, loop: edge.loop });
    for (const node of drawing.nodes ?? []) nodes.set(node, { derivative: node.derivative, loop: node.loop });
    for (const inner of Object.values(drawing.opened ?? {})) keep(inner);
}
if (structures.size > 0) for (const drawing of model.graphs) keep(drawing);

/** What has other marks in some mode than in others. */
const changing = new Set([...structures.values()].flatMap((s) => [...Object.keys(s.edges), ...Object.keys(s.nodes)]));
export const changesMarks = (what: Edge | Node): boolean => changing.has(what.name);

export const derivativeAtStart = (node: Node): boolean => nodes.get(node)?.derivative ?? node.derivative;

/** All drawings get the strokes and marks of a mode; of one that is not known, those of the start. */
function draw(key: string): void {
    const there = structures.get(key);
    for (const [edge, first] of edges) Object.assign(edge, there?.edges[edge.name] ?? first);
    for (const [node, first] of nodes) Object.assign(node, there?.nodes[node.name] ?? first);
}

/** What is read changes only when a mode has been there for a while: what flickers can't be read. */
let settling = 0;
function settle(): void {
    clearTimeout(settling);
    if (state.read === state.mode) return;
    if (state.playing) settling = window.setTimeout(() => set('read', state.mode), 300);
    else set('read', state.mode);
}

function follow(): void {
    const there = now();
    set('mode', held || !there ? startMode : keyOf(there));
}

/** `on`: from now on strokes are those of the start. */
export function hold(on: boolean): void {
    held = on;
    follow();
}

/** The equations and causality of the mode that is read about. */
export const told = (): Told => structures.get(state.read) ?? model;

/** What stands beside strokes or equations; empty where there is one mode only. */
export function toldOfModes(what: string): string {
    const start = modesText(atStart), there = now();
    if (!start) return '';
    if (held || !there) return `${what} as at the start of the run: ${start}. In other modes they may be others.`;
    const key = what === 'Strokes' ? state.mode : state.read;
    const shown = structures.get(key)?.modes ?? (key === startMode ? atStart : null);
    if (shown) return `${what} with ${modesText(shown)}.`;
    return `${what} as at the start of the run: ${start}. Those with ${modesText(there)}, as now, are not on this page.`;
}

set('mode', startMode);
set('read', startMode);
watch(['mode'], () => { draw(state.mode); settle(); });
watch(['time', 'run'], follow);
watch(['playing'], settle);
