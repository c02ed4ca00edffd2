// The drawing: pan and zoom, pointing and choosing, causal strokes step by step, power along the bonds.

import { model, quantity, columnsOf, valueAt, type Drawing, type Edge } from './data';
import { addCircuitHandles, Currents } from './circuit';
import { clear, make, makeSvg } from './elements';
import { expandable, Openings } from './openings';
import { markAnew } from './marks';
import { hold, startMode, toldOfModes } from './modes';
import { Moving, type Stream, type Vessel } from './moving';
import { drawSoon } from './picture';
import { booksOf, energyAt, flowsOf, intakeAt, powerAt, storedAt, type Books, type Flow } from './power';
import { set, shownDrawing, state, watch } from './state';
import { Placing } from './placing';

interface Step { edge: number; order: number; text: string }
interface Box { x: number; y: number; w: number; h: number }

/** In the order in which strokes were assigned; of a bond with several components the first of each reason. */
export function stepsOf(drawing: Drawing): Step[] {
    const steps: Step[] = [];
    (drawing.edges ?? []).forEach((edge, index) => {
        const decided = edge.components.filter((c) => c.stroke !== 'open');
        if (decided.length === 0) return;
        const first = decided.reduce((a, b) => (b.order < a.order ? b : a));
        const reasons = [...new Set(decided.map((c) => c.reason))];
        steps.push({ edge: index, order: first.order, text: `${edge.name}: ${reasons.join('; ')}` });
    });
    return steps.sort((a, b) => a.order - b.order || a.edge - b.edge);
}

export class GraphView {
    readonly element: HTMLElement;
    private readonly canvas = make('div', { class: 'canvas' });
    private readonly sentence = make('p', { class: 'sentence', role: 'status', 'aria-live': 'polite' });
    private readonly tip = make('div', { class: 'tip', hidden: true });
    private readonly causality = make('div', { class: 'tools causality' });
    private readonly stepLabel = make('output', { class: 'step-number' });
    private readonly placing = new Placing({ svg: () => this.svg, drawing: () => this.drawing, shapes: (edge) => this.parts.get(`edge-${edge}`) ?? [],
        tell: (text, wrong) => { this.sentence.textContent = text; this.sentence.classList.toggle('wrong', wrong); },
        before: () => { this.pause(); set('step', null); hold(true); }, after: () => { hold(false); this.paintSteps(); } });
    private svg: SVGSVGElement | null = null;
    private whole: Box = { x: 0, y: 0, w: 1, h: 1 };
    private view: Box = { x: 0, y: 0, w: 1, h: 1 };
    private parts = new Map<string, SVGElement[]>();
    private steps: Step[] = [];
    private flows: Flow[] = [];
    private books: Books[] = [];
    private readonly moving = new Moving(this.canvas, () => ({ t: state.time, on: this.showPower }));
    private showPower = true;
    private pointers = new Map<number, { x: number; y: number }>();
    private moved = 0;
    private pointedAt: { of: string; x: number; y: number } | null = null;
    private player = 0;
    private currents: Currents | null = null;
    private readonly modes = make('p', { class: 'modes-told' });
    /** Of which mode strokes and marks of the drawing are. */
    private drawnMode = '';
    private readonly openings = new Openings((text) => { this.sentence.textContent = text; });

    constructor() {
        const choose = make('select', { 'aria-label': 'Drawing', id: 'drawing', change: () => set('graph', choose.selectedIndex) },
            ...model.graphs.map((g) => make('option', {}, g.title)));
        const names = make('datalist', { id: 'names' });
        const search = make('input', { type: 'search', id: 'search', placeholder: 'Find a part or bond', 'aria-label': 'Find a part or bond',
            list: 'names', change: () => this.find(search.value) });
        watch(['graph'], () => { choose.selectedIndex = state.graph; if (state.opened.length > 0) set('opened', []); this.show(); this.fillNames(names); });
        watch(['opened'], () => { this.showInPlace(); this.fillNames(names); });
        const power = make('button', { class: 'toggle', id: 'power', 'aria-pressed': 'true', title: 'Bonds as wide as their power; currents along the wires of a circuit',
            click: () => { this.showPower = !this.showPower; power.setAttribute('aria-pressed', String(this.showPower)); this.paint(); } }, 'Power');
        const button = (id: string, label: string, text: string, click: () => void) => make('button', { id, 'aria-label': label, title: label, click }, text);
        const tools = make('div', { class: 'tools' }, model.graphs.length > 1 ? choose : null, search, names,
            make('span', { class: 'group' }, button('zoom-in', 'Larger', '+', () => this.zoom(1.25)), button('zoom-out', 'Smaller', '−', () => this.zoom(0.8)),
                button('zoom-fit', 'All of it', '⤢', () => this.fit())), power, this.openings.button);
        this.causality.append(make('span', {}, 'Causality'),
            make('span', { class: 'group' },
                button('step-first', 'No strokes', '|◀', () => this.goto(0)), button('step-back', 'One step back', '‹', () => this.goto((state.step ?? this.steps.length) - 1)),
                button('step-play', 'Play the steps', '▷', () => this.play()), button('step-on', 'One step on', '›', () => this.goto((state.step ?? this.steps.length) + 1)),
                button('step-last', 'All strokes', '▶|', () => { this.placing.end(); set('step', null); })), this.stepLabel,
            this.placing.button);
        this.element = make('section', { class: 'graph', 'aria-label': 'Bond graph' }, tools, this.causality, this.modes, this.sentence,
            make('div', { class: 'stage' }, this.canvas, this.tip));
        this.tellModes();
        this.fillNames(names);
        this.listen();
        watch(['step'], () => this.paintSteps());
        watch(['mode'], () => this.restroke());
        watch(['time', 'run', 'mode'], () => drawSoon(this.tellModes));
        watch(['selection'], () => this.paintSelection());
        watch(['time'], () => drawSoon(this.paint));
        watch(['run'], () => { this.readRun(); this.paint(); });
        this.show();
    }

    private get drawing(): Drawing { return shownDrawing(); }

    private fillNames(list: HTMLElement): void {
        clear(list);
        for (const n of this.drawing.nodes ?? this.drawing.parts ?? []) if (n.name) list.append(make('option', { value: n.name }));
        for (const e of this.drawing.edges ?? []) if (e.name) list.append(make('option', { value: e.name }));
    }

    private find(text: string): void {
        const wanted = text.trim();
        if (!wanted) return;
        const near = (name: string) => name === wanted || name.toLowerCase().includes(wanted.toLowerCase());
        const nodes: { name: string }[] = this.drawing.nodes ?? this.drawing.parts ?? [], edges = (this.drawing.edges ?? []).filter((e) => e.kind === 'bond');
        const node = nodes.find((n) => n.name === wanted) ?? nodes.find((n) => near(n.name));
        const edge = edges.find((e) => e.name === wanted) ?? edges.find((e) => near(e.name));
        if (node && (node.name === wanted || !edge || edge.name !== wanted)) set('selection', { kind: 'node', name: node.name });
        else if (edge) set('selection', { kind: 'bond', name: edge.name });
        else this.sentence.textContent = `There is no part or bond named like '${wanted}'.`;
        this.bringIntoView();
    }

    // ---- the drawing itself

    private show(): void {
        clear(this.canvas);
        const holder = make('div');
        holder.innerHTML = this.drawing.svg.replace(/^<\?xml[^>]*\?>\s*/, '');
        this.svg = holder.querySelector('svg');
        if (!this.svg) return;
        const [x, y, w, h] = (this.svg.getAttribute('viewBox') ?? '0 0 1 1').split(/\s+/).map(Number);
        this.whole = { x, y, w, h };
        this.svg.removeAttribute('width');
        this.svg.removeAttribute('height');
        this.svg.setAttribute('role', 'group'); // an image has no buttons in it
        this.svg.setAttribute('preserveAspectRatio', 'xMidYMid meet');
        this.canvas.append(this.moving.element, this.svg);
        this.moving.take(this.svg);
        this.currents = null;
        this.parts = new Map();
        for (const shape of this.svg.querySelectorAll<SVGElement>('[data-of]')) {
            const of = shape.dataset.of!;
            this.parts.set(of, [...(this.parts.get(of) ?? []), shape]);
        }
        this.drawnMode = startMode;
        this.markMode();
        this.steps = stepsOf(this.drawing);
        if (state.step !== null && state.step > this.steps.length) state.step = null;
        this.readRun();
        this.addHandles();
        this.fit();
        this.paintSteps();
        this.paintSelection();
        this.paint();
        this.placing.redraw();
    }

    /** Where a component stands, or the frame around its parts. */
    private placeOf(name: string | null): Box | null {
        const index = (this.drawing.nodes ?? []).findIndex((n) => n.name === name);
        const frame = (this.drawing.frames ?? []).findIndex((n) => n === name);
        const shape = index >= 0 ? this.shape(`node-${index}`, 'node') : this.shape(`frame-${frame}`, 'frame');
        const at = (key: string): number => Number(shape?.getAttribute(key));
        return shape ? { x: at('x'), y: at('y'), w: at('width'), h: at('height') } : null;
    }

    /** Looked into or taken together again: it stays where it is on the screen, as large as it is drawn. */
    private showInPlace(): void {
        const name = this.openings.changed;
        const before = this.placeOf(name), old = this.view, fitted = old.w === this.whole.w && old.h === this.whole.h;
        this.show();
        const now = this.placeOf(name);
        if (before && now && !fitted) {
            const centre = { x: now.x + now.w / 2, y: now.y + now.h / 2 };
            const f = Math.max(1, 1.1 * now.w / old.w, 1.1 * now.h / old.h), w = old.w * f, h = old.h * f;
            const along = (before.x + before.w / 2 - old.x) / old.w, down = (before.y + before.h / 2 - old.y) / old.h;
            this.view = { x: centre.x - (f > 1 ? 0.5 : along) * w, y: centre.y - (f > 1 ? 0.5 : down) * h, w, h };
            this.applyView();
        }
        this.openings.tell();
    }

    private shape(of: string, role: string): SVGElement | undefined { return this.parts.get(of)?.find((s) => s.classList.contains(role)); }

    /** What power does along bonds, what flows along wires and what is stored, in the run that is there now. */
    private readRun(): void {
        this.currents = this.drawing.nets ? new Currents(this.drawing, (of) => this.parts.get(of) ?? []) : null;
        this.flows = flowsOf(this.drawing);
        this.books = booksOf(this.drawing, this.flows);
        this.moving.fill([...this.bands(), ...this.currents?.streams() ?? []], this.vessels());
    }

    private bands(): Stream[] {
        const largest = Math.max(0, ...this.flows.map((f) => f.largest));
        if (largest === 0) return [];
        return this.flows.flatMap((flow): Stream[] => {
            const body = this.shape(`edge-${flow.edge}`, 'bond');
            if (!body) return [];
            // Dashes have gone as far as energy has: they move as the power does.
            const scale = 600 / Math.max(1e-300, largest * (flow.time[flow.time.length - 1] - flow.time[0]));
            return [{ kind: 'band', d: body.getAttribute('d')!, colour: body.getAttribute('stroke')!, behind: body, at: (t) => {
                const power = Math.abs(powerAt(flow, t)) / largest;
                return power < 1e-4 ? null : { width: 2.5 + 11 * Math.sqrt(power), gone: energyAt(flow, t) * scale };
            } }];
        });
    }

    private vessels(): Vessel[] {
        return this.books.flatMap((b): Vessel[] => {
            const box = this.shape(`node-${b.node}`, 'node'), range = b.high - b.low;
            if (!box) return [];
            return [{ box, holds: b.storage ? (t) => (range > 0 && !b.coarse ? (storedAt(b, t) - b.low) / range : 0) : null,
                loses: b.loses && b.largest > 0 ? (t) => Math.min(1, Math.abs(intakeAt(b, t)) / b.largest) : null }];
        });
    }

    /** Wide lines to point at, and places for the keyboard. */
    private addHandles(): void {
        (this.drawing.edges ?? []).forEach((edge, index) => {
            const body = this.shape(`edge-${index}`, 'bond') ?? this.shape(`edge-${index}`, 'signal') ?? this.shape(`edge-${index}`, 'frame-connection');
            if (!body) return;
            const handle = makeSvg('path', { class: 'handle', d: body.getAttribute('d')!, 'data-of': `edge-${index}` });
            if (edge.kind === 'bond') this.make_reachable(handle, `Bond ${edge.name}: ${this.nodeName(edge.from)} to ${this.nodeName(edge.to)}`);
            this.svg!.append(handle);
            this.parts.get(`edge-${index}`)?.push(handle);
        });
        (this.drawing.nodes ?? []).forEach((node, index) => {
            const body = this.shape(`node-${index}`, 'node') ?? this.shape(`node-${index}`, 'junction');
            if (!body) return;
            this.make_reachable(body, node.kind === 'junction' ? `${node.type}-junction ${node.name}` : `${node.type} ${node.name} ${node.value}${expandable(node.name) ? ', can be expanded' : ''}`);
            body.classList.add('reachable');
        });
        if (this.drawing.nets) addCircuitHandles(this.drawing, this.svg!, this.parts, (shape, label) => this.make_reachable(shape, label));
        this.openings.addBadges(this.svg!, this.drawing, (of, role) => this.shape(of, role));
    }

    private make_reachable(element: SVGElement, label: string): void {
        element.setAttribute('tabindex', '0');
        element.setAttribute('role', 'button');
        element.setAttribute('aria-label', label);
    }

    private nodeName(index: number): string { return this.drawing.nodes?.[index]?.name ?? ''; }

    // ---- pan and zoom

    fit(): void {
        this.view = { ...this.whole };
        this.applyView();
    }

    private applyView(): void {
        this.svg?.setAttribute('viewBox', `${this.view.x} ${this.view.y} ${this.view.w} ${this.view.h}`);
    }

    private zoom(factor: number, centre?: { x: number; y: number }): void {
        const c = centre ?? { x: this.view.x + this.view.w / 2, y: this.view.y + this.view.h / 2 };
        const f = Math.min(Math.max(factor, this.view.w / (20 * this.whole.w)), this.view.w / Math.max(40, this.whole.w / 60));
        this.view = { x: c.x - (c.x - this.view.x) / f, y: c.y - (c.y - this.view.y) / f, w: this.view.w / f, h: this.view.h / f };
        this.applyView();
    }

    private onPaper(clientX: number, clientY: number): { x: number; y: number } {
        const matrix = this.svg?.getScreenCTM();
        if (!matrix) return { x: 0, y: 0 };
        const p = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
        return { x: p.x, y: p.y };
    }

    private listen(): void {
        const c = this.canvas;
        c.addEventListener('wheel', (e) => { e.preventDefault(); this.zoom(Math.exp(-0.0015 * e.deltaY), this.onPaper(e.clientX, e.clientY)); }, { passive: false });
        c.tabIndex = -1;
        c.addEventListener('pointerdown', (e) => { c.focus({ preventScroll: true }); this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY }); this.moved = 0; });
        c.addEventListener('pointermove', (e) => this.pointerMoved(e));
        const gone = (e: PointerEvent) => this.pointers.delete(e.pointerId);
        c.addEventListener('pointerup', gone);
        c.addEventListener('pointercancel', gone);
        c.addEventListener('pointerleave', (e) => { gone(e); this.point(null, e); });
        c.addEventListener('click', (e) => { if (this.moved < 6) this.choose((e.target as Element).closest('[data-of]')); });
        c.addEventListener('dblclick', (e) => { const node = this.nodeOf(e.target as Element); if (node !== null) this.openings.toggle(node); });
        c.addEventListener('keydown', (e) => {
            if (e.key === 'Enter' || e.key === ' ') { this.choose((e.target as Element).closest('[data-of]')); e.preventDefault(); e.stopPropagation(); }
            else if (e.key === '+') this.zoom(1.25);
            else if (e.key === '-') this.zoom(0.8);
            else if (e.key === '0') this.fit();
            else if (e.key === 'x') this.openings.toggle(this.nodeOf(e.target as Element));
        });
        c.addEventListener('focusin', (e) => this.point((e.target as Element).closest('[data-of]'), null));
        c.addEventListener('focusout', () => this.point(null, null));
    }

    private pointerMoved(e: PointerEvent): void {
        const before = this.pointers.get(e.pointerId);
        if (!before || e.buttons === 0) { this.point((e.target as Element).closest('[data-of]'), e); return; }
        const others = [...this.pointers].filter(([id]) => id !== e.pointerId);
        this.moved += Math.hypot(e.clientX - before.x, e.clientY - before.y);
        if (others.length > 0) {
            const [, other] = others[0];
            const apart = (p: { x: number; y: number }) => Math.hypot(p.x - other.x, p.y - other.y);
            this.zoom(apart({ x: e.clientX, y: e.clientY }) / Math.max(1, apart(before)), this.onPaper(other.x, other.y));
        } else {
            const a = this.onPaper(before.x, before.y), b = this.onPaper(e.clientX, e.clientY);
            this.view.x -= b.x - a.x;
            this.view.y -= b.y - a.y;
            this.applyView();
        }
        this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    }

    // ---- pointing and choosing

    private edgeOf(of: string | undefined): Edge | null {
        const match = of?.match(/^edge-(\d+)$/);
        return match ? this.drawing.edges?.[Number(match[1])] ?? null : null;
    }

    private nodeOf(target: Element): string | null {
        const of = target.closest<SVGElement>('[data-of]')?.dataset.of;
        return of?.startsWith('node-') ? this.drawing.nodes?.[Number(of.slice(5))]?.name ?? null : null;
    }

    private point(target: Element | null, e: PointerEvent | null): void {
        const of = (target as SVGElement | null)?.dataset.of;
        for (const shapes of this.svg?.querySelectorAll('.pointed') ?? []) shapes.classList.remove('pointed');
        this.tip.hidden = true;
        this.pointedAt = null;
        if (!of) return;
        for (const shape of this.parts.get(of) ?? []) shape.classList.add('pointed');
        const text = this.tipText(of);
        if (!text || !target) return;
        const frame = this.canvas.getBoundingClientRect(), box = target.getBoundingClientRect();
        const at = e ? { x: e.clientX, y: e.clientY } : { x: (box.left + box.right) / 2, y: box.bottom };
        this.pointedAt = { of, x: at.x, y: at.y };
        this.tip.textContent = text;
        this.tip.hidden = false;
        this.tip.style.left = `${Math.max(0, Math.min(at.x - frame.left + 12, frame.width - 200))}px`;
        this.tip.style.top = `${at.y - frame.top + 12}px`;
    }

    private tipText(of: string): string {
        const edge = this.edgeOf(of);
        if (edge) {
            if (edge.kind !== 'bond') return `${this.nodeName(edge.from)} → ${this.nodeName(edge.to)}`;
            const lines = [edge.name];
            for (const name of [edge.effort, edge.flow]) {
                const found = columnsOf(name);
                if (found.length > 0) lines.push(`${name} = ${found.map((c) => quantity(valueAt(c, state.time), found.length > 1 ? '' : c.unit)).join(', ')}`);
            }
            const flow = this.flows.find((f) => this.drawing.edges![f.edge] === edge);
            if (flow) {
                const power = powerAt(flow, state.time), ends = [this.nodeName(edge.from), this.nodeName(edge.to)];
                lines.push(`power ${quantity(Math.abs(power), 'W')}${power === 0 ? '' : ` from ${ends[power > 0 ? 0 : 1]} to ${ends[power > 0 ? 1 : 0]}`}`);
            }
            const reason = edge.components[0]?.reason;
            if (reason) lines.push(reason);
            return lines.join('\n');
        }
        if (this.currents && /^(net|part)-/.test(of)) return this.currents.told(of, state.time);
        const match = of.match(/^node-(\d+)$/);
        const node = match ? this.drawing.nodes?.[Number(match[1])] : null;
        if (!node) return '';
        const books = this.books.find((b) => b.node === Number(match![1]));
        const stored = books?.storage && books.coarse ? '\nits energy changes faster than the rows of this page tell' : books?.storage ? `\nenergy since the start ${quantity(storedAt(books, state.time), 'J')}` : '';
        const lost = books?.loses ? `\nlosing ${quantity(intakeAt(books, state.time), 'W')}` : '';
        return `${node.type} : ${node.name}${node.value ? `\n${node.value}` : ''}${stored}${lost}`;
    }

    private choose(target: Element | null): void {
        const of = (target as SVGElement | null)?.dataset.of;
        const edge = this.edgeOf(of);
        if (edge) { if (edge.kind === 'bond') set('selection', { kind: 'bond', name: edge.name }); return; }
        const part = of?.startsWith('part-') ? this.drawing.parts?.[Number(of.slice(5))] : null;
        const node = of?.startsWith('node-') ? this.drawing.nodes?.[Number(of.slice(5))] : part?.name ? part : null;
        set('selection', node ? { kind: 'node', name: node.name } : null);
    }

    private selectedPart(): string | null {
        const s = state.selection;
        if (!s) return null;
        const node = (this.drawing.nodes ?? []).findIndex((n) => s.kind === 'node' && n.name === s.name);
        if (node >= 0) return `node-${node}`;
        const part = (this.drawing.parts ?? []).findIndex((p) => s.kind === 'node' && p.name === s.name);
        if (part >= 0) return `part-${part}`;
        const edge = (this.drawing.edges ?? []).findIndex((e) => (s.kind === 'bond' && e.name === s.name) ||
            (s.kind === 'variable' && [e.effort, e.flow].some((v) => v !== '' && (v === s.name || s.name.startsWith(`${v}[`)))));
        if (edge >= 0) return `edge-${edge}`;
        if (s.kind !== 'variable') return null;
        const owner = (this.drawing.nodes ?? []).map((n, i) => ({ n, i })).filter(({ n }) => s.name.startsWith(`${n.name}.`))
            .sort((a, b) => b.n.name.length - a.n.name.length)[0];
        return owner ? `node-${owner.i}` : null;
    }

    private paintSelection(): void {
        for (const shape of this.svg?.querySelectorAll('.chosen') ?? []) shape.classList.remove('chosen');
        const part = this.selectedPart();
        if (part) for (const shape of this.parts.get(part) ?? []) shape.classList.add('chosen');
        this.openings.offer();
    }

    private bringIntoView(): void {
        const part = this.selectedPart();
        const shape = part ? this.parts.get(part)?.[0] as SVGGraphicsElement | undefined : undefined;
        if (!shape) return;
        const box = shape.getBBox();
        const x = box.x + box.width / 2, y = box.y + box.height / 2;
        const inside = x > this.view.x && x < this.view.x + this.view.w && y > this.view.y && y < this.view.y + this.view.h;
        if (inside && this.view.w < 900) return;
        const w = Math.min(this.view.w, 600), h = w * this.view.h / this.view.w;
        this.view = { x: x - w / 2, y: y - h / 2, w, h };
        this.applyView();
    }

    /** A way through the graph lights up: variables of bonds, and the bonds of elements. */
    lightPath(names: string[], elements: string[] = []): void {
        for (const shape of this.svg?.querySelectorAll('.lit') ?? []) shape.classList.remove('lit');
        (this.drawing.edges ?? []).forEach((e, index) => {
            const passes = names.some((v) => [e.effort, e.flow].some((own) => own !== '' && (v === own || v.startsWith(`${own}[`))));
            const ends = [e.from, e.to].some((end) => elements.includes(this.nodeName(end)));
            if (e.kind !== 'bond' || (!passes && !ends)) return;
            for (const shape of this.parts.get(`edge-${index}`) ?? []) shape.classList.add('lit');
        });
    }

    // ---- strokes and marks of the mode there is

    private readonly tellModes = (): void => {
        const text = this.drawing.edges === undefined ? '' : toldOfModes('Strokes');
        this.modes.hidden = text === '';
        if (this.modes.textContent !== text) this.modes.textContent = text;
    };

    private restroke(): void {
        if (!this.svg || this.drawing.edges === undefined) return;
        this.markMode();
        this.steps = stepsOf(this.drawing);
        if (state.step !== null && state.step > this.steps.length) set('step', this.steps.length);
        else this.paintSteps();
    }

    /** What the program has drawn is the mode of the start; another may differ from it anywhere. */
    private markMode(): void {
        const from = this.drawnMode;
        this.drawnMode = state.mode;
        if (from === state.mode) return;
        markAnew(this.svg!, this.drawing, this.parts, state.mode === startMode);
        this.moving.takeGround(this.svg!);
        this.moving.paint();
        this.paintSelection();
    }

    // ---- causality step by step

    private pause(): void {
        clearInterval(this.player);
        this.player = 0;
    }

    private goto(step: number): void {
        this.placing.end();
        this.pause();
        this.at(step);
    }

    private at(step: number): void { set('step', Math.min(Math.max(0, step), this.steps.length)); }

    private play(): void {
        if (this.player) { this.goto(state.step ?? this.steps.length); return; }
        if (state.step === null || state.step >= this.steps.length) this.at(0);
        this.player = window.setInterval(() => {
            if (state.step === null || state.step >= this.steps.length) { clearInterval(this.player); this.player = 0; } else this.at(state.step + 1);
        }, 1000);
    }

    private paintSteps(): void {
        const count = state.step ?? this.steps.length;
        const shown = new Set(this.steps.slice(0, count).map((s) => s.edge));
        this.steps.forEach((s) => {
            for (const shape of this.parts.get(`edge-${s.edge}`) ?? []) {
                if (shape.classList.contains('stroke')) shape.classList.toggle('unassigned', !shown.has(s.edge));
                shape.classList.toggle('current', state.step !== null && count > 0 && this.steps[count - 1].edge === s.edge);
            }
        });
        // A circuit has no strokes, and the order of steps is an answer, too.
        this.causality.hidden = this.drawing.edges === undefined || model.unsolved === true;
        this.stepLabel.textContent = this.steps.length === 0 ? '' : `${count} of ${this.steps.length}`;
        const conflict = model.conflict?.[0];
        if (state.step !== null && count > 0) this.sentence.textContent = this.steps[count - 1].text;
        else if (state.step === 0) this.sentence.textContent = 'No stroke is assigned yet.';
        else this.sentence.textContent = conflict ? conflict.text : '';
        this.sentence.classList.toggle('wrong', !!conflict && state.step === null);
    }

    // ---- power and energy

    private readonly paint = (): void => {
        this.moving.paint();
        if (this.pointedAt && !this.tip.hidden) this.tip.textContent = this.tipText(this.pointedAt.of);
    };
}
