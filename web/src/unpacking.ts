// The data of a page, as bondgraph/api/page_filling.hpp writes them: as they are, or deflated where they are large.

import { bytes, withNumbers } from './packed';

interface Deflated { program: string; model: string; deflated: { data: string; numbers: string } }

/** Why there is nothing to see, for who reads the page. */
export class Unreadable extends Error {}

/** Not by fetch: a page that is opened from a folder may not. */
function inflated(text: string): Promise<ArrayBuffer> {
    return new Response(new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
}

/** Takes back what `in_planes` has done. */
export function outOfPlanes(planes: ArrayBuffer): ArrayBuffer {
    const from = new Uint8Array(planes), count = from.length / 4, words = new Uint32Array(count);
    let lastButOne = 0, last = 0;
    for (let i = 0; i < count; ++i) {
        const difference = from[i] | from[count + i] << 8 | from[2 * count + i] << 16 | from[3 * count + i] << 24;
        const now = (lastButOne + difference) | 0;
        words[i] = now;
        lastButOne = last;
        last = now;
    }
    return words.buffer;
}

/** What stands in the page may be told from this at once: the name of the model. */
export function read(text: string): { model: string } {
    try {
        return JSON.parse(text);
    } catch (e) {
        throw damaged(e);
    }
}

export async function unpacked(given: object): Promise<unknown> {
    if (!('deflated' in given)) return given;
    if (!('DecompressionStream' in globalThis))
        throw new Unreadable('The data of this page are compressed, which this browser cannot read. Chrome and Edge can from version 80 on, Firefox from 113, Safari from 16.4.');
    try {
        const { data, numbers } = (given as Deflated).deflated;
        const [text, planes] = await Promise.all([inflated(data), inflated(numbers)]);
        const whole = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text));
        // Numbers are in these alone; what has names of the model as keys is left as it is.
        const plain = outOfPlanes(planes);
        for (const key of ['run', 'linear']) if (whole[key]) whole[key] = withNumbers(whole[key], plain);
        return whole;
    } catch (e) {
        throw damaged(e);
    }
}

function damaged(cause: unknown): Unreadable {
    return new Unreadable(`The data of this page cannot be read: its file is damaged. (${cause instanceof Error ? cause.message : cause})`);
}
