// The bench in a browser, by mouse and keyboard. BONDGRAPH and CHROMIUM name the programs.

import assert from 'node:assert/strict';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {build} from '../../web/node_modules/esbuild/lib/main.js';
import {address, axe, browser, circuit, folder, last, model, opened, press, root, serve, shown, source, text, type} from './bench.mjs';

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
        page.on('response', (r) => { if (r.url().endsWith('/api/run')) answers.push(r.buffer().then((b) => {
            const from = b.indexOf(10) + 1;
            return JSON.parse(b.subarray(from, from + Number(b.subarray(0, from)))).data.run;
        }).then((run) => run.tables.flatMap((t) => t.columns.map((c) => c.name)))); });
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

const odd = `model: odd
parameters:
  R0: 2 ohm
  T0: 20 degC
  share: 50 %
  k: 0.1 N.m/A
components:
  source: {type: Se, e: 10 V}
  j: {type: 1}
  R1: {type: R, R: 2*R0*share}
  pair: {type: Pair, a: R0}
  C1: {type: C, C: 1 F}
types:
  Pair:
    parameters: {a: {unit: ohm}, b: {value: 3 ohm}}
    ports: {p: {}}
    components:
      j: {type: 1}
      x: {type: R, R: a + b}
    bonds: [p -> j, j -> x]
bonds: [source -> j, j -> R1, j -> pair.p, j -> C1]
experiment: {stop: 10 s}
outputs: [C1.e]
`;

test('values keep the unit of the file, and what follows from others is moved by these', async () => {
    writeFileSync(join(folder, 'odd.yaml'), odd);
    await opened('odd.yaml', async (page) => {
        const before = await last(await model(page, 1));
        const fields = await page.$$eval('.slider-row .number', (list) => list.map((e) => `${e.getAttribute('aria-label')}: ${e.value}`));
        for (const one of ['T0 in degC: 20', 'share in %: 50', 'k in N.m/A: 0.1', 'R0 in ohm: 2']) assert.ok(fields.includes(one), fields.join('; '));
        const derived = Object.fromEntries(await page.$$eval('[data-derived]', (list) => list.map((e) => [e.dataset.derived, e.querySelector('.derived').textContent])));
        assert.deepEqual(derived, {'R1.R': '= 2*R0*share, follows from R0, share', 'pair.a': '= R0, follows from R0', 'pair.x.R': '= a + b, follows from pair.a, pair.b'});
        await page.$eval('[data-derived="R1.R"] button', (e) => e.click());
        assert.equal(await page.evaluate(() => document.activeElement.dataset.name), 'R0');
        const put = (label, value) => page.$eval(`[aria-label="${label}"]`, (e, v) => { e.value = v; e.dispatchEvent(new Event('change')); }, value);
        await put('R0 in ohm', '4');
        assert.notEqual(await last(await model(page, 2)), before);
        await put('T0 in degC', '25.5');
        await put('share in %', '60');
        await put('k in N.m/A', '0.2');
        await press(page, '#keep');
        assert.equal(await source(page), odd.replace('R0: 2', 'R0: 4').replace('20 degC', '25.5 degC').replace('50 %', '60 %').replace('0.1 N', '0.2 N'));
    });
});

test('a slider moves in the unit of the file', async () => {
    await opened('odd.yaml', async (page) => {
        await model(page, 1);
        await page.$eval('[data-name="T0"]', (e) => { e.value = 10; e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change')); });
        // 293.15 K times 10^(10/400).
        assert.equal(await page.$eval('[aria-label="T0 in degC"]', (e) => e.value), '37.37');
        await press(page, '#keep');
        assert.match(await source(page), /T0: 37\.37 degC/);
    });
});

test('a number in quotes is moved and written like others, and keeps them', async () => {
    const quoted = circuit.replace('2 ohm', '"0.002 kohm"').replace('1 F', "'1 F'");
    writeFileSync(join(folder, 'quoted.yaml'), quoted);
    await opened('quoted.yaml', async (page) => {
        await model(page, 1);
        const put = (label, value) => page.$eval(`[aria-label="${label}"]`, (e, v) => { e.value = v; e.dispatchEvent(new Event('change')); }, value);
        await put('R1.R in kohm', '0.003');
        await put('C1.C in F', '2');
        await press(page, '#keep');
        assert.equal(await source(page), quoted.replace('0.002 kohm', '0.003 kohm').replace('1 F', '2 F'));
        assert.equal(await page.$eval('#notice', (e) => e.hidden), true);
    });
});

test('files are renamed and deleted, and deleting is taken back', async () => {
    writeFileSync(join(folder, 'first.yaml'), circuit);
    writeFileSync(join(folder, 'taken.yaml'), circuit);
    await opened('first.yaml', async (page) => {
        let answer = null;
        page.on('dialog', (d) => (answer === null ? d.dismiss() : d.accept(answer)));
        await model(page, 1);
        const notice = (words) => page.waitForFunction((w) => !document.querySelector('#notice').hidden && document.querySelector('#notice').textContent.includes(w), {}, words);
        await opened('first.yaml', async (other) => {
            await model(other, 1);
            await page.bringToFront();
            await press(page, '#rename');
            assert.ok(existsSync(join(folder, 'first.yaml')), 'who asks for nothing gets nothing');
            answer = 'taken';
            await press(page, '#rename');
            await notice('already');
            for (const blank of ['   ', '', ' .yaml', 'course/  .yml']) {
                await page.$eval('#notice', (e) => { e.hidden = true; });
                answer = blank;
                for (const button of ['#rename', '#new']) { await press(page, button); await notice('needs a name, which is more than blanks'); }
            }
            answer = ' second ';
            await press(page, '#rename');
            await page.waitForFunction(() => document.querySelector('#file').value === 'second.yaml');
            assert.ok(existsSync(join(folder, 'second.yaml')) && !existsSync(join(folder, 'first.yaml')));
            await other.bringToFront();
            await other.waitForFunction(() => /first\.yaml' is not there any more/.test(document.querySelector('#notice').textContent));
        }, {expected: [/403/]});
        await page.bringToFront();
        await page.waitForFunction(() => document.querySelector('.frames').dataset.shown === '2');
        // Not what somebody else has changed meanwhile.
        writeFileSync(join(folder, 'second.yaml'), circuit.replace('10 V', '20 V'));
        answer = null;
        await press(page, '#delete');
        assert.ok(existsSync(join(folder, 'second.yaml')), 'the question was answered with no');
        answer = '';
        await page.waitForFunction(() => [...document.querySelectorAll('.cm-line')].some((l) => l.textContent.includes('20 V')));
        // What was found beside it goes with it.
        writeFileSync(join(folder, 'second.strokes'), 'C1 = to\n');
        writeFileSync(join(folder, 'second.equations'), 'der(C1.q) = 0\n');
        await press(page, '#delete');
        await notice("'second.yaml', 'second.strokes', 'second.equations' are deleted.");
        for (const ending of ['yaml', 'strokes', 'equations']) assert.ok(!existsSync(join(folder, `second.${ending}`)), ending);
        assert.notEqual(await page.$eval('#file', (e) => e.value), 'second.yaml');
        await page.evaluate(() => [...document.querySelectorAll('#notice button')].find((b) => b.textContent === 'Undo').click());
        await page.waitForFunction(() => document.querySelector('#file').value === 'second.yaml');
        assert.equal(readFileSync(join(folder, 'second.yaml'), 'utf8'), circuit.replace('10 V', '20 V'));
        assert.equal(readFileSync(join(folder, 'second.strokes'), 'utf8'), 'C1 = to\n');
        assert.equal(readFileSync(join(folder, 'second.equations'), 'utf8'), 'der(C1.q) = 0\n');
        // Not over what has come meanwhile.
        await press(page, '#delete');
        await notice('are deleted.');
        writeFileSync(join(folder, 'second.strokes'), 'C1 = from\n');
        await page.evaluate(() => [...document.querySelectorAll('#notice button')].find((b) => b.textContent === 'Undo').click());
        await notice("'second.strokes': ");
        assert.equal(readFileSync(join(folder, 'second.strokes'), 'utf8'), 'C1 = from\n');
        assert.equal(readFileSync(join(folder, 'second.equations'), 'utf8'), 'der(C1.q) = 0\n');
        assert.ok(existsSync(join(folder, 'second.yaml')));
    }, {expected: [/403/, /409/]});
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
        for (const button of ['#save', '#rename', '#delete']) assert.equal(await page.$eval(button, (e) => e.hidden), true);
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
    const change = (line, column, value, si, scale = 1, offset = 0) => { const l = literalAt(given, line, column); return l && replaced(l, value, si, {unit: '', scale, offset}, written); };
    assert.equal(change(1, 8, 3000, 'ohm', 1000), '3 kohm');
    assert.equal(change(1, 19, 300, 'K', 1, 273.15), '26.85 degC');
    assert.equal(change(2, 4, 4, ''), null);
    assert.equal(change(3, 4, 0.003, ''), '0.003');
    assert.equal(change(4, 4, 5, 'V'), '5 V');
    assert.equal(replaced(literalAt(given, 1, 8), 3000, 'ohm', undefined, written), '3000 ohm');
    assert.equal(literalAt(given, 9, 1), null);
    assert.equal(literalAt('{doc: "\u{1F600}", R: 5678}', 1, 15).number, 5678);
    // In quotes, which stay.
    const quoted = (line, column) => { const l = literalAt(line, 1, column); return l && line.slice(0, l.from) + replaced(l, 3000, 'ohm', {unit: 'kohm', scale: 1000, offset: 0}, written) + line.slice(l.to); };
    assert.equal(quoted('R: "1.5 kohm"', 4), 'R: "3 kohm"');
    assert.equal(quoted("{R: '1.5kohm', C: \"2 F\"}", 5), "{R: '3kohm', C: \"2 F\"}");
    assert.equal(quoted('R: " +1.5 kohm "  # as measured', 4), 'R: " 3 kohm "  # as measured');
    assert.equal(literalAt('R: "-1e3"', 1, 4).number, -1000);
    for (const none of ['R: "2*1.5 kohm"', 'R: "1.5 kohm', `R: "1.5 kohm'`, 'R: "1.5" kohm', 'R: 1.5 kohm"', 'R: "1.5 k\\u03a9"', 'R: ""']) assert.equal(quoted(none, 4), null, none);
});
