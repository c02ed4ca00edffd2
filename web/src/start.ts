// A page with data shows them; one without, in a frame of the bench, waits for them.

import { given } from './given';

const begin = (): void => { void import('./main'); };
const text = document.getElementById('data')!.textContent!.trim();
if (text.startsWith('{')) {
    given.raw = JSON.parse(text);
    // The title is there at once: large models take their time. What nobody looks at yet is never painted.
    const title = document.createElement('h1');
    title.textContent = (given.raw as { model: string }).model;
    document.getElementById('app')!.append(document.createElement('header'));
    document.querySelector('#app > header')!.append(title);
    if (document.visibilityState === 'hidden') begin();
    else requestAnimationFrame(() => setTimeout(begin));
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
