// Lessons, tutorial and the ten minutes of seeing.md are done on the page step by step: what they say is to be seen is there, in
// the same numbers, and their pictures show what the page shows. pictures.mjs makes them anew.

import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {launched} from './chromium.mjs';
import {documentsWithPictures, root} from './documents.mjs';
import {Student} from './student.mjs';
import {walks} from './walks.mjs';

const largest = 60000, inAll = 1200000;
/** Of each picture, what the page showed where it is taken. */
const made = new Map();
let browser, reader;

before(async () => {
    browser = await launched();
    reader = await browser.newPage();
});
after(async () => { await browser?.close(); });

/** A picture on a coarse sheet, where fonts of other machines hardly count. */
const sheet = (png) => reader.evaluate(async (text) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
    const canvas = new OffscreenCanvas(48, 36), g = canvas.getContext('2d', {willReadFrequently: true});
    g.imageSmoothingQuality = 'high';
    g.drawImage(image, 0, 0, 48, 36);
    return {form: image.width / image.height, points: [...g.getImageData(0, 0, 48, 36).data]};
}, Buffer.from(png).toString('base64'));

/** Mean distance of two sheets, of 255; of other forms they are as far apart as can be. */
function distance(a, b) {
    if (Math.abs(Math.log(a.form / b.form)) > 0.15) return 255;
    return a.points.reduce((sum, v, i) => sum + Math.abs(v - b.points[i]), 0) / (0.75 * a.points.length);
}

for (const {document, images, walk} of walks) {
    test(`${document} can be followed on the page`, async () => {
        const student = new Student(browser, document, async (name, png) => {
            const file = `${images}/${name}.png`;
            assert.ok(!made.has(file), `${file} is made twice`);
            assert.ok(existsSync(join(root, file)), `${file} is missing: pictures.mjs makes it`);
            made.set(file, await sheet(png));
        });
        try {
            await walk(student);
        } finally {
            await student.leave();
        }
    });
}

test('every picture of the page is shown by a document, is made by its walk, and is small', async () => {
    const shown = new Map();
    for (const {document, pictures} of documentsWithPictures())
        for (const p of pictures) if (p.endsWith('.png')) shown.set(p, document);
    const lying = ['docs/images', 'docs/lessons/images'].flatMap((folder) => readdirSync(join(root, folder)).filter((f) => f.endsWith('.png')).map((f) => `${folder}/${f}`));
    assert.deepEqual([...shown.keys()].sort(), lying.sort(), 'pictures in documents, and pictures in their folders');
    assert.deepEqual([...made.keys()].sort(), [...shown.keys()].sort(), 'pictures made, and pictures in documents');
    for (const p of lying) assert.ok(statSync(join(root, p)).size <= largest, `${p} has ${statSync(join(root, p)).size} bytes`);
    assert.ok(lying.reduce((sum, p) => sum + statSync(join(root, p)).size, 0) <= inAll);
    // Each is that of its own moment: no other one is as near to what the page shows there.
    const stored = new Map();
    for (const p of lying) stored.set(p, await sheet(readFileSync(join(root, p))));
    for (const [p, now] of made) {
        const own = distance(now, stored.get(p));
        assert.ok(own < 6, `${p} does not show what the page shows (${own.toFixed(1)} off): pictures.mjs makes it anew`);
        for (const [other, there] of stored) if (other !== p) assert.ok(distance(now, there) > own, `the page looks like ${other}, and should like ${p}`);
    }
});
