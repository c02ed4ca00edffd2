// What the tests, pictures and figures of the page have in common: the browser, and pages that say nothing on the console.

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import puppeteer from 'puppeteer-core';

/** `memory`: the page can tell how much it has taken. */
export function launched(memory = false) {
    return puppeteer.launch({
        executablePath: process.env.CHROMIUM, headless: true, protocolTimeout: 240000,
        args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
            ...memory ? ['--enable-precise-memory-info'] : []],
    });
}

/** A folder that goes when the program ends, with the models and pages written into it. */
export function scratch() {
    const folder = mkdtempSync(join(tmpdir(), 'bondgraph-page-'));
    const fresh = (end) => join(folder, `${Math.random().toString(36).slice(2)}${end}`);
    return {
        folder,
        written(text) {
            const file = fresh('.yaml');
            writeFileSync(file, text);
            return file;
        },
        /** The page of a model: its file, what the program said and how it ended. */
        report(file, ...options) {
            const page = fresh('.html');
            const done = spawnSync(process.env.BONDGRAPH, ['report', file, '-o', page, ...options], {encoding: 'utf8'});
            return {page, status: done.status, said: done.stderr};
        },
        /** The page of a model whose program ends as expected. */
        page(file, status = 0, ...options) {
            const made = this.report(file, ...options);
            assert.equal(made.status, status, made.said);
            return made.page;
        },
        remove() { rmSync(folder, {recursive: true, force: true}); },
    };
}

/** A page, and a list of what it says or asks for that it should not. */
export async function pageIn(browser, size) {
    const page = await browser.newPage();
    page.setDefaultTimeout(120000);
    page.setDefaultNavigationTimeout(120000);
    const said = [];
    // What the graphics of a machine without a display say of themselves is no matter of the page.
    page.on('console', (m) => { if (!/GPU stall|GL Driver Message|WebGL/.test(m.text())) said.push(`${m.type()}: ${m.text()}`); });
    page.on('pageerror', (e) => said.push(e.message));
    page.on('request', (r) => { if (!/^(file|data|blob):/.test(r.url())) said.push(`asks for ${r.url()}`); });
    await page.setViewport(size);
    return {page, said};
}

/** Opens a file at a link, does something with its page, and sees that nothing was said on the console meanwhile. `calm`: as who wants
 *  no motion. */
export async function withPage(browser, file, link, action, {size = {width: 1280, height: 720}, calm = false} = {}) {
    const {page, said} = await pageIn(browser, size);
    if (calm) await page.emulateMediaFeatures([{name: 'prefers-reduced-motion', value: 'reduce'}]);
    await page.goto(`file://${file}${link}`);
    await page.waitForSelector('html[data-ready]');
    try {
        await action(page);
        assert.deepEqual(said, []);
    } finally {
        await page.close();
    }
}

/** What moves over the drawing, as it is put on paper at this instant: attributes of the shapes that match. */
export const onPaper = (page, selector) => page.evaluate((wanted) => {
    dispatchEvent(new Event('beforeprint'));
    const found = [...document.querySelectorAll(`.canvas ${wanted}`)].map((e) => Object.fromEntries([...e.attributes].map((a) => [a.name, /^-?[\d.]+$/.test(a.value) ? Number(a.value) : a.value])));
    dispatchEvent(new Event('afterprint'));
    return found;
}, selector);

/** Until the picture in space has all its pixels: while things move it may have fewer. */
export const sharp = (page) => page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    for (let k = 0; k < 3; ++k) await frame();
    const begun = performance.now();
    while (document.querySelector('.space .stage canvas').dataset.sharp !== 'true') {
        if (performance.now() - begun > 30000) throw new Error('space does not become sharp');
        await frame();
    }
    for (let k = 0; k < 2; ++k) await frame();
});
