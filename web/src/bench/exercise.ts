// An exercise: its text, hints one by one, and how the answer compares with a solution that is not shown.

import MarkdownIt from 'markdown-it';
import { clear, make } from '../elements';
import { askCompare, readFile, readPicture, type Comparison } from './ask';

const markdown = new MarkdownIt({ html: false, linkify: false });

export interface Parts { text: string; hints: string[]; afterwards: string }

/** The text before `## Hints`, its numbered hints, and what comes behind. */
export function partsOf(source: string): Parts {
    const [text, ...rest] = source.split(/^## Hints[ \t]*$/m);
    const behind = rest.join('\n');
    const next = behind.search(/^## /m);
    const list = next < 0 ? behind : behind.slice(0, next);
    const hints = list.split(/^\d+\.\s+/m).slice(1).map((h) => h.trim());
    return { text: text.trim(), hints, afterwards: next < 0 ? '' : behind.slice(next).trim() };
}

const folderOf = (name: string): string => name.slice(0, name.lastIndexOf('/') + 1);

export class Exercise {
    readonly element = make('section', { class: 'exercise', 'aria-label': 'Exercise' });
    private hints: string[] = [];
    private afterwards = '';
    private told = 0;
    private pictures: string[] = [];
    private readonly hintList = make('ol', { class: 'hints' });
    private readonly verdict = make('div', { class: 'verdict', role: 'status', id: 'verdict' });
    private readonly more: HTMLButtonElement = make('button', { id: 'hint', click: () => this.tellHint() }, 'A hint');

    constructor(private readonly answer: () => { name: string; text: string }) {}

    /** Gives whether there is one. */
    async open(name: string): Promise<boolean> {
        clear(this.element);
        clear(this.hintList);
        clear(this.verdict);
        for (const url of this.pictures) URL.revokeObjectURL(url);
        this.pictures = [];
        const said = await readFile(name.replace(/\.ya?ml$/, '.md'));
        const parts = partsOf(said.value.text ?? '');
        this.hints = parts.hints;
        this.afterwards = parts.afterwards;
        this.told = 0;
        const text = make('div', { class: 'exercise-text' });
        text.innerHTML = markdown.render(parts.text);
        await this.fillPictures(text, folderOf(name));
        this.enable();
        this.element.append(text, make('div', { class: 'tools' }, make('button', { id: 'compare', click: () => void this.compare() }, 'Compare my answer'), this.more), this.hintList, this.verdict);
        return said.status === 200;
    }

    private async fillPictures(text: HTMLElement, folder: string): Promise<void> {
        for (const image of text.querySelectorAll('img')) {
            const url = await readPicture(folder + (image.getAttribute('src') ?? ''));
            if (url) { image.src = url; this.pictures.push(url); } else image.remove();
        }
        // Links lead to files beside the text, which are no pages.
        for (const link of text.querySelectorAll('a')) link.replaceWith(...link.childNodes);
    }

    private tellHint(): void {
        if (this.told >= this.hints.length) return;
        const item = make('li');
        item.innerHTML = markdown.renderInline(this.hints[this.told].replace(/\s+/g, ' '));
        this.hintList.append(item);
        ++this.told;
        this.enable();
    }

    private enable(): void {
        this.more.disabled = this.told >= this.hints.length;
        this.more.textContent = this.hints.length === 0 ? 'No hints' : `A hint (${this.told} of ${this.hints.length})`;
    }

    private async compare(): Promise<void> {
        const { name, text } = this.answer();
        clear(this.verdict);
        this.verdict.append('…');
        const said = await askCompare(name, text);
        clear(this.verdict);
        this.verdict.append(...this.linesOf(said.value));
        if (!said.value.equal || !this.afterwards) return;
        const more = make('div', { class: 'exercise-text' });
        more.innerHTML = markdown.render(this.afterwards);
        for (const link of more.querySelectorAll('a')) link.replaceWith(...link.childNodes);
        for (const image of more.querySelectorAll('img')) image.remove();
        this.verdict.append(more);
    }

    private linesOf(c: Comparison): HTMLElement[] {
        if (c.error) return [make('p', { class: 'wrong' }, c.error)];
        if (c.messages) return [make('p', { class: 'wrong' }, 'Your model has mistakes: mend these first.'), ...c.messages.filter((m) => !m.warning).slice(0, 5).map((m) => make('p', {}, `line ${m.line}: ${m.text}`))];
        const head = make('p', { class: c.equal ? 'right' : 'wrong' }, c.equal ? `Right: ${c.verdict}.` : 'Not yet.');
        const more = [c.equal ? '' : c.difference ?? '', c.behaviour ?? '', ...(c.steps ?? [])].filter(Boolean);
        return [head, ...more.map((t) => make('p', {}, t))];
    }
}
