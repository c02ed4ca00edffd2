// All exercises of the folder, and how far one is with each.

import { clear, make } from '../elements';
import { askCompare, readFile, type ListedFile } from './ask';
import type { Progress } from './progress';

export class Overview {
    private readonly list = make('ul', { class: 'all-exercises' });
    private readonly found = new Map<string, { stamp: string; text: string }>();
    readonly element = make('details', { id: 'all-exercises', toggle: () => { if (this.element.open) this.paint(); } }, make('summary', {}, 'All exercises of this folder'),
        make('div', { class: 'tools' }, make('button', { id: 'look-at-all', click: () => void this.lookAtAll() }, 'Compare what is saved of each')), this.list);

    constructor(private readonly files: () => ListedFile[], private readonly progress: (name: string) => Progress | undefined, private readonly open: (name: string) => void) {}

    private get exercises(): ListedFile[] { return this.files().filter((f) => f.exercise && !f.solution); }

    private textOf(file: ListedFile): string {
        const own = this.progress(file.name);
        if (own && (own.right !== null || own.tries > 0)) return own.brief;
        const found = this.found.get(file.name);
        if (found && found.stamp === file.stamp) return found.text;
        return file.stamp === '' ? 'not begun' : 'begun';
    }

    paint(): void {
        clear(this.list);
        for (const file of this.exercises) this.list.append(make('li', {}, make('button', { class: 'link', click: () => this.open(file.name) }, file.name), ` ${this.textOf(file)}`));
    }

    private async lookAtAll(): Promise<void> {
        for (const file of this.exercises) {
            if (file.stamp === '') continue;
            const saved = await readFile(file.name);
            if (saved.status !== 200) continue;
            const said = await askCompare(file.name, saved.value.text);
            const c = said.value;
            this.found.set(file.name, { stamp: file.stamp, text: c.error ?? (c.messages ? 'has mistakes' : c.equal ? 'graph right' : 'not right yet') });
            this.paint();
        }
    }
}
