// Bodies, joints and arrows in space.

import { AmbientLight, Box3, BoxGeometry, BufferAttribute, Color, ConeGeometry, CylinderGeometry, DirectionalLight, DoubleSide, Group, Mesh,
    MeshLambertMaterial, OrthographicCamera, PerspectiveCamera, Raycaster, Scene, SphereGeometry, Vector2, Vector3, WebGLRenderer,
    BufferGeometry, Line, LineBasicMaterial, Float32BufferAttribute, type Camera, type Object3D } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { animation, between, frames, numbersAt, quantity, type Form, type Shape } from './data';
import { clear, colour, curveColours, make } from './elements';
import { actionColours, FramesInSpace } from './frames';
import { ground } from './ground';
import { drawSoon } from './picture';
import { drawnByProcessor, Sharpness } from './sharpness';
import { anchorOf, placesOf, Sizes, uprightOf } from './sizes';
import { set, state, watch } from './state';

const palette: Record<string, string> = { force: '#D55E00', torque: '#CC79A7', acceleration: '#009E73', velocity: '#0072B2' };

const known = new Map<string, BufferGeometry[]>();
/** What shapes of a kind have in common. */
function solids(kind: string): BufferGeometry[] {
    const along = (g: BufferGeometry) => g.rotateZ(-Math.PI / 2).translate(0.5, 0, 0);
    const made = (): BufferGeometry[] => {
        if (kind === 'sphere') return [new SphereGeometry(0.5, 32, 20).translate(0.5, 0, 0)];
        if (kind === 'cylinder' || kind === 'pipe') return [along(new CylinderGeometry(0.5, 0.5, 1, 32))];
        if (kind === 'cone') return [along(new ConeGeometry(0.5, 1, 32))];
        if (kind === 'arrow') return [new CylinderGeometry(0.35, 0.35, 0.8, 16).rotateZ(-Math.PI / 2).translate(0.4, 0, 0), new ConeGeometry(1, 0.2, 20).rotateZ(-Math.PI / 2).translate(0.9, 0, 0)];
        return [new BoxGeometry(1, 1, 1).translate(0.5, 0, 0)];
    };
    if (!known.has(kind)) known.set(kind, made());
    return known.get(kind)!;
}

/** A run goes far that takes so many times the room of what moves in it. */
const kFar = 4;
/** What stands still is looked at with what moves, as long as both together are not so much larger. */
const kStillNear = 3;
/** What is around it is seen, too. */
const kSurroundings = 1.5;

const lengthOf = (box: Box3): number => (box.isEmpty() ? 0 : box.getSize(new Vector3()).length());

/** A material for each part of a form. Files tell neither which sides are outside nor how surfaces bend: both sides are
 *  lit, and triangles are flat. */
function surfacesOf(form: Form, tone: Color): MeshLambertMaterial[] {
    return form.parts.map((part) => new MeshLambertMaterial({ color: part.colour || tone, flatShading: true, side: DoubleSide }));
}

class SpaceScene {
    readonly scene = new Scene();
    private readonly meshes: { shape: Shape; group: Group; materials: MeshLambertMaterial[] }[] = [];
    /** Each form of a file is given to the graphics once, however many shapes have it. */
    private readonly forms = new Map<Form, BufferGeometry>();
    readonly box = new Box3();
    /** What moves goes so far that in a picture of all its way it would be tiny. */
    travels = false;
    readonly frames: FramesInSpace | null = null;
    /** Per component the way from the middle of all to its own, at the start of the run. */
    private readonly outwards = new Map<string, Vector3>();
    private readonly still = new Vector3();
    apart = 0;
    /** From axes with y up to those of the world. */
    readonly upright = uprightOf(animation!.gravity);
    private readonly sizes = new Sizes(animation!);

    constructor() {
        this.scene.add(new AmbientLight(0xffffff, 1.6));
        const sun = new DirectionalLight(0xffffff, 2.2);
        sun.position.set(3, 6, 8).applyQuaternion(this.upright);
        this.scene.add(sun);
        const names = [...new Set(animation!.shapes.map((s) => s.component))];
        for (const shape of animation!.shapes) {
            const tone = shape.measures ? new Color(palette[shape.measures] ?? '#B07800') : shape.kind === 'arrow' ? new Color('#808080')
                : new Color().setHSL(((names.indexOf(shape.component) * 47) % 360) / 360, 0.45, 0.5);
            const materials = shape.mesh ? surfacesOf(shape.mesh, tone) : [new MeshLambertMaterial({ color: tone })];
            const group = shape.mesh ? new Group().add(new Mesh(this.geometryOf(shape.mesh), materials)) : this.build(shape, materials[0]);
            group.matrixAutoUpdate = false;
            group.userData.component = shape.component;
            this.meshes.push({ shape, group, materials });
            this.scene.add(group);
        }
        this.measure();
        this.findWaysOut();
        if (frames) {
            this.frames = new FramesInSpace(frames, this.near);
            this.scene.add(this.frames.axes, this.frames.arrows);
        }
    }

    get size(): number { return lengthOf(this.box) || 1; }

    /** How large it is where it is at the start. */
    near = 1;

    /** Of a run that goes far, what is there now; else, and if so wished, all of the run. */
    looked(whole: boolean): { centre: Vector3; radius: number } {
        const now = this.travels && !whole, box = now ? this.boxNow() : this.box;
        return { centre: box.getCenter(new Vector3()), radius: now ? 0.5 * kSurroundings * lengthOf(box) : 0.5 * this.size };
    }

    /** Around what moves, as it was drawn last, with what stands near it. */
    private boxNow(): Box3 {
        const moving = new Box3(), all = new Box3();
        for (const { group, shape } of this.meshes) {
            if (shape.measures) continue;
            all.expandByObject(group);
            if (shape.x.length > 3 || shape.R.length > 9 || shape.size.length > 3) moving.expandByObject(group);
        }
        return moving.isEmpty() || lengthOf(all) <= kStillNear * lengthOf(moving) ? all : moving;
    }

    private findWaysOut(): void {
        this.at(animation!.time[0]);
        this.scene.updateMatrixWorld(true);
        const boxes = new Map<string, Box3>();
        for (const { group, shape } of this.meshes) {
            if (shape.measures || shape.kind === 'arrow') continue;
            if (!boxes.has(shape.component)) boxes.set(shape.component, new Box3());
            boxes.get(shape.component)!.expandByObject(group);
        }
        const middle = this.looked(false).centre;
        for (const [name, box] of boxes) this.outwards.set(name, box.getCenter(new Vector3()).sub(middle));
    }

    /** How far a component is moved outwards; what has no shape of its own goes with what it is part of. */
    away(component: string): Vector3 {
        if (this.apart === 0) return this.still;
        const way = this.outwards.get(component) ?? this.outwards.get(component.split('.')[0]);
        return way ? way.clone().multiplyScalar(this.apart) : this.still;
    }

    private geometryOf(form: Form): BufferGeometry {
        const known = this.forms.get(form);
        if (known) return known;
        const total = form.parts.reduce((sum, part) => sum + part.triangles.length, 0);
        const order = new Uint32Array(total);
        const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(form.places, 3)).setIndex(new BufferAttribute(order, 1));
        let at = 0;
        form.parts.forEach((part, k) => {
            order.set(part.triangles, at);
            geometry.addGroup(at, part.triangles.length, k);
            at += part.triangles.length;
        });
        this.forms.set(form, geometry);
        return geometry;
    }

    /** What the graphics keep of it is free again. */
    dispose(): void {
        this.scene.traverse((o) => { if (o instanceof Mesh || o instanceof Line) (o.geometry as BufferGeometry).dispose(); });
        for (const { materials } of this.meshes) for (const material of materials) material.dispose();
    }

    /** Unit solids along x, from 0 to 1: a row of the data scales them. */
    private build(shape: Shape, material: MeshLambertMaterial): Group {
        const group = new Group();
        for (const solid of solids(shape.kind)) group.add(new Mesh(solid, material));
        return group;
    }

    at(t: number): void {
        const at = between(animation!.time, t);
        const x: number[] = [], R: number[] = [], size: number[] = [];
        for (const { shape, group } of this.meshes) {
            numbersAt(shape.x, 3, at, x);
            numbersAt(shape.R, 9, at, R);
            numbersAt(shape.size, 3, at, size);
            const tiny = this.sizes.least;
            const [l, w, h] = this.sizes.drawn(shape, size).map((v) => Math.max(tiny, v));
            group.visible = l > 1e3 * tiny || (shape.kind !== 'arrow');
            const o = this.away(shape.component), by = anchorOf(shape) * (size[0] - l) * (shape.nominal === 'all' ? 1 : 0);
            group.matrix.set(R[0] * l, R[3] * w, R[6] * h, x[0] + R[0] * by + o.x, R[1] * l, R[4] * w, R[7] * h, x[1] + R[1] * by + o.y, R[2] * l, R[5] * w, R[8] * h, x[2] + R[2] * by + o.z, 0, 0, 0, 1);
            group.matrixWorldNeedsUpdate = true;
        }
        this.frames?.at(t, (component) => this.away(component));
    }

    /** Around all of the run. */
    private measure(): void {
        const p = new Vector3();
        for (const { shape } of this.meshes) {
            const places = placesOf(shape), rows = places.length / 3;
            for (let row = 0; row < rows; row += Math.max(1, Math.floor(rows / 100))) this.box.expandByPoint(p.fromArray(places, 3 * row));
        }
        const time = animation!.time, first = time[0], last = time[time.length - 1], steps = 8;
        for (let k = 0; k <= steps; ++k) {
            this.at(first + (last - first) * k / steps);
            this.scene.updateMatrixWorld(true);
            for (const { group, shape } of this.meshes) if (!shape.measures) this.box.expandByObject(group);
            if (k === 0) this.near = lengthOf(this.boxNow());
        }
        this.travels = this.near > 0 && this.size > kFar * Math.max(this.near, this.sizes.size);
        if (!this.travels) this.near = this.size;
        this.at(state.time);
        this.scene.updateMatrixWorld(true);
    }

    get objects(): Group[] { return this.meshes.map((m) => m.group); }

    paint(selected: string | null, clear: boolean): void {
        for (const { shape, materials } of this.meshes) {
            for (const material of materials) {
                material.emissive.set(selected !== null && shape.component === selected ? 0x886600 : 0x000000);
                material.needsUpdate = material.transparent !== clear;
                material.transparent = clear;
                material.depthWrite = !clear;
                material.opacity = clear ? 0.4 : 1;
            }
        }
    }

    /** Where a component's last shape, or a frame, has been from the start to the end of the run. */
    trail(point: string, tone: string): Line | null {
        const x = this.path(point);
        if (!x) return null;
        return new Line(new BufferGeometry().setAttribute('position', new Float32BufferAttribute(x, 3)), new LineBasicMaterial({ color: tone }));
    }

    private path(point: string): Float32Array | null {
        const frame = frames?.frames.find((f) => f.name === point);
        if (frame) return frame.x;
        const last = this.meshes.filter((m) => m.shape.component === point && !m.shape.measures && m.shape.x.length > 3).pop();
        return last ? placesOf(last.shape) : null;
    }

    /** Where a component is, moved outwards as it is shown. */
    placeOf(component: string, t: number, out: Vector3): boolean {
        const x = this.path(component);
        if (!x) return false;
        return Boolean(out.fromArray(numbersAt(x, 3, between(animation!.time, t), [])).add(this.away(component)));
    }

    /** What can leave a trail: components that move, and frames that do. */
    static points(): string[] {
        const moving = animation!.shapes.filter((s) => !s.measures && s.x.length > 3).map((s) => s.component);
        return [...new Set([...moving, ...(frames?.frames ?? []).filter((f) => f.x.length > 3).map((f) => f.name)])];
    }
}

/** In ms: after so long without another picture what moved is at rest. */
const kRests = 250;

export class SpaceView {
    readonly element = make('section', { class: 'space', 'aria-label': 'Space' });
    private readonly canvas = make('canvas', { tabindex: 0, role: 'img', 'aria-label': 'The mechanism in space; drag to turn, wheel to zoom' });
    private renderer: WebGLRenderer | null = null;
    private world: SpaceScene | null = null;
    private camera: Camera | null = null;
    private controls: OrbitControls | null = null;
    private readonly trails: Line[] = [];
    private kept: string[] = [];
    private readonly keptList = make('span', { class: 'kept-trails' });
    private readonly legend = make('p', { class: 'actions', hidden: true });
    private flat = false;
    /** All of a run that goes far is in the picture. */
    private whole = false;
    private readonly way: HTMLButtonElement;
    private clear = false;
    private traced = false;
    private readonly allFrames = (frames?.frames ?? []).map((f) => f.name);
    private framed = false;
    private acted = false;
    private apart = 0;
    /** Where what is followed was when the camera last moved with it. */
    private followed: { component: string; at: Vector3 } | null = null;
    private follows = false;
    private readonly slow = drawnByProcessor();
    /** Where the processor draws, edges are smoothed at rest only, by pixels that are a quarter as large. */
    private readonly sharpness = new Sharpness(this.slow ? 2 : Math.min(2, devicePixelRatio || 1), this.slow ? 1 : Math.min(2, devicePixelRatio || 1));
    private moves = false;
    private still = 0;
    /** Of what the camera was aimed at. */
    private radius = 1;
    private size = { width: 0, height: 0, ratio: 0 };
    private readonly background = { theme: '', colour: new Color() };

    constructor() {
        const toggle = (id: string, text: string, change: (on: boolean) => void) => {
            const button: HTMLButtonElement = make('button', { class: 'toggle', id, 'aria-pressed': 'false', click: () => {
                const on = button.getAttribute('aria-pressed') !== 'true';
                button.setAttribute('aria-pressed', String(on));
                change(on);
                set('looking', state.looking + 1);
            } }, text);
            return button;
        };
        const slider: HTMLInputElement = make('input', { type: 'range', id: 'apart', min: 0, max: 200, value: 0, 'aria-valuetext': 'as built',
            input: () => {
                this.apart = Number(slider.value) / 100;
                slider.setAttribute('aria-valuetext', this.apart === 0 ? 'as built' : `${slider.value} %`);
                this.drawSoon();
            } });
        const more: HTMLSelectElement = make('select', { id: 'more-trails', 'aria-label': 'Trail of another point', change: () => {
            if (more.value) this.keep(more.value);
            more.value = '';
        } }, make('option', { value: '' }, 'Trail of …'), ...SpaceScene.points().map((p) => make('option', { value: p }, p)));
        this.way = toggle('way', 'Whole way', (on) => { this.whole = on; this.aim(true); });
        this.way.hidden = true;
        const look = (text: string, x: number, y: number, z: number) => make('button', { click: () => this.lookFrom(new Vector3(x, y, z)) }, text); // of y up
        this.element.append(make('div', { class: 'tools' }, look('Front', 0, 0, 1), look('Side', 1, 0, 0), look('Top', 0, 1, 0.001), look('Oblique', 1, 0.7, 1.3),
            this.way,
            toggle('parallel', 'Parallel', (on) => { this.flat = on; this.aim(); }), toggle('transparent', 'Transparent', (on) => { this.clear = on; this.repaint(); }),
            toggle('follow', 'Follow', (on) => { this.follows = on; this.followed = null; this.drawSoon(); }),
            toggle('trail', 'Trail', (on) => { this.traced = on; this.repaint(); })),
        make('div', { class: 'tools' },
            ...frames ? [toggle('frames', 'Frames', (on) => { this.framed = on; this.drawSoon(); }),
                toggle('actions', 'Forces', (on) => { this.acted = on; this.legend.hidden = !on; this.drawSoon(); })] : [],
            make('label', { class: 'apart' }, 'Apart ', slider), more, this.keptList),
        make('div', { class: 'stage' }, this.canvas), this.legend);
        watch(['time'], () => this.drawMoving());
        watch(['playing'], () => { if (!state.playing) this.drawMoving(); });
        watch(['selection'], () => this.repaint());
        watch(['run'], () => this.takeRun());
        let down = { x: 0, y: 0 };
        this.canvas.addEventListener('pointerdown', (e) => { down = { x: e.clientX, y: e.clientY }; });
        this.canvas.addEventListener('pointerup', (e) => { if (Math.hypot(e.clientX - down.x, e.clientY - down.y) < 4) this.pick(e); });
        const resized = new ResizeObserver(() => this.drawSoon());
        for (const box of [this.element, this.canvas.parentElement!]) resized.observe(box);
    }

    /** Trails that stay, whatever is chosen; each has a button that takes it away. */
    private keep(point: string): void {
        if (!this.kept.includes(point)) this.kept.push(point);
        this.listKept();
    }

    private listKept(): void {
        clear(this.keptList);
        for (const point of this.kept) {
            this.keptList.append(make('button', { 'aria-label': `Trail of ${point}: take away`, click: () => {
                this.kept = this.kept.filter((p) => p !== point);
                this.listKept();
                document.getElementById('more-trails')?.focus();
            } }, make('i', { class: 'swatch', style: `background:${this.trailColour(point)}` }), `${point} ×`));
        }
        set('looking', state.looking + 1);
        this.repaint();
    }

    /** The frames of mechanics that are drawn, or leave a trail: all or none. */
    get looksAt(): string[] {
        const names = this.allFrames;
        return this.framed || this.acted || [...this.kept, this.traced ? state.selection?.name ?? '' : ''].some((p) => names.includes(p)) ? names : [];
    }

    private trailColour(point: string): string { return curveColours[(this.kept.indexOf(point) + 2) % curveColours.length]; }

    private makeWorld(): void {
        this.world?.dispose();
        this.world = new SpaceScene();
        this.world.scene.add(ground(this.world.size, this.world.near, this.world.upright));
        this.way.hidden = !this.world.travels;
    }

    /** The camera stays where it is. */
    private takeRun(): void {
        if (!this.renderer || !animation) return;
        const before = this.world;
        this.world = null;
        this.trails.length = 0;
        this.makeWorld();
        if (before && !before.upright.equals(this.world!.upright)) this.aim(true);
        this.repaint();
        this.drawMoving(); // further runs may follow: a slider is dragged
        // What draws solids is taken over as long as the old ones have it.
        if (before) drawSoon(() => before.dispose());
    }

    /** Another run is on its way: what moves is drawn with as many pixels as that will be. */
    expect(): void { if (this.canvas.dataset.sharp === 'true' && this.sharpness.moving !== this.sharpness.full) this.drawMoving(); }

    shown(): void {
        if (this.renderer === null && animation) {
            try {
                this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: !this.slow });
            } catch {
                this.element.append(make('p', { class: 'empty' }, 'This browser has no WebGL, which the picture in space needs.'));
                return;
            }
            this.makeWorld();
            this.aim();
        }
        this.drawSoon();
    }

    /** A camera for what is looked at; without `fit` one that looks from where the last did. */
    private aim(fit = false): void {
        if (!this.world || !this.renderer) return;
        const looked = this.world.looked(this.whole), radius = looked.radius, farthest = 0.5 * this.world.size;
        const before = this.camera?.position.clone().sub(this.controls!.target) ?? new Vector3(1, 0.7, 1.3).applyQuaternion(this.world.upright);
        const centre = this.controls && !fit ? this.controls.target.clone() : looked.centre;
        if (!this.camera || fit) before.setLength(2.6 * radius);
        this.radius = radius;
        this.controls?.dispose();
        this.camera = this.flat ? new OrthographicCamera() : new PerspectiveCamera(42, 1, radius / 100, farthest * 100);
        if (this.camera instanceof OrthographicCamera) { this.camera.near = -farthest * 50; this.camera.far = farthest * 50; }
        this.camera.position.copy(centre).add(before);
        this.camera.up.set(0, 1, 0).applyQuaternion(this.world.upright); // which the controls read once
        this.controls = new OrbitControls(this.camera as PerspectiveCamera, this.canvas);
        this.controls.target.copy(centre);
        this.controls.addEventListener('change', () => this.drawMoving());
        this.controls.update();
        this.repaint();
    }

    private lookFrom(direction: Vector3): void {
        if (!this.world || !this.camera || !this.controls) return;
        const distance = this.camera.position.distanceTo(this.controls.target);
        this.camera.position.copy(this.controls.target).add(direction.applyQuaternion(this.world.upright).normalize().multiplyScalar(distance));
        this.controls.update();
        this.drawSoon();
    }

    private selected(): string | null {
        const s = state.selection;
        if (!s) return null;
        const names = animation!.shapes.map((x) => x.component);
        return names.find((n) => s.name === n || s.name.startsWith(`${n}.`)) ?? null;
    }

    private repaint(): void {
        if (!this.world) return;
        this.world.paint(this.selected(), this.clear);
        this.world.scene.remove(...this.trails);
        for (const line of this.trails) line.geometry.dispose();
        this.trails.length = 0;
        const add = (point: string | null, tone: string) => {
            const line = point ? this.world!.trail(point, tone) : null;
            if (line) this.trails.push(line);
        };
        if (this.traced) add(this.lookedAt(), '#D55E00');
        for (const point of this.kept) add(point, this.trailColour(point));
        if (this.trails.length > 0) this.world.scene.add(...this.trails);
        this.drawSoon();
    }

    /** What is chosen, or else the last that moves. */
    private lookedAt(): string | null {
        return this.selected() ?? animation!.shapes.filter((s) => !s.measures && s.x.length > 3).pop()?.component ?? null;
    }

    /** The camera goes with what is chosen: by as much as that has moved since. */
    private follow(): void {
        const of = this.lookedAt(), now = new Vector3();
        if (!this.follows || !of || !this.world!.placeOf(of, state.time, now)) { this.followed = null; return; }
        // What is followed first, or after another, comes to the middle.
        const by = now.clone().sub(this.followed?.component === of ? this.followed.at : this.controls!.target);
        this.camera!.position.add(by);
        this.controls!.target.add(by);
        this.camera!.lookAt(this.controls!.target);
        this.followed = { component: of, at: now };
    }

    /** The largest of the run, which tell how long arrows are, and what acts on what is chosen. */
    private tellActions(): void {
        const all = this.world!.frames;
        if (!this.acted || !all) return;
        clear(this.legend);
        for (const [kind, unit] of [['force', 'N'], ['torque', 'N.m']] as const) {
            this.legend.append(make('span', {}, make('i', { class: 'swatch', style: `background:${actionColours[kind]}` }),
                `${kind}${kind === 'force' ? 's at frame_a' : 's'}, at most ${quantity(all.largest[kind], unit)}`));
        }
        const chosen = this.selected();
        for (const a of chosen ? all.actionsOn(chosen, state.time) : [])
            this.legend.append(make('span', {}, `${a.frame}: ${quantity(a.force, 'N')}, ${quantity(a.torque, 'N.m')}`));
    }

    private pick(e: PointerEvent): void {
        if (!this.world || !this.camera) return;
        const r = this.canvas.getBoundingClientRect();
        const ray = new Raycaster();
        ray.setFromCamera(new Vector2(2 * (e.clientX - r.left) / r.width - 1, 1 - 2 * (e.clientY - r.top) / r.height), this.camera);
        const hit = ray.intersectObjects(this.world.objects, true)[0];
        let at: Object3D | null = hit?.object ?? null;
        while (at && !at.userData.component) at = at.parent;
        set('selection', at ? { kind: 'node', name: at.userData.component as string } : null);
    }

    private drawSoon(): void {
        this.moves = false;
        drawSoon(this.draw);
    }

    /** Of what moves on: quickly first, then as well as can be once it rests. */
    private drawMoving(): void {
        this.moves = true;
        drawSoon(this.draw);
    }

    private readonly draw = (): void => {
        if (!this.renderer || !this.world || !this.camera || this.element.hidden) return;
        const stage = this.canvas.parentElement!;
        const width = stage.clientWidth, height = stage.clientHeight;
        if (width < 10 || height < 10) return;
        clearTimeout(this.still);
        if (this.moves) this.sharpness.picture(performance.now());
        const ratio = this.moves ? this.sharpness.moving : this.sharpness.full;
        if (ratio !== this.sharpness.full && !state.playing) this.still = window.setTimeout(() => { this.sharpness.rest(); this.drawSoon(); }, kRests);
        if (this.size.width !== width || this.size.height !== height || this.size.ratio !== ratio) {
            this.size = { width, height, ratio };
            this.canvas.dataset.sharp = String(ratio === this.sharpness.full);
            this.renderer.setPixelRatio(ratio);
            this.renderer.setSize(width, height, false);
        }
        const radius = 1.2 * this.radius;
        if (this.camera instanceof PerspectiveCamera) { this.camera.aspect = width / height; this.camera.updateProjectionMatrix(); }
        if (this.camera instanceof OrthographicCamera) {
            this.camera.left = -radius * width / height; this.camera.right = radius * width / height; this.camera.top = radius; this.camera.bottom = -radius;
            this.camera.updateProjectionMatrix();
        }
        this.world.scene.background = this.backgroundColour();
        if (this.world.frames) {
            this.world.frames.axes.visible = this.framed;
            this.world.frames.arrows.visible = this.acted;
        }
        this.world.apart = this.apart;
        this.world.at(state.time);
        this.follow();
        this.tellActions();
        this.renderer.render(this.world.scene, this.camera);
    };

    private backgroundColour(): Color {
        const theme = document.documentElement.dataset.theme ?? '';
        if (this.background.theme !== theme) this.background.colour.set(colour('--space'));
        this.background.theme = theme;
        return this.background.colour;
    }
}

export const movesInSpace = animation !== null && animation.shapes.length > 0;
