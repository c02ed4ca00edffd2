// Where the energy of the run went, or of the part of it between two markers.

import { accountOf, counted, courseOf, deviationAt, nearest, type Account, type Course } from './account';
import { BalanceChart, curvesOf, kMostOfIntegration, unbalanced } from './balance';
import { instant, model, quantity, type EnergyRow } from './data';
import { clear, make } from './elements';
import { drawSoon } from './picture';
import { diagramOf, sankeySvg } from './sankey';
import { set, state, watch } from './state';

function bar(label: string, value: number, largest: number, kind: string): HTMLElement {
    const share = largest > 0 ? Math.abs(value) / largest : 0;
    return make('div', { class: 'bar-row' }, make('span', { class: 'bar-label' }, label),
        make('span', { class: 'bar-track' }, make('span', { class: `bar ${kind}`, style: `width:${(100 * share).toFixed(2)}%` })), make('span', { class: 'bar-value' }, quantity(value, 'J')));
}

function table(title: string, rows: EnergyRow[], moved: number): HTMLElement | null {
    if (rows.length === 0) return null;
    const titles = { supplied: 'supplied', in: 'in', out: 'out', stored: 'stored', dissipated: 'dissipated', other: 'own types', events: 'events' };
    const heads = (Object.keys(titles) as (keyof typeof titles)[]).filter((h) => (h !== 'other' && h !== 'events') || rows.some((r) => (h === 'events' ? counted(r[h], moved) : r[h]) !== 0));
    return make('table', { class: 'books' }, make('caption', {}, title),
        make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, ''), ...heads.map((h) => make('th', { scope: 'col' }, titles[h])))),
        make('tbody', {}, ...rows.map((r) => make('tr', {}, make('th', { scope: 'row' }, r.type
            ? make('button', { class: 'link', click: () => set('selection', { kind: 'node', name: r.name }) }, r.name) : r.name),
        ...heads.map((h) => make('td', {}, r[h] === 0 ? '' : quantity(r[h], 'J')))))));
}

type Sums = Pick<Account, 'from' | 'to' | 'supplied' | 'stored' | 'dissipated' | 'other' | 'events' | 'imbalance'>;

function sums(all: Sums, moved: number, whole: boolean): HTMLElement {
    const e: Sums = { ...all };
    for (const k of ['supplied', 'stored', 'dissipated', 'other', 'events'] as const) e[k] = counted(e[k], moved);
    const largest = Math.max(...[e.supplied, e.stored, e.dissipated, e.other, e.events].map(Math.abs));
    const share = moved > 0 ? Math.abs(e.imbalance) / moved : 0;
    return make('div', { class: 'sums' }, make('h3', {}, `From ${instant(e.from)} to ${instant(e.to)}`),
        bar('Supplied', e.supplied, largest, 'supplied'), bar('Stored', e.stored, largest, 'stored'), bar('Dissipated', e.dissipated, largest, 'dissipated'),
        e.other !== 0 ? bar('Taken by own types', e.other, largest, 'other') : null, e.events !== 0 ? bar('Lost in events', e.events, largest, 'events') : null,
        make('p', { class: 'balance' }, `Supplied − stored − dissipated${e.other !== 0 ? ' − own types' : ''}${e.events !== 0 ? ' − events' : ''} = ${quantity(e.imbalance, 'J')}: ` +
            `${share.toExponential(1)} of the ${quantity(moved, 'J')} that moved${whole ? '' : ' in the whole run'}.${e.imbalance === 0 ? '' : share > kMostOfIntegration ? ` ${unbalanced}` : ' It is the error of the integration.'}`));
}

const put = (place: HTMLElement, ...children: (HTMLElement | null)[]): void => { clear(place); for (const c of children) if (c) place.append(c); };

/** Two markers over the instants of the account. */
class Markers {
    readonly element: HTMLElement;
    private readonly handles: [HTMLInputElement, HTMLInputElement];
    private readonly between = make('span', { class: 'between' });
    private readonly kSteps = 100000;

    constructor(private readonly course: Course, public window: [number, number], private readonly changed: () => void) {
        const handle = (which: 0 | 1): HTMLInputElement => {
            const input = make('input', { type: 'range', id: which === 0 ? 'window-from' : 'window-to', min: 0, max: this.kSteps, step: 1, 'aria-label': which === 0 ? 'Account from' : 'Account to',
                input: () => this.move(which, nearest(course, this.timeAt(Number(input.value)))), keydown: (e: KeyboardEvent) => this.key(which, e) });
            return input;
        };
        this.handles = [handle(0), handle(1)];
        const now = (which: 0 | 1): void => this.move(which, nearest(course, state.time));
        this.element = make('div', { class: 'window-tools' }, make('div', { class: 'window-slide' }, make('span', { class: 'rail' }), this.between, ...this.handles),
            make('span', { class: 'group' }, make('button', { id: 'window-from-now', title: 'The account begins at the instant that is shown', click: () => now(0) }, 'From now'),
                make('button', { id: 'window-to-now', title: 'The account ends at the instant that is shown', click: () => now(1) }, 'To now'),
                make('button', { id: 'window-whole', click: () => this.take([0, this.last]) }, 'Whole run')));
        this.show();
    }

    private get last(): number { return this.course.time.length - 1; }
    get whole(): boolean { return this.window[0] === 0 && this.window[1] === this.last; }
    /** Of two instants at an event either has its time: a window that is asked for again is this one. */
    standAt(window: [number, number] | null): boolean {
        return window === null ? this.whole : window.every((t, i) => t === this.course.time[this.window[i]]);
    }
    private timeAt(value: number): number { const t = this.course.time; return t[0] + value / this.kSteps * (t[this.last] - t[0]); }

    private move(which: 0 | 1, k: number): void {
        // A marker that is moved across the other one takes that along.
        const window: [number, number] = [...this.window];
        window[which] = Math.min(Math.max(k, which), this.last - 1 + which);
        if (window[0] >= window[1]) window[1 - which] = window[which] + (which === 0 ? 1 : -1);
        this.take(window);
    }

    take(window: [number, number]): void {
        const same = window[0] === this.window[0] && window[1] === this.window[1];
        this.window = window;
        this.show();
        if (!same) this.changed();
    }

    private key(which: 0 | 1, e: KeyboardEvent): void {
        const far = Math.max(1, Math.round(this.last / 10)), at = this.window[which];
        const to: Record<string, number> = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, PageUp: at + far, PageDown: at - far, Home: 0, End: this.last };
        if (!(e.key in to) || e.ctrlKey || e.altKey || e.metaKey) return;
        e.preventDefault();
        this.move(which, to[e.key] + (e.shiftKey ? Math.sign(to[e.key] - at) * (Math.max(1, Math.round(this.last / 20)) - 1) : 0));
    }

    /** Before or after an event, where two instants have one time. */
    private said(k: number): string {
        const t = this.course.time;
        return instant(t[k]) + (t[k + 1] === t[k] ? ', before the event' : t[k - 1] === t[k] ? ', after the event' : '');
    }

    private show(): void {
        const t = this.course.time, share = this.window.map((k) => (t[k] - t[0]) / (t[this.last] - t[0] || 1));
        this.handles.forEach((h, i) => {
            h.value = String(Math.round(share[i] * this.kSteps));
            h.setAttribute('aria-valuetext', this.said(this.window[i]));
            h.title = this.said(this.window[i]);
        });
        // Both at one end: the one that can move lies on top.
        this.handles[0].style.zIndex = share[0] > 0.5 ? '2' : '1';
        this.handles[1].style.zIndex = share[0] > 0.5 ? '1' : '2';
        this.between.style.left = `calc(8px + ${share[0]} * (100% - 16px))`;
        this.between.style.width = `calc(${share[1] - share[0]} * (100% - 16px))`;
    }
}

export function energyView(): HTMLElement {
    const element = make('section', { class: 'energy', 'aria-label': 'Energy' });
    const nothing: Filled = { moved: () => undefined, window: () => undefined };
    let filled = nothing;
    let outdated = false;
    const begin = (): void => { outdated = false; clear(element); filled = fill(element) ?? nothing; };
    const shown = (): boolean => state.view === 'energy';
    const move = (): void => filled.moved();
    // While a slider is dragged run follows run: of those that nobody looks at the account is not drawn.
    watch(['run'], () => { outdated = true; if (shown()) begin(); });
    addEventListener('beforeprint', () => { if (outdated) begin(); move(); });
    watch(['view'], () => { if (!shown()) return; if (outdated) begin(); move(); });
    watch(['time'], () => { if (shown()) drawSoon(move); });
    watch(['window'], () => filled.window());
    begin();
    return element;
}

/** What is to be done when the instant that is shown changes, and when a link asks for another window. */
interface Filled { moved: () => void; window: () => void }

/** Smaller letters than those of the page's notes can't be read: rather the diagram is scrolled. */
const kSmallestLetters = 0.85;

function showDiagram(place: HTMLElement, svg: string): void {
    place.innerHTML = svg;
    const drawn = place.querySelector('svg');
    if (drawn) drawn.style.minWidth = `${Math.round(kSmallestLetters * Number(drawn.getAttribute('width')))}px`;
}

/** What came and where it went in the window, up to the instant that is shown where that lies in it: two bars of one length. */
function scaleBars(place: HTMLElement, c: Course, [from, to]: [number, number]): void {
    let k = nearest(c, state.time);
    if (c.time[k] > state.time && k > 0) --k;
    if (k < from || k > to) k = to;
    const moved = c.moved[c.moved.length - 1], since = (curve: (at: number) => number): number => counted(curve(k) - curve(from), moved);
    const here = curvesOf(c).slice(1).map((curve) => ({ name: curve.name, kind: curve.kind, value: since(curve.values) }));
    const supplied = since((at) => c.balance.supplied[at]);
    const came = [{ name: 'supplied', kind: 'supplied', value: supplied }, ...here.filter((h) => h.value < 0).map((h) => ({ ...h, name: h.kind === 'stored' ? 'released' : h.name, value: -h.value }))].filter((h) => h.value > 0);
    const went = [...here.filter((h) => h.value > 0), ...(supplied < 0 ? [{ name: 'taken back', kind: 'supplied', value: -supplied }] : [])];
    const sum = (list: { value: number }[]): number => list.reduce((s, h) => s + h.value, 0);
    const most = Math.max(sum(came), sum(went));
    const row = (label: string, list: { name: string; kind: string; value: number }[]): HTMLElement => make('div', { class: 'bar-row' }, make('span', { class: 'bar-label' }, label),
        make('span', { class: 'bar-track stacked' }, ...list.map((h) => make('span', { class: `bar ${h.kind}`, style: `width:${(most > 0 ? 100 * h.value / most : 0).toFixed(3)}%`, title: `${h.name} ${quantity(h.value, 'J')}` }))),
        make('span', { class: 'bar-value' }, quantity(sum(list), 'J')));
    put(place, make('p', { class: 'scale-told' }, `${from === 0 ? 'Up' : `From ${instant(c.time[from])}`} to ${instant(c.time[k])}: ${[...came.map((h) => `${h.name} ${quantity(h.value, 'J')}`)].join(', ') || 'nothing came'}; ` +
        `${went.map((h) => `${h.name} ${quantity(h.value, 'J')}`).join(', ') || 'nothing went'}. Off by ${quantity(deviationAt(c, k) - deviationAt(c, from), 'J')}.`), row('Came', came), row('Went', went));
}

function fill(element: HTMLElement): Filled | null {
    const e = model.run?.energy;
    if (!e) {
        element.append(make('p', { class: 'empty' }, model.failure ? 'The run did not come to its end: there is no account of it.' : model.run ? model.run.energy === undefined ? 'The account of this run is on its way.' : 'No bond of this model carries power.' : 'There is no run to account for.'));
        return null;
    }
    const sumsPlace = make('div', { role: 'status', 'aria-live': 'polite' }), flow = make('div', { class: 'sankey', tabindex: 0, role: 'group', 'aria-label': 'Where energy went, as a diagram' }), tables = make('div'), scale = make('div', { class: 'scale', id: 'scale' });
    const course = courseOf();
    if (!course) {
        showDiagram(flow, e.sankey.replace(/^<\?xml[^>]*\?>\s*/, ''));
        put(tables, table('By domain', e.domains, e.moved), table('By part', e.components.filter((r) => !r.passes_on), e.moved));
        element.append(sums(e, e.moved, true), make('p', { class: 'hint' }, 'The account is of the whole run: how it came about is not on this page, so that parts of the run have none here.'), flow, tables);
        return null;
    }
    const last = course.time.length - 1;
    let pending = 0;
    const show = (): void => {
        const account = accountOf(course, ...markers.window), known = account.domains ?? (markers.whole ? e.domains : null);
        const between = markers.whole ? '' : `, from ${instant(account.from)} to ${instant(account.to)}`;
        put(sumsPlace, sums(markers.whole ? { ...e } : account, e.moved, markers.whole));
        showFlow();
        put(tables, known ? table(`By domain${between}`, known, e.moved) : make('p', { class: 'hint' }, 'This model has too many parts for an account by domain of a part of the run.'),
            table(`By part${between}`, account.components.filter((r) => !r.passes_on), e.moved));
        scaleBars(scale, course, markers.window);
    };
    /** As wide as there is room for it. */
    const showFlow = (): void => showDiagram(flow, sankeySvg(diagramOf(accountOf(course, ...markers.window), model.model), flow.clientWidth || Infinity));
    /** Of a link, or of an earlier run: where that is none of this one, all of it. */
    const asked = (): [number, number] => {
        const [from, to] = (state.window ?? [course.time[0], course.time[last]]).map((t) => nearest(course, t));
        return from < to ? [from, to] : [0, last];
    };
    const markers = new Markers(course, asked(), () => {
        set('window', markers.whole ? null : [course.time[markers.window[0]], course.time[markers.window[1]]]);
        chart.setWindow(markers.window);
        cancelAnimationFrame(pending);
        pending = requestAnimationFrame(show);
    });
    const chart = new BalanceChart(course, e.moved, markers.window);
    const steps = model.run!.steps;
    element.append(markers.element, make('p', { class: 'hint' }, `The markers stand at ${course.time.length} instants at which the program has added up its books${steps > course.time.length ? `, of the ${steps} steps of the run` : ''}.`),
        sumsPlace, flow, chart.element, scale, tables);
    show();
    let wide = flow.clientWidth;
    new ResizeObserver(() => { if (flow.clientWidth > 0 && flow.clientWidth !== wide) { wide = flow.clientWidth; showFlow(); } }).observe(flow);
    return { moved: () => { chart.moveCursor(); scaleBars(scale, course, markers.window); }, window: () => { if (!markers.standAt(state.window)) markers.take(asked()); } };
}
