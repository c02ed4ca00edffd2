// The data of a page, read by ourselves: numbers as base64, whichever way the page holds them.

import {readFileSync, writeFileSync} from 'node:fs';
import {inflateSync} from 'node:zlib';

const script = /(<script type="application\/json" id="data">)([\s\S]*?)(<\/script>)/;

/** What stands in the script of the data, as it is. */
export const heldBy = (file) => JSON.parse(readFileSync(file, 'utf8').match(script)[2]);

/** 32-bit words whose bytes lie apart, each as its difference from the last but one. */
function outOfPlanes(planes) {
    const count = planes.length / 4, numbers = Buffer.alloc(planes.length);
    for (let i = 0; i < count; ++i) {
        let word = i > 1 ? numbers.readUInt32LE(4 * (i - 2)) : 0;
        for (let k = 0; k < 4; ++k) word += planes[k * count + i] * 256 ** k;
        numbers.writeUInt32LE(word % 2 ** 32, 4 * i);
    }
    return numbers;
}

export function dataOf(file) {
    const held = heldBy(file);
    if (!held.deflated) return held;
    const [data, planes] = ['data', 'numbers'].map((name) => inflateSync(Buffer.from(held.deflated[name], 'base64')));
    const numbers = outOfPlanes(planes);
    return JSON.parse(data.toString('utf8'), (_, value) => (Array.isArray(value?.bytes)
        ? numbers.subarray(value.bytes[0], value.bytes[0] + value.bytes[1]).toString('base64') : value));
}

/** The same page around other data. */
export function writeWith(file, from, data) {
    const text = JSON.stringify(data).replaceAll('<', '\\u003c');
    writeFileSync(file, readFileSync(from, 'utf8').replace(script, (_, begin, __, end) => begin + text + end));
}
