// Pages whose data are deflated: that they show the same as if they were not, are small, and say so where they can't be read.

import assert from 'node:assert/strict';
import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {launched, pageIn, scratch, withPage} from './chromium.mjs';
import {dataOf, heldBy, writeWith} from './page_data.mjs';
import {ladder, millionRows} from './scenes.mjs';

const models = join(dirname(fileURLToPath(import.meta.url)), '../../models');
const robot = join(models, 'mechanics3d/robot_arm.yaml');
const files = scratch();
let browser, large;

before(async () => {
    browser = await launched();
    large = files.page(files.written(ladder(160)));
    assert.ok(heldBy(large).deflated);
});
after(async () => {
    await browser?.close();
    files.remove();
});

const fresh = (name) => join(files.folder, name);
const text = (page, selector) => page.$eval(selector, (e) => e.textContent);

/** All that is to be seen of a model, at one instant of its run. */
async function shown(file, link) {
    const seen = {};
    await withPage(browser, file, link, async (page) => {
        seen.title = await page.title();
        for (const tab of ['details', 'plots', 'energy', 'equations', 'linear', 'space']) {
            if (!await page.$(`#tab-${tab}`)) continue;
            await page.click(`#tab-${tab}`);
            await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
            seen[tab] = await text(page, '#app');
        }
        seen.drawing = await page.$eval('.canvas', (e) => e.innerHTML);
        seen.pictures = await page.$$eval('.panel canvas', (list) => list.map((c) => c.toDataURL()));
    });
    return seen;
}

/** What is said in place of a page. */
async function said(file, prepare = () => {}) {
    const {page, said: console} = await pageIn(browser, {width: 800, height: 600});
    try {
        await page.evaluateOnNewDocument(prepare);
        await page.goto(`file://${file}`);
        await page.waitForSelector('.unreadable');
        assert.deepEqual(console, []);
        assert.equal(await page.$$eval('.unreadable', (list) => list.length), 1);
        assert.ok(await page.$eval('.unreadable', (e) => e.checkVisibility() && e.getBoundingClientRect().height > 10));
        return await text(page, '.unreadable');
    } finally {
        await page.close();
    }
}

for (const [name, model, link] of [
    ['a ladder', () => large, '#t=0.03&node=c20'],
    ['a robot', () => files.page(robot), '#t=1.2345&graph=0'],
]) {
    test(`${name} shows the same whether its data are deflated or not`, async () => {
        const file = model(), plain = fresh('plain.html'), data = dataOf(file);
        assert.ok(heldBy(file).deflated);
        writeWith(plain, file, data);
        assert.equal(heldBy(plain).deflated, undefined);
        const [one, other] = [await shown(file, link), await shown(plain, link)];
        assert.ok(one.drawing.length > 1000 && one.equations.length > 100 && one.plots !== one.details);
        assert.deepEqual(one, other);
    });
}

test('small data are JSON that can be read by eye', () => {
    const motor = readFileSync(files.page(join(models, 'electromechanical/dc_motor.yaml')), 'utf8');
    assert.match(motor, /id="data">\{"format":1,"program":"bondgraph [\d.]+","model":"dc_motor"/);
});

test('a robot of a minute and a million rows take less than 5 MB', async () => {
    const minute = files.page(robot, 0, '--stop', '60 s');
    assert.ok(statSync(minute).size < 2e6, String(statSync(minute).size));
    assert.equal(dataOf(minute).run.stop, 60);
    await withPage(browser, minute, '#t=59.5&view=plots', async (page) => assert.equal(await text(page, '#now'), '59.5 s'));
    const long = statSync(files.page(files.written(millionRows))).size;
    assert.ok(long < 2.5e6, String(long));
});

test('texts of a large model are shown as they are', async () => {
    const odd = '</script><!-- <script> ∂Ω 𝜔 "é';
    const file = files.page(files.written(ladder(160).replace('model: ladder', `model: '${odd}'\ndescription: 'bänder ${odd}'`)));
    assert.equal(heldBy(file).model, odd);
    assert.equal(dataOf(file).description, `bänder ${odd}`);
    await withPage(browser, file, '', async (page) => {
        assert.equal(await text(page, 'h1'), odd);
        assert.ok((await text(page, '#app')).includes(`bänder ${odd}`));
    });
});

test('a picture has the title before anything is unpacked', async () => {
    const {page, said: console} = await pageIn(browser, {width: 800, height: 600});
    await page.evaluateOnNewDocument(() => {
        const whole = globalThis.DecompressionStream;
        let titles = 0;
        window.seen = [];
        const picture = () => {
            if (document.querySelector('h1')?.textContent === 'ladder') ++titles;
            requestAnimationFrame(picture);
        };
        requestAnimationFrame(picture);
        globalThis.DecompressionStream = class extends whole {
            constructor(kind) {
                super(kind);
                window.seen.push(titles);
            }
        };
    });
    await page.goto(`file://${large}`);
    await page.waitForSelector('html[data-ready]');
    const seen = await page.evaluate(() => window.seen);
    assert.ok(seen.length === 2 && seen[0] > 0, String(seen));
    assert.deepEqual(console, []);
    await page.close();
});

test('a browser that cannot inflate says which can, and shows small pages', async () => {
    const without = () => { delete globalThis.DecompressionStream; };
    assert.equal(await said(large, without), 'The data of this page are compressed, which this browser cannot read. ' +
        'Chrome and Edge can from version 80 on, Firefox from 113, Safari from 16.4.');
    const {page, said: console} = await pageIn(browser, {width: 800, height: 600});
    await page.evaluateOnNewDocument(without);
    await page.goto(`file://${files.page(join(models, 'electrical/series_rlc.yaml'))}`);
    await page.waitForSelector('html[data-ready]');
    assert.equal(await page.$('.unreadable'), null);
    assert.deepEqual(console, []);
    await page.close();
});

test('a file that ends too early says so, wherever it ends', async () => {
    const whole = readFileSync(large, 'utf8'), data = whole.indexOf('id="data"'), end = whole.indexOf('</script>', data);
    const broken = fresh('short.html');
    for (const at of [data + 30, (data + end) >> 1, end, end + 100, (end + whole.length) >> 1, whole.lastIndexOf('</script>') - 1]) {
        writeFileSync(broken, whole.slice(0, at));
        assert.equal(await said(broken), 'This page cannot be shown: its file is not whole, or this browser is too old for it.', String(at));
    }
});

test('data that have changed say so', async () => {
    const held = heldBy(large), broken = fresh('changed.html');
    const {data, numbers} = held.deflated;
    const other = (digits, at) => digits.slice(0, at) + (digits[at] === 'A' ? 'B' : 'A') + digits.slice(at + 1);
    const middle = data.length >> 1;
    for (const deflated of [
        {data: other(data, middle), numbers}, {data, numbers: other(numbers, numbers.length >> 1)},
        {data: data.slice(0, 4 * (middle >> 2)), numbers}, {data, numbers: numbers.slice(0, -8)},
        {data: `${data.slice(0, middle)}?${data.slice(middle + 1)}`, numbers}, {data, numbers: ''}, {data}, null,
    ]) {
        writeWith(broken, large, {...held, deflated});
        assert.match(await said(broken), /^The data of this page cannot be read: its file is damaged\. \(.+\)$/, JSON.stringify(deflated)?.slice(0, 80));
    }
    // Plain ones.
    writeFileSync(broken, readFileSync(files.page(join(models, 'electrical/series_rlc.yaml')), 'utf8').replace('"model":', '"model";'));
    assert.match(await said(broken), /^The data of this page cannot be read: its file is damaged\. \(.+\)$/);
});

test('a large page is laid beside a run, and one that is damaged says why not', async () => {
    const broken = fresh('broken.html'), {deflated, ...held} = heldBy(large);
    writeWith(broken, large, {...held, deflated: {...deflated, numbers: deflated.numbers.slice(0, -8)}});
    const foreign = fresh('foreign.html');
    writeWith(foreign, large, [1]);
    await withPage(browser, large, '#view=plots', async (page) => {
        const names = () => page.$$eval('.key-name', (list) => list.map((e) => e.textContent));
        const note = () => page.$eval('.note', (e) => e.textContent);
        const own = await names();
        assert.ok(own.length > 0);
        const files = await page.$('#measured');
        await files.uploadFile(broken);
        await page.waitForFunction(() => /broken/.test(document.querySelector('.note')?.textContent ?? ''));
        assert.match(await note(), /^broken\.html: The data of this page cannot be read: its file is damaged/);
        await files.uploadFile(foreign);
        await page.waitForFunction(() => /foreign/.test(document.querySelector('.note')?.textContent ?? ''));
        assert.equal(await note(), 'foreign.html is no page of a run.');
        assert.deepEqual(await names(), own);
        await files.uploadFile(large);
        await page.waitForFunction((n) => document.querySelectorAll('.key-name').length > n, {}, own.length);
        assert.ok((await names()).some((n) => /\.html: /.test(n)));
    });
});
