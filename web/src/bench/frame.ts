// What a model does, in a frame without an origin: it can neither ask the server nor see the token. The next page is
// made behind the one that is shown, and takes its place once it is there.

import { make } from '../elements';

/** In ms: so long a run waits for the one before to be drawn. */
const kLongest = 1000;

interface Listeners {
    /** A part of the picture. */
    chosen: (name: string) => void;
    /** What is looked at now is not in the run that is shown. */
    lacking: () => void;
    /** What the page wants to know of strokes. */
    asked: (message: any) => void;
    /** Another page is there. */
    swapped: () => void;
}

export class ModelFrame {
    readonly element = make('div', { class: 'frames' });
    private shown: HTMLIFrameElement | null = null;
    private coming: { frame: HTMLIFrameElement; data: object } | null = null;
    private link: string | null = null;
    private drawn: (() => void) | null = null;
    /** What of a run is looked at: others have no need to be there while a slider is dragged. */
    seen: object | null = null;

    constructor(private readonly to: Listeners) {
        addEventListener('message', (e) => {
            const kind = e.data?.kind;
            if (this.coming && e.source === this.coming.frame.contentWindow) {
                if (kind === 'waiting') this.send(this.coming.frame, { kind: 'data', data: this.coming.data, link: this.link, theme: document.documentElement.dataset.theme });
                if (kind === 'shown') this.swap();
            }
            if (this.shown && e.source === this.shown.contentWindow) {
                if (kind === 'link') this.link = String(e.data.link);
                if (kind === 'chosen') this.to.chosen(String(e.data.name));
                if (kind === 'drawn') this.drawn?.();
                if (kind === 'seen') {
                    this.seen = e.data.seen;
                    if (e.data.missing) this.to.lacking();
                }
                if (kind === 'places' || kind === 'stroke') this.to.asked(e.data);
            }
        });
    }

    private send(frame: HTMLIFrameElement, message: object): void { frame.contentWindow?.postMessage(message, '*'); }

    /** Another file: what was looked at is no matter of it. */
    forget(): void { this.link = null; this.seen = null; }

    show(data: object): void {
        this.coming?.frame.remove();
        const frame = make('iframe', { title: 'What the model does', sandbox: 'allow-scripts allow-downloads', src: '/page.html', class: 'behind' });
        this.coming = { frame, data };
        this.element.append(frame);
    }

    /** Another run of the model that is shown; done when it is seen. In a tab that is not shown nothing is drawn. */
    run(run: object, numbers: ArrayBuffer): Promise<void> {
        if (!this.shown) return Promise.resolve();
        this.shown.contentWindow?.postMessage({ kind: 'run', run, numbers }, '*', [numbers]);
        return new Promise((done) => {
            const timer = window.setTimeout(done, kLongest);
            this.drawn = () => { clearTimeout(timer); done(); };
        });
    }

    /** To the page that is shown. */
    tell(message: object): void { if (this.shown) this.send(this.shown, message); }

    theme(theme: string): void { if (this.shown) this.send(this.shown, { kind: 'theme', theme }); }

    /** Nothing is shown. */
    empty(): void {
        this.forget();
        this.shown?.remove();
        this.coming?.frame.remove();
        this.shown = null;
        this.coming = null;
    }

    private swap(): void {
        this.shown?.remove();
        this.shown = this.coming!.frame;
        this.shown.classList.remove('behind');
        this.coming = null;
        this.drawn?.();
        this.element.dataset.shown = String(Number(this.element.dataset.shown ?? 0) + 1);
        this.to.swapped();
    }
}
