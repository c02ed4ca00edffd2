// The page in a browser, by mouse and keyboard. BONDGRAPH and CHROMIUM name the programs.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {transformSync} from '../../web/node_modules/esbuild/lib/main.js';
import {launched, onPaper, scratch, sharp, withPage} from './chromium.mjs';
import {difference} from './comparison.mjs';
import {dataOf} from './page_data.mjs';
import {millionRows} from './scenes.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const models = join(here, '../../models');
const axe = readFileSync(join(here, 'node_modules/axe-core/axe.min.js'), 'utf8');
const files = scratch();
let browser;

before(async () => { browser = await launched(); });
after(async () => {
    await browser?.close();
    files.remove();
});

const report = (file, ...more) => files.page(file, ...more);

const written = (text) => files.written(text);

const opened = (file, link, action, size) => withPage(browser, file, link, action, {size});

const text = (page, selector) => page.$eval(selector, (e) => e.textContent);
const count = (page, selector) => page.$$eval(selector, (list) => list.length);
const press = (page, selector) => page.$eval(selector, (e) => e.click());

/** How many pixels of a canvas differ from its first one. */
const painted = (page, selector) => page.$eval(selector, async (canvas) => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const copy = document.createElement('canvas');
    copy.width = canvas.width;
    copy.height = canvas.height;
    const g = copy.getContext('2d');
    g.drawImage(canvas, 0, 0);
    const d = g.getImageData(0, 0, copy.width, copy.height).data;
    let different = 0;
    for (let i = 4; i < d.length; i += 4) if (d[i] !== d[0] || d[i + 1] !== d[1] || d[i + 3] !== d[3]) ++different;
    return different;
});

async function accessible(page) {
    await page.evaluate(axe);
    const found = await page.evaluate(async () => (await globalThis.axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
        // The drawing has the colours of its domains; each is told in words by its legend and its labels.
        exclude: [['.canvas'], ['.sankey']],
    })).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`));
    assert.deepEqual(found, []);
}

test('a motor: graph, causality step by step, plots, energy and equations at one instant', async () => {
    await opened(report(join(models, 'electromechanical/dc_motor.yaml')), '', async (page) => {
        assert.equal(await text(page, 'h1'), 'dc_motor');
        assert.equal(await count(page, '.canvas path.stroke'), 7);
        // Causality: none, one, all.
        await press(page, '#step-first');
        assert.equal(await count(page, '.canvas path.stroke:not(.unassigned)'), 0);
        await press(page, '#step-on');
        assert.equal(await count(page, '.canvas path.stroke:not(.unassigned)'), 1);
        assert.match(await text(page, '.sentence'), /source: Se 'source' fixes its effort/);
        await press(page, '#step-on');
        assert.match(await text(page, '.sentence'), /takes integral causality/);
        await press(page, '#step-back');
        assert.equal(await count(page, '.canvas path.stroke:not(.unassigned)'), 1);
        await press(page, '#step-last');
        assert.equal(await count(page, '.canvas path.stroke:not(.unassigned)'), 7);
        // Time: by the slider, by keys.
        assert.equal(await text(page, '#now'), '0 s');
        await page.$eval('#time', (e) => { e.value = 5000; e.dispatchEvent(new Event('input')); });
        assert.equal(await text(page, '#now'), '1 s');
        assert.ok(await painted(page, '.panel canvas') > 500);
        await page.evaluate(() => document.activeElement.blur());
        await page.keyboard.press('Home');
        assert.equal(await text(page, '#now'), '0 s');
        await page.keyboard.press('End');
        assert.equal(await text(page, '#now'), '2 s');
        // The armature's power at the end: e f = 5.6 W (docs: armature.power).
        await page.waitForFunction(() => /^5\.\d+ W$/.test(document.querySelector('[data-value="armature.power"]').textContent));
        const bands = await onPaper(page, 'path.band');
        assert.ok(bands.length >= 3 && bands.every((b) => b['stroke-width'] > 2.5), JSON.stringify(bands));
        // A bond is chosen by the mouse.
        const box = await (await page.$('.canvas path.handle[aria-label^="Bond armature"]')).boundingBox();
        await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        assert.equal(await text(page, '#pane-details h2'), 'Bond armature');
        assert.match(await text(page, '.chain'), /decided by 'La'.*La.*takes integral causality/s);
        await press(page, '#plot-chosen');
        assert.equal(await page.$eval('#tab-plots', (e) => e.getAttribute('aria-selected')), 'true');
        assert.equal(await count(page, '[data-value="armature.e"]'), 1);
        // Equations: those of what is chosen light up.
        await press(page, '#tab-equations');
        assert.ok(await count(page, '#pane-equations math') > 8);
        await page.evaluate(() => { location.hash = '#node=emf'; });
        await page.waitForFunction(() => document.querySelectorAll('.equation-list .lit').length === 2);
        await press(page, '#symbols');
        assert.match(await text(page, '#pane-equations'), /Parameters, in SI units/);
        await press(page, '#tab-linear');
        assert.equal(await count(page, '#pane-linear .chart path'), 6); // magnitude, phase and step of current and speed
        await page.focus('#tab-linear');
        await page.$eval('#pane-linear .chart', (e) => e.focus());
        await page.keyboard.press('ArrowRight');
        assert.match(await text(page, '#pane-linear .told'), /rad\/s: /);
        await press(page, '#tab-energy');
        assert.match(await text(page, '#pane-energy'), /66\.66 J/);
        assert.equal(await count(page, '#pane-energy .sankey svg'), 1);
    });
});

test('keyboard alone: tabs, parts, search, play', async () => {
    await opened(report(join(models, 'electromechanical/dc_motor.yaml')), '', async (page) => {
        await page.focus('#tab-plots');
        await page.keyboard.press('ArrowRight');
        assert.equal(await page.$eval('#tab-energy', (e) => e.getAttribute('aria-selected')), 'true');
        await page.$eval('.canvas [aria-label^="I La"]', (e) => e.focus());
        await page.keyboard.press('Enter');
        await press(page, '#tab-details');
        assert.equal(await text(page, '#pane-details h2'), 'La');
        await page.keyboard.press('Escape');
        await page.evaluate(() => document.activeElement.blur());
        await page.keyboard.press('/');
        await page.keyboard.type('emf');
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => document.querySelector('#pane-details h2')?.textContent === 'emf');
        await page.evaluate(() => document.activeElement.blur());
        await page.keyboard.press('Space');
        await page.waitForFunction(() => document.getElementById('now').textContent !== '0 s');
        await page.keyboard.press('Space');
        assert.equal(await page.$eval('#play', (e) => e.getAttribute('aria-label')), 'Play');
    });
});

test('pan, zoom and fit leave the drawing where one put it', async () => {
    await opened(report(join(models, 'electromechanical/dc_motor.yaml')), '', async (page) => {
        const view = () => page.$eval('.canvas svg', (e) => e.getAttribute('viewBox').split(' ').map(Number));
        const whole = await view();
        await press(page, '#zoom-in');
        const near = await view();
        assert.ok(Math.abs(near[2] * 1.25 - whole[2]) < 1e-6 * whole[2]);
        const box = await (await page.$('.canvas')).boundingBox();
        await page.mouse.move(box.x + 100, box.y + 60);
        await page.mouse.down();
        await page.mouse.move(box.x + 160, box.y + 60, {steps: 3});
        await page.mouse.up();
        const moved = await view();
        assert.ok(moved[0] < near[0] && Math.abs(moved[1] - near[1]) < 1e-6 * whole[3]);
        await press(page, '#zoom-fit');
        assert.deepEqual(await view(), whole);
    });
});

test('a link opens the same view', async () => {
    await opened(report(join(models, 'electromechanical/dc_motor.yaml')), '#t=0.5&view=equations&bond=armature&step=2', async (page) => {
        assert.equal(await text(page, '#now'), '500 ms');
        assert.equal(await page.$eval('#tab-equations', (e) => e.getAttribute('aria-selected')), 'true');
        assert.equal(await text(page, '.step-number'), '2 of 7');
        assert.ok(await count(page, '.canvas .chosen') > 0);
        await press(page, '#link');
        assert.match(await page.evaluate(() => location.hash), /t=0\.5&view=equations&graph=0&step=2&bond=armature/);
    });
});

test('a robot moves in space, and its drawing can be looked into', async () => {
    await opened(report(join(models, 'mechanics3d/robot_arm.yaml')), '', async (page) => {
        assert.equal(await page.$eval('#tab-space', (e) => e.getAttribute('aria-selected')), 'true');
        const shot = async () => (await (await page.$('.space canvas')).screenshot()).toString('base64');
        await new Promise((done) => setTimeout(done, 500));
        const start = await shot();
        await page.$eval('#time', (e) => { e.value = 6000; e.dispatchEvent(new Event('input')); });
        await new Promise((done) => setTimeout(done, 500));
        assert.notEqual(await shot(), start);
        for (const id of ['#parallel', '#transparent', '#trail']) await press(page, id);
        const few = await count(page, '.canvas path.bond');
        await page.select('#drawing', 'Looked into');
        assert.ok(await count(page, '.canvas path.bond') > 5 * few);
    });
});

/** A picture of the canvas in space, of an instant, as base64. */
async function seen(page, place) {
    if (place !== undefined) await page.$eval('#time', (e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }, place);
    await sharp(page);
    return (await page.$('.space canvas')).screenshot({encoding: 'base64'});
}

/** The middle of the points that differ, from the middle of the picture, in parts of its width. */
const middleOfDifference = (page, one, other) => page.evaluate(async (a, b) => {
    const read = async (data) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const g = new OffscreenCanvas(image.width, image.height).getContext('2d');
        g.drawImage(image, 0, 0);
        return g.getImageData(0, 0, image.width, image.height);
    };
    const [p, q] = [await read(a), await read(b)];
    let n = 0, x = 0, y = 0;
    for (let i = 0; i < p.data.length; i += 4) {
        if ([0, 1, 2].every((c) => Math.abs(p.data[i + c] - q.data[i + c]) < 20)) continue;
        ++n;
        x += (i / 4) % p.width;
        y += Math.floor(i / 4 / p.width);
    }
    return [(x / n - p.width / 2) / p.width, (y / n - p.height / 2) / p.width];
}, one, other);

const setApart = (page, value) => page.$eval('#apart', (e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }, value);

test('frames, forces and trails in space come and go, and parts move apart', async () => {
    await opened(report(join(models, 'mechanics3d/robot_arm.yaml')), '', async (page) => {
        const plain = await seen(page, 3000);
        const changed = async () => difference(page, await seen(page), plain, 20);
        for (const id of ['#frames', '#trail', '#transparent']) {
            await press(page, id);
            assert.ok(await changed() > 100, `${id} shows nothing`);
            await press(page, id);
            assert.equal(await changed(), 0, `${id} leaves something`);
        }
        await setApart(page, 100);
        assert.ok(await changed() > 2000);
        assert.equal(await page.$eval('#apart', (e) => e.getAttribute('aria-valuetext')), '100 %');
        await setApart(page, 0);
        assert.equal(await changed(), 0);
        // Trails of several points, by the keyboard.
        for (const point of ['tool', 'elbow', 'upper.frame_b']) await page.select('#more-trails', point);
        assert.equal(await count(page, '.kept-trails button'), 3);
        assert.ok(await changed() > 100);
        await page.focus('.kept-trails button');
        for (let k = 0; k < 3; ++k) {
            await press(page, '.kept-trails button');
            assert.equal(await page.evaluate(() => document.activeElement.id), 'more-trails');
        }
        assert.equal(await changed(), 0);
        await accessible(page);
    });
});

test('what acts at frames is told, in numbers that statics knows', async () => {
    // A lamp of 2 kg hangs on an arm of 3 kg whose joint nothing turns: 5 kg g and, about the joint, (3*0.5 + 2*1) kg m g.
    const file = written('model: lamp\ncomponents:\n  world: {type: World, g: 10 m/s2}\n  wall: {type: BodyShape, r: [0, 1 m, 0], m: 1 kg, I_11: 1 kg.m2, I_22: 1 kg.m2, I_33: 1 kg.m2}\n' +
        '  arm: {type: BodyShape, r: [1 m, 0, 0], r_CM: [0.5 m, 0, 0], m: 3 kg, I_11: 0.1 kg.m2, I_22: 0.1 kg.m2, I_33: 0.1 kg.m2}\n' +
        '  lamp: {type: Body, m: 2 kg}\n  turn: {type: Revolute, n: [0, 1, 0], initial: {phi: 0, w: 1 rad/s}}\n' +
        'connect:\n  - [world.frame_b, turn.frame_a]\n  - [turn.frame_b, wall.frame_a]\n  - [wall.frame_b, arm.frame_a]\n  - [arm.frame_b, lamp.frame_a]\n' +
        'experiment: {stop: 1 s, interval: 10 ms}\n');
    await opened(report(file), '#node=arm&view=space', async (page) => {
        const plain = await seen(page, 4000);
        await press(page, '#actions');
        assert.ok(await difference(page, await seen(page), plain, 20) > 100);
        // Across: (3*0.5 + 2*1) kg m w^2 = 3.5 N towards the axis; hypot(50, 3.5) = 50.12 N.
        const told = await text(page, '.actions');
        assert.match(told, /forces at frame_a, at most 60\.\d+ N/);
        assert.match(told, /arm\.frame_a: 50\.12 N, 35 N\.m/);
        await accessible(page);
        await press(page, '#actions');
        assert.ok(await page.$eval('.actions', (e) => e.hidden));
    });
});

test('the camera goes with what is chosen', async () => {
    await opened(report(join(models, 'mechanics3d/robot_arm.yaml')), '#node=hand&view=space', async (page) => {
        /** Where what is chosen lies, which glows: the middle of what differs when nothing is chosen; 0 is the middle. */
        let asked = 0;
        const aside = async (place, follow) => {
            await page.evaluate((link) => { location.hash = link; }, `#node=hand&asked=${++asked}`);
            await page.waitForFunction(() => document.querySelector('.canvas .chosen'));
            await seen(page, place);
            if (follow) await press(page, '#follow');
            if (follow) await seen(page, place + 1);
            const glowing = await seen(page, place);
            if (follow) await press(page, '#follow'); // the camera stays
            await page.keyboard.press('Escape');
            return middleOfDifference(page, glowing, await seen(page));
        };
        const apart = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]);
        const way = apart(await aside(0, false), await aside(5000, false));
        assert.ok(way > 0.12, `it moves across the picture: ${way}`);
        for (const place of [100, 2500, 5000, 9000]) {
            const at = await aside(place, true);
            // The hand, a rod with a ball, lies around the point that is followed.
            assert.ok(apart(at, [0, 0]) < 0.05, `at ${place} it lies ${at} aside`);
        }
    });
});

test('a conflict shows what is wrong, and the strokes as far as they came', async () => {
    await opened(report(join(models, 'electrical/two_voltage_sources_conflict.yaml'), 2), '', async (page) => {
        assert.match(await text(page, '#messages'), /fix the effort more than once/);
        assert.match(await text(page, '.sentence'), /causal conflict/);
        assert.equal(await count(page, 'footer'), 0);
        await press(page, '#step-first');
        await press(page, '#step-on');
        assert.equal(await count(page, '.canvas path.stroke:not(.unassigned)'), 1);
        await accessible(page);
    });
});

test('a run that fails is shown as far as it came', async () => {
    const file = written('model: explodes\ncomponents: {c: {type: C, law: e = -q^3, initial: {q: 1}}, r: {type: R, R: 1}, j: {type: 1}}\n' +
        'bonds: [c -> j, j -> r]\nexperiment: {stop: 10 s}\n');
    await opened(report(file, 3), '', async (page) => {
        assert.equal(await count(page, '#messages.wrong'), 1);
        await page.evaluate(() => document.activeElement.blur());
        await page.keyboard.press('End');
        assert.match(await text(page, '#now'), /^(4\d\d(\.\d+)? ms|5\d\d(\.\d+)? ms)$/);
    });
});

test('arrows drawn against a component turn no energy', async () => {
    const file = written('model: turned\ncomponents: {s: {type: Se, e: 10 V}, r: {type: R, R: 1 ohm}, c: {type: C, C: 1 F, initial: {q: 0}}, j: {type: 1}}\n' +
        'bonds: [j -> s, r -> j, c -> j]\nexperiment: {stop: 2 s, interval: 10 ms}\n');
    await opened(report(file), '#t=2', async (page) => {
        const tip = async (label) => {
            await page.$eval(`.canvas [aria-label^="${label}"]`, (e) => e.focus());
            return text(page, '.tip');
        };
        // Of the closed form: e = 10 (1 - exp(-2)) = 8.647 V, i = 1.353 A; stored e^2/2 = 37.38 J.
        assert.match(await tip('C c'), /since the start 37\.\d+ J/);
        assert.match(await tip('R r'), /losing 1\.83\d W/);
        assert.match(await tip('Bond s'), /power 13\.53 W from s to j/);
        assert.match(await tip('Bond c'), /power 11\.7 W from j to c/);
        await press(page, '#step-first');
        for (let k = 0; k < 3; ++k) await press(page, '#step-on');
        assert.equal(await text(page, '.step-number'), '3 of 3');
        assert.match(await text(page, ".sentence"), /^r: the only bond left/);
    });
});

test('a link that chooses a part keeps the view it names', async () => {
    await opened(report(join(models, 'electromechanical/dc_motor.yaml')), '#t=0.12&view=plots&bond=armature', async (page) => {
        assert.equal(await page.$eval('#tab-plots', (e) => e.getAttribute('aria-selected')), 'true');
        // Five milliseconds between rows are too far apart to add up what the coil of 2 ms takes and gives.
        await page.$eval('.canvas [aria-label^="I La"]', (e) => e.focus());
        assert.match(await text(page, '.tip'), /changes faster than the rows/);
    });
});

test('texts of a model are texts', async () => {
    const file = written('model: "<img src=x onerror=alert(1)>"\ndescription: "</script><script>alert(2)</script>"\n' +
        'components: {c: {type: C, C: 1, initial: {q: 1}}, r: {type: R, R: 1}, j: {type: 1}}\nbonds: [c -> j, j -> r]\nexperiment: {stop: 1 s}\n');
    await opened(report(file), '', async (page) => {
        assert.equal(await text(page, 'h1'), '<img src=x onerror=alert(1)>');
        assert.equal(await count(page, 'img'), 0);
    });
});

test('a million rows stay fluid', async () => {
    const file = written(millionRows);
    await opened(report(file), '', async (page) => {
        assert.ok(await painted(page, '.panel canvas') > 500);
        const [low, high] = await page.evaluate(async () => {
            const canvas = document.querySelector('.panel canvas');
            const before = performance.now();
            for (let k = 0; k < 5; ++k) {
                document.getElementById('time').value = 1000 * k;
                document.getElementById('time').dispatchEvent(new Event('input'));
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            }
            return [canvas.width, performance.now() - before];
        });
        assert.ok(low > 100);
        assert.ok(high < 30000, `${high} ms`); // hangs are caught; speed is measured elsewhere
    });
});

for (const [name, size] of [['hydraulic/excavator_boom', {width: 1920, height: 1080}], ['electrical/series_rlc', {width: 390, height: 844}],
    ['mechanics3d/hydraulic_crane', {width: 1280, height: 720}], ['electrical/inrush_limiter', {width: 1280, height: 720}],
    ['rotational/clutch_engaging', {width: 1280, height: 720}]]) {
    test(`${name}: every view, in light and dark, without a barrier`, async () => {
        await opened(report(join(models, `${name}.yaml`)), '', async (page) => {
            for (let dark = 0; dark < 2; ++dark) {
                for (const id of await page.$$eval('[role=tab]', (tabs) => tabs.map((t) => t.id))) {
                    await press(page, `#${id}`);
                    assert.equal(await count(page, '[role=tabpanel]:not([hidden])'), 1);
                    if (size.width < 1900 || dark === 0) await accessible(page);
                }
                await press(page, '#theme');
            }
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), 'wider than the screen');
        }, size);
    });
}

test('a circuit of the library is drawn as one, too', async () => {
    await opened(report(join(models, 'electrical/inrush_limiter.yaml')), '', async (page) => {
        await page.select('#drawing', 'Circuit');
        assert.ok(await count(page, '.canvas .symbol') > 5);
    });
});

/** A part of the page that needs no browser. */
function part(name) {
    const {code} = transformSync(readFileSync(join(here, `../../web/src/${name}.ts`), 'utf8'), {loader: 'ts', format: 'esm'});
    return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

test('ticks are told apart, whatever their size', async () => {
    const {ticksOf, tickText, stepOf} = await part('ticks');
    const texts = (low, high, count) => { const t = ticksOf(low, high, count); return t.map((v) => tickText(v, stepOf(t))); };
    assert.deepEqual(texts(1.4e-4, 2.6e-4, 3), ['1.5e-4', '2.0e-4', '2.5e-4']);
    assert.deepEqual(texts(-0.5, 1, 3), ['-0.5', '0', '0.5', '1.0']);
    assert.deepEqual(texts(1e9, 1.0002e9, 2), ['1.0000e+9', '1.0001e+9', '1.0002e+9']);
    for (const size of [1e-15, 1e-7, 3e-3, 1, 42, 1e6, 1e13]) {
        for (const reach of [1e-4, 0.1, 0.73, 2]) {
            for (let count = 2; count < 9; ++count) {
                const all = texts(size, size * (1 + reach), count);
                assert.equal(new Set(all).size, all.length, all.join());
            }
        }
    }
});

test('a spectrum has the amplitudes of what swings', async () => {
    const {spectrum} = await part('spectrum');
    const swings = (t) => 7 + 3 * Math.sin(2 * Math.PI * 5 * t) + Math.cos(2 * Math.PI * 12.5 * t);
    const {x, y} = spectrum(swings, 1, 3, 1000);
    const at = (f) => y[x.findIndex((v) => Math.abs(v - f) < 1e-9)];
    for (const [f, amplitude] of [[5, 3], [12.5, 1], [9, 0], [40, 0], [0, 0]]) assert.ok(Math.abs(at(f) - amplitude) < 1e-9, `${f}: ${at(f)}`);
    assert.equal(x.at(-1), 250); // half of what 1000 rows in 2 s can tell
    assert.ok(Math.abs(spectrum((t) => 5 * Math.exp(-t), 0, 3, 1000).y[0]) < 1e-12); // what decays has no mean left
    assert.equal(spectrum(swings, 1, 1, 1000).x.length, 0);
    assert.equal(spectrum(swings, 1, 3, 5).x.length, 0);
});

test('over frequencies, and the page of another run beside this one', async () => {
    const model = (r) => written(`model: low_pass\ncomponents: {s: {type: Se, e: 5*sin(2*pi*4*time)}, j: {type: 1}, r: {type: R, R: ${r}}, c: {type: C, C: 0.1}}\n` +
        'bonds: [s -> j, j -> r, j -> c]\noutputs: [c.e]\nexperiment: {stop: 4 s, interval: 5 ms}\n');
    const other = report(model(2));
    await opened(report(model(1)), '#view=plots', async (page) => {
        const before = await painted(page, '.panel canvas');
        await page.select('#axis', ' frequency');
        const over = await page.waitForFunction((b) => {
            const canvas = document.querySelector('.panel canvas');
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            let n = 0;
            for (let k = 3; k < data.length; k += 4) n += data[k] > 0 ? 1 : 0;
            return n > 500 && n !== b ? n : 0;
        }, {}, before);
        assert.ok(await over.jsonValue());
        await page.select('#axis', '');
        await (await page.$('#measured')).uploadFile(other);
        await page.waitForFunction(() => [...document.querySelectorAll('.key-name')].some((e) => /\.html: c\.e$/.test(e.textContent)));
        assert.equal(await count(page, '.panel'), 1); // in the panel of its unit, only what is shown already
        assert.equal(await count(page, '.key-name'), 2);
        await (await page.$('#measured')).uploadFile(written('model: x\n'));
        await page.waitForFunction(() => /has no table/.test(document.querySelector('.note')?.textContent ?? ''));
    });
});

test('the page of the library as of the program is the same twice', () => {
    const file = join(models, 'electrical/series_rlc.yaml');
    const once = readFileSync(report(file), 'utf8');
    assert.equal(readFileSync(report(file), 'utf8'), once);
    assert.ok(once.length < 1.5e6);
    assert.equal(execFileSync(process.env.BONDGRAPH, ['report', file, '-o', '-'], {encoding: 'utf8', maxBuffer: 1e8}), once);
});

test('strokes are placed by hand, and each is judged', async () => {
    const page = report(join(models, 'electromechanical/dc_motor.yaml'));
    await opened(page, '', async (p) => {
        const visible = () => p.$$eval('.stroke:not(.unassigned)', (l) => l.length);
        const all = await visible();
        assert.ok(all >= 7);
        await press(p, '#place-strokes');
        assert.equal(await visible(), 0);
        assert.equal(await count(p, '.stroke-place'), 14);
        const place = (bond, side) => p.$eval(`.stroke-place[data-bond="${bond}"][data-side="${side}"]`, (e) => e.dispatchEvent(new MouseEvent('click', {bubbles: true})));
        await place('source', 'from');
        assert.match(await text(p, '.sentence'), /^source: not there\. Se 'source' fixes its effort\.$/);
        assert.equal(await visible(), 0);
        assert.equal(await count(p, '.stroke-place'), 14);
        const right = {source: 'to', Ra: 'from', La: 'to', armature: 'from', 'emf.p2': 'to', J: 'to', b: 'from'};
        let left = 7;
        for (const [bond, side] of Object.entries(right)) {
            await place(bond, side);
            --left;
            assert.equal(await count(p, '.stroke-place'), 2 * left, bond);
        }
        assert.match(await text(p, '.sentence'), /All 7, after 1 wrong try\./);
        assert.equal(await visible(), all);
        // By keyboard, and given up half way.
        await press(p, '#place-strokes');
        await press(p, '#place-strokes');
        await p.$eval('.stroke-place[data-bond="La"][data-side="to"]', (e) => e.focus());
        await p.keyboard.press('Enter');
        assert.equal(await count(p, '.stroke-place'), 12);
        await press(p, '#step-last');
        assert.equal(await count(p, '.stroke-place'), 0);
        assert.equal(await visible(), all);
    });
});

test('where the program had a choice, either end is right', async () => {
    const loop = written('model: loop\ncomponents:\n  u: {type: Se, e: 1 V}\n  j: {type: 1}\n  a: {type: R, R: 1 ohm}\n  b: {type: R, R: 2 ohm}\nbonds: [u -> j, j -> a, j -> b]\nexperiment: {stop: 1 s}\n');
    const file = report(loop), chosen = dataOf(file).graphs[0].edges.find((e) => e.components[0].kind === 'resistive_choice');
    await opened(file, '', async (p) => {
        await press(p, '#place-strokes');
        const other = chosen.components[0].stroke === 'from' ? 'to' : 'from';
        await p.$eval(`.stroke-place[data-bond="${chosen.name}"][data-side="${other}"]`, (e) => e.dispatchEvent(new MouseEvent('click', {bubbles: true})));
        assert.match(await text(p, '.sentence'), /possible too/);
        assert.equal(await count(p, `.stroke-place[data-bond="${chosen.name}"]`), 0);
    });
});

test('equations are derived by hand, and judged by what they give', async () => {
    const page = report(join(models, 'electromechanical/dc_motor.yaml'));
    await opened(page, '#view=equations', async (p) => {
        await press(p, '#derive');
        assert.equal(await count(p, '.equation'), 0, 'the equations themselves are not shown');
        const judged = async (state, typed) => {
            await p.$eval(`[data-state="${state}"]`, (e, t) => { e.value = t; e.dispatchEvent(new Event('change')); }, typed);
            return p.$eval(`.task:has([data-state="${state}"]) .judgement`, (e) => e.textContent);
        };
        assert.equal(await judged('La.p', 'source.e - Ra*La.p/La - k*J.p/J'), 'Right.');
        assert.equal(await judged('La.p', '12 - (k*J.p*La + Ra*La.p*J)/(J*La)'), 'Right.');
        assert.equal(await judged('La.p', 'source.e - 0.5*La.p/0.002 - 50*J.p'), 'Right, with the numbers of this model.');
        assert.equal(await judged('La.p', 'source.e - 0.5*La.p/0.002 - 50.01*J.p'), 'It is another function.');
        assert.equal(await judged('La.p', 'Ra*La.p/La + k*J.p/J - 12'), 'All of it has the other sign.');
        assert.equal(await judged('La.p', '12 - Ra*La.p/La + k*J.p/J'), 'It is another function.');
        assert.equal(await judged('J.p', '2*(k*La.p/La - b*J.p/J)'), 'It is 2 times what it should be.');
        assert.match(await judged('J.p', 'J.e'), /'J\.e' is none of them/);
        assert.match(await judged('J.p', 'k*La.p/La - '), /can't be read/);
        assert.match(await judged('J.p', 'k La.p'), /an operation is missing before 'La\.p'/);
        assert.equal(await judged('J.p', ''), '');
        await press(p, '#derive');
        assert.ok(await count(p, '.equation') > 5);
    });
});

test('beside the numbers of a model no small term is overlooked', async () => {
    const tiny = written('model: tiny\ncomponents:\n  u: {type: Se, e: 10 V}\n  j: {type: 1}\n  r: {type: R, R: 2 ohm}\n  c: {type: C, C: 1 pF}\nbonds: [u -> j, j -> r, j -> c]\nexperiment: {stop: 1 ns}\n');
    await opened(report(tiny), '#view=equations', async (p) => {
        await press(p, '#derive');
        const judged = async (typed) => {
            await p.$eval('[data-state="c.q"]', (e, t) => { e.value = t; e.dispatchEvent(new Event('change')); }, typed);
            return p.$eval('.task:has([data-state="c.q"]) .judgement', (e) => e.textContent);
        };
        assert.equal(await judged('(10 - c.q/1e-12)/2'), 'Right, with the numbers of this model.');
        assert.equal(await judged('(11 - c.q/1e-12)/2'), 'It is another function.');
    });
});

test('expressions have the values that the program gives them', async () => {
    const {parse} = await part('expression');
    const values = new Map([['x', 3], ['La.p', 0.5], ['c[2].q', 7], ['a->b.f', -2]]);
    for (const [given, value] of [['1 + 2*3', 7], ['-x^2', -9], ['2^-1', 0.5], ['2^3^2', 512], ['x - 1 - 1', 1], ['8/4/2', 1], ['(1 + 2)*3', 9], ['1e3 + .5', 1000.5], ['sin(0) + max(1, x, 2)', 3],
        ['La.p*c[2].q', 3.5], ['a->b.f - 1', -3], ['2**3 · x', 24], ['--x', 3], ['sqrt(abs(a->b.f)*2)', 2], ['-2*-x', 6]])
        assert.equal(parse(given).evaluate(values), value, given);
    for (const wrong of ['', '1 +', '(1', '1)', 'x x', 'foo(1)', '1 $ 2', 'sin()', 'x >= 2', ','])
        assert.throws(() => parse(wrong), Error, wrong);
});
