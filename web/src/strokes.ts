// Strokes to be placed by hand: each bond has two places; what is placed is judged at once, with the rule that decides it.

import type { Drawing, Edge } from './data';
import { makeSvg } from './elements';

export type End = 'from' | 'to';
export interface Placed { bond: string; end: End }
/** What came of a stroke; `text`: why, without the bond's name. */
export interface Answer { accepted: boolean; text: string }
/** Judges a stroke beside those that are there. */
export type Judge = (placed: Placed[], edge: Edge, end: End) => Answer | Promise<Answer>;

/** Where the program had a choice, and either end is right by itself. */
const free = new Set(['resistive_choice', 'free_choice']);

export const endOf = (edge: Edge): End | null => {
    const sides = new Set(edge.components.map((c) => c.stroke));
    const [only] = sides;
    return sides.size === 1 && only !== 'open' ? only : null;
};

const sentence = (text: string): string => (text ? `${text[0].toUpperCase()}${text.slice(1)}.` : '');

/** By the strokes that the program has placed: what follows from another choice than its own is not known. */
export const asTheProgram: Judge = (_, edge, end) => {
    const right = endOf(edge), reason = edge.components[0].reason;
    const why = reason ? ` (${reason})` : '';
    if (end === right) return { accepted: true, text: `right${why}.` };
    if (edge.components.some((c) => free.has(c.kind))) return { accepted: true, text: `possible too; the program has taken the other end, and what follows from it${why}.` };
    return { accepted: false, text: `not there. ${sentence(reason)}` };
};

/** The middle of a bond's end, and a direction across it. */
function acrossAt(body: SVGPathElement, end: End): { x: number; y: number; dx: number; dy: number } {
    const length = body.getTotalLength(), at = end === 'from' ? 0 : length;
    const a = body.getPointAtLength(at), b = body.getPointAtLength(end === 'from' ? Math.min(1, length) : Math.max(0, length - 1));
    const l = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    return { x: a.x, y: a.y, dx: -(b.y - a.y) / l, dy: (b.x - a.x) / l };
}

export interface Game {
    drawing: Drawing; svg: SVGSVGElement;
    /** What the drawing has of an edge. */
    shapes: (edge: number) => SVGElement[];
    /** A sentence, and whether it is about a mistake. */
    tell: (text: string, wrong: boolean) => void;
    judge: Judge;
    /** The bonds that get strokes. */
    bonds: (edge: Edge) => boolean;
    /** Those that are there already, and those that are only shown. */
    placed?: Placed[]; shown?: Placed[];
}

export class StrokeGame {
    private readonly places: SVGElement[] = [];
    private readonly drawn: SVGElement[] = [];
    private readonly left = new Set<number>();
    private readonly hidden: SVGElement[] = [];
    private readonly all: number;
    private readonly placed: Placed[];
    private wrong = 0;
    private asking = false;

    constructor(private readonly game: Game) {
        this.placed = [...game.placed ?? []];
        const edges = game.drawing.edges ?? [];
        let all = 0;
        edges.forEach((edge, index) => {
            const body = this.bodyOf(index);
            if (edge.kind !== 'bond' || !game.bonds(edge) || !body) return;
            ++all;
            for (const shape of game.shapes(index)) if (shape.classList.contains('stroke') && !shape.classList.contains('unassigned')) { shape.classList.add('unassigned'); this.hidden.push(shape); }
            const there = this.placed.find((p) => p.bond === edge.name), shown = game.shown?.find((p) => p.bond === edge.name);
            if (there || shown) this.drawStroke(body, (there ?? shown)!.end, !there);
            else { this.left.add(index); this.addPlaces(index, edge, body); }
        });
        this.all = all;
        if (this.left.size > 0 && this.left.size === all) game.tell(`Place ${all} ${all === 1 ? 'stroke' : 'strokes'}: click the end of a bond on which the effort acts.`, false);
        else if (this.left.size > 0) game.tell(`${this.left.size} of ${all} strokes left: click the end of a bond on which the effort acts.`, false);
        else game.tell(all === 0 ? 'No bond of this drawing has a stroke to be placed.' : '', false);
    }

    private bodyOf(index: number): SVGPathElement | null {
        const body = this.game.shapes(index).find((s) => s.classList.contains('bond'));
        return body instanceof SVGPathElement ? body : null;
    }

    private addPlaces(index: number, edge: Edge, body: SVGPathElement): void {
        const length = body.getTotalLength(), radius = Math.min(7, length / 6), near = radius + 2;
        for (const side of ['from', 'to'] as const) {
            const at = body.getPointAtLength(side === 'from' ? near : length - near);
            const name = this.game.drawing.nodes?.[side === 'from' ? edge.from : edge.to]?.name ?? '';
            const place = makeSvg('circle', { class: 'stroke-place', cx: at.x, cy: at.y, r: radius, tabindex: 0, role: 'button', 'aria-label': `Bond ${edge.name}: stroke at ${name}`, 'data-side': side, 'data-bond': edge.name,
                click: (e: Event) => { e.stopPropagation(); void this.place(index, side); },
                keydown: (e: KeyboardEvent) => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); e.stopPropagation(); void this.place(index, side); } } });
            place.dataset.edge = String(index);
            this.game.svg.append(place);
            this.places.push(place);
        }
    }

    private drawStroke(body: SVGPathElement, end: End, shown: boolean): void {
        const half = 7.5, at = acrossAt(body, end);
        const line = makeSvg('line', { class: shown ? 'stroke placed-stroke shown' : 'stroke placed-stroke', x1: at.x - half * at.dx, y1: at.y - half * at.dy, x2: at.x + half * at.dx, y2: at.y + half * at.dy });
        this.game.svg.append(line);
        this.drawn.push(line);
    }

    private async place(index: number, end: End): Promise<void> {
        if (!this.left.has(index) || this.asking) return;
        const edge = this.game.drawing.edges![index];
        this.asking = true;
        const answer = await this.game.judge([...this.placed], edge, end);
        this.asking = false;
        if (!answer.accepted) {
            ++this.wrong;
            this.game.tell(`${edge.name}: ${answer.text}`.trimEnd(), true);
            return;
        }
        this.placed.push({ bond: edge.name, end });
        this.left.delete(index);
        this.drawStroke(this.bodyOf(index)!, end, false);
        const focused = this.places.some((p) => p.dataset.edge === String(index) && p === document.activeElement);
        for (const p of this.places) if (p.dataset.edge === String(index)) p.remove();
        if (focused) this.places.find((p) => p.isConnected)?.focus();
        const last = this.wrong === 0 ? `All ${this.all} at the first try.` : `All ${this.all}, after ${this.wrong} wrong ${this.wrong === 1 ? 'try' : 'tries'}.`;
        this.game.tell(`${edge.name}: ${answer.text} ${this.left.size > 0 ? `${this.left.size} left.` : last}`, false);
    }

    /** The program's strokes are there again. */
    end(): void {
        for (const made of [...this.places, ...this.drawn]) made.remove();
        for (const shape of this.hidden) shape.classList.remove('unassigned');
    }
}
