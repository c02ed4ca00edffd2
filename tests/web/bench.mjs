// What tests of the bench have in common: a folder that is served, and a browser. BONDGRAPH and CHROMIUM name the programs.

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, before} from 'node:test';
import {fileURLToPath} from 'node:url';
import puppeteer from 'puppeteer-core';

export const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '../..');
export const axe = readFileSync(join(here, 'node_modules/axe-core/axe.min.js'), 'utf8');
export const folder = mkdtempSync(join(tmpdir(), 'bondgraph-bench-'));
const servers = [];
export let browser, address;

/** The address that the program prints. */
export function serve(...options) {
    const server = spawn(process.env.BONDGRAPH, ['serve', ...options], {stdio: ['ignore', 'pipe', 'ignore']});
    servers.push(server);
    return new Promise((done, fail) => {
        let text = '';
        server.stdout.on('data', (d) => { text += d; if (text.includes('\n')) done(text.trim()); });
        server.on('exit', () => fail(new Error('the server has ended')));
    });
}

export const circuit = `model: rc
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
export async function opened(file, action, {size = {width: 1280, height: 720}, at = address, expected = []} = {}) {
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

export const press = (page, selector) => page.$eval(selector, (e) => e.click());
export const text = (page, selector) => page.$eval(selector, (e) => e.textContent);
export const source = (page) => page.evaluate(() => [...document.querySelectorAll('.cm-line')].map((l) => l.textContent).join('\n'));
/** The page of the model, once so many have been shown. */
export async function model(page, number) {
    await page.waitForFunction((n) => Number(document.querySelector('.frames').dataset.shown ?? 0) >= n, {}, number);
    const frame = await (await page.waitForSelector('.frames iframe:not(.behind)')).contentFrame();
    await frame.waitForSelector('html[data-ready]');
    return frame;
}
export const shown = (page) => page.$eval('.frames', (e) => Number(e.dataset.shown ?? 0));
/** The value of C1.e at the end, as its plot's key tells. */
export const last = async (frame) => {
    await frame.$eval('#time', async (e) => {
        e.value = 10000;
        e.dispatchEvent(new Event('input'));
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    });
    return frame.$eval('.keys output', (e) => e.textContent);
};
/** Sets the cursor behind a text of a line and types. */
export async function type(page, behind, typed) {
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
