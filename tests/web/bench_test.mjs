// The bench in a browser, by mouse and keyboard. BONDGRAPH and CHROMIUM name the programs.

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import puppeteer from 'puppeteer-core';
import {build} from '../../web/node_modules/esbuild/lib/main.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const axe = readFileSync(join(here, 'node_modules/axe-core/axe.min.js'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'bondgraph-bench-'));
const servers = [];
let browser, address;

/** The address that the program prints. */
function serve(...options) {
    const server = spawn(process.env.BONDGRAPH, ['serve', ...options], {stdio: ['ignore', 'pipe', 'ignore']});
    servers.push(server);
    return new Promise((done, fail) => {
        let text = '';
        server.stdout.on('data', (d) => { text += d; if (text.includes('\n')) done(text.trim()); });
        server.on('exit', () => fail(new Error('the server has ended')));
    });
}

const circuit = `model: rc
components:
  source: {type: Se, e: 10 V}
  j: {type: 1}
  R1: {type: R, R: 2 ohm}
  C1: {type: C, C: 1 F}
bonds:
  - source -> j
  - j -> R1
  - j -> C1
experiment: {stop: 10 s}
outputs: [C1.e]
`;

before(async () => {
    writeFileSync(join(folder, 'rc.yaml'), circuit);
    cpSync(join(root, 'models/electromechanical/dc_motor.yaml'), join(folder, 'motor.yaml'));
    cpSync(join(root, 'docs/exercises'), join(folder, 'course'), {recursive: true});
    address = await serve(folder);
    browser = await puppeteer.launch({
        executablePath: process.env.CHROMIUM, headless: true, protocolTimeout: 240000,
        args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
    });
});
after(async () => {
    await browser?.close();
    for (const server of servers) { server.removeAllListeners('exit'); server.kill('SIGTERM'); }
    rmSync(folder, {recursive: true, force: true});
});

/** Opens the bench on a file, does something, and sees that nothing was said on the console meanwhile. */
async function opened(file, action, {size = {width: 1280, height: 720}, at = address, expected = []} = {}) {
    const page = await browser.newPage();
    page.setDefaultTimeout(60000);
    const said = [];
    page.on('console', (m) => { if (!/GPU stall|GL Driver Message|WebGL/.test(m.text()) && !expected.some((e) => e.test(m.text()))) said.push(`${m.type()}: ${m.text()}`); });
    page.on('pageerror', (e) => said.push(e.message));
    const host = new URL(at).host;
    page.on('request', (r) => { if (!r.url().startsWith(`http://${host}/`) && !/^(data|blob):/.test(r.url())) said.push(`asks for ${r.url()}`); });
    await page.setViewport(size);
    await page.goto(`${at}&file=${encodeURIComponent(file)}`);
    await page.waitForSelector('html[data-ready]');
    try {
        await action(page);
        assert.deepEqual(said, []);
    } finally {
        page.on('dialog', (d) => d.accept());
        await page.close();
    }
}

const press = (page, selector) => page.$eval(selector, (e) => e.click());
const text = (page, selector) => page.$eval(selector, (e) => e.textContent);
const source = (page) => page.evaluate(() => [...document.querySelectorAll('.cm-line')].map((l) => l.textContent).join('\n'));
/** The page of the model, once so many have been shown. */
async function model(page, number) {
    await page.waitForFunction((n) => Number(document.querySelector('.frames').dataset.shown ?? 0) >= n, {}, number);
    const frame = await (await page.waitForSelector('.frames iframe:not(.behind)')).contentFrame();
    await frame.waitForSelector('html[data-ready]');
    return frame;
}
const shown = (page) => page.$eval('.frames', (e) => Number(e.dataset.shown ?? 0));
/** The value of C1.e at the end, as its plot's key tells. */
const last = async (frame) => {
    await frame.$eval('#time', async (e) => {
        e.value = 10000;
        e.dispatchEvent(new Event('input'));
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    });
    return frame.$eval('.keys output', (e) => e.textContent);
};
/** Sets the cursor behind a text of a line and types. */
async function type(page, behind, typed) {
    const place = await page.evaluate((b) => {
        for (const line of document.querySelectorAll('.cm-line')) {
            const at = line.textContent.indexOf(b);
            if (at < 0) continue;
            const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
            let left = at + b.length;
            for (let n = walker.nextNode(); n; n = walker.nextNode()) {
                if (left > n.length) { left -= n.length; continue; }
                const range = document.createRange();
                range.setStart(n, Math.max(0, left - 1));
                range.setEnd(n, left);
                const box = range.getBoundingClientRect();
                return {x: box.right - 0.5, y: (box.top + box.bottom) / 2};
            }
        }
        return null;
    }, behind);
    assert.ok(place, `'${behind}' stands in no line`);
    await page.mouse.click(place.x, place.y);
    await page.keyboard.type(typed, {delay: 5});
}

test('a file is shown with its page, and another one on choice', async () => {
    await opened('rc.yaml', async (page) => {
        const frame = await model(page, 1);
        assert.equal(await frame.$eval('h1', (e) => e.textContent), 'rc');
        assert.match(await source(page), /C1: \{type: C, C: 1 F\}/);
        const files = await page.$$eval('#file option', (list) => list.map((o) => o.value));
        assert.ok(files.includes('motor.yaml') && files.includes('course/two_masses.yaml'), files.join());
        assert.ok(!files.some((f) => f.includes('solutions/')), 'solutions are not offered');
        await page.select('#file', 'motor.yaml');
        assert.equal(await (await model(page, 2)).$eval('h1', (e) => e.textContent), 'dc_motor');
    });
});

test('mistakes are told while typing, at their place, and go away', async () => {
    await opened('rc.yaml', async (page) => {
        await model(page, 1);
        await type(page, '{type: R', 'x');
        await page.waitForSelector('.message.error');
        assert.match(await text(page, '.message.error'), /line 5/);
        assert.match(await text(page, '#tab-messages'), /\(\d+\)/);
        await page.waitForSelector('.cm-lintRange-error');
        await page.keyboard.press('Backspace');
        await page.waitForFunction(() => document.querySelectorAll('.message.error').length === 0);
        assert.equal(await page.$$eval('.cm-lintRange-error', (l) => l.length), 0);
    });
});

test('the page follows the text', async () => {
    await opened('rc.yaml', async (page) => {
        const before = await last(await model(page, 1));
        assert.match(before, /^9\.9/);
        await type(page, 'e: 10', '0');
        assert.match(await last(await model(page, 2)), /^99\.3/);
        await press(page, '#undo');
        await model(page, 3);
        assert.equal(await source(page), circuit);
        await press(page, '#redo');
        await model(page, 4);
        assert.match(await source(page), /e: 100 V/);
    });
});

test('completion offers types, parameters of the type, and ports', async () => {
    await opened('rc.yaml', async (page) => {
        await model(page, 1);
        await page.waitForSelector('html[data-types]');
        // Lists come and go while one types.
        const offers = (word) => page.waitForFunction((w) => [...document.querySelectorAll('.cm-tooltip-autocomplete li')].some((e) => e.textContent.startsWith(w)), {}, word);
        await type(page, 'C1: {type: C, C: 1 F', ', ini');
        await offers('initial');
        await page.keyboard.press('Escape');
        for (let i = 0; i < 5; ++i) await page.keyboard.press('Backspace');
        await type(page, 'R1: {type: R', 'esis');
        await offers('Resistor');
        await page.waitForFunction(() => document.querySelector('.cm-tooltip-autocomplete li[aria-selected]')?.textContent.startsWith('Resistor'));
        await new Promise((done) => setTimeout(done, 200)); // the editor takes no Enter for a list that has just come
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => [...document.querySelectorAll('.cm-line')].some((l) => /R1: \{type: Resistor/.test(l.textContent)));
    });
});

test('a slider makes another run at once, and the file keeps it on demand', async () => {
    await opened('rc.yaml', async (page) => {
        const frame = await model(page, 1);
        const before = await last(frame);
        const pages = await shown(page);
        await page.$eval('[data-name="R1.R"]', (e) => { e.value = 200; e.dispatchEvent(new Event('input')); });
        await frame.waitForFunction((b) => document.querySelector('.keys output').textContent !== b, {}, before);
        assert.equal(await shown(page), pages, 'the same page takes the run');
        await page.$eval('[data-name="R1.R"]', (e) => e.dispatchEvent(new Event('change')));
        const after = await last(await model(page, pages + 1));
        assert.match(after, /^7\.9/); // 10 (1 - exp(-10/6.325))
        await press(page, '#keep');
        await model(page, pages + 2);
        assert.match(await source(page), /R1: \{type: R, R: 6\.325 ohm\}/);
        assert.equal(await page.$eval('#keep', (e) => e.disabled), true);
        await press(page, '#undo');
        await model(page, pages + 3);
        assert.equal(await source(page), circuit);
    });
});

const lever = `model: lever
components:
  source: {type: Se, e: 10 V}
  j: {type: 1}
  pair: {type: Pair}
  C1: {type: C, C: 1 F}
types:
  Pair:
    ports: {p: {}}
    components: {j: {type: 1}, a: {type: R, R: 1 ohm}, b: {type: R, R: 2 ohm}}
    bonds: [p -> j, j -> a, j -> b]
bonds: [source -> j, j -> pair.p, j -> C1]
experiment: {stop: 10 s}
outputs: [C1.e]
`;

test('while a slider is dragged runs have what is seen, and what is looked at then is of that run', async () => {
    writeFileSync(join(folder, 'lever.yaml'), lever);
    await opened('lever.yaml', async (page) => {
        const frame = await model(page, 1);
        const answers = [];
        page.on('response', (r) => { if (r.url().endsWith('/api/run')) answers.push(r.json().then((a) => a.data.run.tables.flatMap((t) => t.columns.map((c) => c.name)))); });
        const before = await last(frame);
        await page.$eval('[data-name="pair.b.R"]', (e) => { e.value = 100; e.dispatchEvent(new Event('input')); });
        await frame.waitForFunction((b) => document.querySelector('.keys output').textContent !== b, {}, before);
        const few = await answers[0];
        assert.ok(few.includes('C1.e') && few.includes('C1.f') && !few.some((name) => name.startsWith('pair.b.')), few.join());
        // Its inner parts are looked at next: no wrong run of them is shown for long.
        await frame.$eval('#drawing', (e) => { e.value = 'Looked into'; e.dispatchEvent(new Event('change')); });
        await frame.waitForFunction(() => document.querySelectorAll('.canvas .handle').length > 4);
        const inner = async () => (await Promise.all(answers)).some((names) => names.some((name) => name.startsWith('pair.b.')));
        for (let k = 0; k < 1000 && !await inner(); ++k) await new Promise((done) => setTimeout(done, 20));
        assert.ok(await inner(), 'the inner parts are asked for');
        await frame.$eval('#time', (e) => { e.value = 0; e.dispatchEvent(new Event('input')); });
        // 10 V over 1 + 2*10^(1/4) ohm: of the run with the file's 2 ohm it would be 3.33 A.
        await frame.waitForFunction(() => {
            document.querySelector('.canvas .handle[aria-label*="pair.b"]').focus();
            return /\.f = 2\.19\d* A/.test(document.querySelector('.tip').textContent);
        });
        assert.equal(await shown(page), 1, 'all this time it is the same page');
    });
});

test('of runs that come faster than they are drawn the last one is shown', async () => {
    await opened('rc.yaml', async (page) => {
        const frame = await model(page, 1);
        await last(frame);
        await page.evaluate(async () => {
            const slider = document.querySelector('[data-name="R1.R"]');
            for (let k = 0; k <= 40; ++k) {
                slider.value = String(10 * k - 200);
                slider.dispatchEvent(new Event('input'));
                await new Promise((done) => setTimeout(done, 5));
            }
        });
        // The last one: 2 ohm times 10^(200/400), and 10 (1 - exp(-10/6.325)) V.
        await frame.waitForFunction(() => /^7\.9/.test(document.querySelector('.keys output').textContent));
        await new Promise((done) => setTimeout(done, 500));
        assert.match(await frame.$eval('.keys output', (e) => e.textContent), /^7\.9/);
    });
});

test('sliders come back to the file', async () => {
    await opened('rc.yaml', async (page) => {
        const before = await last(await model(page, 1));
        await page.$eval('[aria-label="C1.C in F"]', (e) => { e.value = '5'; e.dispatchEvent(new Event('change')); });
        assert.notEqual(await last(await model(page, 2)), before);
        await press(page, '#reset');
        assert.equal(await last(await model(page, 3)), before);
    });
});

test('parts are found by words and put into the text', async () => {
    await opened('rc.yaml', async (page) => {
        await model(page, 1);
        await page.waitForSelector('html[data-types]');
        await press(page, '#add');
        await page.type('#find-type', 'electrical diode');
        await page.waitForSelector('.type');
        const first = await page.$eval('.type', (e) => e.dataset.type);
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => !document.querySelector('dialog').open);
        const now = await source(page);
        assert.match(now, /^import: \[electrical\]$/m);
        assert.match(now, new RegExp(`^  \\w+: \\{type: ${first}`, 'm'));
        assert.ok(now.indexOf('import:') < now.indexOf('components:') && now.indexOf(first) < now.indexOf('bonds:'));
        await press(page, '#undo');
        await model(page, 1);
        assert.equal(await source(page), circuit);
    });
});

test('bars tell how much a result depends on each parameter', async () => {
    await opened('rc.yaml', async (page) => {
        await model(page, 1);
        await press(page, '#tab-sensitivity');
        await press(page, '#sensitive-start');
        await page.waitForFunction(() => document.querySelectorAll('#pane-sensitivity .bar-row').length === 3);
        const bars = Object.fromEntries(await page.$$eval('#pane-sensitivity .bar-row', (l) => l.map((r) => [r.children[0].textContent, Number(r.children[2].textContent.replace('\u2212', '-'))])));
        // e(t) = E (1 - exp(-t/RC)): by E 1, by R and by C -(t/RC) exp(-t/RC)/(1 - exp(-t/RC)) with t/RC = 5.
        const expected = -5 * Math.exp(-5) / (1 - Math.exp(-5));
        assert.ok(Math.abs(bars['source.e'] - 1) < 1e-3, JSON.stringify(bars));
        assert.ok(Math.abs(bars['R1.R'] - expected) < 2e-3 && Math.abs(bars['C1.C'] - expected) < 2e-3, JSON.stringify(bars));
    });
});

test('files are saved, and what another editor does is noticed', async () => {
    writeFileSync(join(folder, 'saved.yaml'), circuit);
    await opened('saved.yaml', async (page) => {
        await model(page, 1);
        await type(page, 'stop: 10', '0');
        await page.keyboard.down('Control');
        await page.keyboard.press('s');
        await page.keyboard.up('Control');
        await page.waitForFunction(() => !document.querySelector('#save').classList.contains('unsaved'));
        assert.match(readFileSync(join(folder, 'saved.yaml'), 'utf8'), /stop: 100 s/);
        // Without changes of one's own theirs are shown.
        writeFileSync(join(folder, 'saved.yaml'), circuit.replace('10 V', '20 V'));
        await page.waitForFunction(() => [...document.querySelectorAll('.cm-line')].some((l) => l.textContent.includes('20 V')));
        // With changes the bench asks, and saves nothing over theirs.
        await type(page, 'stop: 10', '5');
        writeFileSync(join(folder, 'saved.yaml'), circuit.replace('10 V', '30 V'));
        await page.waitForFunction(() => !document.querySelector('#notice').hidden);
        assert.match(readFileSync(join(folder, 'saved.yaml'), 'utf8'), /30 V/);
        await page.evaluate(() => [...document.querySelectorAll('#notice button')].find((b) => b.textContent === 'Keep mine').click());
        await page.waitForFunction(() => !document.querySelector('#save').classList.contains('unsaved'));
        assert.match(readFileSync(join(folder, 'saved.yaml'), 'utf8'), /20 V[^]*stop: 105 s/);
    }, {expected: [/409/]});
});

test('a run that takes long is stopped', async () => {
    writeFileSync(join(folder, 'endless.yaml'), circuit.replace('e: 10 V', 'e: sin(1e7*time)').replace('C: 1 F', 'C: 1 nF').replace('stop: 10 s', 'stop: 1e7 s, interval: 1e6 s'));
    await opened('endless.yaml', async (page) => {
        await page.waitForFunction(() => !document.querySelector('#stop').hidden);
        await press(page, '#stop');
        await page.waitForFunction(() => document.querySelector('.message')?.textContent.includes('stopped'));
        await page.select('#file', 'rc.yaml');
        await model(page, 1);
    }, {expected: [/409/]});
});

test('an exercise has its text, hints one by one, and a judge', async () => {
    await opened('course/two_masses.yaml', async (page) => {
        await page.waitForSelector('#compare');
        assert.equal(await page.$eval('#pane-exercise', (e) => e.hidden), false);
        assert.match(await text(page, '.exercise-text'), /Two masses/);
        await page.waitForFunction(() => document.querySelector('.exercise-text img')?.naturalWidth > 50);
        assert.equal(await page.$$eval('.hints li', (l) => l.length), 0);
        await page.click('#hint');
        await page.click('#hint');
        assert.equal(await page.$$eval('.hints li', (l) => l.length), 2);
        assert.match(await text(page, '#hint'), /2 of \d/);
        assert.ok(!(await text(page, '#pane-exercise')).includes('Afterwards'), 'what comes afterwards is not told before');
        await page.click('#compare');
        await page.waitForSelector('#verdict .wrong');
        const answer = readFileSync(join(root, 'docs/exercises/solutions/two_masses.yaml'), 'utf8');
        await page.evaluate(() => document.querySelector('.cm-content').focus());
        await page.keyboard.down('Control'); await page.keyboard.press('a'); await page.keyboard.up('Control');
        await page.evaluate((t) => { const d = new DataTransfer(); d.setData('text/plain', t); document.querySelector('.cm-content').dispatchEvent(new ClipboardEvent('paste', {clipboardData: d, bubbles: true, cancelable: true})); }, answer);
        await page.click('#compare');
        await page.waitForSelector('#verdict .right');
        await page.waitForFunction(() => document.querySelector('#pane-exercise').textContent.includes('Afterwards'));
    }); // and no message of the answer that is not there yet
});

// ---- the stages of an exercise

const written = (name, text) => writeFileSync(join(folder, 'course', name), text);
const answerOf = (name, file) => readFileSync(join(root, `docs/exercises/answers/${name}/${file}.yaml`), 'utf8');
const stage = (page, id) => page.$eval(`#stage-${id}`, (e) => e.dataset.state);
const inStage = (page, id, state) => page.waitForFunction((i, s) => document.querySelector(`#stage-${i}`)?.dataset.state === s, {}, id, state);
const result = (page) => page.$eval('#result', (e) => e.value);
/** The page of the model whose graph has places for strokes. */
async function placesShown(page) {
    for (let k = 0; k < 200; ++k) {
        const element = await page.$('.frames iframe:not(.behind)');
        const frame = await element?.contentFrame();
        if (frame && await frame.$('.stroke-place').catch(() => null)) return frame;
        await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error('there are no places for strokes');
}
const sentence = (frame) => frame.$eval('.sentence', (e) => e.textContent);
async function place(frame, bond, end) {
    const before = await sentence(frame);
    await frame.$eval(`.stroke-place[data-bond="${bond}"][data-side="${end}"]`, (e) => e.dispatchEvent(new MouseEvent('click', {bubbles: true})));
    await frame.waitForFunction((b) => document.querySelector('.sentence').textContent !== b, {}, before);
    return sentence(frame);
}
/** Places all that are left, by what the program says; where nothing is to be derived afterwards, another page comes. */
async function placeAll(frame) {
    try {
        for (let next = await frame.$('.stroke-place'); next; next = await frame.$('.stroke-place')) {
            const left = await frame.$$eval('.stroke-place', (l) => l.length);
            const bond = await next.evaluate((e) => e.dataset.bond);
            if (/not there/.test(await place(frame, bond, 'from'))) await place(frame, bond, 'to');
            assert.equal(await frame.$$eval('.stroke-place', (l) => l.length), left - 2, bond);
        }
    } catch (e) {
        if (!/detached|destroyed/i.test(e.message)) throw e;
    }
}
async function derive(page, state, text) {
    await page.$eval(`.derivation[data-state="${state}"]`, (e) => { e.closest('.task').querySelector('.judgement').textContent = ''; });
    await page.$eval(`.derivation[data-state="${state}"]`, (e, t) => { e.value = t; e.dispatchEvent(new Event('change')); }, text);
    await page.waitForFunction((s) => document.querySelector(`.derivation[data-state="${s}"]`)?.closest('.task').querySelector('.judgement').textContent !== '', {}, state);
    return page.$eval(`.derivation[data-state="${state}"]`, (e) => e.closest('.task').querySelector('.judgement').textContent);
}
const right = async (page) => { await page.click('#compare'); await page.waitForSelector('#verdict .right'); };
/** Data of the page that is shown. */
const pageHas = async (page, selector) => { const f = await (await page.$('.frames iframe:not(.behind)')).contentFrame(); return f.$$eval(selector, (l) => l.length); };

test('an exercise has three stages, and shows nothing of what is to be found', async () => {
    written('two_masses.yaml', answerOf('two_masses', 'right_two_links'));
    await opened('course/two_masses.yaml', async (page) => {
        const bodies = [];
        page.on('response', (r) => { if (/^\/api\/(model|run|compare|strokes|derive)$/.test(new URL(r.url()).pathname)) bodies.push(r.text().catch(() => '')); });
        const frame = await model(page, 1);
        assert.equal(await stage(page, 'graph'), 'open');
        assert.equal(await stage(page, 'strokes'), 'locked');
        assert.equal(await stage(page, 'equations'), 'locked');
        assert.equal(await frame.$$eval('svg .stroke', (l) => l.length), 0, 'no stroke is drawn');
        assert.equal(await frame.$eval('.causality', (e) => e.hidden), true);
        await frame.$eval('#tab-equations', (e) => e.click());
        assert.equal(await frame.$$eval('.equation', (l) => l.length), 0);
        assert.match(await frame.$eval('.equations', (e) => e.textContent), /yours to be derived/);
        await frame.$eval('[aria-label^="Bond"]', (e) => e.dispatchEvent(new MouseEvent('click', {bubbles: true})));
        assert.doesNotMatch(await frame.$eval('#pane-details', (e) => e.textContent), /stroke/i);
        await right(page);
        await inStage(page, 'strokes', 'open');
        assert.equal(await stage(page, 'equations'), 'locked');
        const game = await placesShown(page);
        assert.match(await place(game, 'F', 'from'), /^F: not there\. Se 'F' fixes its effort\.$/);
        assert.match(await place(game, 'F', 'to'), /^F: right \(Se 'F' fixes its effort\)\. 9 left\.$/);
        // By keyboard: the next place has the focus then.
        await game.$eval('.stroke-place[data-bond="A"][data-side="to"]', (e) => e.focus());
        await page.keyboard.press('Enter');
        await game.waitForFunction(() => document.querySelectorAll('.stroke-place').length === 16);
        assert.equal(await game.evaluate(() => document.activeElement.classList.contains('stroke-place')), true);
        assert.match(await text(page, '#strokes-told'), /2 of 10 placed, 1 wrong try/);
        await placeAll(game);
        await inStage(page, 'strokes', 'done');
        await inStage(page, 'equations', 'open');
        assert.equal(await game.$$eval('.placed-stroke', (l) => l.length), 10);
        const states = await page.$$eval('.derivation', (l) => l.map((e) => e.dataset.state));
        assert.deepEqual([...states].sort(), ['A.p', 'B.p', 'K.q']);
        assert.equal(await derive(page, 'K.q', 'B.p/B - A.p/A'), 'All of it has the other sign.');
        assert.equal(await derive(page, 'K.q', 'A.p/A.I - B.p/B.I'), 'Right.');
        assert.match(await derive(page, 'A.p', 'F.e - K.e'), /states, parameters and sources/);
        assert.equal(await derive(page, 'A.p', 'F.e - K.q/K - D*(A.p/A - B.p/B)'), 'Right.');
        assert.equal(await pageHas(page, '.equation'), 0, 'the others are not told before');
        const pages = await shown(page);
        assert.equal(await derive(page, 'B.p', 'K.q/K + D*(A.p/A - B.p/B) - G*B.p/B'), 'Right.');
        await inStage(page, 'equations', 'done');
        const solved = await model(page, pages + 1);
        assert.ok(await solved.$$eval('svg .stroke', (l) => l.length) >= 10, 'now the page has all');
        assert.match(await result(page), /^two_masses: graph right \(1 try, 0 of \d hints\); strokes 10 of 10 \(\d wrong\); equations 3 of 3 \(2 wrong\)$/);
        const sent = (await Promise.all(bodies)).join('\n');
        assert.ok(sent.length > 10000);
        for (const own of ['m1.p', 'm1: {', 'spring.q', 'spring:', 'damper:', '"damper"', 'push.e', '- push', 'apart ->']) assert.ok(!sent.includes(own), `'${own}' is of the solution`);
    });
});

test('a graph that stays right keeps its strokes, one that does not has to be compared again', async () => {
    written('rc_circuit.yaml', answerOf('rc_circuit', 'right_conductance'));
    await opened('course/rc_circuit.yaml', async (page) => {
        await model(page, 1);
        await right(page);
        const game = await placesShown(page);
        await place(game, 'U', 'to');
        assert.match(await text(page, '#strokes-told'), /1 of 4 placed/);
        // Another unit is the same graph.
        await type(page, 'e: 10', ' V');
        await model(page, 2);
        await page.waitForFunction(() => /1 of 4 placed/.test(document.querySelector('#strokes-told').textContent));
        const again = await placesShown(page);
        assert.equal(await again.$$eval('.stroke-place', (l) => l.length), 6);
        assert.equal(await again.$$eval('.placed-stroke', (l) => l.length), 1);
        assert.match(await result(page), /graph right \(1 try/);
        // Another value is not.
        await type(page, 'C: 0.005', '1');
        await model(page, 3);
        await inStage(page, 'graph', 'open');
        assert.equal(await stage(page, 'strokes'), 'locked');
        await page.waitForSelector('#verdict .wrong');
        assert.equal(await pageHas(page, '.stroke-place'), 0);
        await press(page, '#undo');
        await model(page, 4);
        await right(page);
        await inStage(page, 'strokes', 'open');
        assert.match(await text(page, '#strokes-told'), /1 of 4 placed/);
        // Another file and back: progress is kept while the bench is open.
        page.on('dialog', (d) => d.accept());
        await page.click('#hint');
        await page.select('#file', 'rc.yaml');
        await page.waitForFunction(() => document.querySelector('#pane-exercise').hidden);
        await page.select('#file', 'course/rc_circuit.yaml');
        await page.waitForFunction(() => document.querySelectorAll('.hints li').length === 1);
        assert.match(await result(page), /2 tries, 1 of/);
    });
});

test('strokes may be shown to who gives up, and equations, which is told', async () => {
    written('mass_spring_damper.yaml', readFileSync(join(root, 'docs/exercises/solutions/mass_spring_damper.yaml'), 'utf8'));
    await opened('course/mass_spring_damper.yaml', async (page) => {
        await model(page, 1);
        await right(page);
        const game = await placesShown(page);
        const places = await game.$$eval('.stroke-place', (l) => l.length);
        await page.focus('#strokes-show');
        await page.keyboard.press('Enter');
        await inStage(page, 'strokes', 'shown');
        await game.waitForFunction(() => document.querySelectorAll('.stroke-place').length === 0);
        assert.equal(await game.$$eval('.placed-stroke.shown', (l) => l.length), places / 2);
        await inStage(page, 'equations', 'open');
        const pages = await shown(page);
        await page.focus('#equations-show');
        await page.keyboard.press('Enter');
        await inStage(page, 'equations', 'shown');
        const solved = await model(page, pages + 1);
        await solved.$eval('#tab-equations', (e) => e.click());
        assert.ok(await solved.$$eval('.equation', (l) => l.length) > 2);
        assert.match(await result(page), /strokes 0 of \d+ \(0 wrong, then shown\); equations 0 of 2 \(0 wrong, then shown\)$/);
    });
});

test('of two inertias that turn together either is the state, and strokes and equations follow', async () => {
    for (const [bond, state, equation] of [['J', 'J.p', '(T - d*J.p/(g^2*J))/(1 + drum/(g^2*J))'], ['drum', 'drum.p', '(g*T - d*drum.p/drum)/(1 + g^2*J/drum)']]) {
        written('gear_train.yaml', answerOf('gear_train', 'right_reversed'));
        await opened('course/gear_train.yaml', async (page) => {
            await model(page, 1);
            await right(page);
            const game = await placesShown(page);
            assert.match(await place(game, bond, 'to'), /possible, as the other end would be/);
            const other = bond === 'J' ? 'drum' : 'J';
            assert.match(await place(game, other, 'to'), /not there/);
            assert.match(await place(game, other, 'from'), /right/);
            await placeAll(game);
            await inStage(page, 'equations', 'open');
            assert.deepEqual(await page.$$eval('.derivation', (l) => l.map((e) => e.dataset.state)), [state]);
            const told = await derive(page, state, equation);
            assert.equal(told, 'Right.', `${state}: ${told}`);
            await inStage(page, 'equations', 'done');
        });
    }
});

test('in an algebraic loop a stroke that is chosen decides others, and without states there is nothing to derive', async () => {
    written('wheatstone_bridge.yaml', readFileSync(join(root, 'docs/exercises/solutions/wheatstone_bridge.yaml'), 'utf8'));
    for (const end of ['from', 'to']) {
        await opened('course/wheatstone_bridge.yaml', async (page) => {
            await model(page, 1);
            await right(page);
            const game = await placesShown(page);
            await place(game, 'battery', 'to');
            assert.match(await place(game, 'R1', end), /possible, as the other end/);
            await placeAll(game);
            await inStage(page, 'strokes', 'done');
            await inStage(page, 'equations', 'none');
            assert.match(await text(page, '#stage-equations'), /There is no state/);
            assert.match(await result(page), /; no equations$/);
        });
    }
});

test('of a model whose equations can\'t be judged the stage says so', async () => {
    const diode = 'model: valve\ncomponents:\n  u: {type: Se, e: 5 V}\n  j: {type: 1}\n  d: {type: D, Ron: 0.1 ohm, Goff: 1 uS}\n  c: {type: C, C: 1 F}\nbonds: [u -> j, j -> d, j -> c]\n';
    written('valve.md', '# A valve\n\nText.\n');
    written('solutions/valve.yaml', diode);
    written('valve.yaml', diode);
    await opened('course/valve.yaml', async (page) => {
        await model(page, 1);
        await right(page);
        await placeAll(await placesShown(page));
        await inStage(page, 'equations', 'none');
        assert.match(await text(page, '#stage-equations'), /can't be judged: they change at events/);
        assert.match(await result(page), /equations not judged$/);
    });
});

test('in the bench other models than exercises have their strokes judged by the program, too', async () => {
    writeFileSync(join(folder, 'tied.yaml'), 'model: tied\ncomponents:\n  s: {type: Se, e: 1 N.m}\n  j: {type: 1}\n  a: {type: I, I: 1 kg.m2}\n  b: {type: I, I: 2 kg.m2}\nbonds: [s -> j, j -> a, j -> b]\nexperiment: {stop: 1 s}\n');
    await opened('tied.yaml', async (page) => {
        const frame = await model(page, 1);
        await frame.$eval('#place-strokes', (e) => e.click());
        await frame.waitForSelector('.stroke-place');
        assert.match(await place(frame, 'b', 'to'), /possible, as the other end would be/);
        assert.match(await place(frame, 'a', 'to'), /not there/);
        await placeAll(frame);
        await frame.$eval('#step-last', (e) => e.click());
        assert.equal(await frame.$$eval('.placed-stroke', (l) => l.length), 0);
        assert.ok(await frame.$$eval('svg .stroke:not(.unassigned)', (l) => l.length) >= 3);
    });
});

test('all exercises of a folder are listed with how far one is', async () => {
    written('two_tanks.yaml', 'model: nothing yet\ncomponents:\n  a: {type: Xx}\n');
    written('lever.yaml', answerOf('lever', 'arms_exchanged'));
    written('rc_circuit.yaml', answerOf('rc_circuit', 'right_conductance'));
    await opened('course/rc_circuit.yaml', async (page) => {
        await model(page, 1);
        await right(page);
        await page.click('#all-exercises summary');
        const list = () => page.$$eval('.all-exercises li', (l) => Object.fromEntries(l.map((i) => [i.querySelector('button').textContent, i.lastChild.textContent.trim()])));
        await page.waitForFunction(() => document.querySelectorAll('.all-exercises li').length >= 20);
        assert.equal((await list())['course/rc_circuit.yaml'], 'graph right, 0 of 4 strokes');
        assert.equal((await list())['course/crane.yaml'], 'not begun');
        await page.click('#look-at-all');
        await page.waitForFunction(() => /right/.test(document.querySelector('.all-exercises').textContent) && [...document.querySelectorAll('.all-exercises li')].some((l) => /has mistakes/.test(l.textContent)));
        await page.waitForFunction(() => [...document.querySelectorAll('.all-exercises li')].some((l) => /lever.*not right yet/.test(l.textContent)));
        await page.evaluate(() => [...document.querySelectorAll('.all-exercises button')].find((b) => b.textContent.includes('lever')).click());
        await page.waitForFunction(() => document.querySelector('#file').value === 'course/lever.yaml');
    });
});

test('the stages can be read by everybody', async () => {
    written('rc_circuit.yaml', answerOf('rc_circuit', 'right_conductance'));
    for (const size of [{width: 1920, height: 1080}, {width: 390, height: 844}]) {
        await opened('course/rc_circuit.yaml', async (page) => {
            await model(page, 1);
            const check = async (target) => {
                await target.evaluate(axe);
                const found = await target.evaluate(() => axe.run(document, {iframes: false}));
                assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(' ').slice(0, 300)}`), []);
            };
            await page.click('#all-exercises summary');
            await right(page);
            const game = await placesShown(page);
            for (let theme = 0; theme < 2; ++theme) { await check(page); await check(game); await press(page, '#theme'); }
            await placeAll(game);
            await inStage(page, 'equations', 'open');
            await derive(page, 'C.q', 'C.q');
            for (let theme = 0; theme < 2; ++theme) { await check(page); await press(page, '#theme'); }
        }, {size});
    }
});

test('what is chosen in the graph is gone to in the text', async () => {
    await opened('motor.yaml', async (page) => {
        const frame = await model(page, 1);
        await frame.$eval('[aria-label^="R Ra"]', (e) => e.dispatchEvent(new MouseEvent('click', {bubbles: true})));
        await page.waitForFunction(() => document.querySelector('.cm-activeLine')?.textContent.includes('Ra:'));
    });
});

test('it can be read by everybody: no violation that axe-core knows of, light and dark, wide and narrow', async () => {
    for (const size of [{width: 1920, height: 1080}, {width: 390, height: 844}]) {
        await opened('motor.yaml', async (page) => {
            await model(page, 1);
            for (let theme = 0; theme < 2; ++theme) {
                for (const tab of ['parameters', 'messages']) {
                    await press(page, `#tab-${tab}`);
                    await page.evaluate(axe);
                    const found = await page.evaluate(() => axe.run(document, {iframes: false}));
                    assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(' ').slice(0, 300)}`), []);
                }
                await press(page, '#theme');
            }
        }, {size});
    }
});

test('without the token nothing is told, and nobody else gets it', async () => {
    const page = await browser.newPage();
    await page.goto(`${address.split('#')[0]}#token=wrong`);
    await page.waitForFunction(() => !document.querySelector('#notice').hidden);
    assert.match(await text(page, '#notice'), /token/);
    await page.close();
    await opened('rc.yaml', async (tab) => {
        const frame = await model(tab, 1);
        // The model's page can neither ask the server nor look into the bench.
        const tries = await frame.evaluate(async () => {
            const result = [];
            try { result.push(parent.location.href); } catch { result.push('no'); }
            try { result.push(parent.document.title); } catch { result.push('no'); }
            try { result.push((await fetch('/api/files')).status); } catch { result.push('no'); }
            return result;
        });
        assert.deepEqual(tries, ['no', 'no', 'no']);
    }, {expected: [/Content Security Policy|Refused to connect|CORS/]});
});

test('of a folder that is served to be read nothing is saved', async () => {
    const readOnly = await serve(folder, '--read-only');
    await opened('rc.yaml', async (page) => {
        await model(page, 1);
        assert.equal(await page.$eval('#save', (e) => e.hidden), true);
    }, {at: readOnly});
});

// ---- without a browser

const yamlText = await (async () => {
    const {outputFiles} = await build({entryPoints: [join(root, 'web/src/bench/yaml_text.ts')], bundle: true, format: 'esm', write: false});
    return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
})();
const applied = (given, changes) => changes.slice().sort((a, b) => b.from - a.from).reduce((t, c) => t.slice(0, c.from) + c.insert + t.slice(c.to), given);

test('components are found in text that is not whole', () => {
    const {componentsOf, componentAt, sectionAt, freeName} = yamlText;
    assert.deepEqual(componentsOf(circuit).map((c) => `${c.name}:${c.type}`), ['source:Se', 'j:1', 'R1:R', 'C1:C']);
    const block = 'model: m\ncomponents:\n\n  # a comment\n  pump:\n    type: hydraulic.Pump\n    d: 1\n  cell[n]: {type: Cell, R:\nbonds:\n  - a -> b\n';
    assert.deepEqual(componentsOf(block).map((c) => `${c.name}:${c.type}`), ['pump:hydraulic.Pump', 'cell[n]:Cell']);
    assert.equal(componentAt(block, 6).name, 'pump');
    assert.equal(componentAt(block, 9), null);
    assert.equal(sectionAt(block, 9), 'bonds');
    assert.equal(freeName(circuit, 'R'), 'R2');
    assert.equal(freeName(circuit, 'electrical.Resistor'), 'resistor1');
    assert.equal(freeName(circuit, '1'), 'j1');
    for (const broken of ['', 'components:', 'components: {}', 'components:\n', '\n\n', 'bonds:\n - a']) assert.deepEqual(componentsOf(broken), []);
});

test('a part is put behind the last one, wherever sections end', () => {
    const {insertComponent} = yamlText;
    const line = 'R2: {type: R}';
    const put = (text, file) => { const found = insertComponent(text, line, file); assert.deepEqual(found.byHand, []); return applied(text, found.changes); };
    assert.equal(put(circuit, ''), circuit.replace('bonds:', `  ${line}\nbonds:`));
    assert.equal(put('model: m\ncomponents: {}\n', ''), `model: m\ncomponents:\n  ${line}\n`);
    assert.equal(put('model: m', 'electrical'), `model: m\nimport: [electrical]\ncomponents:\n  ${line}\n`);
    assert.equal(put('', ''), `components:\n  ${line}\n`);
    const last = 'model: m\nimport: [thermal]\ncomponents:\n    a: {type: R}';
    assert.equal(put(last, 'electrical'), `model: m\nimport: [thermal, electrical]\ncomponents:\n    a: {type: R}\n    ${line}\n`);
    assert.equal(put(last, 'thermal'), `${last}\n    ${line}\n`);
    const block = 'import:\n  - thermal # heat\ncomponents:\n  a: {type: R}\n';
    assert.equal(put(block, 'electrical'), block.replace('# heat\n', '# heat\n  - electrical\n') + `  ${line}\n`);
    assert.equal(put('import: thermal\n', 'electrical'), `import: [thermal, electrical]\ncomponents:\n  ${line}\n`);
    for (const [other, left] of [['components: {a: {type: R, R: 1}}\n', 2], ['components: {\n  a: {type: R}}\n', 2], ['{"components": {}}', 2], ['"components":\n  a: {type: R}\n', 2],
        ['import: {th: thermal}\ncomponents:\n  a: {type: R}\n', 1]])
        assert.equal(insertComponent(other, line, 'electrical').byHand.length, left, other);
});

test('values are written in the unit that stands there', () => {
    const {literalAt, replaced} = yamlText;
    const written = (v) => String(Number(v.toPrecision(4)));
    const given = 'a: {R: 2 kohm, T: 20 degC}\nb: 3*x\nc: -1.5e-3 # comment\nd: 0 V\n';
    const change = (line, column, before, value, si) => { const l = literalAt(given, line, column); return l && replaced(l, before, value, si, written); };
    assert.equal(change(1, 8, 2000, 3000, 'ohm'), '3 kohm');
    assert.equal(change(1, 19, 293.15, 300, 'K'), '300 K');
    assert.equal(change(2, 4, 3, 4, ''), null);
    assert.equal(change(3, 4, -0.0015, 0.003, ''), '0.003');
    assert.equal(change(4, 4, 0, 5, 'V'), '5 V');
    assert.equal(literalAt(given, 9, 1), null);
    assert.equal(literalAt('{doc: "\u{1F600}", R: 5678}', 1, 15).number, 5678);
});
