// An exercise: its text, hints one by one, and three stages: the graph, compared with a solution that is not shown, its strokes, and its
// equations.

import MarkdownIt from 'markdown-it';
import { clear, make } from '../elements';
import { askCompare, readFile, readPicture, saveFile, type Comparison, type Stroke } from './ask';
import { allKept, Progress } from './progress';
import { EquationStage, Stage, StrokeStage, type Task } from './stages';

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
const stemOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '');

/** What the picture is to be told: which bonds get strokes, and which are there. */
export interface Placing { kind: 'placing'; bonds: string[]; placed: Stroke[]; shown: Stroke[] }

export interface Surroundings {
    answer: () => Task;
    /** The picture has other strokes to be placed. */
    placing: (task: Placing) => void;
    /** The page may show more, or less, than it did. */
    refresh: () => void;
    /** Nothing can be saved. */
    readOnly: () => boolean;
}

const fileOf = (name: string, ending: string): string => name.replace(/\.ya?ml$/, `.${ending}`);

/** With what was saved beside the answer. */
async function begun(name: string): Promise<Progress> {
    const progress = new Progress();
    const found = await Promise.all(allKept.map(async (kept) => ({ kept, said: await readFile(fileOf(name, kept)) })));
    for (const { kept, said } of found) {
        if (said.status !== 200) continue;
        progress.versions.set(kept, said.value.version);
        progress.take(kept, said.value.text);
    }
    return progress;
}

export class Exercise {
    readonly element = make('div', { class: 'exercise' });
    private readonly all = new Map<string, Progress>();
    private progress: Progress | null = null;
    private name = '';
    private hints: string[] = [];
    private afterwards = '';
    private pictures: string[] = [];
    private checking = 0;
    private readonly hintList = make('ol', { class: 'hints' });
    private readonly verdict = make('div', { class: 'verdict', role: 'status', id: 'verdict' });
    private readonly more: HTMLButtonElement = make('button', { id: 'hint', click: () => this.tellHint() }, 'A hint');
    private readonly graph = new Stage('graph', 1, 'Graph');
    private readonly strokes = new StrokeStage(() => this.placeStrokes(), () => this.changed());
    private readonly equations = new EquationStage(() => this.changed());
    private readonly keep: HTMLButtonElement = make('button', { id: 'save-found', title: 'In files beside the answer', click: () => void this.save() }, 'Save strokes and equations');
    private readonly kept = make('span', { id: 'kept', role: 'status' });
    private readonly line = make('input', { type: 'text', id: 'result', readonly: true, 'aria-label': 'Result' });

    constructor(private readonly around: Surroundings) {
        this.graph.body.append(make('div', { class: 'tools' }, make('button', { id: 'compare', click: () => void this.compare(true) }, 'Compare my answer'), this.more), this.hintList, this.verdict);
    }

    /** Gives whether there is one. */
    async open(name: string): Promise<boolean> {
        this.close();
        const [said, progress] = await Promise.all([readFile(fileOf(name, 'md')), this.all.get(name) ?? begun(name)]);
        const parts = partsOf(said.value.text ?? '');
        this.name = name;
        this.hints = parts.hints;
        this.afterwards = parts.afterwards;
        this.progress = progress;
        this.all.set(name, progress);
        // In a template nothing is loaded: pictures are of the folder, not of the server's address.
        const inert = make('template');
        inert.innerHTML = markdown.render(parts.text);
        await this.fillPictures(inert.content, folderOf(name));
        const text = make('div', { class: 'exercise-text' }, inert.content);
        const copy = make('button', { id: 'copy-result', click: () => { this.line.select(); void navigator.clipboard?.writeText(this.line.value).catch(() => undefined); } }, 'Copy');
        this.element.append(text, this.graph.element, this.strokes.stage.element, this.equations.stage.element, make('div', { class: 'tools result' }, make('label', { for: 'result' }, 'Result'), this.line, copy, this.keep, this.kept));
        this.keep.hidden = this.around.readOnly();
        this.kept.textContent = '';
        for (let k = 0; k < this.progress.hints; ++k) this.addHint(k);
        if (this.progress.verdict) this.tellVerdict(this.progress.verdict);
        this.enable();
        this.changed();
        return said.status === 200;
    }

    close(): void {
        clear(this.element);
        clear(this.hintList);
        clear(this.verdict);
        for (const url of this.pictures) URL.revokeObjectURL(url);
        this.pictures = [];
        this.progress = null;
        ++this.checking;
    }

    /** Whether the page is to be without strokes and equations. */
    get hides(): boolean { return this.progress !== null && !this.progress.over; }

    progressOf(name: string): Progress | undefined { return this.all.get(name); }

    private async fillPictures(text: DocumentFragment, folder: string): Promise<void> {
        for (const image of text.querySelectorAll('img')) {
            const url = await readPicture(folder + (image.getAttribute('src') ?? ''));
            if (url) { image.src = url; this.pictures.push(url); } else image.remove();
        }
        // Links lead to files beside the text, which are no pages.
        for (const link of text.querySelectorAll('a')) link.replaceWith(...link.childNodes);
    }

    // ---- the graph

    private addHint(index: number): void {
        const item = make('li');
        item.innerHTML = markdown.renderInline(this.hints[index].replace(/\s+/g, ' '));
        this.hintList.append(item);
    }

    private tellHint(): void {
        const progress = this.progress!;
        if (progress.hints >= this.hints.length) return;
        this.addHint(progress.hints);
        ++progress.hints;
        this.enable();
        this.changed();
    }

    private enable(): void {
        const told = this.progress!.hints;
        this.more.disabled = told >= this.hints.length;
        this.more.textContent = this.hints.length === 0 ? 'No hints' : `A hint (${told} of ${this.hints.length})`;
    }

    /** `asked`: by the student, which counts; else because the text of an answer that was right is another one now. */
    private async compare(asked: boolean): Promise<void> {
        const progress = this.progress;
        if (!progress) return;
        const number = ++this.checking, task = this.around.answer();
        if (asked) { clear(this.verdict); this.verdict.append('…'); ++progress.tries; }
        const said = await askCompare(task.name, task.text);
        if (number !== this.checking) return;
        const before = progress.hiding;
        progress.verdict = said.value;
        progress.right = said.value.equal ? task.text : null;
        if (progress.right !== null) await this.strokes.begin(task, progress);
        if (progress.strokesOver) await this.equations.begin(task, progress);
        if (number !== this.checking) return;
        this.tellVerdict(said.value);
        this.changed();
        this.placeStrokes();
        if (before !== progress.hiding) this.around.refresh();
    }

    private tellVerdict(c: Comparison): void {
        clear(this.verdict);
        this.verdict.append(...this.linesOf(c));
        if (!c.equal || !this.afterwards) return;
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

    /** The text is another one: an answer that was right is looked at again. */
    edited(): void {
        if (this.progress && this.progress.right !== null && this.progress.right !== this.around.answer().text) void this.compare(false);
    }

    // ---- strokes and equations

    /** Another page is shown. */
    pageShown(): void { this.placeStrokes(); }

    private placeStrokes(): void {
        const progress = this.progress;
        if (!progress || progress.right === null || progress.over || progress.strokes.state === 'none') return;
        const { bonds, placed, shown } = progress.strokes;
        this.around.placing({ kind: 'placing', bonds, placed, shown });
    }

    /** A stroke that was placed in the picture. */
    async judge(stroke: Stroke): Promise<{ accepted: boolean; text: string }> {
        const progress = this.progress, task = this.around.answer();
        if (!progress || progress.right !== task.text) return { accepted: false, text: 'compare your graph first: it has been changed.' };
        return this.strokes.judge(task, progress, stroke);
    }

    private async save(): Promise<void> {
        const progress = this.progress, name = this.name, written: string[] = [];
        if (!progress) return;
        for (const kept of allKept) {
            const entries = progress.entries(kept), file = fileOf(name, kept), version = progress.versions.get(kept) ?? '';
            if (entries.length === 0 && version === '') continue;
            const said = await saveFile(file, entries.map((e) => `${e}\n`).join(''), version);
            if (said.status !== 200) { this.kept.textContent = `${said.value.error ?? 'It could not be saved'}.`; return; }
            progress.versions.set(kept, said.value.version);
            written.push(file.slice(file.lastIndexOf('/') + 1));
        }
        this.kept.textContent = written.length > 0 ? `Written: ${written.join(', ')}.` : 'There are none yet.';
    }

    private changed(): void {
        const progress = this.progress;
        if (!progress) return;
        const task = this.around.answer();
        this.graph.set(progress.right !== null ? 'done' : 'open');
        this.strokes.paint(task, progress);
        this.line.value = progress.result(stemOf(this.name), this.hints.length);
        const begins = progress.strokesOver && progress.equations.state === 'open' && progress.equations.states.length === 0;
        if (begins) void this.equations.begin(task, progress).then(() => this.changed());
        else this.equations.paint(task, progress);
        if (progress.over && progress.hiding) { progress.hiding = false; this.around.refresh(); }
        progress.hiding = !progress.over;
    }
}
