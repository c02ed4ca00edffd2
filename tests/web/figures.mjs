// Measures the page on this machine, as a table for docs/seeing.md: BONDGRAPH=… CHROMIUM=… node figures.mjs
// or node figures.mjs NAMES of scenes.
// Size of the file, first paint, memory, how long the picture takes to follow the slider, pictures per second while the
// run plays, in space and with the plots, and what the page's own thread works for each of them, which other programs
// on the machine hardly change. Then of the bench: how long what is seen takes to follow a slider of a parameter, and the
// server's part of it, which is nearly all the run.

import {spawn} from 'node:child_process';
import {statSync} from 'node:fs';
import {launched, pageIn, scratch} from './chromium.mjs';
import {minute, scenes} from './scenes.mjs';

const files = scratch();
const browser = await launched(true);
const wanted = process.argv.slice(2);

/** Pictures per second over some seconds of play, and the work for each in ms. */
async function playing(page, client) {
    const worked = async () => (await client.send('Performance.getMetrics')).metrics.find((m) => m.name === 'ThreadTime').value;
    const before = await worked();
    const [count, seconds] = await page.evaluate(async () => {
        document.getElementById('play').click();
        const begun = performance.now();
        let pictures = 0;
        while (performance.now() - begun < 4000) {
            await new Promise((done) => requestAnimationFrame(done));
            ++pictures;
        }
        document.getElementById('play').click();
        return [pictures, (performance.now() - begun) / 1000];
    });
    return `${(count / seconds).toFixed(0)} (${(1000 * (await worked() - before) / count).toFixed(1)} ms)`;
}

/** From moving the slider to the picture that has followed: the middle one of many, in ms. */
const following = (page) => page.evaluate(async () => {
    const slider = document.getElementById('time'), took = [];
    for (let k = 0; k < 25; ++k) {
        const begun = performance.now();
        slider.value = String((k * 3877) % 10000);
        slider.dispatchEvent(new Event('input'));
        // The first frame draws what was asked for, the second begins when that is painted.
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        took.push(performance.now() - begun);
    }
    return took.sort((a, b) => a - b)[12];
});

const cell = (v, digits = 0) => (v === null ? '–' : v.toFixed(digits));
console.log('| page | MB | first paint, ms | memory, MB | slider to picture, ms | pictures per second, and work for one: space | plots |');
console.log('|---|---|---|---|---|---|---|');
for (const scene of [...scenes, minute]) {
    if (scene.time === undefined || (wanted.length > 0 && !wanted.includes(scene.name))) continue;
    const made = files.report(scene.file ?? files.written(scene.text), ...scene.options ?? []);
    const {page} = await pageIn(browser, {width: 1280, height: 720});
    await page.bringToFront();
    const client = await page.createCDPSession();
    await client.send('Performance.enable', {timeDomain: 'threadTicks'});
    await page.goto(`file://${made.page}`);
    await page.waitForSelector('html[data-ready]');
    await new Promise((done) => setTimeout(done, 1000));
    const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null);
    const late = await following(page);
    const space = scene.space ? await playing(page, client) : '–';
    await page.$eval('#tab-plots', (e) => e.click());
    const plots = await playing(page, client);
    const {JSHeapUsedSize} = await page.metrics();
    console.log(`| ${scene.name} | ${cell(statSync(made.page).size / 1e6, 1)} | ${cell(paint)} | ${cell(JSHeapUsedSize / 1e6)} | ${cell(late)} | ${space} | ${plots} |`);
    await page.close();
}

/** From the slider of a parameter to the picture of the run that has followed, and the server's part of it, in ms. */
async function dragging(scene) {
    const server = spawn(process.env.BONDGRAPH, ['serve', scene.file, '--read-only'], {stdio: ['ignore', 'pipe', 'ignore']});
    const address = await new Promise((done) => server.stdout.on('data', (d) => done(String(d).trim())));
    const page = await browser.newPage();
    await page.setViewport({width: 1280, height: 720});
    await page.bringToFront();
    await page.goto(address);
    await page.waitForFunction(() => document.querySelector('.frames')?.dataset.shown);
    const frame = await (await page.waitForSelector('.frames iframe:not(.behind)')).contentFrame();
    await frame.waitForSelector('html[data-ready]');
    await new Promise((done) => setTimeout(done, 1000));
    await frame.evaluate(() => {
        window.pictures = [];
        const clock = () => performance.timeOrigin + performance.now();
        addEventListener('message', (e) => { if (e.data?.kind === 'run') requestAnimationFrame(() => requestAnimationFrame(() => window.pictures.push(clock()))); });
    });
    const took = [], asked = [];
    for (let k = 0; k < 21; ++k) {
        const before = await frame.evaluate(() => window.pictures.length);
        const begun = await page.$eval(`[data-name="${scene.drags}"]`, (e, place) => {
            e.value = String(place);
            e.dispatchEvent(new Event('input'));
            return performance.timeOrigin + performance.now();
        }, (37 * k) % 100);
        await frame.waitForFunction((n) => window.pictures.length > n, {polling: 20}, before);
        took.push(await frame.evaluate(() => window.pictures[window.pictures.length - 1]) - begun);
        asked.push(await page.evaluate(() => performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/api/run')).map((e) => e.responseStart - e.requestStart).pop()));
        await new Promise((done) => setTimeout(done, 300));
    }
    server.kill('SIGTERM');
    await page.close();
    const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1];
    return [middle(took), middle(asked)];
}

console.log('\n| bench | slider of a parameter to picture, ms | of that the server, ms |\n|---|---|---|');
for (const scene of scenes) {
    if (!scene.drags || (wanted.length > 0 && !wanted.includes(scene.name))) continue;
    const [late, server] = await dragging(scene);
    console.log(`| ${scene.name}, \`${scene.drags}\` | ${cell(late)} | ${cell(server)} |`);
}
await browser.close();
files.remove();
