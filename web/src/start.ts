// A page with data shows them; one without, in a frame of the bench, waits for them.

import { given } from './given';

const begin = (): void => { void import('./main'); };
const text = document.getElementById('data')!.textContent!.trim();
if (text.startsWith('{')) {
    given.raw = JSON.parse(text);
    begin();
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
