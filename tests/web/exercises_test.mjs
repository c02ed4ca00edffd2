// Exercises in the bench, by mouse and keyboard: graph, strokes and equations. BONDGRAPH and CHROMIUM name the programs.

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {axe, folder, model, opened, press, root, shown, text, type} from './bench.mjs';

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
    for (let k = 0; k < 600; ++k) {
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
        if (!/detached|destroyed|cannot find context/i.test(e.message)) throw e;
    }
}
async function derive(page, state, text) {
    await page.$eval(`.derivation[data-state="${state}"]`, (e) => { e.closest('.task').querySelector('.judgement').textContent = ''; });
    await page.$eval(`.derivation[data-state="${state}"]`, (e, t) => { e.value = t; e.dispatchEvent(new Event('change')); }, text);
    await page.waitForFunction((s) => document.querySelector(`.derivation[data-state="${s}"]`)?.closest('.task').querySelector('.judgement').textContent !== '', {}, state);
    return page.$eval(`.derivation[data-state="${state}"]`, (e) => e.closest('.task').querySelector('.judgement').textContent);
}
const right = async (page) => { await (await page.waitForSelector('#compare', {visible: true})).click(); await page.waitForSelector('#verdict .right'); };
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
        for (let k = 0; k < 600 && await pageHas(page, '.stroke-place') > 0; ++k) await new Promise((done) => setTimeout(done, 50));
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

test('strokes and equations are saved beside the answer, are there again, and go into the table of a class', async () => {
    written('two_masses.yaml', answerOf('two_masses', 'right_two_links'));
    const kept = (ending) => readFileSync(join(folder, `course/two_masses.${ending}`), 'utf8');
    await opened('course/two_masses.yaml', async (page) => {
        await model(page, 1);
        await (await page.waitForSelector('#save-found', {visible: true})).click();
        await page.waitForFunction(() => document.querySelector('#kept').textContent === 'There are none yet.');
        await right(page);
        const game = await placesShown(page);
        await place(game, 'F', 'to');
        await page.click('#save-found');
        await page.waitForFunction(() => document.querySelector('#kept').textContent === 'Written: two_masses.strokes.');
        assert.equal(kept('strokes'), 'F = to\n');
        await placeAll(game);
        await inStage(page, 'equations', 'open');
        await derive(page, 'K.q', 'A.p/A - B.p/B');
        await derive(page, 'A.p', 'F.e');
        await page.focus('#save-found');
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => document.querySelector('#kept').textContent === 'Written: two_masses.strokes, two_masses.equations.');
        assert.equal(kept('equations'), 'der(K.q) = A.p/A - B.p/B\nder(A.p) = F.e\n');
        assert.equal(kept('strokes').trim().split('\n').length, 10);
        // Somebody else's are not overwritten.
        written('two_masses.equations', 'dA.p/dt = F.e - K.q/K - D*(A.p/A - B.p/B)  # mine\n');
        await page.click('#save-found');
        await page.waitForFunction(() => /changed by somebody else/.test(document.querySelector('#kept').textContent));
    }, {expected: [/409/]});
    await opened('course/two_masses.yaml', async (page) => {
        await model(page, 1);
        assert.equal(await stage(page, 'strokes'), 'locked');
        await right(page);
        await inStage(page, 'strokes', 'done');
        await inStage(page, 'equations', 'open');
        await page.waitForFunction(() => document.querySelector('.derivation[data-state="A.p"]')?.closest('.task').querySelector('.judgement').textContent === 'Right.');
        assert.match(await text(page, '#equations-told'), /1 of 3 derived/);
    });
    mkdirSync(join(folder, 'class/ann'), {recursive: true});
    for (const ending of ['yaml', 'strokes', 'equations']) cpSync(join(folder, `course/two_masses.${ending}`), join(folder, `class/ann/two_masses.${ending}`));
    const table = spawnSync(process.env.BONDGRAPH, ['compare', join(folder, 'class'), join(root, 'docs/exercises/solutions')], {encoding: 'utf8'}).stdout;
    assert.match(table, /strokes +10 of 10/);
    assert.match(table, /equations +1 of 3/);
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
            await (await page.waitForSelector('#all-exercises summary', {visible: true})).click();
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
