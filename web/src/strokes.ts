// Strokes to be placed by hand: each bond has two places; what is placed is judged at once, with the rule that decides it.

import type { Drawing, Edge } from './data';
import { makeSvg } from './elements';

/** Where the program had a choice, and either end is right by itself. */
const free = new Set(['resistive_choice', 'free_choice']);

const sideOf = (edge: Edge): 'from' | 'to' | null => {
    const sides = new Set(edge.components.map((c) => c.stroke));
    const [only] = sides;
    return sides.size === 1 && only !== 'open' ? only : null;
};

export class StrokeGame {
    private readonly places: SVGElement[] = [];
    private readonly left = new Set<number>();
    private readonly all: number;
    private wrong = 0;

    /** `shapes`: what the drawing has of an edge; `tell`: a sentence, and whether it is about a mistake. */
    constructor(private readonly drawing: Drawing, svg: SVGSVGElement, private readonly shapes: (edge: number) => SVGElement[],
        private readonly tell: (text: string, wrong: boolean) => void) {
        (drawing.edges ?? []).forEach((edge, index) => {
            if (edge.kind !== 'bond' || !sideOf(edge)) return;
            const body = shapes(index).find((s) => s.classList.contains('bond'));
            if (!(body instanceof SVGPathElement)) return;
            this.left.add(index);
            this.showStroke(index, false);
            const length = body.getTotalLength();
            const radius = Math.min(7, length / 6), near = radius + 2;
            for (const side of ['from', 'to'] as const) {
                const at = body.getPointAtLength(side === 'from' ? near : length - near);
                const name = drawing.nodes?.[side === 'from' ? edge.from : edge.to]?.name ?? '';
                const place = makeSvg('circle', { class: 'stroke-place', cx: at.x, cy: at.y, r: radius, tabindex: 0, role: 'button', 'aria-label': `Bond ${edge.name}: stroke at ${name}`, 'data-side': side, 'data-bond': edge.name,
                    click: (e: Event) => { e.stopPropagation(); this.place(index, side); },
                    keydown: (e: KeyboardEvent) => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); e.stopPropagation(); this.place(index, side); } } });
                place.dataset.edge = String(index);
                svg.append(place);
                this.places.push(place);
            }
        });
        this.all = this.left.size;
        tell(this.all === 0 ? 'No bond of this drawing has a stroke to be placed.' : `Place ${this.all} ${this.all === 1 ? 'stroke' : 'strokes'}: click the end of a bond on which the effort acts.`, false);
    }

    private showStroke(edge: number, on: boolean): void {
        for (const shape of this.shapes(edge)) if (shape.classList.contains('stroke')) shape.classList.toggle('unassigned', !on);
    }

    private place(index: number, side: 'from' | 'to'): void {
        if (!this.left.has(index)) return;
        const edge = this.drawing.edges![index], right = sideOf(edge)!;
        const reason = edge.components[0].reason;
        const choice = edge.components.some((c) => free.has(c.kind));
        if (side !== right && !choice) {
            ++this.wrong;
            this.tell(`${edge.name}: not there. ${reason ? `${reason[0].toUpperCase()}${reason.slice(1)}.` : ''}`, true);
            return;
        }
        this.left.delete(index);
        this.showStroke(index, true);
        for (const p of this.places) if (p.dataset.edge === String(index)) p.remove();
        const what = side === right ? 'right' : 'possible too; the program has taken the other end, and what follows from it';
        const end = this.left.size > 0 ? `${this.left.size} left.` : this.wrong === 0 ? `All ${this.all} at the first try.` : `All ${this.all}, after ${this.wrong} wrong ${this.wrong === 1 ? 'try' : 'tries'}.`;
        this.tell(`${edge.name}: ${what}${reason ? ` (${reason})` : ''}. ${end}`, false);
    }

    /** All strokes are there again. */
    end(): void {
        for (const p of this.places) p.remove();
        for (const index of this.left) this.showStroke(index, true);
    }
}
