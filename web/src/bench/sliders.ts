// Parameters of the model, each with a slider around its value in the file.

import { clear, make } from '../elements';
import type { Parameter } from './ask';
import { expressionAt, followsFrom } from './yaml_text';

const most = 200;
/** Four digits, as a number may stand in a file. */
export const written = (v: number): string => (v === 0 ? '0' : Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3 ? Number(v.toPrecision(4)).toExponential() : String(Number(v.toPrecision(4))));

export class Sliders {
    readonly element = make('section', { class: 'sliders', 'aria-label': 'Parameters' });
    readonly values: Record<string, number> = {};
    private parameters: Parameter[] = [];
    /** Of those that others give: by what, and by which. */
    private readonly derived = new Map<string, { expression: string; from: string[] }>();
    private readonly list = make('div', { class: 'slider-list' });
    private readonly search = make('input', { type: 'search', id: 'find-parameter', placeholder: 'Find a parameter', 'aria-label': 'Find a parameter', input: () => this.show() });
    private readonly back = make('button', { id: 'reset', disabled: true, click: () => { this.reset(); this.settled(); } }, 'As in the file');
    private readonly keep = make('button', { id: 'keep', disabled: true, click: () => this.kept(this.changes()) }, 'Write into the file');

    /** `moved`: a value is other than before; `settled`: it will stay for a while. */
    constructor(private readonly moved: () => void, private readonly settled: () => void, private readonly kept: (values: { parameter: Parameter; value: number }[]) => void) {
        this.element.append(make('div', { class: 'tools' }, this.search, this.back, this.keep), this.list);
    }

    /** Those of the model as its file has it; what was moved stays where the parameter is still there. */
    set(parameters: Parameter[], text: string): void {
        this.parameters = parameters;
        const known = new Set(parameters.map((p) => p.name));
        this.derived.clear();
        for (const p of parameters) {
            const from = p.line > 0 ? followsFrom(text, p.name, p.line, p.column, known) : [];
            if (from.length > 0) this.derived.set(p.name, { expression: expressionAt(text, p.line, p.column)!, from });
        }
        for (const name of Object.keys(this.values)) {
            const p = parameters.find((x) => x.name === name);
            if (!p || p.value === this.values[name] || this.derived.has(name)) delete this.values[name];
        }
        this.show();
    }

    get all(): Parameter[] { return this.parameters; }

    reset(): void {
        for (const name of Object.keys(this.values)) delete this.values[name];
        this.show();
    }

    changes(): { parameter: Parameter; value: number }[] {
        return this.parameters.filter((p) => p.name in this.values).map((parameter) => ({ parameter, value: this.values[parameter.name] }));
    }

    private show(): void {
        clear(this.list);
        const wanted = this.search.value.trim().toLowerCase();
        const shown = this.parameters.filter((p) => p.name.toLowerCase().includes(wanted));
        for (const p of shown.slice(0, most)) this.list.append(this.derived.has(p.name) ? this.derivedRow(p.name) : this.row(p));
        if (shown.length > most) this.list.append(make('p', { class: 'hint' }, `${shown.length - most} more: search for them.`));
        if (this.parameters.length === 0) this.list.append(make('p', { class: 'hint' }, 'No parameter of this model has a number of its own.'));
        this.enable();
    }

    private enable(): void {
        const none = Object.keys(this.values).length === 0;
        this.back.disabled = none;
        this.keep.disabled = none;
    }

    /** It has no slider of its own: what it follows from is what can be moved. */
    private derivedRow(name: string): HTMLElement {
        const { expression, from } = this.derived.get(name)!;
        return make('div', { class: 'slider-row', 'data-derived': name }, make('span', { class: 'slider-name' }, name),
            make('span', { class: 'derived' }, `= ${expression}, follows from `, ...from.flatMap((f, k) => [k > 0 ? ', ' : '', make('button', { class: 'link', click: () => this.goTo(f) }, f)])));
    }

    private goTo(name: string): void {
        this.search.value = '';
        this.show();
        const row = this.list.querySelector<HTMLElement>(`[data-name="${CSS.escape(name)}"], [data-derived="${CSS.escape(name)}"] button`);
        if (!row) { this.search.value = name; this.show(); }
        (row ?? this.list.querySelector<HTMLElement>('input'))?.focus();
    }

    /** From a tenth to ten times the value of the file, by equal factors; around 0 from -1 to 1. */
    private row(p: Parameter): HTMLElement {
        const steps = 400, zero = p.value === 0;
        const valueAt = (s: number): number => (zero ? s / steps : p.value * 10 ** (s / steps));
        const placeOf = (v: number): number => Math.round(zero ? v * steps : steps * Math.log10(Math.max(1e-12, v / p.value)));
        const now = (): number => this.values[p.name] ?? p.value;
        // In the unit in which the file has it.
        const { scale, offset } = p.written ?? { scale: 1, offset: 0 }, unit = p.written?.unit || p.unit;
        const shown = (v: number): string => written((v - offset) / scale);
        const number = make('input', { type: 'text', inputmode: 'decimal', class: 'number', 'aria-label': `${p.name}${unit ? ` in ${unit}` : ''}`, value: shown(now()) });
        const slider = make('input', { type: 'range', min: -steps, max: steps, step: 1, 'aria-label': `Slider of ${p.name}`, 'data-name': p.name, value: placeOf(now()) });
        const row = make('div', { class: 'slider-row' }, make('span', { class: 'slider-name' }, p.name), slider, number, make('span', { class: 'unit' }, unit));
        const take = (v: number): void => {
            if (Math.abs(v - p.value) <= 1e-12 * Math.abs(p.value)) delete this.values[p.name]; else this.values[p.name] = v;
            row.classList.toggle('moved', p.name in this.values);
            slider.setAttribute('aria-valuetext', `${shown(v)} ${unit}`);
            this.enable();
        };
        slider.addEventListener('input', () => {
            const place = Number(slider.value);
            const v = place === 0 ? p.value : Number(shown(valueAt(place))) * scale + offset;
            number.value = shown(v);
            take(v);
            this.moved();
        });
        slider.addEventListener('change', () => this.settled());
        slider.addEventListener('dblclick', () => { slider.value = '0'; number.value = shown(p.value); take(p.value); this.settled(); });
        number.addEventListener('change', () => {
            const v = Number(number.value.replace(',', '.')) * scale + offset;
            if (number.value.trim() === '' || !Number.isFinite(v)) { number.value = shown(now()); return; }
            slider.value = String(placeOf(v));
            take(v);
            this.settled();
        });
        row.classList.toggle('moved', p.name in this.values);
        return row;
    }
}
