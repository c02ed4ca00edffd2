// Pictures of a page made small and robust, and how far two of them are apart.

import {sharp} from './chromium.mjs';

/** Of the graph: its lines and boxes without texts, whose fonts differ between machines, on a sheet of its own size. */
export async function graphPicture(page) {
    await page.evaluate(async () => {
        // Of large drawings the upper left part, so that a causal stroke is as long as ten pixels of the picture.
        const svg = document.querySelector('.canvas svg');
        const [x, y, w, h] = svg.getAttribute('viewBox').split(' ').map(Number);
        const width = Math.min(w, 800), height = Math.min(h, 450);
        svg.setAttribute('viewBox', `${x} ${y} ${width} ${height}`);
        if (!document.getElementById('still')) {
            const style = document.createElement('style');
            style.id = 'still';
            style.textContent = `.canvas { position: fixed; inset: 0; width: 1280px; height: 720px; z-index: 1000; background: #fff; }
                .canvas text { visibility: hidden; } * { animation: none !important; transition: none !important; }`;
            document.head.append(style);
        }
        // What moves is drawn again for the next picture.
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    });
    return shrunk(page, await shot(page, {x: 0, y: 0, width: 1280, height: 720}), 640, 360);
}

/** Of space: the canvas alone. Software draws edges and shades of solids otherwise from version to version. */
export async function spacePicture(page) {
    await page.evaluate(async () => {
        if (!document.getElementById('still-space')) {
            const style = document.createElement('style');
            style.id = 'still-space';
            style.textContent = `.space .stage { position: fixed !important; left: 0; top: 0; width: 640px !important; height: 360px !important; z-index: 1000; }`;
            document.head.append(style);
        }
        // The drawing takes the new size in a frame of its own: until then it is stretched.
        const fits = () => {
            const canvas = document.querySelector('.space .stage canvas');
            return Math.abs(canvas.width * 360 - canvas.height * 640) < 1000;
        };
        const begun = performance.now();
        while (!fits()) {
            if (performance.now() - begun > 30000) throw new Error('space does not take its new size');
            await new Promise((done) => setTimeout(done, 20));
        }
        const slider = document.getElementById('time');
        slider.dispatchEvent(new Event('input'));
    });
    await sharp(page);
    return shrunk(page, await shot(page, {x: 0, y: 0, width: 640, height: 360}), 320, 180);
}

async function shot(page, clip) { return page.screenshot({clip, encoding: 'base64'}); }

/** A PNG, as base64, that has the mean of as many points in each. */
function shrunk(page, png, width, height) {
    return page.evaluate(async (data, w, h) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const canvas = new OffscreenCanvas(image.width, image.height);
        const g = canvas.getContext('2d');
        g.drawImage(image, 0, 0);
        const from = g.getImageData(0, 0, image.width, image.height).data;
        const n = image.width / w, to = new ImageData(w, h);
        for (let y = 0; y < h; ++y) {
            for (let x = 0; x < w; ++x) {
                for (let c = 0; c < 4; ++c) {
                    let sum = 0;
                    for (let k = 0; k < n * n; ++k) sum += from[4 * ((n * y + Math.floor(k / n)) * image.width + n * x + k % n) + c];
                    to.data[4 * (y * w + x) + c] = sum / (n * n);
                }
            }
        }
        const small = new OffscreenCanvas(w, h);
        small.getContext('2d').putImageData(to, 0, 0);
        const bytes = new Uint8Array(await (await small.convertToBlob({type: 'image/png'})).arrayBuffer());
        let text = '';
        for (const b of bytes) text += String.fromCharCode(b);
        return btoa(text);
    }, png, width, height);
}

/** How many points of two pictures differ by more than `level` (of 255) in a colour. */
export function difference(page, one, other, level) {
    return page.evaluate(async (a, b, most) => {
        const read = async (data) => {
            const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
            const g = new OffscreenCanvas(image.width, image.height).getContext('2d');
            g.drawImage(image, 0, 0);
            return g.getImageData(0, 0, image.width, image.height);
        };
        const [p, q] = [await read(a), await read(b)];
        if (p.width !== q.width || p.height !== q.height) return p.data.length / 4;
        let count = 0;
        for (let i = 0; i < p.data.length; i += 4) {
            if ([0, 1, 2].some((c) => Math.abs(p.data[i + c] - q.data[i + c]) > most)) ++count;
        }
        return count;
    }, one, other, level);
}

// Lines are smoothed a little otherwise by another version of the browser: by less than a sixth of black on white at
// points of their borders. A stroke that is missing is ten points and more that are off by more than that.
export const graphLevel = 44, graphPoints = 3;
// The borders of solids, which antialiasing draws otherwise from driver to driver, are a small part of the picture.
export const spaceLevel = 48, spacePoints = 320 * 180 / 150;
