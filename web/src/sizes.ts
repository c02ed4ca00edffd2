// How large a mechanism is, and what follows from that: which way is up, how large parts without a size of their own are
// drawn, and how long arrows are.

import { Box3, Quaternion, Vector3 } from 'three';
import { numbersAt, type Motion, type Shape } from './data';

/** Of the mechanism: joints are about a sixteenth as large as it is. */
const kShare = 0.6;
/** What moves is the mechanism as long as it is more than this share of all that is drawn. */
const kLeastMoving = 1e-3;
const kInstants = 60;
/** In m: what is smaller may be rounding of parts that lie in one place. */
const kSmallest = 1e-6;

/** Where a shape stays that is drawn larger or smaller: an arrow where it begins, a cone at its tip, others in their middle. */
export const anchorOf = (shape: Shape): number => (shape.kind === 'arrow' ? 0 : shape.kind === 'cone' ? 1 : 0.5);

const placed = new WeakMap<Shape, Float32Array>();

/** Where a shape is, row by row: where it stays if it is drawn larger or smaller, or where it begins. */
export function placesOf(shape: Shape): Float32Array {
    if (shape.nominal !== 'all') return shape.x;
    const known = placed.get(shape);
    if (known) return known;
    const row = (data: Float32Array, width: number, k: number): number => (data.length === width ? 0 : k * width);
    const rows = Math.max(shape.x.length / 3, shape.R.length / 9, shape.size.length / 3), places = new Float32Array(3 * rows);
    for (let k = 0; k < rows; ++k) {
        const by = anchorOf(shape) * shape.size[row(shape.size, 3, k)];
        for (let i = 0; i < 3; ++i) places[3 * k + i] = shape.x[row(shape.x, 3, k) + i] + by * shape.R[row(shape.R, 9, k) + i];
    }
    placed.set(shape, places);
    return places;
}

/** Rows of x, R and size at an instant, and points that hold what the model has of a shape between them. */
class Reader {
    private readonly x: number[] = [];
    private readonly R: number[] = [];
    private readonly size: number[] = [];
    private readonly p = new Vector3();

    constructor(private readonly motion: Motion) {}

    expand(box: Box3, shape: Shape, row: number): void {
        const at = { row: Math.min(row, this.motion.time.length - 1), share: 0 };
        numbersAt(shape.x, 3, at, this.x);
        numbersAt(shape.R, 9, at, this.R);
        numbersAt(shape.size, 3, at, this.size);
        for (const mark of this.marks(shape)) {
            this.p.fromArray(this.x);
            for (let k = 0; k < 3; ++k) for (let i = 0; i < 3; ++i) this.p.setComponent(i, this.p.getComponent(i) + mark[k] * this.size[k] * this.R[3 * k + i]);
            box.expandByPoint(this.p);
        }
    }

    private marks(shape: Shape): number[][] {
        if (shape.nominal === 'all') return [[anchorOf(shape), 0, 0]];
        const [low, high] = shape.mesh ? corners(shape.mesh.places) : shape.nominal === 'thickness' ? [[0, 0, 0], [1, 0, 0]] : [[0, -0.5, -0.5], [1, 0.5, 0.5]];
        return Array.from({ length: 8 }, (_, c) => [0, 1, 2].map((k) => ((c >> k) & 1 ? high[k] : low[k])));
    }
}

const known = new WeakMap<Float32Array, [number[], number[]]>();
function corners(places: Float32Array): [number[], number[]] {
    const found = known.get(places);
    if (found) return found;
    const box = new Box3().setFromArray(places);
    const both: [number[], number[]] = [box.min.toArray(), box.max.toArray()];
    known.set(places, both);
    return both;
}

const longest = (box: Box3): number => (box.isEmpty() ? 0 : Math.max(...box.getSize(new Vector3()).toArray()));

/** The longest side of the box around the parts that move, at the instant at which that is longest: a vehicle is as large
 *  as it is, however far it goes. Where a point alone moves, of the box around all of the run. */
export function sizeOf(motion: Motion): number {
    const reader = new Reader(motion), shapes = motion.shapes.filter((s) => !s.measures);
    const moving = shapes.filter((s) => s.x.length > 3 || s.R.length > 9 || s.size.length > 3);
    const all = new Box3(), rows = motion.time.length, stride = Math.max(1, Math.floor(rows / kInstants));
    let most = 0;
    for (let row = 0; row < rows; row += stride) {
        const now = new Box3();
        for (const s of moving) reader.expand(now, s, row);
        most = Math.max(most, longest(now));
        all.union(now);
    }
    for (const s of shapes) if (!moving.includes(s)) reader.expand(all, s, 0);
    const whole = longest(all);
    const size = most > kLeastMoving * whole ? most : whole;
    return size > kSmallest ? size : 1;
}

export class Sizes {
    /** Of the mechanism, in m. */
    readonly size: number;
    /** By what arrows measure, the largest of the run. */
    private readonly largest = new Map<string, number>();

    constructor(motion: Motion) {
        this.size = sizeOf(motion);
        for (const s of motion.shapes) {
            if (!s.measures) continue;
            let most = this.largest.get(s.measures) ?? 0;
            for (let i = 0; i < s.size.length; i += 3) most = Math.max(most, s.size[i]);
            this.largest.set(s.measures, most);
        }
    }

    /** Length, width and height of a shape in the picture, from those in the data. */
    drawn(shape: Shape, size: number[]): [number, number, number] {
        if (shape.measures) {
            const most = this.largest.get(shape.measures)!, l = most > 0 ? size[0] / most * this.size / 3 : 0;
            return [l, l / 12, l / 12];
        }
        const along = shape.nominal === 'all' ? kShare * this.size : 1, across = shape.nominal ? kShare * this.size : 1;
        return [along * size[0], across * size[1], across * size[2]];
    }

    /** Below this nothing is seen. */
    get least(): number { return 1e-9 * this.size; }
}

/** From axes with y up to those of the model, in which up is against gravity; where there is none, y is up. */
export function uprightOf(gravity: number[]): Quaternion {
    const up = new Vector3().fromArray(gravity).negate();
    return new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), up.lengthSq() > 0 ? up.normalize() : new Vector3(0, 1, 0));
}
