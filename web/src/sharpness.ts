// How many pixels a picture in space has. While things move faster than they can be drawn it has fewer; at rest it has all.

/** Whether solids are drawn by the processor, for which pixels are dear: of other machines nothing needs to be known. */
export function drawnByProcessor(): boolean {
    const g = document.createElement('canvas').getContext('webgl2');
    if (!g) return false;
    const about = g.getExtension('WEBGL_debug_renderer_info');
    const name = String(g.getParameter(about ? about.UNMASKED_RENDERER_WEBGL : g.RENDERER));
    g.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|softpipe|basic render/i.test(name);
}

/** In ms, for a picture: 30 in a second are wanted, and a screen may show no more. */
const kSlow = 35, kQuick = 18;
/** Pictures of which the time is taken before anything is changed. */
const kTaken = 6;
const kCoarsest = 0.5, kStep = 0.8;

export class Sharpness {
    /** Pixels per pixel of the page, while things move. */
    moving: number;
    private before = 0;
    private taken: number[] = [];
    /** How long pictures took with the pixels before, and whether fewer of them have helped. */
    private coarser: { ratio: number; took: number } | null = null;
    private settled = false;

    /** `full`: at rest; `most`: while things move, where they are drawn fast enough. */
    constructor(readonly full: number, private readonly most: number) { this.moving = most; }

    /** Called for each picture of what moves, with the time of its frame. */
    picture(now: number): void {
        const took = now - this.before;
        this.before = now;
        if (took > 500 || took <= 0) { this.rest(); return; }
        this.taken.push(took);
        if (this.taken.length < kTaken) return;
        // The middle one: what else the machine does now and then is no matter of pixels.
        const middle = this.taken.sort((a, b) => a - b)[kTaken >> 1];
        this.taken = [];
        if (this.coarser && middle > 0.9 * this.coarser.took) {
            this.moving = this.coarser.ratio;
            this.settled = true;
        }
        this.coarser = null;
        if (this.settled) return;
        if (middle > kSlow && this.moving > kCoarsest) {
            this.coarser = { ratio: this.moving, took: middle };
            this.moving = Math.max(kCoarsest, kStep * this.moving);
        } else if (middle < kQuick && this.moving < this.most) this.moving = Math.min(this.most, this.moving / kStep);
    }

    /** Nothing has moved for a while: what moves next may be drawn in another time. */
    rest(): void {
        this.taken = [];
        this.coarser = null;
        this.settled = false;
    }
}
