// What an instant adds to a drawing: bands as wide as the power of bonds, currents along wires, what storages hold and what
// others lose. It is drawn on a canvas behind the lines of the drawing, which then need not be drawn again for each picture.
// On paper, which is finer than a screen, it is shapes among those of the drawing.

import { calm, make, makeSvg, onScreen } from './elements';
import { drawSoon } from './picture';

interface Box { x: number; y: number; w: number; h: number }

/** A line that something goes along. */
export interface Stream {
    kind: 'band' | 'current';
    d: string;
    colour: string;
    /** What it lies behind. */
    behind: SVGElement;
    /** How wide it is, and how far its dashes have gone along it; null where nothing goes. */
    at: (t: number) => { width: number; gone: number } | null;
}

/** A box that holds something (a share of what it holds at most), or loses something (a share of what it loses at most). */
export interface Vessel { box: SVGElement; holds: ((t: number) => number) | null; loses: ((t: number) => number) | null }

const looks = { band: { dashes: [11, 5], cap: 'butt', opacity: 0.35 }, current: { dashes: [4, 5], cap: 'round', opacity: 0.75 } } as const;
const stillCurrent = { dashes: [], cap: 'round', opacity: 0.4 } as const;
const level = { colour: '#0072b2', opacity: 0.28 };
/** How far beyond its line or box something may be drawn. */
const kAround = 8;
const glow = { colour: '#d55e00', width: 7 };

const look = (kind: Stream['kind']) => (kind === 'current' && calm.matches ? stillCurrent : looks[kind]);
const period = (kind: Stream['kind']): number => looks[kind].dashes[0] + looks[kind].dashes[1];
const numberOf = (shape: SVGElement, name: string): number => Number(shape.getAttribute(name));
const boxOf = (shape: SVGElement): Box => ({ x: numberOf(shape, 'x'), y: numberOf(shape, 'y'), w: numberOf(shape, 'width'), h: numberOf(shape, 'height') });

function boundsOf(d: string): Box {
    return around([...d.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y), w: 0, h: 0 })));
}

/** The least box around others. */
function around(boxes: Box[]): Box {
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    for (const b of boxes) {
        left = Math.min(left, b.x);
        right = Math.max(right, b.x + b.w);
        top = Math.min(top, b.y);
        bottom = Math.max(bottom, b.y + b.h);
    }
    return left <= right ? { x: left, y: top, w: right - left, h: bottom - top } : { x: 0, y: 0, w: 0, h: 0 };
}

/** Of boxes that are lower than their corners, as those of drawings. */
const corners = (box: Box, radius: number): DOMPointInit => ({ x: Math.min(radius, box.w / 2), y: Math.min(radius, box.h / 2) });

function rounded(box: Box, radius: number): Path2D {
    const path = new Path2D();
    path.roundRect(box.x, box.y, box.w, box.h, corners(box, radius));
    return path;
}

/** Below all that moves: marks of the drawing's own that lie under its bonds. */
interface Ground { bounds: Box; path: Path2D; fill: string | null; stroke: string | null; width: number }

export class Moving {
    readonly element = make('canvas', { class: 'moving', 'aria-hidden': true });
    private readonly g = this.element.getContext('2d', { willReadFrequently: true });
    private svg: SVGSVGElement | null = null;
    private streams: (Stream & { path: Path2D; bounds: Box })[] = [];
    private vessels: (Vessel & { path: Path2D; bounds: Box; radius: number; fill: string })[] = [];
    private ground: Ground[] = [];
    private onPaper: SVGElement[] = [];
    /** From the drawing's units to pixels of the canvas, and what of the drawing lies on it. */
    private scale = 1;
    private origin = { x: 0, y: 0 };
    private ratio = 0;
    private view: Box = { x: 0, y: 0, w: 0, h: 0 };
    /** Of the drawing what may move: the canvas is no larger, since all of it is put on the screen for each picture. */
    private bounds: Box = { x: 0, y: 0, w: 0, h: 0 };
    private readonly seenAtAll: () => boolean;
    private readonly watched = new MutationObserver(() => { this.ratio = 0; drawSoon(this.draw); });

    /** `stage`: what holds the drawing, and this behind it; `now`: the instant that is shown, and whether what moves is. */
    constructor(private readonly stage: HTMLElement, private readonly now: () => { t: number; on: boolean }) {
        new ResizeObserver(() => { this.ratio = 0; this.draw(); }).observe(stage);
        this.seenAtAll = onScreen(stage, () => drawSoon(this.draw));
        addEventListener('beforeprint', () => this.putOnPaper());
        addEventListener('afterprint', () => this.takeOffPaper());
        calm.addEventListener('change', () => drawSoon(this.draw));
    }

    /** Another drawing. */
    take(svg: SVGSVGElement): void {
        this.svg = svg;
        this.watched.disconnect();
        this.watched.observe(svg, { attributeFilter: ['viewBox'] });
        this.takeGround(svg);
        this.fill([], []);
    }

    /** What is behind all lines: the bonds and boxes of algebraic loops. */
    takeGround(svg: SVGSVGElement): void {
        this.ground = [...svg.querySelectorAll<SVGElement>('.loop')].map((shape): Ground => {
            const d = shape.getAttribute('d'), colours = { fill: shape.getAttribute('fill'), stroke: shape.getAttribute('stroke'), width: numberOf(shape, 'stroke-width') };
            return d !== null ? { ...colours, bounds: boundsOf(d), path: new Path2D(d) } : { ...colours, bounds: boxOf(shape), path: rounded(boxOf(shape), numberOf(shape, 'rx')) };
        });
        this.bound();
    }

    /** What goes along lines of the drawing and is in its boxes, in another run. */
    fill(streams: Stream[], vessels: Vessel[]): void {
        this.streams = streams.map((s) => ({ ...s, path: new Path2D(s.d), bounds: boundsOf(s.d) }));
        for (const { box } of this.vessels) box.classList.remove('holds');
        this.vessels = vessels.map((v) => ({ ...v, path: rounded(boxOf(v.box), numberOf(v.box, 'rx')), bounds: boxOf(v.box), radius: numberOf(v.box, 'rx'), fill: v.box.getAttribute('fill') ?? '#fff' }));
        // What they hold is seen through them.
        for (const { box, holds } of this.vessels) box.classList.toggle('holds', holds !== null);
        this.bound();
    }

    private bound(): void {
        this.bounds = around([...this.streams, ...this.vessels, ...this.ground].map((one) => one.bounds));
        this.ratio = 0;
    }

    paint(): void { drawSoon(this.draw); }

    private place(): void {
        const matrix = this.svg?.getScreenCTM(), stage = this.stage.getBoundingClientRect(), ratio = devicePixelRatio || 1;
        if (!matrix || stage.width === 0 || stage.height === 0) return;
        this.ratio = ratio;
        this.scale = matrix.a * ratio;
        const at = { x: (matrix.e - stage.left) * ratio, y: (matrix.f - stage.top) * ratio }, b = this.bounds;
        const within = (v: number, most: number): number => Math.min(Math.max(0, v), Math.round(most * ratio));
        const left = within(Math.floor(at.x + this.scale * (b.x - kAround)), stage.width), right = within(Math.ceil(at.x + this.scale * (b.x + b.w + kAround)), stage.width);
        const top = within(Math.floor(at.y + this.scale * (b.y - kAround)), stage.height), bottom = within(Math.ceil(at.y + this.scale * (b.y + b.h + kAround)), stage.height);
        const width = Math.max(1, right - left), height = Math.max(1, bottom - top);
        if (this.element.width !== width || this.element.height !== height) {
            this.element.width = width;
            this.element.height = height;
        }
        this.element.style.cssText = `left:${left / ratio}px;top:${top / ratio}px;width:${width / ratio}px;height:${height / ratio}px`;
        this.origin = { x: at.x - left, y: at.y - top };
        this.view = { x: -this.origin.x / this.scale, y: -this.origin.y / this.scale, w: width / this.scale, h: height / this.scale };
    }

    private seen(box: Box): boolean {
        const v = this.view;
        return box.x - kAround < v.x + v.w && box.x + box.w + kAround > v.x && box.y - kAround < v.y + v.h && box.y + box.h + kAround > v.y;
    }

    private readonly draw = (): void => {
        const g = this.g;
        if (!g || !this.seenAtAll()) return;
        if (this.ratio !== (devicePixelRatio || 1)) this.place();
        if (this.ratio === 0) return;
        g.setTransform(1, 0, 0, 1, 0, 0);
        g.globalAlpha = 1;
        g.clearRect(0, 0, this.element.width, this.element.height);
        g.setTransform(this.scale, 0, 0, this.scale, this.origin.x, this.origin.y);
        g.lineJoin = 'round';
        const { t, on } = this.now();
        this.drawGround(g);
        if (on) this.drawStreams(g, t);
        this.drawVessels(g, t, on);
    };

    private drawGround(g: CanvasRenderingContext2D): void {
        for (const { path, fill, stroke, width } of this.ground) {
            if (fill) { g.fillStyle = fill; g.fill(path); }
            if (stroke) { g.strokeStyle = stroke; g.lineWidth = width; g.stroke(path); }
        }
    }

    private drawStreams(g: CanvasRenderingContext2D, t: number): void {
        let kind = '', colour = '';
        for (const s of this.streams) {
            if (!this.seen(s.bounds)) continue;
            const now = s.at(t);
            if (!now) continue;
            if (s.kind !== kind) {
                const { dashes, cap, opacity } = look(s.kind);
                g.setLineDash([...dashes]);
                g.lineCap = cap;
                g.globalAlpha = opacity;
                kind = s.kind;
            }
            if (s.colour !== colour) g.strokeStyle = colour = s.colour;
            g.lineWidth = now.width;
            g.lineDashOffset = this.offset(s.kind, now.gone);
            g.stroke(s.path);
        }
        g.setLineDash([]);
    }

    private offset(kind: Stream['kind'], gone: number): number { return calm.matches ? 0 : -gone % period(kind); }

    private drawVessels(g: CanvasRenderingContext2D, t: number, on: boolean): void {
        for (const v of this.vessels) {
            if (!this.seen(v.bounds)) continue;
            const lost = on && v.loses ? v.loses(t) : 0;
            if (lost > 0) {
                g.globalAlpha = lost;
                g.strokeStyle = glow.colour;
                g.lineWidth = glow.width;
                g.stroke(v.path);
            }
            if (!v.holds) continue;
            g.globalAlpha = 1;
            g.fillStyle = v.fill;
            g.fill(v.path);
            const held = on ? v.holds(t) : 0;
            if (held <= 0) continue;
            g.globalAlpha = level.opacity;
            g.fillStyle = level.colour;
            const { x, y, w, h } = v.bounds, full = { x, y: y + h * (1 - held), w, h: h * held };
            g.beginPath();
            g.roundRect(full.x, full.y, full.w, full.h, corners(full, v.radius));
            g.fill();
        }
    }

    // ---- on paper

    private putOnPaper(): void {
        this.takeOffPaper();
        const { t, on } = this.now();
        if (!on) return;
        const put = (shape: SVGElement): SVGElement => { this.onPaper.push(shape); return shape; };
        for (const s of this.streams) {
            const now = s.at(t), { dashes, cap, opacity } = look(s.kind);
            if (!now) continue;
            s.behind.before(put(makeSvg('path', { class: s.kind, d: s.d, fill: 'none', stroke: s.colour, opacity, 'stroke-linecap': cap, 'stroke-dasharray': dashes.length > 0 ? dashes.join(' ') : 'none',
                'stroke-width': now.width.toFixed(2), 'stroke-dashoffset': this.offset(s.kind, now.gone).toFixed(2) })));
        }
        for (const { box, bounds, radius, holds, loses } of this.vessels) {
            const place = { x: bounds.x, y: bounds.y, width: bounds.w, height: bounds.h, rx: radius };
            const lost = loses?.(t) ?? 0, held = holds?.(t) ?? 0;
            if (lost > 0) box.before(put(makeSvg('rect', { class: 'glow', ...place, fill: 'none', stroke: glow.colour, 'stroke-width': glow.width, opacity: lost.toFixed(2) })));
            if (held > 0) box.after(put(makeSvg('rect', { class: 'level', ...place, y: bounds.y + bounds.h * (1 - held), height: bounds.h * held, fill: level.colour, opacity: level.opacity })));
        }
    }

    private takeOffPaper(): void {
        for (const shape of this.onPaper) shape.remove();
        this.onPaper = [];
    }
}
