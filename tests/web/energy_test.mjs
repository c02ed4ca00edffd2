// What the page shows of energy between two markers, of sensitivities, of components opened where they stand, and of currents
// along the wires of a circuit. BONDGRAPH and CHROMIUM name the programs.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {launched, onPaper, scratch, withPage} from './chromium.mjs';
import {dataOf} from './page_data.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const models = join(here, '../../models');
const axe = readFileSync(join(here, 'node_modules/axe-core/axe.min.js'), 'utf8');
const files = scratch();
const {folder} = files;
let browser;

before(async () => { browser = await launched(); });
after(async () => {
    await browser?.close();
    files.remove();
});

const made = new Map();
function report(file, ...options) {
    const key = [file, ...options].join(' ');
    if (!made.has(key)) made.set(key, files.page(file, 0, ...options));
    return made.get(key);
}
const written = (text) => files.written(text);
const opened = (file, link, action, how) => withPage(browser, file, link, action, how);

const text = (page, selector) => page.$eval(selector, (e) => e.textContent);
const count = (page, selector) => page.$$eval(selector, (list) => list.length);
const press = (page, selector) => page.$eval(selector, (e) => e.click());
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function accessible(page) {
    for (const theme of ['light', 'dark']) {
        await page.evaluate((t) => { document.documentElement.dataset.theme = t; }, theme);
        await page.evaluate(axe);
        const found = await page.evaluate(async () => (await globalThis.axe.run(document, {
            runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
            exclude: [['.canvas'], ['.sankey']],
        })).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`));
        assert.deepEqual(found, [], theme);
    }
}

/** The text and lines of a diagram; numbers rounded to tenths, as their last digits are of the arithmetic. */
const diagram = (svg) => [...svg.matchAll(/<(?:path|rect|text)[^>]*>(?:[^<]|<\/?t(?:span|itle)[^>]*>)*/g)].map((m) => m[0]
    .replace(/\/?>\s*$/, '').replace(/\s+/g, ' ').replace(/-?\d+\.\d+/g, (n) => (Math.round(10 * Number(n)) / 10).toFixed(1)).replace(/-0\.0/g, '0.0'));

const joule = (said) => {
    const found = said.match(/(-?[\d.]+(?:e[+-]?\d+)?) ([numkMG]|µ)?J/);
    return Number(found[1]) * ({n: 1e-9, 'µ': 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9}[found[2]] ?? 1);
};
const sums = (page) => page.$$eval('.sums .bar-row', (rows) => Object.fromEntries(rows.map((r) => [r.querySelector('.bar-label').textContent, r.querySelector('.bar-value').textContent])));

/** "From 0.1 s to 500 ms", in seconds. */
const span = (said) => [...said.matchAll(/([\d.]+) (m|µ)?s\b/g)].map((m) => Number(m[1]) * ({m: 1e-3, 'µ': 1e-6}[m[2]] ?? 1));

const motor = join(models, 'electromechanical/dc_motor.yaml');

for (const model of ['electromechanical/dc_motor.yaml', 'electrical/series_rlc.yaml', 'hydraulic/press.yaml', 'electrical/boost_converter.yaml', 'mechanics3d/robot_arm.yaml']) {
    test(`the diagram of the whole run is the program's own: ${model}`, async () => {
        const file = report(join(models, model));
        await opened(file, '#view=energy', async (page) => {
            const own = dataOf(file).run.energy.sankey;
            const shown = await page.$eval('#pane-energy .sankey', (e) => e.innerHTML);
            const parsed = await page.evaluate((t) => { const d = document.createElement('div'); d.innerHTML = t.replace(/^<\?xml[^>]*\?>\s*/, ''); return d.innerHTML; }, own);
            assert.deepEqual(diagram(shown), diagram(parsed));
        }, {size: {width: 7000, height: 900}});
    });
}

test('the account of a window is the program\'s account of it', async () => {
    await opened(report(motor), '#view=energy&window=0.1,0.5', async (page) => {
        const title = await text(page, '.sums h3');
        const [from, to] = span(title);
        assert.ok(Math.abs(from - 0.1) < 0.02 && Math.abs(to - 0.5) < 0.02, title);
        // To all digits of the instants: those in the link.
        await press(page, '#link');
        const exact = await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('window'));
        const audit = join(folder, 'audit.json');
        execFileSync(process.env.BONDGRAPH, ['run', motor, '-o', join(folder, 'motor.csv'), '--quiet', '--window', exact.split(',').map((t) => `${t} s`).join(','), '--audit-json', audit]);
        const told = JSON.parse(readFileSync(audit, 'utf8'));
        const own = told.balance ?? told;
        const shown = await sums(page);
        for (const [label, key] of [['Supplied', 'supplied'], ['Stored', 'stored'], ['Dissipated', 'dissipated']])
            assert.ok(Math.abs(joule(shown[label]) - own[key]) < 2e-4 * own.supplied, `${label}: ${shown[label]}, ${own[key]}`);
    });
});

test('markers by keyboard and mouse, whole run and instants, and a link to the window', async () => {
    await opened(report(motor), '#view=energy', async (page) => {
        const whole = await sums(page);
        assert.match(await text(page, '.sums h3'), /From 0(\.0+)? s to 2(\.0+)? s/);
        await page.focus('#window-from');
        await page.keyboard.press('ArrowRight');
        await settled(page);
        assert.doesNotMatch(await text(page, '.sums h3'), /From 0(\.0+)? s/);
        await page.keyboard.press('PageUp');
        await page.keyboard.press('PageUp');
        await settled(page);
        const later = await sums(page);
        assert.ok(joule(later.Supplied) < joule(whole.Supplied));
        assert.match(await page.$eval('#window-from', (e) => e.getAttribute('aria-valuetext')), /^[\d.]+ m?s$/);
        // Across the other marker: it is taken along, and never is there a window of nothing.
        await page.keyboard.press('End');
        await settled(page);
        const [from, to] = span(await text(page, '.sums h3'));
        assert.ok(from < to && to === 2);
        await press(page, '#window-whole');
        await settled(page);
        assert.deepEqual(await sums(page), whole);
        // The mouse drags the thumb at the right end.
        const box = await (await page.$('#window-to')).boundingBox();
        await page.mouse.move(box.x + box.width - 8, box.y + box.height / 2);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, {steps: 5});
        await page.mouse.up();
        await settled(page);
        const end = span(await text(page, '.sums h3'))[1];
        assert.ok(Math.abs(end - 1) < 0.1, String(end));
        await press(page, '#link');
        const link = await page.evaluate(() => location.hash);
        assert.match(link, /window=0,/);
        await page.evaluate(() => { location.hash = '#view=energy&window=0.2,0.4'; });
        await settled(page);
        await page.waitForFunction(() => /From (0\.[12]|[12]\d\d(\.\d+)? ms)/.test(document.querySelector('.sums h3').textContent));
        // A window that is none is the whole run.
        await page.evaluate(() => { location.hash = '#view=energy&window=5,3'; });
        await page.waitForFunction(() => /to 2(\.0+)? s/.test(document.querySelector('.sums h3').textContent));
        // From and to the instant that is shown.
        await page.$eval('#time', (e) => { e.value = 2500; e.dispatchEvent(new Event('input')); });
        await press(page, '#window-from-now');
        await settled(page);
        const began = span(await text(page, '.sums h3'))[0];
        assert.ok(Math.abs(began - 0.5) < 0.05, String(began));
    });
});

test('windows add up to the whole', async () => {
    await opened(report(motor), '#view=energy&window=0,0.3', async (page) => {
        const first = await sums(page);
        await press(page, '#link');
        const middle = (await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('window'))).split(',')[1];
        await page.evaluate((m) => { location.hash = `#view=energy&window=${m},2`; }, middle);
        await settled(page);
        await page.waitForFunction(() => /to 2(\.0+)? s/.test(document.querySelector('.sums h3').textContent));
        const second = await sums(page);
        await press(page, '#window-whole');
        await settled(page);
        const whole = await sums(page);
        // Each is shown with four digits.
        for (const k of Object.keys(whole)) assert.ok(Math.abs(joule(first[k]) + joule(second[k]) - joule(whole[k])) < 1e-3 * joule(whole.Supplied), k);
    });
});

test('the balance stays level, and its largest deviation is named', async () => {
    await opened(report(motor), '#view=energy', async (page) => {
        const told = await text(page, '#level-told');
        const share = Number(told.match(/within ([\d.]+e[+-]\d+) of the/)[1]);
        assert.ok(share < 1e-5, told);
        assert.match(told, /farthest off at [\d.]+ m?s, by /);
        // The line: its ends and every point within a pixel of the middle, on the scale that is told.
        const path = await page.$eval('.leveling .curve.deviation', (e) => e.getAttribute('d'));
        const ys = [...path.matchAll(/[ML][\d.]+,([\d.]+)/g)].map((m) => Number(m[1]));
        assert.ok(ys.length > 50);
        assert.ok(Math.max(...ys) - Math.min(...ys) < 1, `${Math.min(...ys)} to ${Math.max(...ys)}`);
        assert.equal(await count(page, '.balance-chart:not(.leveling) .curve'), 3);
        // A click goes to an instant, and the scale of that instant is level as well.
        await page.$eval('.balance-chart.leveling', (e) => e.scrollIntoView({block: 'center'}));
        const box = await (await page.$('.balance-chart.leveling svg')).boundingBox();
        await page.mouse.click(box.x + 58 + 0.25 * (box.width - 66), box.y + 30);
        await settled(page);
        assert.match(await text(page, '#now'), /^(0\.[45]|[45]\d\d)/);
        const lengths = await page.$$eval('#scale .bar-track', (tracks) => tracks.map((t) => [...t.querySelectorAll('.bar')].reduce((sum, b) => sum + parseFloat(b.style.width), 0)));
        assert.ok(Math.abs(lengths[0] - lengths[1]) < 0.01, String(lengths));
        assert.match(await text(page, '.scale-told'), /supplied [\d.]+ J; stored .*dissipated/);
    });
});

test('books that do not add up are said to be so', async () => {
    // A page whose account has been tampered with: half of what a part has lost is left out of the balance.
    const file = report(motor), page0 = readFileSync(file, 'utf8');
    const wrong = join(folder, 'wrong.html');
    writeFileSync(wrong, page0.replace(/("balance":\{[^}]*"dissipated":")([^"]+)"/, (_, head, packed) => {
        const numbers = new Float64Array(new Uint8Array(Buffer.from(packed, 'base64')).buffer).map((v) => 0.5 * v);
        return `${head}${Buffer.from(numbers.buffer).toString('base64')}"`;
    }));
    await opened(wrong, '#view=energy', async (page) => {
        assert.equal(await count(page, '.level-told.wrong'), 1);
        assert.match(await text(page, '#level-told'), /do not add up/);
    });
});

const plates = (energy) => written(`model: plates
components:
  driver:  {type: Sf, f: 2e-7*cos(1000*time)}
  hand:    {type: Sf, f: -5e-3*sin(1000*time)}
  capsule: {type: CF, law: [e1 = q1*q2/7e-16, e2 = q1^2/7e-16], energy: q1^2*q2/${energy}, initial: {q: [9e-10, 25e-6]}}
bonds: [driver -> capsule.p1, hand -> capsule.p2]
experiment: {stop: 62.831853 ms, tolerance: 1e-9}
outputs: [capsule.q]
`);

test('a law that disagrees with its energy is no error of the integration, and is seen in the line', async () => {
    await opened(report(plates('1.4e-15')), '#view=energy', async (page) => {
        for (const place of ['#level-told', '.balance']) assert.match(await text(page, place), /smaller tolerance.*a law and the energy that is given for it disagree/);
        assert.doesNotMatch(await text(page, '#pane-energy'), /error of the integration/);
        // An eighth of what moved: the scale ends at a fifth, so that the line takes a good part of the height.
        const marks = await page.$$eval('.balance-chart.leveling text', (all) => all.map((e) => e.textContent));
        assert.ok(marks.includes('+20') && marks.includes('−20'), String(marks));
    });
    await opened(report(motor), '#view=energy', async (page) => {
        assert.match(await text(page, '.balance'), /It is the error of the integration/);
        assert.doesNotMatch(await text(page, '#pane-energy'), /disagree/);
    });
});

test('what rounding leaves of larger energies is no loss in events, and no dissipation', async () => {
    // Friction that sticks and slides: nothing jumps, and in each event rounding leaves something.
    const chalk = written(`model: chalk
components:
  board:    {type: Sf, f: 50 mm/s}
  contact:  {type: 0}
  friction: {type: Friction, level: 1.2 N, static: 2 N}
  tip:      {type: 1}
  mass:     {type: I, I: 10 g, initial: {f: 50 mm/s}}
  spring:   {type: C, K: 1000 N/m, initial: {q: 0 m}}
bonds: [board -> contact, contact -> friction, contact -> tip, tip -> mass, tip -> spring]
experiment: {stop: 0.2 s, tolerance: 1e-8}
`);
    const file = report(chalk);
    const left = dataOf(file).run.energy.events;
    assert.ok(left !== 0 && Math.abs(left) < 1e-15, String(left));
    await opened(file, '#view=energy', async (page) => {
        assert.deepEqual(await page.$$eval('.sums .bar-label', (all) => all.map((e) => e.textContent)), ['Supplied', 'Stored', 'Dissipated']);
        assert.ok(!(await page.$$eval('.books thead th', (all) => all.map((e) => e.textContent))).includes('events'));
        await page.$eval('#time', (e) => { e.value = 10000; e.dispatchEvent(new Event('input')); });
        for (const place of ['#scale', '.balance-charts', '.balance']) assert.doesNotMatch(await text(page, place), /events/);
    });
});

test('a page without the course of its account says that parts of the run have none', async () => {
    const file = join(folder, 'without.html');
    writeFileSync(file, readFileSync(report(motor), 'utf8').replace('"course":', '"former":'));
    await opened(file, '#view=energy', async (page) => {
        assert.equal(await count(page, '#window-from'), 0);
        assert.match(await text(page, '#pane-energy'), /how it came about is not on this page/);
        assert.equal(await count(page, '#pane-energy .sankey svg'), 1);
    });
});

test('at an event the account can end before it and after it', async () => {
    const file = report(written(`model: bouncing
components:
  j: {type: 1, domain: translational}
  m: {type: I, I: 1 kg, initial: {f: 2 m/s}}
  k: {type: C, C: 0.01 m/N, initial: {q: 0}}
bonds: [j -> m, j -> k]
when:
  - if: k.q > 0.1
    reinit: {m.p: -0.5*m.p}
experiment: {stop: 0.3 s}
outputs: [m.f, k.q]
`));
    await opened(file, '#view=energy', async (page) => {
        const said = new Set();
        await page.focus('#window-to');
        await page.keyboard.press('Home');
        let before = null, after = null;
        for (let k = 0; k < 400 && !after; ++k) {
            await page.keyboard.press('ArrowRight');
            const value = await page.$eval('#window-to', (e) => e.getAttribute('aria-valuetext'));
            said.add(value);
            await settled(page);
            if (/before the event/.test(value)) before = await sums(page);
            else if (/after the event/.test(value)) after = await sums(page);
        }
        assert.ok(before && after, [...said].slice(-3).join(' | '));
        assert.equal(before['Lost in events'], undefined);
        assert.ok(joule(after['Lost in events']) > 0.1);
    });
});

test('energy at phone width and with reduced motion, accessible in light and dark', async () => {
    await opened(report(motor), '#view=energy&window=0.1,0.9', async (page) => {
        await accessible(page);
        const wide = await page.$$eval('#pane-energy .balance-chart svg, #pane-energy .window-tools, #pane-energy .bar-row', (list) => list.filter((e) => e.getBoundingClientRect().right > innerWidth + 1).length);
        assert.equal(wide, 0);
        for (const id of ['#window-from', '#window-to']) {
            const box = await (await page.$(id)).boundingBox();
            assert.ok(box.height >= 24 && box.width > 150);
        }
    }, {size: {width: 390, height: 844}, calm: true});
});

test('sensitivities as bars, sorted, with the measure chosen', async () => {
    // x = q0 exp(-t/(R C)): at the end (t = R C) one percent for one percent of each.
    const model = written(`model: decay
parameters: {q0: 2, none: 0}
components:
  j: {type: 0}
  C: {type: C, C: 0.5, initial: {q: q0}}
  R: {type: R, R: 2}
  S: {type: R, R: 2000}
bonds: [j -> C, j -> R, j -> S]
experiment: {stop: 1 s, interval: 0.01 s}
outputs: [C.q]
`);
    await opened(report(model, '--sensitivity', 'C.q', '--sensitivity', 'R.e'), '#view=sensitivity', async (page) => {
        const bars = () => page.$$eval('#pane-sensitivity .bar-row', (rows) => rows.map((r) => [r.firstElementChild.textContent, Number(r.querySelector('.bar-value').textContent.replace('−', '-')), parseFloat(r.querySelector('.bar').style.width)]));
        const end = await bars();
        const by = Object.fromEntries(end.map(([name, value]) => [name, value]));
        for (const name of ['q0', 'R.R', 'C.C']) assert.ok(Math.abs(by[name] - 1) < 2e-3, `${name}: ${by[name]}`);
        assert.ok(Math.abs(by['S.R'] - 0.001) < 1e-4);
        assert.deepEqual(end.map(([, v]) => Math.abs(v)), end.map(([, v]) => Math.abs(v)).sort((a, b) => b - a));
        assert.equal(end[end.length - 1][0], 'S.R');
        assert.ok(Math.abs(end[0][2] - 50) < 0.1);
        assert.match(await text(page, '#pane-sensitivity'), /Of value 0, which has no percent: none/);
        // The largest value is the first one, on which only q0 acts.
        await page.select('#sensitive-measure', '1');
        assert.deepEqual((await bars()).map(([name]) => name), ['q0']);
        assert.match(await text(page, '#pane-sensitivity'), /Less than the runs can tell \(.*\): .*R\.R/);
        await page.select('#sensitive-result', '1');
        await page.select('#sensitive-measure', '0');
        // e = q/C: the capacity makes the voltage smaller and the decay slower: 1 - 1.
        assert.ok(!(await bars()).some(([name, v]) => name === 'C.C' && Math.abs(v) > 0.01));
        await page.$eval('#pane-sensitivity .bar-row button', (e) => e.click());
        await page.waitForFunction(() => document.querySelectorAll('.canvas .chosen').length > 0);
        await accessible(page);
    });
    await opened(report(model), '', async (page) => { assert.equal(await count(page, '#tab-sensitivity'), 0); });
});

const robot = join(models, 'mechanics3d/robot_arm.yaml');
const divider = `model: divider
import: [electrical]
components:
  V: {type: ConstantVoltage, V: 10 V}
  R: {type: Resistor, R: 1 kohm}
  C: {type: Capacitor, C: 1 uF}
  R2: {type: Resistor, R: 2 kohm}
  G: {type: Ground}
connect:
  - [V.p, R.p]
  - [R.n, C.p, R2.p]
  - [V.n, C.n, R2.n, G]
experiment: {stop: 5 ms}
`;

test('a component is expanded where it stands, by mouse, keyboard and button, and collapsed again', async () => {
    await opened(report(written(divider)), '', async (page) => {
        const names = () => page.$$eval('.canvas [aria-label]', (list) => list.map((e) => e.getAttribute('aria-label')));
        const folded = await names();
        assert.ok(folded.includes('Expand R2') && folded.some((n) => /^Resistor R2 .*can be expanded/.test(n)));
        const few = await count(page, '.canvas path.bond');
        // Keyboard: Enter on the +, and the focus is on the − then.
        await page.$eval('.canvas .opener[data-name=R2]', (e) => e.focus());
        await page.keyboard.press('Enter');
        assert.ok(await count(page, '.canvas path.bond') > few);
        assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Collapse R2');
        assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-expanded')), 'true');
        assert.match(await text(page, '.sentence'), /R2 is expanded: \d+ parts stand inside it/);
        assert.equal(await count(page, '.canvas rect.frame'), 1);
        // Values and reasons of what is inside.
        await page.$eval('#time', (e) => { e.value = 5000; e.dispatchEvent(new Event('input')); });
        const inner = await page.$$eval('.canvas .handle[aria-label^="Bond"]', (list) => list.map((e) => e.getAttribute('aria-label')).find((n) => /R2\./.test(n)));
        await page.$eval(`.canvas .handle[aria-label="${inner}"]`, (e) => e.focus());
        assert.match(await text(page, '.tip'), /\.e = [-\d.]+ m?V[\s\S]*\.f = [-\d.]+ (m|µ)?A[\s\S]*power/);
        await page.keyboard.press('Enter');
        assert.match(await text(page, '#pane-details h2'), /^Bond /);
        assert.ok(await count(page, '.chain li') > 0);
        assert.ok((await onPaper(page, 'path.band')).length >= 4); // of R, C and R2, and in it
        // Causality step by step in it.
        await press(page, '#step-first');
        assert.equal(await count(page, '.canvas path.stroke:not(.unassigned)'), 0);
        await press(page, '#step-last');
        assert.equal(await count(page, '.canvas path.stroke:not(.unassigned)'), await count(page, '.canvas .handle[aria-label^="Bond"]'));
        // Another one beside it: each has a frame of its own, with its − at it.
        await page.$eval('.canvas .opener[data-name=C]', (e) => e.dispatchEvent(new MouseEvent('click', {bubbles: true})));
        assert.ok((await names()).includes('Collapse C') && (await names()).includes('Collapse R2'));
        assert.equal(await count(page, '.canvas rect.frame'), 2);
        for (const name of ['C', 'R2']) {
            const inside = await page.evaluate((n) => {
                const badge = document.querySelector(`.canvas .opener[data-name=${n}]`).getBoundingClientRect();
                const at = {x: badge.x + badge.width / 2, y: badge.y + badge.height / 2};
                const frames = [...document.querySelectorAll('.canvas rect.frame')].map((f) => f.getBoundingClientRect());
                const title = [...document.querySelectorAll('.canvas .frame-title')].find((t) => t.textContent.endsWith(` ${n}`)).getBoundingClientRect();
                const mine = frames.find((f) => Math.hypot(f.right - at.x, f.top - at.y) < 12);
                return mine !== undefined && title.x > mine.left && title.x < mine.right && title.y > mine.top - 20 && title.y < mine.bottom;
            }, name);
            assert.ok(inside, `${name}: its − is at its frame`);
        }
        await press(page, '#link');
        assert.match(await page.evaluate(() => location.hash), /open=R2&open=C/);
        await press(page, '#expand'); // nothing is chosen: the one that was expanded last
        assert.match(await text(page, '.sentence'), /C is collapsed/);
        assert.ok((await names()).includes('Collapse R2'));
        await press(page, '#expand');
        assert.deepEqual(await names(), folded);
        assert.match(await text(page, '.sentence'), /R2 is collapsed/);
        // By the button, for what is chosen.
        await page.evaluate(() => { location.hash = '#node=R'; });
        await page.waitForFunction(() => !document.getElementById('expand').disabled);
        await press(page, '#expand');
        assert.ok((await names()).includes('Collapse R'));
        // By a double click on a box, and the key x.
        await press(page, '#expand');
        const box = await (await page.$('.canvas rect.node[aria-label^="Resistor R2"]')).boundingBox();
        await page.mouse.click(box.x + 10, box.y + box.height / 2, {count: 2});
        assert.ok((await names()).includes('Collapse R2'));
        await page.$eval('.canvas .opener[data-name=R2]', (e) => e.focus());
        await page.keyboard.press('x');
        assert.deepEqual(await names(), folded);
        await accessible(page);
    });
});

test('what is opened stays where it is when one has zoomed to it, and a link opens it', async () => {
    await opened(report(robot), '', async (page) => {
        const name = await page.$eval('.canvas .opener', (e) => e.dataset.name);
        const centre = (selector) => page.$eval(selector, (e) => { const b = e.getBoundingClientRect(); return {x: b.x + b.width / 2, y: b.y + b.height / 2}; });
        for (let k = 0; k < 2; ++k) await press(page, '#zoom-in');
        const view = () => page.$eval('.canvas svg', (e) => e.getAttribute('viewBox').split(' ').map(Number));
        const near = await view();
        await page.evaluate((n) => document.querySelector(`.canvas .opener[data-name="${n}"]`).dispatchEvent(new MouseEvent('click', {bubbles: true})), name);
        const opened2 = await view();
        assert.ok(opened2[2] >= near[2] * 0.999);
        const frame = await centre('.canvas rect.frame'), stage = await page.$eval('.canvas', (e) => { const b = e.getBoundingClientRect(); return [b.left, b.right, b.top, b.bottom]; });
        assert.ok(frame.x > stage[0] && frame.x < stage[1] && frame.y > stage[2] && frame.y < stage[3], JSON.stringify({frame, stage}));
        await page.evaluate((n) => { location.hash = `#open=${encodeURIComponent(n)}`; }, name);
        await settled(page);
        assert.equal(await count(page, '.canvas [aria-label^="Collapse"]'), 1);
        await page.select('#drawing', 'Looked into');
        assert.equal(await count(page, '.canvas .opener'), 0);
        assert.ok(await page.$eval('#expand', (e) => e.hidden));
    });
});

test('currents move along the wires of a circuit, as large as they are', async () => {
    await opened(report(written(divider)), '', async (page) => {
        await page.select('#drawing', 'Circuit');
        await page.$eval('#time', (e) => { e.value = 200; e.dispatchEvent(new Event('input')); });
        const flows = async () => (await onPaper(page, 'path.current')).map((e) => [e['stroke-width'], e['stroke-dashoffset'], e.d]);
        const first = await flows();
        assert.ok(first.length >= 5, String(first.length));
        await page.$eval('#time', (e) => { e.value = 230; e.dispatchEvent(new Event('input')); });
        const second = await flows();
        assert.notDeepEqual(second.map((f) => f[1]), first.map((f) => f[1]));
        // 0.1 ms and more after the start nearly all of it charges C; at the end it goes through R2 alone.
        await page.$eval('#time', (e) => { e.value = 10000; e.dispatchEvent(new Event('input')); });
        const last = await flows();
        assert.ok(Math.max(...last.map((f) => f[0])) < Math.max(...first.map((f) => f[0])));
        // Told at a pin, with its direction: at the end 10 V over 3 kohm.
        await page.$eval('.canvas .handle[aria-label^="Wire of R.n, C.p, R2.p"]', (e) => e.focus());
        const tip = await text(page, '.tip');
        assert.match(tip, /potential 6\.6\d+ V/);
        assert.match(tip, /R\.n: 3\.3\d* mA out of it/);
        assert.match(tip, /R2\.p: 3\.3\d* mA into it/);
        await page.$eval('.canvas .cover[aria-label="Resistor R2"]', (e) => e.focus());
        assert.match(await text(page, '.tip'), /Resistor : R2[\s\S]*p: 3\.3\d* mA into it[\s\S]*n: 3\.3\d* mA out of it/);
        await page.keyboard.press('Enter');
        assert.equal(await text(page, '#pane-details h2'), 'R2');
        await press(page, '#power');
        assert.equal((await flows()).length, 0);
        await press(page, '#power');
        await accessible(page);
    });
});

test('dashes of currents keep still where motion is not wanted', async () => {
    await opened(report(written(divider)), '', async (page) => {
        await page.select('#drawing', 'Circuit');
        await page.$eval('#time', (e) => { e.value = 200; e.dispatchEvent(new Event('input')); });
        const offsets = (await onPaper(page, 'path.current')).map((e) => e['stroke-dashoffset']);
        assert.ok(offsets.length > 0);
        assert.ok(offsets.every((o) => o === 0));
    }, {calm: true, size: {width: 390, height: 844}});
});

test('at each node of a circuit what comes also leaves', async () => {
    for (const model of ['thermal/peltier_box.yaml', 'hydraulic/press.yaml']) {
        await opened(report(join(models, model)), '#t=2', async (page) => {
            await page.select('#drawing', 'Circuit');
            const wires = await page.$$eval('.canvas .handle[aria-label^="Wire"]', (list) => list.length);
            let told = 0;
            for (let k = 0; k < wires; ++k) {
                await page.evaluate((i) => document.querySelectorAll('.canvas .handle[aria-label^="Wire"]')[i].focus(), k);
                const tip = await text(page, '.tip');
                if (/no flow along this wire/.test(tip)) continue;
                ++told;
                // Each is shown with four digits and a prefix.
                const flows = [...tip.matchAll(/: ([\d.]+(?:e[+-]?\d+)?) ([numkM]|µ)?(\S+)( into it| out of it)?$/gm)].map((m) => (m[4] === ' out of it' ? -1 : 1) * Number(m[1]) * ({n: 1e-9, 'µ': 1e-6, k: 1e3, M: 1e6, m: m[3].startsWith('3') ? 1 : 1e-3}[m[2]] ?? 1));
                assert.ok(flows.length >= 2, tip);
                const most = Math.max(...flows.map(Math.abs));
                assert.ok(Math.abs(flows.reduce((a, b) => a + b, 0)) <= 2e-3 * most, tip);
            }
            assert.ok(told > 0, model);
        });
    }
});

test('pages keep their size', async () => {
    const whole = statSync(report(robot)).size, d = dataOf(report(robot));
    const opened3 = JSON.stringify(d.graphs[0].opened).length, course = JSON.stringify(d.run.energy.course).length;
    assert.ok(opened3 < 3e6 && course < 1.5e6, `${opened3} ${course}`);
    assert.ok(whole < 2.5e6, String(whole));
});
