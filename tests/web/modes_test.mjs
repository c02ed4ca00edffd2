// Strokes, marks and equations of the mode that a run is in at the time looked at, beside what the program says of that time.

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {launched, scratch, withPage} from './chromium.mjs';

const models = join(dirname(fileURLToPath(import.meta.url)), '../../models');
const files = scratch();
let browser;

before(async () => { browser = await launched(); });
after(async () => {
    await browser?.close();
    files.remove();
});

const opened = (file, link, action) => withPage(browser, file, link, action);
const text = (page, selector) => page.$eval(selector, (e) => e.textContent);
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const goTo = async (page, t) => {
    await page.evaluate((link) => { location.hash = link; }, `t=${t}`);
    await settled(page);
};

/** What a command says of a model at a time, as JSON. */
function said(command, file, t, ...more) {
    const done = spawnSync(process.env.BONDGRAPH, [command, file, '--format', 'json', '--at', `${t}s`, ...more], {encoding: 'utf8', maxBuffer: 1e8});
    assert.equal(done.status, 0, done.stderr);
    return JSON.parse(done.stdout);
}

/** Of every bond drawn, by its name in the page: the ends at which it has strokes, as they stand on paper. */
const strokesDrawn = (page) => page.evaluate(() => Object.fromEntries([...document.querySelectorAll('.canvas .handle[aria-label^="Bond "]')].map((handle) => {
    const name = handle.getAttribute('aria-label').match(/^Bond (.*): .* to /)[1], of = handle.dataset.of;
    const points = (d) => [...d.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]);
    const route = points(handle.getAttribute('d')), far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
    const ends = [...document.querySelectorAll(`.canvas .stroke[data-of="${of}"]`)].map((stroke) => {
        const [a, b] = points(stroke.getAttribute('d')), middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
        const from = far(middle, route[0]), to = far(middle, route[route.length - 1]);
        return Math.min(from, to) > 16 ? 'nowhere' : from < to ? 'from' : 'to';
    });
    return [name, [...new Set(ends)].sort().join()];
})));
const badges = (page) => page.$$eval('.canvas .badge-text', (all) => all.map((e) => e.textContent).sort());

function strokesSaid(causality) {
    const ends = {};
    for (const bond of causality.bonds) (ends[bond.name] ??= new Set()).add(bond.stroke);
    return Object.fromEntries(Object.entries(ends).map(([name, all]) => [name, [...all].sort().join()]));
}

/** Moments of a run of which neighbours are in different modes, and the mode at the start again. */
const switching = [
    ['electrical/buck_converter.yaml', [0, 4e-6, 1e-5, 2.2e-5, 9.99e-4, 0]],
    ['electrical/three_phase_rectifier.yaml', [0, 3e-3, 6e-3, 9e-3, 1.3e-2, 3.9e-2]],
    ['translational/elevator.yaml', [0, 1, 3, 5.9, 0.5]],
    ['rotational/flywheel_bus.yaml', [0, 1.1, 8, 15, 22, 29, 0]],
];

for (const [model, times] of switching) {
    test(`strokes and equations of ${model} are those of the time looked at`, async () => {
        const file = join(models, model), modes = new Set();
        await opened(files.page(file), '#view=equations', async (page) => {
            for (const t of times) {
                await goTo(page, t);
                const causality = said('causality', file, t, '--expand');
                modes.add(JSON.stringify(causality.modes));
                const drawn = await strokesDrawn(page), right = strokesSaid(causality);
                let compared = 0;
                for (const [name, ends] of Object.entries(drawn)) {
                    if (!(name in right)) continue;
                    ++compared;
                    assert.equal(ends, right[name], `bond ${name} at ${t} s`);
                }
                assert.ok(compared > 3);
                const first = said('equations', file, t).assignments.slice(0, 250).map((e) => e.variable);
                const shown = await page.$$eval('.equation-list [data-variable]', (rows) => rows.map((r) => r.dataset.variable));
                for (const variable of first) assert.ok(shown.includes(variable), `${variable} at ${t} s`);
                const about = await text(page, '.graph > .modes-told');
                for (const [name, value] of Object.entries(causality.modes)) {
                    const [, part, word] = name.match(/^(.*)\.([^.]*)$/);
                    const wanted = typeof value === 'boolean' ? `${part} ${value ? '' : 'not '}${word}` : `${name} = ${value}`;
                    assert.ok(about.includes(wanted), `${about} at ${t} s`);
                }
                assert.equal(about.replace('Strokes', 'Equations'), await text(page, '#pane-equations .modes-told'));
            }
        });
        assert.ok(modes.size > 1, 'all of one mode');
    });
}

// A switch that shorts a capacitor with another behind a resistor: in one mode the first is dependent, or there is a loop.
const shorted = (wrap) => `model: m
${wrap ? `types:
  Store:
    ports: {p: {domain: electrical}}
    components: {node: {type: 0}, C: {type: C, C: 1 mF, initial: {e: 1 V}}, load: {type: R, R: 100 ohm}}
    bonds: [p -> node, node -> C, node -> load]
` : ''}components:
  source: {type: Se, e: 10 V}
  feed: {type: 1}
  R: {type: R, R: 10 ohm}
  a: {type: 0}
  first: {type: C, C: 2 mF, initial: {e: 1 V}}
  link: {type: 1}
  when: {type: Pulse, start: 0.05 s, width: 0.1 s, period: 1 s}
  switch: {type: Sw, open: when.y < 0.5}
${wrap ? '  b: {type: Store}' : '  node: {type: 0}\n  C: {type: C, C: 1 mF, initial: {e: 1 V}}\n  load: {type: R, R: 100 ohm}'}
bonds: [source -> feed, feed -> R, feed -> a, a -> first, a -> link, link -> switch, ${wrap ? 'link -> b.p' : 'link -> node, node -> C, node -> load'}]
experiment: {stop: 0.2 s}
`;

for (const wrap of [false, true]) {
    test(`a storage that depends on another in one mode only is marked in it${wrap ? ', inside a part, too' : ''}`, async () => {
        const file = files.written(shorted(wrap));
        await opened(files.page(file), '', async (page) => {
            const inside = async () => {
                if (!wrap) return;
                await page.evaluate(() => { location.hash = 'open=b'; });
                await settled(page);
            };
            await inside();
            for (const [t, dependent] of [[0, false], [0.1, true], [0.18, false], [0.1, true], [0, false]]) {
                await page.evaluate((link) => { location.hash = link; }, `t=${t}${wrap ? '&open=b' : ''}`);
                await settled(page);
                assert.equal((await badges(page)).includes('D'), dependent, `at ${t} s`);
                const outlined = await page.$$eval('.canvas rect.node[stroke="#882255"]', (l) => l.length);
                assert.equal(outlined, dependent ? 1 : 0, `outlines at ${t} s`);
                const loop = said('causality', file, t, '--expand').loops.length > 0;
                assert.equal((await page.$$('.canvas .loop')).length > 1, loop, `loops at ${t} s`);
                const right = strokesSaid(said('causality', file, t, '--expand')), drawn = await strokesDrawn(page);
                assert.ok(Object.keys(drawn).filter((name) => name in right).length >= 8);
                for (const [name, ends] of Object.entries(drawn)) if (name in right) assert.equal(ends, right[name], `bond ${name} at ${t} s`);
            }
        });
    });
}

test('step by step and why are of the mode, and a stroke told is the one drawn', async () => {
    const file = join(models, 'electrical/buck_converter.yaml');
    await opened(files.page(file), '#t=1e-5&view=details&bond=diode', async (page) => {
        const [bond] = said('causality', file, 1e-5).bonds.filter((b) => b.name === 'diode');
        assert.equal(bond.stroke, 'from');
        assert.match(await text(page, '.chain li'), /stroke at its tail/);
        await page.$eval('#step-first', (e) => e.click());
        await settled(page);
        assert.equal((await page.$$('.canvas .stroke:not(.unassigned)')).length, 0);
        await page.$eval('#step-on', (e) => e.click());
        await settled(page);
        assert.equal((await page.$$('.canvas .stroke:not(.unassigned)')).length, 1);
        await goTo(page, '0&view=details&bond=diode');
        assert.match(await text(page, '.chain li'), /stroke at the head of the half arrow/);
    });
});

test('strokes are placed in the mode of the start, wherever the slider is', async () => {
    await opened(files.page(join(models, 'electrical/buck_converter.yaml')), '#t=1e-5', async (page) => {
        await page.$eval('#place-strokes', (e) => e.click());
        await settled(page);
        assert.match(await text(page, '.graph > .modes-told'), /^Strokes as at the start of the run: switch closed, diode not on\./);
        await page.$eval('.stroke-place[data-bond="diode"][data-side="to"]', (e) => e.dispatchEvent(new MouseEvent('click', {bubbles: true})));
        await settled(page);
        assert.match(await text(page, '.sentence'), /^diode: right/);
        await page.$eval('#place-strokes', (e) => e.click());
        await settled(page);
        assert.equal((await strokesDrawn(page)).diode, 'from');
    });
});

test('a model with one mode says nothing of modes', async () => {
    await opened(files.page(join(models, 'electromechanical/dc_motor.yaml')), '', async (page) =>
        assert.equal(await page.$eval('.graph > .modes-told', (e) => e.hidden), true));
});

test('Linear is that of the instant nearest to the slider, and the cursor stays where it is put', async () => {
    const file = files.written(shorted(false));
    await opened(files.page(file), '#t=0&view=linear', async (page) => {
        const listed = () => page.$$eval('#pane-linear .poles ~ ul li', (all) => all.map((e) => e.textContent));
        const at = async (t) => {
            await page.evaluate((link) => { location.hash = link; }, `t=${t}&view=linear`);
            await settled(page);
            return listed();
        };
        const [open, closed, again] = [await at(0), await at(0.1), await at(0.18)];
        assert.equal(open.length, 2);
        assert.equal(closed.length, 1); // one of the capacitors depends on the other
        assert.deepEqual(again, open);
        const told = Number((await text(page, '#pane-linear h3')).match(/Poles at ([\d.]+) (m?)s/)[1]);
        assert.ok(Math.abs(told - 180) < 8, `${told} ms`);
        const done = spawnSync(process.env.BONDGRAPH, ['linearize', file, '--at', '0.1 s', '-o', '-'], {encoding: 'utf8'});
        const [pole] = JSON.parse(done.stdout).eigenvalues;
        assert.ok(Math.abs(parseFloat(closed[0]) - (pole.re ?? pole[0])) < 1e-3 * Math.abs(parseFloat(closed[0])), closed[0]);
        assert.ok((await page.$$('#pane-linear .poles .other')).length > 20);
        await page.$eval('#pane-linear .chart', (e) => e.focus());
        for (let k = 0; k < 5; ++k) await page.keyboard.press('ArrowRight');
        const cursor = () => page.$eval('#pane-linear .chart .cursor', (e) => e.getAttribute('x1'));
        const before = await cursor();
        await at(0.1);
        assert.ok(Math.abs(await cursor() - before) < 3);
        assert.ok(await page.evaluate(() => document.activeElement.classList.contains('chart')));
    });
});
