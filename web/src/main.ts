// The page: one instant, one selection, several views of the same run.

import { instant, model, quantity, reached, rowBefore, span } from './data';
import { DetailsView } from './details';
import { clear, make } from './elements';
import { energyView } from './energy';
import { EquationsView } from './equations';
import { given } from './given';
import { GraphView } from './graph';
import { linearView } from './linear';
import { joinBench } from './live';
import { drawNow } from './picture';
import { PlotsView } from './plots';
import { sensitivityView } from './sensitivity';
import { movesInSpace, SpaceView } from './space';
import { linkText, readLink, set, setTime, state, watch } from './state';

document.title = `${model.model} – bondgraph`;

const graph = new GraphView();
const plots = new PlotsView();
const equations = new EquationsView();
const space = movesInSpace ? new SpaceView() : null;
const details = new DetailsView((names) => { plots.add(names); set('view', 'plots'); }, (names, elements) => graph.lightPath(names, elements));

interface View { id: string; title: string; element: HTMLElement; shown?: () => void }
const views: View[] = [{ id: 'details', title: 'Part', element: details.element },
    { id: 'plots', title: 'Plots', element: plots.element, shown: () => plots.shown() },
    { id: 'energy', title: 'Energy', element: energyView() }, { id: 'equations', title: 'Equations', element: equations.element }];
const linear = linearView();
if (linear) views.push({ id: 'linear', title: 'Linear', element: linear });
const sensitive = sensitivityView();
if (sensitive) views.push({ id: 'sensitivity', title: 'Sensitivity', element: sensitive });
if (space) views.splice(1, 0, { id: 'space', title: 'Space', element: space.element, shown: () => space.shown() });

function messages(): HTMLElement | null {
    const all = [...(model.conflict ?? []), ...(model.failure ?? []), ...model.warnings];
    if (all.length === 0) return null;
    const wrong = (model.conflict ?? model.failure ?? []).length > 0;
    return make('details', { class: wrong ? 'messages wrong' : 'messages', open: wrong, id: 'messages' },
        make('summary', {}, wrong ? 'What is wrong' : `${all.length} warning${all.length > 1 ? 's' : ''}`), ...all.map((m) => make('pre', {}, m.shown.trim() || m.text)));
}

function tabs(): { list: HTMLElement; panes: HTMLElement } {
    const list = make('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Views' });
    const panes = make('div', { class: 'panes' });
    for (const v of views) {
        list.append(make('button', { role: 'tab', id: `tab-${v.id}`, 'aria-controls': `pane-${v.id}`, click: () => set('view', v.id) }, v.title));
        v.element.id = `pane-${v.id}`;
        v.element.setAttribute('role', 'tabpanel');
        v.element.setAttribute('aria-labelledby', `tab-${v.id}`);
        v.element.removeAttribute('aria-label');
        v.element.setAttribute('tabindex', '0');
        panes.append(v.element);
    }
    list.addEventListener('keydown', (e) => {
        const step = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
        if (step === 0) return;
        const at = views.findIndex((v) => v.id === state.view);
        const next = views[(at + step + views.length) % views.length];
        set('view', next.id);
        document.getElementById(`tab-${next.id}`)?.focus();
        e.stopPropagation();
    });
    return { list, panes };
}

function showView(): void {
    const chosen = views.find((v) => v.id === state.view) ?? views[0];
    for (const v of views) {
        const on = v === chosen;
        v.element.hidden = !on;
        const tab = document.getElementById(`tab-${v.id}`);
        tab?.setAttribute('aria-selected', String(on));
        tab?.setAttribute('tabindex', on ? '0' : '-1');
    }
    chosen.shown?.();
}

function timeBar(): HTMLElement | null {
    if (!span) return null;
    const whole = () => reached - span!.start;
    const slider = make('input', { type: 'range', id: 'time', min: 0, max: 10000, step: 1, 'aria-label': 'Time', input: () => setTime(span!.start + Number(slider.value) / 10000 * whole()) });
    const label = make('output', { class: 'now', id: 'now' });
    const play = make('button', { id: 'play', 'aria-label': 'Play', title: 'Play or pause (space)', click: () => set('playing', !state.playing) }, '▶');
    const speed = make('select', { id: 'speed', 'aria-label': 'Speed', change: () => set('speed', Number(speed.value)) });
    // As fast as time itself, or so that the run takes some seconds.
    const fitting = whole() / 8;
    const choices: [number, string][] = [[fitting, '8 s'], [fitting * 4, '2 s'], [fitting / 4, '32 s'], [1, 'as in life']];
    for (const [value, text] of choices) speed.append(make('option', { value }, text));
    state.speed = fitting;
    const loop = make('button', { class: 'toggle', id: 'loop', 'aria-pressed': 'true', click: () => { set('loop', !state.loop); loop.setAttribute('aria-pressed', String(state.loop)); } }, 'Loop');
    const marks = make('div', { class: 'marks', 'aria-hidden': true });
    const markEvents = () => {
        clear(marks);
        if (whole() > 0 && span!.events.length <= 1000) for (const e of span!.events) marks.append(make('i', { style: `left:${(100 * (e.time - span!.start) / whole()).toFixed(3)}%`, title: `${quantity(e.time, 's')} ${e.cause}` }));
    };
    markEvents();
    const event = make('output', { class: 'event', id: 'event' });
    let told = [] as typeof span.events, times = new Float64Array();
    const readEvents = () => { told = span!.events.filter((e) => e.cause); times = Float64Array.from(told, (e) => e.time); };
    readEvents();
    /** What happens about an instant. */
    const eventAt = (t: number, about: number): string => {
        const next = rowBefore(times, t - about) + 1;
        return next < times.length && times[next] < t + about ? told[next].cause : '';
    };
    const show = () => {
        const length = whole();
        slider.value = String(length > 0 ? Math.round((state.time - span!.start) / length * 10000) : 0);
        label.textContent = instant(state.time);
        slider.setAttribute('aria-valuetext', label.textContent);
        const text = length > 0 ? eventAt(state.time, 0.004 * length) : '';
        if (event.textContent !== text) event.textContent = text;
    };
    watch(['time'], show);
    watch(['run'], () => { markEvents(); readEvents(); setTime(state.time); show(); });
    watch(['playing'], () => { play.textContent = state.playing ? '❚❚' : '▶'; play.setAttribute('aria-label', state.playing ? 'Pause' : 'Play'); if (state.playing) run(); });
    const link = make('button', { id: 'link', title: 'Copy a link to this view', click: () => { history.replaceState(null, '', linkText()); void navigator.clipboard?.writeText(location.href).catch(() => undefined); } }, 'Link');
    show();
    return make('footer', { class: 'time' }, play, make('div', { class: 'slide' }, slider, marks), label, event, make('label', { class: 'speed' }, 'run in ', speed), loop, given.live ? null : link);
}

function run(): void {
    if (!span) return;
    if (state.time >= reached) setTime(span.start);
    let before = performance.now();
    const frame = (now: number) => {
        if (!state.playing || !span) return;
        const t = state.time + state.speed * (now - before) / 1000;
        before = now;
        if (t >= reached) {
            if (!state.loop) { setTime(reached); set('playing', false); return; }
            setTime(span.start);
        } else setTime(t);
        drawNow();
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
}

function keys(e: KeyboardEvent): void {
    const target = e.target as HTMLElement;
    if (e.key === 'Escape') { if (target.matches('input')) target.blur(); set('selection', null); return; }
    const slides = target.id === 'time';
    if (slides) { if (!['ArrowLeft', 'ArrowRight', 'Home', 'End', ' '].includes(e.key)) return; e.preventDefault(); }
    if ((!slides && target.closest('input, select, textarea, [role=tab]')) || e.ctrlKey || e.metaKey || e.altKey) return;
    const step = span ? (reached - span.start) / (e.shiftKey ? 20 : 200) : 0;
    if (e.key === ' ' && !target.closest('button, [role=button]')) { set('playing', !state.playing); e.preventDefault(); }
    else if (e.key === 'ArrowRight') setTime(state.time + step);
    else if (e.key === 'ArrowLeft') setTime(state.time - step);
    else if (e.key === 'Home') { set('playing', false); setTime(span?.start ?? 0); }
    else if (e.key === 'End') { set('playing', false); setTime(reached); }
    else if (e.key === '/') { document.getElementById('search')?.focus(); e.preventDefault(); }
}

function theme(): HTMLElement {
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    document.documentElement.dataset.theme ??= dark ? 'dark' : 'light';
    return make('button', { id: 'theme', 'aria-label': 'Light or dark', title: 'Light or dark', click: () => {
        const root = document.documentElement;
        root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
        for (const v of views) v.shown?.();
    } }, '◐');
}

const { list, panes } = tabs();
const app = document.getElementById('app')!;
clear(app); // of the title that stood there until now
app.append(make('header', { class: given.live ? 'framed' : undefined }, make('h1', {}, model.model), make('span', { class: 'about' }, model.program), theme()));
const told = messages();
if (told) app.append(told);
app.append(make('main', {}, graph.element, make('section', { class: 'views' }, list, panes)));
const bar = timeBar();
if (bar) app.append(bar);
watch(['view'], showView);
set('view', space ? 'space' : span ? 'plots' : 'details');
watch(['selection'], () => { if (state.selection && state.selection.kind !== 'variable' && ['energy', 'equations', 'sensitivity'].includes(state.view) === false && !space) set('view', 'details'); });
document.addEventListener('keydown', keys);
// A button that the mouse has pressed keeps no focus: the space bar plays.
document.addEventListener('click', (e) => { if (e.detail > 0) (e.target as HTMLElement).closest('button')?.blur(); });
readLink(given.link ?? location.hash);
addEventListener('hashchange', () => readLink(location.hash));
if (given.live) {
    joinBench({ results: () => (state.view === 'plots' ? plots.looksAt : []), frames: () => (state.view === 'space' ? space?.looksAt ?? [] : []),
        energy: () => state.view === 'energy' || (state.view === 'details' && state.selection?.kind === 'node'), space: () => state.view === 'space',
        expect: () => { if (state.view === 'space') space?.expect(); } },
        () => { for (const v of views) v.shown?.(); });
}
document.documentElement.dataset.ready = 'true';
if (given.live) parent.postMessage({ kind: 'shown' }, '*');
