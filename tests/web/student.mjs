// Somebody who does on the page what a lesson says, step by step. What the lesson says is to be seen has to stand on the page and, in
// the same words, in the lesson; where the lesson has a picture, it is taken at that moment.

import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {repositoryFile, root, shownFiles} from './documents.mjs';

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const plain = (text) => text.replace(/\s+/g, ' ');

/** Whether a text has another in it, whose numbers may be off by a share of each. */
function holds(seen, text, share) {
    const number = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g;
    const wanted = [...text.matchAll(number)].map(([n]) => Number(n));
    const pattern = text.split(number).map((s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)');
    // Each may begin where another has not ended yet.
    const at = new RegExp(`(?<![\\d.])(?=${pattern}(?![\\d]))`, 'g');
    return [...seen.matchAll(at)].some((found) => wanted.every((w, k) => Math.abs(Number(found[k + 1]) - w) <= share * Math.abs(w)));
}

export class Student {
    /** `take(name, png, most)`: what is done with a picture, which may have so many colours. */
    constructor(browser, document, take) {
        this.browser = browser;
        this.document = document;
        this.text = plain(repositoryFile(document).replaceAll('*', ''));
        this.take = take;
        this.folder = mkdtempSync(join(tmpdir(), 'bondgraph-lesson-'));
        symlinkSync(join(root, 'models'), join(this.folder, 'models'));
        symlinkSync(join(root, 'docs'), join(this.folder, 'docs'));
        for (const [name, text] of shownFiles(document)) {
            mkdirSync(dirname(join(this.folder, name)), {recursive: true});
            writeFileSync(join(this.folder, name), text);
        }
        /** A window in which the account of energy has room. */
        this.tall = {width: 1280, height: 1000, scale: 1.2};
        this.page = null;
        this.server = null;
    }

    async leave() {
        await this.page?.close();
        this.server?.kill('SIGTERM');
        rmSync(this.folder, {recursive: true, force: true});
    }

    async newPage(width, height) {
        await this.page?.close();
        this.page = await this.browser.newPage();
        this.page.setDefaultTimeout(120000);
        this.page.setDefaultNavigationTimeout(120000);
        await this.page.setViewport({width, height, deviceScaleFactor: this.scale ?? 1.25});
        await this.page.emulateMediaFeatures([{name: 'prefers-reduced-motion', value: 'no-preference'}, {name: 'prefers-color-scheme', value: 'light'}]);
    }

    /** `bondgraph report MODEL OPTIONS -o FILE`: the file, which is not opened. */
    writes(model, options = [], status = 0, file = `${Math.random().toString(36).slice(2)}.html`) {
        const done = spawnSync(process.env.BONDGRAPH, ['report', model, ...options, '-o', file], {cwd: this.folder, encoding: 'utf8'});
        assert.equal(done.status, status, `${this.document}: report ${model} ${options.join(' ')}\n${done.stderr}`);
        return join(this.folder, file);
    }

    async opens(model, {options = [], status = 0, width = 900, height = 560, link = '', scale = 1.25} = {}) {
        this.scale = scale;
        const file = this.writes(model, options, status);
        await this.newPage(width, height);
        await this.page.goto(`file://${file}${link}`);
        await this.page.waitForSelector('html[data-ready]');
        this.inside = this.page;
    }

    /** `bondgraph serve`, with one file of it open. */
    async opensBench(name, {width = 1180, height = 640, scale = 1.1, place = '.'} = {}) {
        this.scale = scale;
        this.server?.kill('SIGTERM');
        this.server = spawn(process.env.BONDGRAPH, ['serve', place], {cwd: this.folder, stdio: ['ignore', 'pipe', 'ignore']});
        const address = await new Promise((done) => this.server.stdout.once('data', (d) => done(String(d).trim())));
        await this.newPage(width, height);
        await this.page.goto(name ? `${address}&file=${encodeURIComponent(name)}` : address);
        await this.answered();
    }

    /** The bench has shown what it was asked for. */
    async answered() {
        await this.page.waitForFunction(() => document.querySelector('.frames')?.dataset.shown);
        await pause(900);
        await this.page.waitForFunction(() => document.querySelector('#stop')?.hidden);
        this.inside = this.page.frames().findLast((f) => f !== this.page.mainFrame()) ?? this.page;
    }

    async presses(selector) {
        await this.inside.waitForSelector(selector);
        await this.inside.$eval(selector, (e) => e.dispatchEvent(new MouseEvent('click', {bubbles: true})));
        await pause(120);
    }

    view(name) { return this.presses(`#tab-${name}`); }

    /** Words of the page that the document gives in others. */
    async seesOnPage(text) {
        for (let tries = 0; tries < 100; ++tries) {
            if (holds(await this.words(), text, 2e-3)) return;
            await pause(100);
        }
        this.fails(`'${text}' is not to be seen on the page`);
    }

    /** The slider of time, to a share of the run. */
    async slides(share) {
        await this.inside.$eval('#time', (e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }, Math.round(10000 * share));
        await pause(120);
    }

    async pressesNamed(text) {
        const done = await this.inside.$$eval('button', (all, t) => { const found = all.find((b) => b.textContent === t && b.offsetParent); found?.click(); return Boolean(found); }, text);
        assert.ok(done, `${this.document}: no button '${text}'`);
        await pause(200);
    }

    /** A part or bond of the graph is clicked at its middle, or where a bond's body is. */
    async chooses(label) {
        const box = await (await this.inside.waitForSelector(`.canvas [aria-label^="${label}"]`)).boundingBox();
        await this.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        await pause(150);
    }

    /** By the keyboard: what has the focus tells the same as what is pointed at. */
    async focuses(label) {
        await this.inside.$eval(`.canvas [aria-label^="${label}"]`, (e) => { e.blur(); e.focus(); });
        await pause(150);
    }

    async types(selector, text) {
        const field = await this.inside.waitForSelector(selector);
        await field.evaluate((e) => { e.scrollIntoView({block: 'center'}); e.value = ''; });
        await field.type(text);
        await field.evaluate((e) => { e.dispatchEvent(new Event('change')); e.blur(); });
        await pause(150);
    }

    async picks(selector, value) {
        const done = await this.inside.select(selector, value);
        assert.deepEqual(done, [value], `${this.document}: no '${value}' in ${selector}`);
        await pause(150);
    }

    /** In the bench: a number beside a slider. */
    async sets(parameter, text) {
        const at = this.inside;
        this.inside = this.page;
        await this.types(`.slider-row:has([data-name="${parameter}"]) input.number`, text);
        this.inside = at;
        await this.answered();
    }

    async points(label) {
        const box = await (await this.inside.waitForSelector(`.canvas [aria-label^="${label}"]`)).boundingBox();
        await this.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        await pause(150);
    }

    async words() {
        const texts = await Promise.all(this.page.frames().map((f) => f.evaluate(() => {
            const svg = [...document.querySelectorAll('svg text')].filter((e) => e.getClientRects().length > 0).map((e) => e.textContent);
            const fields = [...document.querySelectorAll('input.number')].map((e) => `${e.parentElement.textContent.trim()} ${e.value}`);
            return [document.body.innerText, ...svg, ...fields].join('\n');
        }).catch(() => '')));
        return plain(texts.join('\n'));
    }

    /** Each stands on the page, up to the last digit of its numbers, and so in the document. */
    sees(...texts) { return this.seesWithin(2e-3, ...texts); }

    /** The same of what depends on where the steps of the run ended: the document says it as it was once. */
    async seesWithin(share, ...texts) {
        const missing = async () => {
            const seen = await this.words();
            return texts.filter((t) => !holds(seen, t, share)).map((t) => ({text: t, seen}));
        };
        let left = await missing();
        for (let tries = 0; left.length > 0 && tries < 100; ++tries) {
            await pause(100);
            left = await missing();
        }
        for (const {text, seen} of left) this.fails(`'${text}' is not to be seen on the page:\n${seen}`);
        for (const text of texts) if (!this.text.includes(text)) this.fails(`'${text}' is not said`);
    }

    fails(what) { throw new Error(`${this.document}: ${what}`); }

    async picture(name, selectors = 'body', {most = 96, below = null, margin = 0, whole = false} = {}) {
        const of = whole ? this.page : this.inside;
        await this.inside.evaluate(() => document.activeElement?.blur());
        await pause(400);
        const boxes = await Promise.all([selectors].flat().map(async (s) => (await of.waitForSelector(s)).boundingBox()));
        const left = Math.max(0, Math.min(...boxes.map((b) => b.x)) - margin), top = Math.max(0, Math.min(...boxes.map((b) => b.y)));
        const right = Math.max(...boxes.map((b) => b.x + b.width)) + margin;
        let bottom = Math.max(...boxes.map((b) => b.y + b.height)) + margin;
        if (below) bottom = Math.min(bottom, top + below);
        const {width, height} = this.page.viewport();
        const clip = {x: left, y: top, width: Math.min(right, width) - left, height: Math.min(bottom, height) - top};
        await this.take(name, await this.page.screenshot({clip, captureBeyondViewport: false}), most);
    }
}

/** A lesson's walk; its pictures lie beside the lessons. */
export const lesson = (name, walk) => ({document: `docs/lessons/${name}.md`, images: 'docs/lessons/images', walk});
