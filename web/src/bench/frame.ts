// What a model does, in a frame without an origin: it can neither ask the server nor see the token. The next page is
// made behind the one that is shown, and takes its place once it is there.

import { make } from '../elements';

export class ModelFrame {
    readonly element = make('div', { class: 'frames' });
    private shown: HTMLIFrameElement | null = null;
    private coming: { frame: HTMLIFrameElement; data: object } | null = null;
    private link: string | null = null;

    /** `chosen`: a part of the picture; `asked`: what the page wants to know of strokes; `swapped`: another page is there. */
    constructor(private readonly chosen: (name: string) => void, private readonly asked: (message: any) => void, private readonly swapped: () => void) {
        addEventListener('message', (e) => {
            const kind = e.data?.kind;
            if (this.coming && e.source === this.coming.frame.contentWindow) {
                if (kind === 'waiting') this.send(this.coming.frame, { kind: 'data', data: this.coming.data, link: this.link, theme: document.documentElement.dataset.theme });
                if (kind === 'shown') this.swap();
            }
            if (this.shown && e.source === this.shown.contentWindow) {
                if (kind === 'link') this.link = String(e.data.link);
                if (kind === 'chosen') this.chosen(String(e.data.name));
                if (kind === 'places' || kind === 'stroke') this.asked(e.data);
            }
        });
    }

    private send(frame: HTMLIFrameElement, message: object): void { frame.contentWindow?.postMessage(message, '*'); }

    /** Another file: what was looked at is no matter of it. */
    forget(): void { this.link = null; }

    show(data: object): void {
        this.coming?.frame.remove();
        const frame = make('iframe', { title: 'What the model does', sandbox: 'allow-scripts allow-downloads', src: '/page.html', class: 'behind' });
        this.coming = { frame, data };
        this.element.append(frame);
    }

    /** Another run of the model that is shown. */
    run(run: object): void { if (this.shown) this.send(this.shown, { kind: 'run', run }); }

    /** To the page that is shown. */
    tell(message: object): void { if (this.shown) this.send(this.shown, message); }

    theme(theme: string): void { if (this.shown) this.send(this.shown, { kind: 'theme', theme }); }

    get empty(): boolean { return this.shown === null && this.coming === null; }

    private swap(): void {
        this.shown?.remove();
        this.shown = this.coming!.frame;
        this.shown.classList.remove('behind');
        this.coming = null;
        this.element.dataset.shown = String(Number(this.element.dataset.shown ?? 0) + 1);
        this.swapped();
    }
}
