// Pages of eleven models: each opens without a word on the console or to the network, and its pictures are those stored in
// pictures/. With PICTURES=write they are made anew.

import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {launched, pageIn, scratch} from './chromium.mjs';
import {difference, graphLevel, graphPicture, graphPoints, spaceLevel, spacePicture, spacePoints} from './comparison.mjs';
import {scenes} from './scenes.mjs';

const pictures = join(dirname(fileURLToPath(import.meta.url)), 'pictures');
const files = scratch();
let browser;

before(async () => { browser = await launched(); });
after(async () => {
    await browser?.close();
    files.remove();
});

const instant = (page, time) => page.evaluate((t) => new Promise((done) => {
    const link = `#t=${t}&view=plots`, drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)));
    if (location.hash === link) { drawn(); return; }
    addEventListener('hashchange', drawn, {once: true});
    location.hash = link;
}), time);

/** Compares a picture with the stored one, or stores it. */
async function compare(page, name, png, level, points) {
    const file = join(pictures, `${name}.png`);
    if (process.env.PICTURES === 'write') {
        mkdirSync(pictures, {recursive: true});
        writeFileSync(file, Buffer.from(png, 'base64'));
    }
    assert.ok(existsSync(file), `${file} is missing: PICTURES=write makes it`);
    const stored = readFileSync(file).toString('base64');
    const off = await difference(page, png, stored, level);
    if (off > points && process.env.PICTURES_SEEN) writeFileSync(join(process.env.PICTURES_SEEN, `${name}.png`), Buffer.from(png, 'base64'));
    assert.ok(off <= points, `${off} points of ${name}.png are not as stored`);
    return stored;
}

/** Strokes that lie wholly in what the picture shows, each by its place in the document. */
const strokesInSight = (page) => page.$$eval('.canvas path.stroke:not(.unassigned)', (all) => all.flatMap((e, k) => {
    const r = e.getBoundingClientRect();
    return r.left >= 0 && r.top >= 0 && r.right <= 1280 && r.bottom <= 720 ? [k] : [];
}));

for (const scene of scenes) {
    test(`${scene.name}: silent, and as in its pictures`, async () => {
        const made = files.report(scene.file ?? files.written(scene.text), ...scene.options ?? []);
        assert.equal(made.status, scene.status ?? 0, made.said);
        const {page, said} = await pageIn(browser, {width: 1280, height: 720});
        try {
            await page.emulateMediaFeatures([{name: 'prefers-reduced-motion', value: 'reduce'}, {name: 'prefers-color-scheme', value: 'light'}]);
            await page.goto(`file://${made.page}`);
            await page.waitForSelector('html[data-ready]');
            if (scene.time !== undefined) await instant(page, scene.time);
            if (scene.space) {
                await page.$eval('#tab-space', (e) => e.click());
                const stored = await compare(page, `${scene.name}_space`, await spacePicture(page), spaceLevel, spacePoints);
                // What has moved is seen: the start of the run is another picture.
                await page.$eval('#time', (e) => { e.value = 0; });
                assert.ok(await difference(page, await spacePicture(page), stored, spaceLevel) > spacePoints, 'nothing has moved');
                await page.$eval('#tab-plots', (e) => e.click());
                await instant(page, scene.time);
            }
            const stored = await compare(page, scene.name, await graphPicture(page), graphLevel, graphPoints);
            // A stroke less is seen: any of the motor's, of others the one in the middle.
            const strokes = await strokesInSight(page);
            assert.equal(strokes.length > 0, scene.strokes !== false);
            for (const k of scene.name === 'motor' ? strokes : strokes.slice(strokes.length >> 1, (strokes.length >> 1) + 1)) {
                const show = (on) => page.$$eval('.canvas path.stroke:not(.unassigned)', (all, n, shown) => { all[n].style.display = shown ? '' : 'none'; }, k, on);
                await show(false);
                const off = await difference(page, await graphPicture(page), stored, graphLevel);
                assert.ok(off > graphPoints, `stroke ${k} may be missing: ${off} points differ only`);
                await show(true);
            }
            assert.deepEqual(said, []);
        } finally {
            await page.close();
        }
    });
}

test('a broken file has no page, and the program says where it is broken', () => {
    const made = files.report(files.written('model: broken\ncomponents: {s: {type: Sx, e: 1 V}, j: {type: 1}}\nbonds: [s -> j]\n'));
    assert.equal(made.status, 2);
    assert.match(made.said, /yaml:2:\d+: .*Sx/);
    assert.ok(!existsSync(made.page));
});
