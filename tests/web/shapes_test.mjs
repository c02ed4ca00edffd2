// Forms of files in space: they look, lie, move and are chosen as the shapes that they stand in for.

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {launched, pageIn, scratch, sharp} from './chromium.mjs';
import {difference} from './comparison.mjs';

const brackets = join(dirname(fileURLToPath(import.meta.url)), '../../models/mechanics3d/steel_brackets.yaml');
const files = scratch();
const folder = dirname(files.written(''));
let browser;

before(async () => { browser = await launched(); });
after(async () => {
    await browser?.close();
    files.remove();
});

// ---- Forms and models

const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1, (k >> 1 & 1) - 0.5, (k >> 2) - 0.5]);
const sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]; // to the left seen from outside
const triangles = sides.flatMap(([a, b, c, d]) => [[a, b, c], [a, c, d]]);

/** A box along x from 0 on. `inwards`: its sides go round the other way. */
function objBox([l, w, h], {first = 0, at = [0, 0, 0], inwards = false} = {}) {
    const v = corners.map(([x, y, z]) => `v ${x * l + at[0]} ${y * w + at[1]} ${z * h + at[2]}\n`).join('');
    return v + sides.map((s) => `f ${(inwards ? [...s].reverse() : s).map((k) => first + k + 1).join(' ')}\n`).join('');
}

function stlBox([l, w, h]) {
    const bytes = Buffer.alloc(84 + 50 * triangles.length);
    bytes.writeUInt32LE(triangles.length, 80);
    triangles.forEach((t, n) => t.forEach((k, c) => [l, w, h].forEach((s, i) => bytes.writeFloatLE(corners[k][i] * s, 84 + 50 * n + 12 + 12 * c + 4 * i))));
    return bytes;
}

/** The unit box, which its node makes larger and mirrors. */
function gltfBox([l, w, h]) {
    const places = Buffer.from(new Float32Array(corners.flat()).buffer), order = Buffer.from(new Uint16Array(triangles.flat()).buffer);
    return JSON.stringify({
        asset: {version: '2.0'}, scene: 0, scenes: [{nodes: [0]}], nodes: [{mesh: 0, scale: [l, w, -h]}],
        meshes: [{primitives: [{attributes: {POSITION: 0}, indices: 1}]}],
        accessors: [{bufferView: 0, componentType: 5126, count: 8, type: 'VEC3'}, {bufferView: 1, componentType: 5123, count: 36, type: 'SCALAR'}],
        bufferViews: [{buffer: 0, byteLength: 96}, {buffer: 0, byteOffset: 96, byteLength: 72}],
        buffers: [{byteLength: 168, uri: `data:application/octet-stream;base64,${Buffer.concat([places, order]).toString('base64')}`}],
    });
}

function put(name, contents) {
    writeFileSync(join(folder, name), contents);
    return name;
}

// Arrows of gravity are as long as what they act on is large, which forms of files tell in another way: there are none.
const swinging = (shapes, more = '', connections = '') => `model: swing
parameters: {m: 1 kg, unit: 1 cm}
components:
  world: {type: World, shapes: []}
  hinge: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.2}, shapes: []}
  arm: {type: BodyShape, r: [0.5 m, 0, 0], r_CM: [0.25 m, 0, 0], m: m, I_33: 0.1 kg.m2, shapes: [${shapes}]}
${more}connect:
  - [world.frame_b, hinge.frame_a]
  - [hinge.frame_b, arm.frame_a]
${connections}experiment: {stop: 1 s}
`;

const aslant = 'r: [0.1 m, 0.05 m, 0], lengthDirection: [1, 0.5, 0.2], widthDirection: [0, 1, 0.3]';
const builtIn = (place = aslant, size = [0.4, 0.2, 0.1]) => `{shape: box, frame: frame_a, length: ${size[0]} m, width: ${size[1]} m, height: ${size[2]} m, ${place}}`;
const ofFile = (file, place = aslant) => `{file: ${file}, frame: frame_a, scale: unit, ${place}}`;

// ---- Pages and pictures

async function opened(file, link, action) {
    const made = files.report(file);
    assert.equal(made.status, 0, made.said);
    const {page, said} = await pageIn(browser, {width: 1000, height: 600});
    try {
        await page.goto(`file://${made.page}${link}`);
        await page.waitForSelector('html[data-ready]');
        const result = await action(page);
        assert.deepEqual(said, []);
        return result;
    } finally {
        await page.close();
    }
}

const press = (page, selector) => page.$eval(selector, (e) => e.click());
const look = (page, from) => page.evaluate((name) => { [...document.querySelectorAll('.space button')].find((b) => b.textContent === name).click(); }, from);
const slide = (page, selector, place) => page.$eval(selector, (e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }, place);

/** The canvas alone; of an instant, in 10 000 parts of the run. */
async function seen(page, place) {
    if (place !== undefined) await slide(page, '#time', place);
    await sharp(page);
    return (await page.$('.space canvas')).screenshot({encoding: 'base64'});
}

/** Red, green, blue of each point. */
async function pointsOf(page, png) {
    const {width, text} = await page.evaluate(async (data) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const g = new OffscreenCanvas(image.width, image.height).getContext('2d');
        g.drawImage(image, 0, 0);
        const bytes = g.getImageData(0, 0, image.width, image.height).data;
        let text = '';
        for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
        return {width: image.width, text: btoa(text)};
    }, png);
    const bytes = Buffer.from(text, 'base64');
    return {width, height: bytes.length / 4 / width, at: (x, y) => [...bytes.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)]};
}

/** Where two pictures differ. */
async function changed(page, one, other) {
    const [a, b] = [await pointsOf(page, one), await pointsOf(page, other)], found = [];
    for (let y = 0; y < a.height; ++y) {
        for (let x = 0; x < a.width; ++x) {
            const [p, q] = [a.at(x, y), b.at(x, y)];
            if ([0, 1, 2].some((c) => Math.abs(p[c] - q[c]) > 20)) found.push([x, y]);
        }
    }
    return {width: a.width, height: a.height, found, has: new Set(found.map(([x, y]) => y * a.width + x))};
}

let asked = 0;
async function choose(page, name) {
    await page.evaluate((link) => { location.hash = link; }, `#node=${name}&asked=${++asked}`);
    await page.waitForFunction(() => document.querySelector('.canvas .chosen'));
}

/** Where a component is seen: what glows when it is chosen. */
async function placeOf(page, name) {
    await page.keyboard.press('Escape');
    const plain = await seen(page);
    await choose(page, name);
    const glowing = await seen(page);
    await page.keyboard.press('Escape');
    return changed(page, plain, glowing);
}

const middle = ({found}) => [0, 1].map((k) => found.reduce((sum, p) => sum + p[k], 0) / found.length);

/** A point of an area with all its neighbours in it. */
const inside = ({found, has, width}) => found.find(([x, y]) => [-2, 0, 2].every((i) => [-2, 0, 2].every((j) => has.has((y + j) * width + x + i))));

async function click(page, [x, y]) {
    const box = await (await page.$('.space canvas')).boundingBox();
    await page.mouse.click(box.x + x, box.y + y);
    await new Promise((done) => setTimeout(done, 50));
    return page.evaluate(() => document.querySelector('.details h2').textContent);
}

/** As many points as borders may differ by: what lies otherwise is off by hundreds. */
const kBorders = 30;

// ---- What is seen

test('boxes of files look as the box that every page has', async () => {
    const forms = [put('box.obj', objBox([40, 20, 10])), put('box.stl', stlBox([40, 20, 10])), put('box.gltf', gltfBox([40, 20, 10])),
        put('inwards.obj', objBox([40, 20, 10], {inwards: true}))];
    const pictures = async (shape, link = '#view=space') => opened(files.written(swinging(shape)), link, async (page) => {
        const list = [await seen(page, 0), await seen(page, 4000)];
        await press(page, '#parallel');
        list.push(await seen(page));
        await look(page, 'Top');
        list.push(await seen(page, 8000));
        await choose(page, 'arm');
        list.push(await seen(page));
        return list;
    });
    const wanted = await pictures(builtIn());
    const larger = await pictures(builtIn(aslant, [0.5, 0.2, 0.1]));
    const found = [];
    for (const form of forms) found.push(await pictures(ofFile(form)));
    const {page} = await pageIn(browser, {width: 100, height: 100});
    for (const [k, picture] of wanted.entries()) {
        assert.ok(await difference(page, picture, larger[k], 20) > 10 * kBorders, 'a larger box is another picture');
        for (const [f, list] of found.entries()) {
            const off = await difference(page, picture, list[k], 20);
            assert.ok(off <= kBorders, `${forms[f]}, picture ${k}: ${off} points`);
        }
    }
    await page.close();
});

test('parts have the colours of their materials, and that of their component where there are none', async () => {
    put('colours.mtl', 'newmtl blue\nKd 0.05 0.05 0.9\nnewmtl green\nKd 0.05 0.7 0.05\n');
    const boxes = [0, 1, 2].map((k) => objBox([10, 10, 10], {first: 8 * k, at: [15 * k, 0, 0]}));
    put('colours.obj', `mtllib colours.mtl\n${['blue', 'green', 'none'].map((name, k) => `usemtl ${name}\n${boxes[k]}`).join('')}`);
    put('plain.obj', boxes.join(''));
    const front = (file) => opened(files.written(swinging(ofFile(file, 'r: [0, 0, 0]'))), '#view=space', async (page) => {
        await press(page, '#parallel');
        await look(page, 'Front');
        const picture = await seen(page, 0);
        return {picture, area: await placeOf(page, 'arm')};
    });
    const coloured = await front('colours.obj');
    const plain = await front('plain.obj');
    const {page} = await pageIn(browser, {width: 100, height: 100});
    const points = await pointsOf(page, coloured.picture);
    const of = (strong) => plain.area.found.filter(([x, y]) => [0, 1, 2].every((c) => c === strong || points.at(x, y)[strong] > 20 + points.at(x, y)[c]));
    const third = plain.area.found.length / 3, [green, blue] = [of(1), of(2)];
    for (const [name, list] of [['green', green], ['blue', blue]]) assert.ok(Math.abs(list.length - third) < 0.1 * third, `${name}: ${list.length} of 3 * ${third} points`);
    assert.ok(middle({found: blue})[0] < middle({found: green})[0], 'blue lies where x is 0');
    const other = await changed(page, plain.picture, coloured.picture);
    assert.ok(Math.abs(other.found.length - 2 * third) < 0.2 * third, 'what has no material has the colour of its component');
    await page.close();
});

test('through what is transparent other things are seen, and it is whole again', async () => {
    put('near.obj', objBox([40, 20, 10]));
    put('blue.mtl', 'newmtl blue\nKd 0 0 1\n');
    put('far.obj', `mtllib blue.mtl\nusemtl blue\n${objBox([20, 10, 10], {at: [10, 0, -30]})}`);
    await opened(files.written(swinging(`${ofFile('near.obj', 'r: [0, 0, 0]')}, ${ofFile('far.obj', 'r: [0, 0, 0]')}`)), '#view=space', async (page) => {
        await press(page, '#parallel');
        await look(page, 'Front');
        const blue = (points) => {
            let count = 0;
            for (let y = 0; y < points.height; ++y) {
                for (let x = 0; x < points.width; ++x) {
                    const [r, g, b] = points.at(x, y);
                    if (b > r && b > g + 20) ++count;
                }
            }
            return count;
        };
        const whole = await seen(page, 0);
        assert.equal(blue(await pointsOf(page, whole)), 0, 'the far one is hidden');
        await press(page, '#transparent');
        assert.ok(blue(await pointsOf(page, await seen(page))) > 1000, 'the far one is seen');
        await press(page, '#transparent');
        assert.equal(await difference(page, await seen(page), whole, 0), 0);
    });
});

// ---- What is done with it

test('a click chooses the component whose form is there, and nothing where there is none', async () => {
    await opened(brackets, '#view=space', async (page) => {
        await seen(page, 3000);
        for (const name of ['stl', 'obj', 'gltf']) {
            const area = await placeOf(page, name);
            assert.ok(area.found.length > 400, `${name}: ${area.found.length} points`);
            assert.equal((await click(page, inside(area))).split(/\s/)[0], name);
        }
    });
    // An angle: within its box, but not on it.
    put('angle.obj', objBox([40, 4, 10]) + objBox([4, 40, 10], {first: 8, at: [0, 18, 0]}));
    await opened(files.written(swinging(ofFile('angle.obj', 'r: [0, 0, 0]'))), '#view=space', async (page) => {
        await press(page, '#parallel');
        await look(page, 'Front');
        await seen(page, 0);
        const {found, has, width} = await placeOf(page, 'arm');
        const [xs, ys] = [0, 1].map((k) => found.map((p) => p[k]));
        const gap = [0, 1].map((k) => Math.round([xs, ys][k].reduce((a, b) => a + b, 0) / found.length));
        const between = [Math.round((Math.min(...xs) + Math.max(...xs)) / 2), Math.round((Math.min(...ys) + Math.max(...ys)) / 2)];
        const free = [between, gap].find(([x, y]) => !has.has(y * width + x));
        assert.ok(free, 'the angle has no gap');
        assert.equal(await click(page, inside({found, has, width})).then((t) => t.split(/\s/)[0]), 'arm');
        assert.equal(await click(page, free), 'swing');
    });
});

test('forms move apart, and the camera goes with them, as with other shapes', async () => {
    put('box.obj', objBox([40, 20, 10]));
    const other = '  hand: {type: BodyShape, r: [0.2 m, 0, 0], r_CM: [0.1 m, 0, 0], m: 1 kg, I_33: 0.1 kg.m2, shapes: [SHAPES]}\n';
    const model = (shape, place) => files.written(swinging(shape(), other.replace('SHAPES', shape(place)), '  - [arm.frame_b, hand.frame_a]\n'));
    const pictures = (file) => opened(file, '#view=space', async (page) => {
        const list = [await seen(page, 2000)];
        await slide(page, '#apart', 100);
        list.push(await seen(page));
        await choose(page, 'hand');
        await press(page, '#follow');
        list.push(await seen(page, 2000), await seen(page, 7000));
        const off = middle(await placeOf(page, 'hand'));
        await slide(page, '#apart', 0);
        list.push(await seen(page));
        return {list, off};
    });
    const place = 'r: [0, 0, 0]';
    const wanted = await pictures(model((p) => builtIn(p), place)), found = await pictures(model((p) => ofFile('box.obj', p), place));
    const {page} = await pageIn(browser, {width: 100, height: 100});
    for (const [k, picture] of wanted.list.entries()) {
        const off = await difference(page, picture, found.list[k], 20);
        assert.ok(off <= 2 * kBorders, `picture ${k}: ${off} points`);
        if (k > 0) assert.ok(await difference(page, found.list[k], found.list[k - 1], 20) > 1000, `picture ${k} is as the one before`);
    }
    await page.close();
});

test('the bench shows forms again when a parameter is dragged', async () => {
    const home = mkdtempSync(join(tmpdir(), 'bondgraph-forms-'));
    writeFileSync(join(home, 'box.obj'), objBox([40, 20, 10]));
    writeFileSync(join(home, 'swing.yaml'), swinging(ofFile('box.obj')));
    const server = spawn(process.env.BONDGRAPH, ['serve', home], {stdio: ['ignore', 'pipe', 'ignore']});
    try {
        const address = await new Promise((done, fail) => {
            let text = '';
            server.stdout.on('data', (d) => { text += d; if (text.includes('\n')) done(text.trim()); });
            server.on('exit', () => fail(new Error('the server has ended')));
        });
        // Opened first: pages that are behind another make no pictures.
        const {page: reader} = await pageIn(browser, {width: 100, height: 100});
        const page = await browser.newPage();
        page.setDefaultTimeout(60000);
        await page.setViewport({width: 1400, height: 800});
        await page.goto(`${address}&file=swing.yaml`);
        await page.waitForFunction(() => Number(document.querySelector('.frames')?.dataset.shown ?? 0) >= 1);
        const frame = await (await page.waitForSelector('.frames iframe:not(.behind)')).contentFrame();
        await frame.waitForSelector('html[data-ready]');
        await frame.$eval('#tab-space', (e) => e.click());
        const picture = async () => {
            await sharp(frame);
            return (await frame.$('.space canvas')).screenshot({encoding: 'base64'});
        };
        const drag = async (name, share) => {
            await page.$eval(`[data-name="${name}"]`, (e, s) => { e.value = Number(e.min) + s * (Number(e.max) - Number(e.min)); e.dispatchEvent(new Event('input')); }, share);
            await new Promise((done) => setTimeout(done, 700));
            return picture();
        };
        const first = await picture();
        // Another mass is the same picture at the start of the run: the form is there, where it was.
        const heavy = await drag('m', 0.9);
        assert.ok(await difference(reader, first, heavy, 20) <= kBorders);
        const large = await drag('unit', 0.7);
        assert.ok(await difference(reader, first, large, 20) > 1000, 'a larger scale is not seen');
        await reader.close();
        page.on('dialog', (d) => d.accept());
        await page.close();
    } finally {
        server.removeAllListeners('exit');
        server.kill('SIGTERM');
        rmSync(home, {recursive: true, force: true});
    }
});
