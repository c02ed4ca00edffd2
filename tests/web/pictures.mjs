// Makes the pictures of docs/seeing.md anew, of the page and of the bench: BONDGRAPH=… CHROMIUM=… node pictures.mjs

import {execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import puppeteer from 'puppeteer-core';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = mkdtempSync(join(tmpdir(), 'bondgraph-pictures-'));
const browser = await puppeteer.launch({executablePath: process.env.CHROMIUM, headless: true,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist']});
for (const [name, model, link] of [['page_motor', 'electromechanical/dc_motor', '#t=0.12&view=plots&bond=armature'],
    ['page_causality', 'electromechanical/dc_motor', '#t=0.3&view=equations&node=emf&step=4'],
    ['page_robot', 'mechanics3d/robot_arm', '#t=1&view=space&node=upper']]) {
    const file = join(folder, 'page.html');
    execFileSync(process.env.BONDGRAPH, ['report', join(root, 'models', `${model}.yaml`), '-o', file]);
    const page = await browser.newPage();
    await page.setViewport({width: 1280, height: 640});
    await page.goto(`file://${file}${link}`);
    await page.waitForSelector('html[data-ready]');
    await new Promise((done) => setTimeout(done, 1500));
    await page.screenshot({path: join(root, 'docs/images', `${name}.png`)});
    await page.close();
}

// The bench: a resistor is dragged, and the run has followed.
const server = spawn(process.env.BONDGRAPH, ['serve', join(root, 'models/electromechanical/dc_motor.yaml'), '--read-only'], {stdio: ['ignore', 'pipe', 'ignore']});
const address = await new Promise((done) => server.stdout.on('data', (d) => done(String(d).trim())));
const bench = await browser.newPage();
await bench.setViewport({width: 1280, height: 720});
await bench.goto(address);
await bench.waitForFunction(() => document.querySelector('.frames')?.dataset.shown);
await bench.$eval('[data-name="Ra.R"]', (e) => { e.value = 150; e.dispatchEvent(new Event('input')); });
await new Promise((done) => setTimeout(done, 2000));
await bench.$eval('[data-name="Ra.R"]', (e) => e.scrollIntoView());
await bench.screenshot({path: join(root, 'docs/images/bench_motor.png')});
server.kill('SIGTERM');
await browser.close();
rmSync(folder, {recursive: true});
