// A part from the catalogue, found by words, put into the text.

import { clear, make } from '../elements';
import type { Type } from './ask';
import { fits, lineOf, parametersOf, types } from './types';
import { freeName, insertComponent, type Insertion } from './yaml_text';

const most = 60;

export class Catalogue {
    readonly element: HTMLDialogElement;
    private readonly list = make('ul', { class: 'catalogue', 'aria-label': 'Types' });
    private readonly search = make('input', { type: 'search', id: 'find-type', placeholder: 'resistor, hydraulic cylinder, PI …', 'aria-label': 'Find a part', input: () => this.show() });

    constructor(private readonly put: (insertion: Insertion) => void, private readonly text: () => string) {
        this.search.addEventListener('keydown', (e) => {
            if (e.key === 'Enter') { this.list.querySelector<HTMLButtonElement>('button')?.click(); e.preventDefault(); }
            if (e.key === 'ArrowDown') { this.list.querySelector<HTMLButtonElement>('button')?.focus(); e.preventDefault(); }
        });
        this.element = make('dialog', { 'aria-label': 'Add a part' }, make('div', { class: 'tools' }, this.search, make('button', { id: 'close-catalogue', click: () => this.element.close() }, 'Close')), this.list);
    }

    open(): void {
        this.search.value = '';
        this.show();
        this.element.showModal();
        this.search.focus();
    }

    private show(): void {
        clear(this.list);
        const wanted = this.search.value.trim();
        const found = types.map((type) => ({ type, score: fits(type, wanted) })).filter((x) => x.score > 0).sort((a, b) => b.score - a.score);
        for (const { type } of found.slice(0, most)) this.list.append(make('li', {}, this.entry(type)));
        if (found.length === 0) this.list.append(make('li', {}, types.length === 0 ? 'The catalogue is being read …' : 'There is no such part.'));
        if (found.length > most) this.list.append(make('li', { class: 'hint' }, `${found.length - most} more: search for them.`));
    }

    private entry(type: Type): HTMLElement {
        const needed = parametersOf(type).filter((p) => /^required/.test(p.need)).map((p) => p.name).join(', ');
        return make('button', { class: 'type', 'data-type': type.name, click: () => this.add(type) }, make('strong', {}, type.name), ' ', make('span', { class: 'of' }, type.group), make('br'), type.summary,
            needed ? make('span', { class: 'of' }, ` needs ${needed}`) : null);
    }

    private add(type: Type): void {
        this.element.close();
        const text = this.text();
        this.put(insertComponent(text, lineOf(type, freeName(text, type.name)), type.import));
    }
}
