// When strokes are placed by hand: on a page by its button, judged by what the page knows; in the bench judged by the program, and there
// an exercise may ask for them.

import type { Drawing, Edge } from './data';
import { model } from './data';
import { make } from './elements';
import { given } from './given';
import { asTheProgram, endOf, StrokeGame, type Answer, type End, type Placed } from './strokes';

/** What the bench says of a graph's strokes: which bonds get one, and which of these are there. */
export interface Task { kind: 'placing'; bonds: string[]; placed: Placed[]; shown: Placed[] }

interface Host {
    svg: () => SVGSVGElement | null; drawing: () => Drawing; shapes: (edge: number) => SVGElement[];
    tell: (text: string, wrong: boolean) => void; before: () => void; after: () => void;
}

export class Placing {
    readonly button = make('button', { class: 'toggle', id: 'place-strokes', 'aria-pressed': 'false', title: 'Place the strokes yourself; each is judged', click: () => { if (this.game) this.end(); else this.ask(); } }, 'Place strokes');
    private game: StrokeGame | null = null;
    private task: Task | null = null;
    private readonly asked = new Map<number, (a: Answer) => void>();

    constructor(private readonly host: Host) {
        if (!given.live) return;
        this.button.hidden = model.unsolved === true;
        addEventListener('message', (e) => {
            if (e.source !== parent) return;
            if (e.data?.kind === 'placing') this.take(e.data as Task);
            if (e.data?.kind === 'judged') { this.asked.get(e.data.id)?.(e.data.answer as Answer); this.asked.delete(e.data.id); }
        });
    }

    private ask(): void {
        if (given.live) parent.postMessage({ kind: 'places' }, '*');
        else this.begin((edge) => endOf(edge) !== null);
    }

    private take(task: Task): void {
        this.end();
        this.task = task;
        this.begin((edge) => task.bonds.includes(edge.name));
    }

    private begin(bonds: (edge: Edge) => boolean): void {
        this.host.before();
        const svg = this.host.svg();
        if (!svg) return;
        this.button.setAttribute('aria-pressed', 'true');
        this.game = new StrokeGame({ drawing: this.host.drawing(), svg, shapes: this.host.shapes, tell: this.host.tell, bonds, placed: this.task?.placed, shown: this.task?.shown,
            judge: given.live ? (placed, edge, end) => this.judged(placed, edge, end) : asTheProgram });
    }

    private async judged(placed: Placed[], edge: Edge, end: End): Promise<Answer> {
        const id = Math.max(0, ...this.asked.keys()) + 1;
        const answer = await new Promise<Answer>((done) => { this.asked.set(id, done); parent.postMessage({ kind: 'stroke', id, placed, bond: edge.name, end }, '*'); });
        if (answer.accepted) this.task?.placed.push({ bond: edge.name, end });
        return answer;
    }

    /** Another drawing is shown: of an exercise its strokes are placed there. */
    redraw(): void {
        const task = this.task;
        this.end();
        if (task && model.unsolved) this.take(task);
    }

    end(): void {
        if (!this.game) return;
        this.game.end();
        this.game = null;
        this.task = null;
        this.button.setAttribute('aria-pressed', 'false');
        this.host.after();
    }
}
