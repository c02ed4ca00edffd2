// Frames of mechanics in space: their axes, and the forces and torques that act on components there.

import { BufferGeometry, Color, ConeGeometry, CylinderGeometry, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments,
    Mesh, MeshLambertMaterial, type Vector3 } from 'three';
import { between, numbersAt, type Frame, type Frames } from './data';

export const actionColours = { force: '#D55E00', torque: '#CC79A7' };
export const axisColours = ['#D55E00', '#009E73', '#0072B2'];

/** The longest of some vectors over the run. */
function longest(vectors: Float32Array[]): number {
    let most = 0;
    for (const v of vectors) for (let i = 0; i + 2 < v.length; i += 3) most = Math.max(most, Math.hypot(v[i], v[i + 1], v[i + 2]));
    return most;
}

interface Arrow { frame: Frame; of: Float32Array; scale: number; group: Group }

export class FramesInSpace {
    readonly axes: LineSegments;
    readonly arrows = new Group();
    /** The largest force and torque of the run, at the frames that are shown: those are drawn as long as a third of the mechanism. */
    readonly largest: { force: number; torque: number };
    private readonly list: Arrow[] = [];
    private readonly length: number;

    constructor(private readonly data: Frames, size: number) {
        const n = data.frames.length;
        this.length = size / 18;
        const colours = new Float32Array(18 * n);
        for (let k = 0; k < 6 * n; ++k) new Color(axisColours[Math.floor(k / 2) % 3]).toArray(colours, 3 * k);
        const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(new Float32Array(18 * n), 3))
            .setAttribute('color', new Float32BufferAttribute(colours, 3));
        // Most origins lie within bodies.
        this.axes = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }));
        this.axes.frustumCulled = false;
        this.axes.renderOrder = 1;
        // At a connection one of both: the other component is acted on by the opposite.
        const acted = data.frames.filter((f) => f.name.endsWith('.frame_a'));
        this.largest = { force: longest(acted.map((f) => f.f)), torque: longest(acted.map((f) => f.t)) };
        for (const kind of ['force', 'torque'] as const) {
            const material = new MeshLambertMaterial({ color: actionColours[kind] });
            const scale = this.largest[kind] > 0 ? size / 3 / this.largest[kind] : 0;
            for (const frame of acted) {
                const of = kind === 'force' ? frame.f : frame.t;
                if (longest([of]) < 1e-6 * this.largest[kind] || scale === 0) continue;
                const group = new Group();
                group.add(new Mesh(new CylinderGeometry(0.35, 0.35, 0.8, 12).rotateZ(-Math.PI / 2).translate(0.4, 0, 0), material),
                    new Mesh(new ConeGeometry(1, 0.2, 16).rotateZ(-Math.PI / 2).translate(0.9, 0, 0), material));
                group.matrixAutoUpdate = false;
                group.userData.component = frame.component;
                this.arrows.add(group);
                this.list.push({ frame, of, scale, group });
            }
        }
    }

    /** `apart`: how far each component is moved outwards. */
    at(time: number, apart: (component: string) => Vector3): void {
        const at = between(this.data.time, time);
        const x: number[] = [], R: number[] = [], v: number[] = [];
        if (this.axes.visible) {
            const to = this.axes.geometry.getAttribute('position');
            this.data.frames.forEach((frame, k) => {
                numbersAt(frame.x, 3, at, x);
                numbersAt(frame.R, 9, at, R);
                const o = apart(frame.component);
                for (let i = 0; i < 3; ++i) {
                    to.setXYZ(6 * k + 2 * i, x[0] + o.x, x[1] + o.y, x[2] + o.z);
                    to.setXYZ(6 * k + 2 * i + 1, x[0] + o.x + this.length * R[3 * i], x[1] + o.y + this.length * R[3 * i + 1],
                        x[2] + o.z + this.length * R[3 * i + 2]);
                }
            });
            to.needsUpdate = true;
        }
        if (!this.arrows.visible) return;
        for (const { frame, of, scale, group } of this.list) {
            numbersAt(frame.x, 3, at, x);
            numbersAt(of, 3, at, v);
            const o = apart(frame.component);
            const value = Math.hypot(v[0], v[1], v[2]), l = value * scale;
            group.visible = l > 1e-3 * this.length;
            if (!group.visible) continue;
            // The arrow's own axis is x; y is any direction across.
            const a = [v[0] / value, v[1] / value, v[2] / value];
            const least = Math.abs(a[0]) <= Math.abs(a[1]) && Math.abs(a[0]) <= Math.abs(a[2]) ? 0 : Math.abs(a[1]) <= Math.abs(a[2]) ? 1 : 2;
            const e = [0, 0, 0];
            e[least] = 1;
            const b = [a[1] * e[2] - a[2] * e[1], a[2] * e[0] - a[0] * e[2], a[0] * e[1] - a[1] * e[0]];
            const n = Math.hypot(b[0], b[1], b[2]);
            for (let i = 0; i < 3; ++i) b[i] /= n;
            const c = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            const w = Math.min(l / 5, 0.35 * this.length);
            group.matrix.set(a[0] * l, b[0] * w, c[0] * w, x[0] + o.x, a[1] * l, b[1] * w, c[1] * w, x[1] + o.y, a[2] * l, b[2] * w, c[2] * w, x[2] + o.z, 0, 0, 0, 1);
            group.matrixWorldNeedsUpdate = true;
        }
    }

    /** What acts on a component at its frames, in words' numbers. */
    actionsOn(component: string, time: number): { frame: string; force: number; torque: number }[] {
        const at = between(this.data.time, time);
        return this.data.frames.filter((f) => f.component === component).map((f) => {
            const [force, torque] = [numbersAt(f.f, 3, at, []), numbersAt(f.t, 3, at, [])];
            return { frame: f.name, force: Math.hypot(...force), torque: Math.hypot(...torque) };
        });
    }
}
