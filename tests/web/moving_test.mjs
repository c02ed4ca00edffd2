// What moves over a drawing, on the canvas behind it: as wide, as far and at the place that the run and the drawing say. And
// how sharp space is while things move, and at rest.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {transformSync} from '../../web/node_modules/esbuild/lib/main.js';
import {launched, onPaper, scratch, sharp, withPage} from './chromium.mjs';
import {difference} from './comparison.mjs';
import {dataOf} from './page_data.mjs';
import {ladder} from './scenes.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const models = join(here, '../../models');
const motor = join(models, 'electromechanical/dc_motor.yaml'), robot = join(models, 'mechanics3d/robot_arm.yaml');
const files = scratch();
let browser;

before(async () => { browser = await launched(); });
after(async () => {
    await browser?.close();
    files.remove();
});

const report = (file, ...more) => files.page(file, ...more);
const opened = (file, link, action, how) => withPage(browser, file, link, action, how);

const frames = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const press = (page, selector) => page.$eval(selector, (e) => e.click());
const slide = async (page, place) => {
    await page.$eval('#time', (e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }, place);
    await frames(page);
};

// ---- the run, read by itself

function runOf(file) {
    const data = dataOf(file);
    const doubles = (text) => { const b = Buffer.from(text, 'base64'); return new Float64Array(b.buffer.slice(b.byteOffset, b.byteOffset + b.length)); };
    const floats = (text) => { const b = Buffer.from(text, 'base64'); return new Float32Array(b.buffer.slice(b.byteOffset, b.byteOffset + b.length)); };
    const columns = new Map();
    for (const table of data.run.tables) {
        const time = doubles(table.time);
        for (const c of table.columns) columns.set(c.name, {time, values: c.wide ? doubles(c.data) : floats(c.data)});
    }
    const row = (c, k) => (c.values.length === 1 ? c.values[0] : c.values[k]);
    /** Of each bond with one component, by its number: its powers along the half arrow over the rows, and what has passed. */
    const bonds = data.graphs[0].edges.flatMap((edge, index) => {
        const e = columns.get(edge.effort), f = columns.get(edge.flow);
        if (!e || !f) return [];
        const power = Array.from(e.time, (_, k) => (edge.against ? -1 : 1) * row(e, k) * row(f, k)), energy = [0];
        for (let k = 1; k < power.length; ++k) energy.push(energy[k - 1] + 0.5 * (power[k] + power[k - 1]) * (e.time[k] - e.time[k - 1]));
        return [{index, name: edge.name, time: e.time, power, energy}];
    });
    const largest = Math.max(...bonds.flatMap((b) => b.power.map(Math.abs)));
    const at = (b, list, t) => {
        let k = 0;
        while (k + 2 < b.time.length && b.time[k + 1] <= t) ++k;
        return list[k] + (t - b.time[k]) / (b.time[k + 1] - b.time[k]) * (list[k + 1] - list[k]);
    };
    return {bonds, largest, start: data.run.start, stop: data.run.stop, powerAt: (b, t) => at(b, b.power, t), energyAt: (b, t) => at(b, b.energy, t)};
}

/** Along the line of each bond, every half unit of the drawing: how wide what lies behind it is there, in units of the
 * drawing, how far its middle is from the line, and how dark it is on the line. */
const measured = (page) => page.evaluate(() => {
    const canvas = document.querySelector('.canvas canvas'), frame = canvas.getBoundingClientRect();
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const dark = (x, y) => {
        const px = Math.floor((x - frame.left) * canvas.width / frame.width), py = Math.floor((y - frame.top) * canvas.height / frame.height);
        return px < 0 || py < 0 || px >= canvas.width || py >= canvas.height ? 0 : pixels.data[4 * (py * canvas.width + px) + 3] / 255;
    };
    const found = {};
    for (const path of document.querySelectorAll('.canvas path.bond')) {
        const matrix = path.getScreenCTM(), scale = matrix.a, length = path.getTotalLength(), list = [];
        const on = (s) => new DOMPoint(path.getPointAtLength(s).x, path.getPointAtLength(s).y).matrixTransform(matrix);
        const seen = document.querySelector('.canvas').getBoundingClientRect();
        for (let s = 0; s <= length; s += 0.5) {
            const p = on(s), q = on(Math.min(length, s + 0.2)), r = on(Math.max(0, s - 0.2));
            if (p.x < seen.left + 12 || p.x > seen.right - 12 || p.y < seen.top + 12 || p.y > seen.bottom - 12) { list.push(null); continue; }
            const l = Math.hypot(q.x - r.x, q.y - r.y), across = {x: -(q.y - r.y) / l, y: (q.x - r.x) / l};
            let sum = 0, moment = 0;
            for (let d = -9 * scale; d <= 9 * scale; d += 0.25) {
                const a = dark(p.x + d * across.x, p.y + d * across.y);
                sum += a;
                moment += a * d;
            }
            list.push({width: sum * 0.25 / 0.35 / scale, aside: sum > 0 ? moment / sum / scale : 0, dark: dark(p.x, p.y)});
        }
        found[path.dataset.of] = list;
    }
    return found;
});

const widest = (list) => Math.max(0, ...list.filter(Boolean).map((p) => p.width));
const middle = (list) => list.slice(Math.round(0.3 * list.length), Math.round(0.7 * list.length));

test('bands are as wide as the square root of the power, on their bonds', async () => {
    const file = report(motor), run = runOf(file);
    assert.ok(run.bonds.length >= 6);
    await opened(file, '#view=plots', async (page) => {
        let narrow = 0, wide = 0;
        for (const place of [30, 600, 2500, 10000]) {
            await slide(page, place);
            const t = run.start + place / 10000 * (run.stop - run.start), seen = await measured(page);
            for (const bond of run.bonds) {
                const share = Math.abs(run.powerAt(bond, t)) / run.largest;
                const expected = share < 1e-4 ? 0 : 2.5 + 11 * Math.sqrt(share), found = middle(seen[`edge-${bond.index}`]);
                if (expected > 8) ++wide; else ++narrow;
                assert.ok(Math.abs(widest(found) - expected) < 0.1 * expected + 0.3, `${bond.name} at ${t} s: ${widest(found)}, not ${expected}`);
                for (const p of found) if (p.width > 2) assert.ok(Math.abs(p.aside) < 0.7, `${bond.name} is ${p.aside} beside its line`);
            }
        }
        assert.ok(narrow > 3 && wide > 3);
        // Without power nothing is there.
        await press(page, '#power');
        await frames(page);
        assert.ok(Object.values(await measured(page)).every((list) => widest(list) === 0));
        await press(page, '#power');
        await frames(page);
        assert.ok(Object.values(await measured(page)).some((list) => widest(list) > 3));
    });
});

/** By how much the second pattern is the first one further along, in units of the drawing, from -8 to 8. */
function shift(first, second) {
    let best = -Infinity, found = 0;
    for (let by = -16; by < 16; ++by) {
        let same = 0;
        for (let k = 0; k < first.length; ++k) {
            if (k + by < 0 || k + by >= second.length || !first[k] || !second[k + by]) continue;
            same -= Math.abs(first[k].dark - second[k + by].dark);
        }
        same /= first.length - Math.abs(by);
        if (same > best) { best = same; found = by; }
    }
    return found / 2;
}

test('dashes go the way of the energy, as far as it does', async () => {
    const file = report(motor), run = runOf(file);
    await opened(file, '#view=plots', async (page) => {
        let on = 0, back = 0;
        for (const [from, to] of [[300, 380], [380, 300], [60, 110], [700, 600], [1500, 1900]]) {
            await slide(page, from);
            const before = await measured(page);
            await slide(page, to);
            const after = await measured(page);
            const times = [from, to].map((p) => run.start + p / 10000 * (run.stop - run.start));
            for (const bond of run.bonds) {
                const gone = (run.energyAt(bond, times[1]) - run.energyAt(bond, times[0])) * 600 / (run.largest * (run.stop - run.start));
                if (Math.abs(gone) > 7 || Math.abs(run.powerAt(bond, times[0])) / run.largest < 1e-3) continue;
                const seen = shift(before[`edge-${bond.index}`], after[`edge-${bond.index}`]);
                assert.ok(Math.abs(seen - gone) <= 1, `${bond.name}: ${seen}, not ${gone}`);
                if (gone > 1.2) ++on;
                if (gone < -1.2) ++back;
            }
        }
        assert.ok(on > 1 && back > 1, `${on} ${back}`);
    });
});

test('where nothing shall move dashes keep still, and bands are as wide', async () => {
    const file = report(motor);
    await opened(file, '#view=plots', async (page) => {
        await slide(page, 600);
        const before = await measured(page);
        await slide(page, 640);
        const after = await measured(page);
        for (const [of, list] of Object.entries(before)) if (widest(list) > 3) assert.equal(shift(list, after[of]), 0);
        await slide(page, 10000);
        assert.notDeepEqual(Object.values(await measured(page)).map(widest), Object.values(after).map(widest));
    }, {calm: true});
});

test('bands stay on their bonds when the drawing is zoomed, moved, made smaller and looked into', async () => {
    await opened(report(robot), '#t=0.6&view=plots', async (page) => {
        const check = async (what, least) => {
            await frames(page);
            const lists = Object.values(await measured(page)).filter((list) => widest(middle(list)) > 2.5);
            assert.ok(lists.length >= least, `${what}: ${lists.length} bands`);
            for (const list of lists) {
                const far = middle(list).filter((p) => p && p.dark > 0.2).map((p) => Math.abs(p.aside)).sort((a, b) => a - b);
                assert.ok(far.length === 0 || far[far.length >> 1] < 0.8, `${what}: beside its line by ${far[far.length >> 1]}`);
            }
        };
        await check('all of it', 3);
        for (let k = 0; k < 5; ++k) await press(page, '#zoom-in');
        await check('near', 1);
        const box = await (await page.$('.canvas')).boundingBox();
        await page.mouse.move(box.x + 300, box.y + 200);
        await page.mouse.down();
        await page.mouse.move(box.x + 340, box.y + 290, {steps: 4});
        await page.mouse.up();
        await check('moved', 1);
        await page.mouse.wheel({deltaY: -240});
        await check('by the wheel', 1);
        await press(page, '#zoom-fit');
        await page.setViewport({width: 900, height: 600});
        await check('in a smaller window', 3);
        await page.setViewport({width: 700, height: 900, deviceScaleFactor: 2});
        await check('in a narrow window, two pixels per pixel', 3);
        await page.select('#drawing', 'Looked into');
        for (let k = 0; k < 6; ++k) await press(page, '#zoom-in');
        await check('looked into', 1);
    });
});

/** The drawing, with what moves on the canvas or as it is put on paper. Texts have another ground on paper. */
async function drawingOf(page, paper) {
    await page.evaluate((on) => {
        document.getElementById('paper-test')?.remove();
        dispatchEvent(new Event(on ? 'beforeprint' : 'afterprint'));
        if (!on) return;
        const style = document.createElement('style');
        style.id = 'paper-test';
        style.textContent = '.moving { visibility: hidden; } .canvas .loop { visibility: visible !important; } .canvas .holds { fill-opacity: 1 !important; }';
        document.head.append(style);
    }, paper);
    await frames(page);
    return (await page.$('.canvas')).screenshot({encoding: 'base64'});
}

const opened2 = 'model: both\ncomponents: {s: {type: Sf, f: 1}, a: {type: R, R: 1}, b: {type: R, R: 2}, c: {type: R, R: 3}, j0: {type: 0}, j1: {type: 1}, k: {type: C, C: 1}}\n' +
    'bonds: [s -> j0, j0 -> a, j0 -> j1, j1 -> b, j1 -> c, j0 -> k]\nexperiment: {stop: 2 s}\n';

test('what is put on paper is what is on the screen, and goes away again', async () => {
    const loop = 'model: loop\ncomponents: {s: {type: Se, e: 10*sin(time)}, j: {type: 1}, a: {type: R, R: 1}, o: {type: 0}, b: {type: R, R: 2}, p: {type: 1}, c: {type: R, R: 3}, d: {type: R, R: 4}, i: {type: I, I: 1}}\n' +
        'bonds: [s -> j, j -> a, j -> o, o -> b, o -> p, p -> c, p -> d, j -> i]\nexperiment: {stop: 3 s}\n';
    const divider = 'model: divider\nimport: [electrical]\ncomponents:\n  V: {type: ConstantVoltage, V: 10 V}\n  R: {type: Resistor, R: 1 kohm}\n  C: {type: Capacitor, C: 1 uF}\n  R2: {type: Resistor, R: 2 kohm}\n  G: {type: Ground}\n' +
        'connect:\n  - [V.p, R.p]\n  - [R.n, C.p, R2.p]\n  - [V.n, C.n, R2.n, G]\nexperiment: {stop: 5 ms}\n';
    for (const [file, graph, link] of [[motor, 0, '#t=0.12'], [files.written(opened2), 0, '#t=0.7'], [files.written(loop), 0, '#t=1'], [files.written(divider), 'Circuit', '#t=0.0002'], [robot, 0, '#t=0.5']]) {
        await opened(report(file), `${link}&view=plots`, async (page) => {
            if (graph) await page.select('#drawing', graph);
            await frames(page);
            const shapes = (await onPaper(page, 'path.band')).length + (await onPaper(page, 'path.current')).length;
            assert.ok(shapes >= 3, `${file}: ${shapes} shapes`);
            const screen = await drawingOf(page, false), paper = await drawingOf(page, true), again = await drawingOf(page, false);
            assert.ok(await difference(page, screen, paper, 90) <= 60, `${file}: ${await difference(page, screen, paper, 90)} points are other on paper`);
            assert.equal(await difference(page, screen, again, 0), 0);
            assert.equal(await page.$$eval('.canvas .band, .canvas .current, .canvas .level, .canvas .glow', (l) => l.length), 0);
            // Without what moves it is another picture: there is something to compare.
            await press(page, '#power');
            await frames(page);
            assert.ok(await difference(page, screen, await drawingOf(page, false), 20) > 200);
        });
    }
});

test('printing puts them on paper', async () => {
    await opened(report(motor), '#t=0.12&view=plots', async (page) => {
        await page.evaluate(() => { addEventListener('beforeprint', () => { window.printed = document.querySelectorAll('.canvas .band').length; }); });
        await page.pdf();
        assert.ok(await page.evaluate(() => window.printed) >= 5);
        assert.equal(await page.$$eval('.canvas .band', (l) => l.length), 0);
    });
});

test('while it plays the drawing is not touched', async () => {
    await opened(report(files.written(ladder(40))), '#view=plots', async (page) => {
        const found = await page.evaluate(async () => {
            let changes = 0;
            new MutationObserver((list) => { changes += list.length; }).observe(document.querySelector('.canvas'), {subtree: true, childList: true, attributes: true, characterData: true});
            const before = document.getElementById('now').textContent;
            document.getElementById('play').click();
            for (let k = 0; k < 20; ++k) await new Promise((done) => requestAnimationFrame(done));
            document.getElementById('play').click();
            return [changes, before !== document.getElementById('now').textContent];
        });
        assert.deepEqual(found, [0, true]);
    });
});

test('each picture is of one instant, in all views', async () => {
    await opened(report(motor), '#view=plots', async (page) => {
        const off = await page.evaluate(async () => {
            const slider = document.getElementById('time'), line = document.querySelector('.instants .instant'), found = [];
            document.getElementById('play').click();
            for (let k = 0; k < 30; ++k) {
                // Behind the page's own: what it has drawn for this picture is there.
                await new Promise((done) => requestAnimationFrame(done));
                if (k > 2) found.push(Number(line.style.transform.match(/[\d.]+/)[0]) / line.parentElement.clientWidth * 10000 - Number(slider.value));
            }
            document.getElementById('play').click();
            return found;
        });
        assert.ok(off.every((o) => Math.abs(o) < 4), off.join(' '));
    });
});

test('what marks the instant on a plot lies on its curve', async () => {
    await opened(report(motor), '#view=plots', async (page) => {
        for (const over of ['', 'J.f']) {
            await page.select('#axis', over);
            for (const place of [40, 900, 4000]) {
                await slide(page, place);
                const [shown, colours] = await page.evaluate(() => {
                    const colours = [...document.querySelectorAll('.panel')].slice(0, 2).map((panel) => {
                        const canvas = panel.querySelector('canvas'), frame = canvas.getBoundingClientRect(), dot = panel.querySelector('.dot').getBoundingClientRect();
                        const g = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', {willReadFrequently: true});
                        g.drawImage(canvas, 0, 0);
                        const d = g.getImageData(Math.round(dot.left + dot.width / 2 - frame.left) - 1, Math.round(dot.top + dot.height / 2 - frame.top) - 1, 3, 3).data;
                        let blue = 0;
                        for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 90 && d[i + 2] > d[i] + 60) ++blue;
                        return blue;
                    });
                    return [document.querySelector('.instants .instant').checkVisibility(), colours];
                });
                assert.equal(shown, over === '');
                assert.ok(colours.every((blue) => blue >= 2), `over '${over}' at ${place}: ${colours}`);
            }
        }
    });
});

test('storages fill and losses glow as they do in the run', async () => {
    // C charges over R: e = 1 - exp(-t) V; the energy is e²/2 of 0.5 J at the end, the loss exp(-2t) of 1 W at the start.
    const file = report(files.written('model: rc\ncomponents: {s: {type: Se, e: 1}, j: {type: 1}, R: {type: R, R: 1}, C: {type: C, C: 1}}\nbonds: [s -> j, j -> R, j -> C]\nexperiment: {stop: 5 s, interval: 5 ms}\n'));
    await opened(file, '#view=plots', async (page) => {
        for (const t of [0.3, 1, 2.5]) {
            await slide(page, 2000 * t);
            const [held, lost] = await page.evaluate(() => {
                const canvas = document.querySelector('.canvas canvas'), frame = canvas.getBoundingClientRect();
                const g = canvas.getContext('2d');
                const box = (name) => [...document.querySelectorAll('.canvas rect.node')].find((e) => e.getAttribute('aria-label').startsWith(name)).getBoundingClientRect();
                const at = (x, y) => [...g.getImageData(Math.round(x - frame.left), Math.round(y - frame.top), 1, 1).data];
                const c = box('C C'), r = box('R R'), ground = at(c.left + c.width / 2, c.top + 1).join();
                let full = 0;
                for (let k = 0; k < c.height; ++k) if (at(c.left + c.width / 2, c.top + k).join() !== ground) ++full;
                return [full / c.height, at(r.left + r.width / 2, r.bottom + 1)[3] / 255];
            });
            const e = 1 - Math.exp(-t);
            assert.ok(Math.abs(held - e * e / (1 - Math.exp(-5)) ** 2) < 0.05, `held ${held} at ${t} s`);
            assert.ok(Math.abs(lost - Math.exp(-2 * t)) < 0.03, `lost ${lost} at ${t} s`);
        }
    });
});

// ---- space

test('space has all its pixels at rest, and fewer at most while things move', async () => {
    await opened(report(robot), '#view=space', async (page) => {
        await sharp(page);
        const size = () => page.$eval('.space .stage canvas', (c) => [c.width / c.clientWidth, c.dataset.sharp]);
        const [full] = await size();
        assert.ok(full >= 1);
        const rest = await (await page.$('.space canvas')).screenshot({encoding: 'base64'});
        await press(page, '#play');
        await new Promise((done) => setTimeout(done, 1200));
        const [moving, isSharp] = await size();
        // Without a graphics card: smoothed edges are for pictures at rest.
        assert.ok(moving <= 1 && moving >= 0.49 && isSharp === 'false', `${moving} ${isSharp}`);
        await press(page, '#play');
        await sharp(page);
        assert.deepEqual(await size(), [full, 'true']);
        // The same instant is the same picture again, whatever was in between.
        await page.$eval('#time', (e) => { e.value = 0; e.dispatchEvent(new Event('input')); });
        await sharp(page);
        assert.equal(await difference(page, await (await page.$('.space canvas')).screenshot({encoding: 'base64'}), rest, 8), 0);
    });
});

test('pixels become fewer where pictures take long and that helps, and more where there is time', async () => {
    const {code} = transformSync(readFileSync(join(here, '../../web/src/sharpness.ts'), 'utf8'), {loader: 'ts', format: 'esm'});
    const {Sharpness} = await import(`data:text/javascript,${encodeURIComponent(code)}`);
    /** Pictures that take as long as `time` says of their pixels. */
    const played = (sharpness, pictures, time, start = 0) => {
        let now = start;
        for (let k = 0; k < pictures; ++k) { now += time(sharpness.moving); sharpness.picture(now); }
        return sharpness.moving;
    };
    assert.equal(played(new Sharpness(2, 2), 100, () => 16.7), 2);
    const slow = new Sharpness(2, 1), pixels = (r) => 10 + 40 * r * r;
    const ratio = played(slow, 200, pixels);
    assert.ok(ratio < 0.85 && pixels(ratio) <= 35, String(ratio));
    assert.ok(played(slow, 200, (r) => 5 + 8 * r * r, 1e6) === 1, 'it has become quick again');
    assert.equal(played(new Sharpness(2, 1), 500, () => 60), 1, 'where fewer pixels do not help they stay');
    const coarsest = played(new Sharpness(2, 1), 500, (r) => 200 * r * r);
    assert.ok(coarsest >= 0.5 && coarsest < 0.55, `no fewer than a quarter: ${coarsest}`);
    // Single pictures now and then are no measure.
    assert.equal(played(new Sharpness(2, 1), 100, () => 900), 1);
});
