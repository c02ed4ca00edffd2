// A page with data shows them; one without, in a frame of the bench, waits for them.

import { given } from './given';
import { read, Unreadable, unpacked } from './unpacking';

// The page itself looks for this, and says so where the program has not come to its end.
document.documentElement.dataset.begun = '';

const app = document.getElementById('app')!;
const begin = (): void => { void import('./main'); };

function say(e: unknown): void {
    if (!(e instanceof Unreadable)) throw e;
    const sentence = document.createElement('p');
    sentence.className = 'unreadable';
    sentence.setAttribute('role', 'alert');
    sentence.textContent = e.message;
    app.append(sentence);
}

function show(text: string): void {
    const data = read(text);
    // The title is there at once: large models take their time. What nobody looks at yet is never painted.
    const header = document.createElement('header'), title = document.createElement('h1');
    title.textContent = data.model;
    header.append(title);
    app.append(header);
    const unpack = (): void => { unpacked(data).then((whole) => { given.raw = whole; begin(); }).catch(say); };
    if (document.visibilityState === 'hidden') unpack();
    else requestAnimationFrame(() => setTimeout(unpack));
}

const text = document.getElementById('data')!.textContent!.trim();
if (text.startsWith('{')) {
    try { show(text); } catch (e) { say(e); }
} else if (parent !== window) {
    const first = (e: MessageEvent): void => {
        if (e.source !== parent || e.data?.kind !== 'data') return;
        removeEventListener('message', first);
        given.raw = e.data.data;
        given.live = true;
        given.link = e.data.link ?? null;
        if (e.data.theme) document.documentElement.dataset.theme = e.data.theme;
        begin();
    };
    addEventListener('message', first);
    parent.postMessage({ kind: 'waiting' }, '*');
}
