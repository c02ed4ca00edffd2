// In a frame of the bench: further runs come from there. It is told what is looked at: while a slider is dragged, runs have
// only that; and where one has got, for the page that may follow.

import { animation, columns, columnsOf, frames, model, outputs, takeRun, type Run } from './data';
import { withNumbers } from './packed';
import { drawSoon } from './picture';
import { linkText, set, shownDrawing, state, watch } from './state';

/** What views look at besides the drawing and what is chosen: names of results, of frames of mechanics, the account of
 *  energy, and what moves in space. `expect`: another run is on its way. */
export interface Looking { results: () => string[]; frames: () => string[]; energy: () => boolean; space: () => boolean; expect: () => void }
interface Seen { results: string[]; frames: string[]; energy: boolean; space: boolean }

/** Of the results of this page those that are seen. */
function seen(view: Looking): Seen {
    const drawing = shownDrawing(), names = new Set([...outputs, ...view.results()]);
    const take = (name: string): void => { for (const c of columnsOf(name)) names.add(c.name); };
    for (const edge of drawing.edges ?? []) { take(edge.effort); take(edge.flow); }
    for (const net of drawing.nets ?? []) for (const pin of net.pins) if (pin.of && pin.name) { take(`${pin.of}.${pin.name}.e`); take(`${pin.of}.${pin.name}.f`); }
    if (state.selection) {
        take(state.selection.name);
        for (const edge of model.graphs.flatMap((g) => g.edges ?? [])) if (edge.name === state.selection.name) { take(edge.effort); take(edge.flow); }
    }
    return { results: [...names], frames: view.frames(), energy: view.energy(), space: view.space() };
}

/** `restyle`: for another theme. */
export function joinBench(view: Looking, restyle: () => void): void {
    const say = (message: object): void => parent.postMessage(message, '*');
    let coming: { run: Run; numbers: ArrayBuffer } | null = null;
    const known = new Set(columns.keys()), moving = frames !== null, accounted = model.run?.energy != null, inSpace = animation !== null;
    /** What the run that is shown has; null: all that is known. */
    let shown: { results: Set<string>; frames: boolean; energy: boolean; space: boolean } | null = null;
    const take = (): void => {
        if (!coming) return;
        const run = withNumbers(coming.run, coming.numbers);
        coming = null;
        takeRun(run);
        shown = { results: new Set(run.tables.flatMap((t) => t.columns.map((c) => c.name))), frames: frames !== null, energy: run.energy !== undefined, space: run.animation !== undefined };
        set('run', state.run + 1);
        say({ kind: 'drawn' });
    };
    addEventListener('message', (e) => {
        if (e.source !== parent) return;
        // Of several before the next picture the last.
        if (e.data?.kind === 'run') { coming = e.data; drawSoon(take); }
        if (e.data?.kind === 'expect') view.expect();
        if (e.data?.kind === 'theme') { document.documentElement.dataset.theme = e.data.theme; restyle(); }
    });
    const looked = (): void => {
        const now = seen(view);
        const missing = shown !== null && (now.results.some((name) => known.has(name) && !shown!.results.has(name)) || (moving && now.frames.length > 0 && !shown.frames) ||
            (accounted && now.energy && !shown.energy) || (inSpace && now.space && !shown.space));
        say({ kind: 'seen', seen: now, missing });
    };
    let told = 0, asked = 0;
    watch(['time', 'view', 'graph', 'selection', 'step'], () => {
        clearTimeout(told);
        told = window.setTimeout(() => say({ kind: 'link', link: linkText() }), 100);
    });
    watch(['selection'], () => { if (state.selection) say({ kind: 'chosen', name: state.selection.name }); });
    const lookedSoon = (): void => { clearTimeout(asked); asked = window.setTimeout(looked); };
    watch(['view', 'graph', 'opened', 'selection', 'looking'], lookedSoon);
    lookedSoon();
}
