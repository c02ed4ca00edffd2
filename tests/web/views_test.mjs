// What views show in words, numbers and sizes: which way is up, how large parts without a size are drawn, whether letters can be
// read in narrow panes, and what of an account is of a part of the run.

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {launched, pageIn, scratch, sharp, withPage} from './chromium.mjs';
import {difference, spaceLevel, spacePicture, spacePoints} from './comparison.mjs';
import {dataOf} from './page_data.mjs';

const models = join(dirname(fileURLToPath(import.meta.url)), '../../models');
const motor = join(models, 'electromechanical/dc_motor.yaml');
const files = scratch();
let browser;

before(async () => { browser = await launched(); });
after(async () => {
    await browser?.close();
    files.remove();
});

const report = (file, ...more) => files.page(file, ...more);

const opened = (file, link, action, size) => withPage(browser, file, link, action, {size});

const text = (page, selector) => page.$eval(selector, (e) => e.textContent);
const press = (page, selector) => page.$eval(selector, (e) => e.click());
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// ---- space

/** A bar that turns about a hinge, and a ball at its end; `turned`: the same with z up instead of y. */
const bar = ({length = '1 m', turned = false, gravity = 'none', field = '', world = '', balls = ''}) =>
    `model: bar\ncomponents:\n  world: {type: World, ${field ? `field: ${field}` : gravity === 'none' ? 'gravity: none' : `g: 9.81 m/s2, n: ${gravity}`}${world}}\n` +
    `  hinge: {type: Revolute, n: ${turned ? '[0, -1, 0]' : '[0, 0, 1]'}, initial: {phi: 0.5, w: 0}}\n` +
    `  arm: {type: BodyShape, r: [${length}, 0, 0], m: 1 kg, I_11: 1 kg.m2, I_22: 1 kg.m2, I_33: 1 kg.m2${balls}}\n` +
    'connect:\n  - [world.frame_b, hinge.frame_a]\n  - [hinge.frame_b, arm.frame_a]\nexperiment: {stop: 100 ms, interval: 10 ms}\n';

async function pictureOf(model, action) {
    let picture;
    await opened(report(files.written(model)), '#view=space', async (page) => {
        if (action) await action(page);
        await spacePicture(page);
        for (let k = 0; k < 2; ++k) await press(page, '#transparent'); // drawn again, in its new size
        picture = await spacePicture(page);
    });
    return picture;
}

async function differ(one, other) {
    const {page} = await pageIn(browser, {width: 400, height: 300});
    try {
        return await difference(page, one, other, spaceLevel);
    } finally {
        await page.close();
    }
}

test('up is against gravity, whichever axis that is along', async () => {
    // World's axes are others then, and light falls otherwise on the facets of a cylinder: balls stand for both.
    const ball = (frame, length) => `{shape: sphere, frame: ${frame}, length: ${length}}`;
    const shown = {world: `, shapes: [${ball('frame_b', '0.2 m')}]`, balls: `, shapes: [${ball('frame_a', '0.4 m')}, ${ball('frame_b', '0.3 m')}]`};
    for (const view of [null, 'Front', 'Side', 'Top']) {
        const look = view === null ? null : (page) => page.$$eval('.space button', (all, name) => all.find((b) => b.textContent === name).click(), view);
        const y = await pictureOf(bar({gravity: '[0, -1, 0]', ...shown}), look), z = await pictureOf(bar({gravity: '[0, 0, -1]', turned: true, ...shown}), look);
        assert.ok(await differ(y, z) <= spacePoints, `${view}: ${await differ(y, z)}`);
    }
    // Where nothing falls, y is up as before.
    const none = await pictureOf(bar(shown)), down = await pictureOf(bar({gravity: '[0, -1, 0]', ...shown})), aside = await pictureOf(bar({gravity: '[0, 0, -1]', ...shown}));
    assert.ok(await differ(none, down) <= spacePoints);
    assert.ok(await differ(none, aside) > spacePoints);
    // However gravity is written; a field that is not the same everywhere has no direction of its own.
    const byComponents = await pictureOf(bar({field: '[0, 0, -9.81]', ...shown})), uneven = await pictureOf(bar({field: '["-x[1]", 0, -9.81]', ...shown}));
    assert.ok(await differ(aside, byComponents) <= spacePoints);
    assert.ok(await differ(none, uneven) <= spacePoints);
});

/** A ball on a rail along x, of 1 m/s for so many seconds. */
const cart = (seconds) => 'model: cart\ncomponents:\n  world: {type: World, gravity: none, shapes: []}\n' +
    '  rail: {type: Prismatic, n: [1, 0, 0], initial: {s: 0, v: 1 m/s}, shapes: []}\n' +
    '  ball: {type: BodyShape, r: [0.2 m, 0, 0], m: 1 kg, I_11: 1 kg.m2, I_22: 1 kg.m2, I_33: 1 kg.m2, shapes: [{shape: sphere, frame: frame_a, length: 1 m}]}\n' +
    `connect:\n  - [world.frame_b, rail.frame_a]\n  - [rail.frame_b, ball.frame_a]\nexperiment: {stop: ${seconds} s, interval: ${seconds / 100} s}\n`;

/** How many points of a picture have a colour: neither background nor grid has. */
const colouredPoints = (page, png) => page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const c = document.createElement('canvas').getContext('2d');
    [c.canvas.width, c.canvas.height] = [image.width, image.height];
    c.drawImage(image, 0, 0);
    const p = c.getImageData(0, 0, image.width, image.height).data;
    let count = 0;
    for (let k = 0; k < p.length; k += 4) count += Math.max(p[k], p[k + 1], p[k + 2]) - Math.min(p[k], p[k + 1], p[k + 2]) > 40 ? 1 : 0;
    return count;
}, png);

test('what goes far is large at the start of its way, is followed, and is seen with all of it', async () => {
    await opened(report(files.written(cart(40))), '#view=space', async (page) => {
        const seen = async () => colouredPoints(page, await spacePicture(page));
        const atTime = async (t) => {
            await page.evaluate((at) => { location.hash = `#t=${at}&view=space`; }, t);
            await settled(page);
        };
        await spacePicture(page);
        await press(page, '#transparent');
        await press(page, '#transparent'); // drawn again, in its new size
        const start = await seen();
        assert.ok(start > 1500, `${start} points`);
        for (const flat of [false, true]) {
            if (flat) await press(page, '#parallel');
            await press(page, '#way');
            const tiny = await seen();
            assert.ok(tiny > 0 && tiny < start / 20, `${flat}: ${tiny} of ${start} points`);
            await atTime(40); // at the other end
            const there = await seen();
            assert.ok(there > 0 && there < start / 20, `${flat}: ${there} of ${start} points`);
            // Near again it is where it is now.
            await press(page, '#way');
            const near = await seen();
            assert.ok(near > 0.5 * start && near < 2 * start, `${flat}: ${near} of ${start} points`);
            await atTime(0);
            assert.equal(await seen(), 0);
            await press(page, '#way');
            await press(page, '#way');
        }
        await press(page, '#parallel');
        await press(page, '#follow');
        const followed = await seen();
        await atTime(30);
        const later = await seen();
        assert.ok(followed > 0.5 * start && Math.abs(later - followed) < 0.1 * followed, `${start}, ${followed}, ${later} points`);
    });
});

test('what stays near is in one picture as before', async () => {
    await opened(report(files.written(cart(2))), '#view=space', async (page) => {
        assert.equal(await page.$eval('#way', (e) => e.hidden), true);
        const points = async (t) => {
            await page.evaluate((at) => { location.hash = `#t=${at}&view=space`; }, t);
            await settled(page);
            return colouredPoints(page, await spacePicture(page));
        };
        assert.ok(await points(0) > 500);
        assert.ok(await points(2) > 500);
    });
});

test('a mechanism looks the same however small or large it is', async () => {
    const metre = await pictureOf(bar({gravity: '[0, -1, 0]'}));
    for (const length of ['1 mm', '1 km']) {
        const other = await pictureOf(bar({length, gravity: '[0, -1, 0]'}));
        assert.ok(await differ(metre, other) <= spacePoints, `${length}: ${await differ(metre, other)}`);
    }
});

test('parts that lie in one place have a size', async () => {
    const file = report(join(models, 'mechanics3d/satellite_reaction_wheels.yaml'));
    await opened(file, '#view=space', async (page) => {
        await sharp(page);
        const shot = await spacePicture(page);
        // From far away there is but the ground.
        await page.$eval('.space .stage canvas', (e) => { for (let k = 0; k < 60; ++k) e.dispatchEvent(new WheelEvent('wheel', {deltaY: 400, cancelable: true})); });
        assert.ok(await difference(page, shot, await spacePicture(page), spaceLevel) > 2 * spacePoints);
    });
});

test('forces are told at a CutJoint as at any other joint', async () => {
    const loop = readFileSync(join(models, 'mechanics3d/double_crank.yaml'), 'utf8').replace(/^ {2}j2: .*$/m, '  j2: {type: CutJoint, holds: [x, y, z, rx, ry]}').replace(/^expect:[\s\S]*/m, '');
    await opened(report(files.written(loop)), '#view=space&node=j2', async (page) => {
        await press(page, '#actions');
        await settled(page);
        const at = async (part) => {
            await page.evaluate((name) => { location.hash = `#view=space&node=${name}`; }, part);
            await settled(page);
            return text(page, '.space .actions');
        };
        const acting = (said, frame) => Number(new RegExp(`${frame.replace('.', '\\.')}: ([\\d.]+) N`).exec(said)?.[1] ?? NaN);
        // What the coupler gives the joint takes, and gives on.
        const joint = await at('j2'), coupler = await at('coupler');
        assert.ok(acting(joint, 'j2.frame_a') > 1, joint);
        assert.equal(acting(joint, 'j2.frame_a'), acting(coupler, 'coupler.frame_b'));
        assert.equal(acting(joint, 'j2.frame_b'), acting(joint, 'j2.frame_a'));
    });
});

// ---- plots and diagrams

/** Texts that a canvas is given, each with the box it takes. */
const written = async (page) => {
    await page.evaluate(() => {
        globalThis.texts = [];
        const plain = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (said, x, y) {
            const m = this.measureText(said);
            globalThis.texts.push({canvas: [...document.querySelectorAll('.panel canvas')].indexOf(this.canvas), said,
                left: x - m.actualBoundingBoxLeft, right: x + m.actualBoundingBoxRight, top: y - m.actualBoundingBoxAscent, bottom: y + m.actualBoundingBoxDescent});
            plain.call(this, said, x, y);
        };
    });
    await press(page, '#unzoom');
    await settled(page);
    return page.evaluate(() => globalThis.texts);
};

const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;

for (const width of [320, 390, 1280, 1920]) {
    test(`units, numbers and titles of plots do not touch, and none is missing: ${width} pixels`, async () => {
        await opened(report(motor), '#view=plots', async (page) => {
            const all = await written(page), wide = await page.$$eval('.panel canvas', (list) => list.map((c) => [c.clientWidth, c.clientHeight]));
            assert.ok(wide.length >= 2);
            wide.forEach(([w, h], k) => {
                const texts = all.filter((t) => t.canvas === k);
                for (const t of texts) {
                    assert.ok(t.left >= 0 && t.right <= w + 0.5 && t.top >= -1 && t.bottom <= h, `${t.said} is cut off`);
                    for (const other of texts) assert.ok(t === other || apart(t, other), `${t.said} lies over ${other.said}`);
                }
                const title = texts.find((t) => t.said === 'time / s');
                // Below the curves: the numbers of time, the first of them 0 at the left, and more than one.
                const along = texts.filter((t) => t !== title && t.top > h - 46 && t.left > 56 && /^[\d.]+$/.test(t.said));
                assert.ok(along.length >= 2, JSON.stringify(texts));
            });
        }, {width, height: 844});
    });
}

test('letters of the diagram can be read in a narrow pane, and it is scrolled, not the page', async () => {
    for (const [width, model] of [[390, motor], [1000, motor], [390, join(models, 'mechanics3d/robot_arm.yaml')]]) {
        await opened(report(model), '#view=energy', async (page) => {
            await settled(page);
            const {size, over, rolls} = await page.evaluate(() => {
                const svg = document.querySelector('.sankey svg'), place = document.querySelector('.sankey');
                return {size: 12 * svg.getBoundingClientRect().width / Number(svg.getAttribute('width')), over: document.documentElement.scrollWidth - innerWidth,
                    rolls: getComputedStyle(place).overflowX};
            });
            assert.ok(size >= 10, `${width}: ${size}`);
            assert.ok(over <= 0);
            assert.equal(rolls, 'auto');
        }, {width, height: 844});
    }
});

test('of a diagram that is drawn closer no two texts touch', async () => {
    await opened(report(motor), '#view=energy', async (page) => {
        await settled(page);
        const boxes = await page.$$eval('.sankey text', (all) => all.map((e) => { const r = e.getBoundingClientRect(); return {said: e.textContent, left: r.left, right: r.right, top: r.top + 2, bottom: r.bottom - 2}; }));
        for (const a of boxes) for (const b of boxes) assert.ok(a === b || apart(a, b), `${a.said} lies over ${b.said}`);
    }, {width: 390, height: 844});
});

// ---- energy

const joule = (said) => {
    const found = said.match(/(-?[\d.]+(?:e[+-]?\d+)?) ([numkMG]|µ)?J/);
    return found ? Number(found[1]) * ({n: 1e-9, 'µ': 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9}[found[2]] ?? 1) : 0;
};

/** Tables by name, then row and column. */
const books = (page) => page.$$eval('#pane-energy .books', (tables) => Object.fromEntries(tables.map((t) => {
    const heads = [...t.querySelectorAll('thead th')].slice(1).map((h) => h.textContent);
    return [t.caption.textContent, Object.fromEntries([...t.tBodies[0].rows].map((r) => [r.cells[0].textContent, Object.fromEntries([...r.cells].slice(1).map((c, k) => [heads[k], c.textContent]))]))];
})));

for (const model of ['electromechanical/dc_motor.yaml', 'electrical/boost_converter.yaml', 'hydraulic/press.yaml']) {
    test(`by domain and by part the account is of the window: ${model}`, async () => {
        const file = join(models, model), made = report(file), course = dataOf(made).run.energy;
        const all = await new Promise((done) => opened(made, '#view=energy', async (page) => done(await books(page))));
        assert.deepEqual(Object.keys(all), ['By domain', 'By part']);
        assert.deepEqual(Object.keys(all['By domain']), course.domains.map((d) => d.name));
        for (const row of course.domains) {
            for (const kind of ['supplied', 'in', 'out', 'stored', 'dissipated'])
                assert.ok(Math.abs(joule(all['By domain'][row.name][kind]) - row[kind]) <= 1e-3 * Math.abs(row[kind]) + 1e-6 * course.moved, `${row.name} ${kind}: ${all['By domain'][row.name][kind]}, ${row[kind]}`);
        }
        await opened(made, '#view=energy', async (page) => {
            await page.focus('#window-from');
            for (let k = 0; k < 4; ++k) await page.keyboard.press('PageUp');
            await page.focus('#window-to');
            for (let k = 0; k < 3; ++k) await page.keyboard.press('PageDown');
            await settled(page);
            await press(page, '#link');
            const window = /window=([^&]*)/.exec(await page.evaluate(() => decodeURIComponent(location.hash)))[1];
            const shown = await books(page), [domain, part] = Object.keys(shown);
            assert.match(domain, /^By domain, from [\d.]+ .* to [\d.]+ /);
            assert.match(part, /^By part, from [\d.]+ .* to [\d.]+ /);
            // The program's own account of that window.
            const out = files.written('');
            const [from, to] = window.split(',');
            const run = spawnSync(process.env.BONDGRAPH, ['run', file, '-o', `${out}.csv`, '--window', `${from}s,${to}s`, '--audit-json', `${out}.json`], {encoding: 'utf8'});
            assert.equal(run.status, 0, run.stderr);
            const own = JSON.parse(readFileSync(`${out}.json`, 'utf8'));
            const told = own.by_domain ?? own.domains;
            assert.ok(told.length > 0);
            for (const row of told) {
                for (const kind of ['supplied', 'in', 'out', 'stored', 'dissipated'])
                    assert.ok(Math.abs(joule(shown[domain][row.name][kind]) - row[kind]) <= 1e-3 * Math.abs(row[kind]) + 1e-6 * course.moved, `${row.name} ${kind}: ${shown[domain][row.name][kind]}, ${row[kind]}`);
            }
        });
    });
}

test('what came and went is of the window as well', async () => {
    await opened(report(motor), '#view=energy&t=1', async (page) => {
        assert.match(await text(page, '.scale-told'), /^Up to (1(\.0+)? s|99\d(\.\d+)? ms): supplied/);
        const before = joule(await text(page, '#scale .bar-value'));
        await press(page, '#window-from-now');
        await page.$eval('#time', (e) => { e.value = 7500; e.dispatchEvent(new Event('input')); });
        await settled(page);
        const said = await text(page, '.scale-told');
        assert.match(said, /^From (1(\.\d+)? s|99\d(\.\d+)? ms) to 1\.(4[89]\d*|5\d*) s: supplied/);
        const inWindow = joule(await text(page, '#scale .bar-value'));
        assert.ok(inWindow > 0 && inWindow < before);
        // An instant outside: all of the window.
        await page.$eval('#time', (e) => { e.value = 0; e.dispatchEvent(new Event('input')); });
        await settled(page);
        assert.match(await text(page, '.scale-told'), / to 2(\.0+)? s: supplied/);
        const sums = await page.$$eval('.sums .bar-value', (all) => all[0].textContent);
        assert.equal(joule(await text(page, '#scale .bar-value')), joule(sums));
    });
});

test('at phone width no page scrolls sideways, and numbers keep their units beside them', async () => {
    for (const [file, status] of [[join(models, 'electrical/two_voltage_sources_conflict.yaml'), 2], [motor, 0]]) {
        const made = files.report(file);
        assert.equal(made.status, status, made.said);
        await opened(made.page, '#view=energy', async (page) => {
            await settled(page);
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
            const high = await page.$$eval('.books tbody tr', (rows) => rows.map((r) => r.getBoundingClientRect().height));
            for (const h of high) assert.ok(h < 36, `a row of ${h} pixels`);
        }, {width: 390, height: 844});
    }
});

// ---- paper

test('on paper views that the screen does not show are of the instant that it shows', async () => {
    await opened(report(join(models, 'electrical/buck_converter.yaml')), '#t=0.0004&view=equations', async (page) => {
        await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
        assert.match(await page.$eval('#pane-linear h3', (e) => e.textContent), /Poles at (39|40|41)\d(\.\d+)? µs/);
        assert.match(await page.$eval('#pane-energy', (e) => e.textContent), /Up to 400 µs/);
        await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    });
});

test('on paper wider than tall there is the graph, and there are curves of a view that the screen does not show', async () => {
    await opened(report(motor), '#view=equations', async (page) => {
        await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
        await page.emulateMediaType('print');
        assert.ok(await page.$eval('.graph .stage', (e) => e.clientHeight) > 300);
        const drawn = await page.$$eval('#pane-plots .curves canvas', (all) => all.map((c) => {
            const pixels = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            let ink = 0;
            for (let i = 3; i < pixels.length; i += 4) if (pixels[i] > 0) ++ink;
            return c.width > 300 && ink > 1000;
        }));
        assert.ok(drawn.length > 0 && drawn.every(Boolean), drawn.join());
        assert.equal(await page.$eval('#pane-plots', (e) => e.hidden), true);
        await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    }, {width: 1100, height: 780});
});
