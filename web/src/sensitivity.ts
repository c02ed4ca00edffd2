// How results depend on each parameter, as the program has found it by runs with a little less and a little more of each.

import { model, quantity } from './data';
import { clear, make } from './elements';
import { set } from './state';

/** At the end, where it is farthest from 0, on average. */
type Measures = [number, number, number];
export interface Sensitivities {
    step: number; noise: number; results: { name: string; unit: string }[]; now: Measures[]; zero: string[]; left_out: number;
    parameters: { name: string; unit: string; value: number; less: Measures[]; more: Measures[]; failure: string }[];
}
export interface Bar { name: string; value: string; share: number; less: number; more: number; bent: boolean }

/** Percent of a measure for one percent of each parameter, the largest first; where the measure is 0 now, what it changes by as the
 * parameter doubles, in its unit. `bent`: not the same for less and for more. */
export function barsOf(s: Sensitivities, result: number, measure: number): Bar[] {
    const now = s.now[result][measure], over = now === 0 ? 1 : now;
    return s.parameters.filter((p) => p.failure === '').map((p) => {
        const less = (now - p.less[result][measure]) / (s.step * over), more = (p.more[result][measure] - now) / (s.step * over);
        const share = 0.5 * (less + more);
        return { name: p.name, value: quantity(p.value, p.unit), share, less, more, bent: Math.abs(more - less) > 0.1 * Math.abs(share) && Math.abs(more - less) > 4 * s.noise };
    }).sort((a, b) => Math.abs(b.share) - Math.abs(a.share));
}

const sized = (v: number): string => (v > 0 && v < 1e-3 ? v.toExponential(1) : String(Number(v.toPrecision(3))));
const signed = (v: number): string => `${v > 0 ? '+' : v < 0 ? '−' : ''}${sized(Math.abs(v))}`;
const names = ['at the end', 'where it is farthest from 0', 'on average'];

export function sensitivityView(): HTMLElement | null {
    const s = model.sensitivities;
    if (!s) {
        if (!model.no_sensitivities) return null;
        return make('section', { class: 'sensitivity' }, make('p', {}, 'There are no sensitivities:'), ...model.no_sensitivities.map((m) => make('pre', {}, m.shown.trim() || m.text)));
    }
    const result = make('select', { id: 'sensitive-result', 'aria-label': 'Result', change: () => show() }, ...s.results.map((r, k) => make('option', { value: k }, r.name)));
    const measure = make('select', { id: 'sensitive-measure', 'aria-label': 'Its value', change: () => show() }, ...names.map((n, k) => make('option', { value: k }, n)));
    const place = make('div', { role: 'status', class: 'bars' });
    const show = (): void => {
        const r = Number(result.value), m = Number(measure.value), now = s.now[r][m], bars = barsOf(s, r, m), unit = s.results[r].unit;
        const seen = bars.filter((b) => now === 0 || Math.abs(b.share) >= s.noise), small = bars.filter((b) => !seen.includes(b));
        const largest = Math.max(1e-300, ...seen.map((b) => Math.abs(b.share)));
        clear(place);
        place.append(make('p', {}, now === 0 ? `${s.results[r].name} is 0 ${names[m]}: what it would change by as each parameter doubles, in ${unit || 'its unit'}.`
            : `Percent of ${s.results[r].name} ${names[m]} (${quantity(now, unit)}) for one percent more of each parameter:`));
        for (const b of seen) {
            const share = 50 * Math.abs(b.share) / largest, owner = b.name.includes('.') ? b.name.slice(0, b.name.lastIndexOf('.')) : null;
            place.append(make('div', { class: 'bar-row sensitive' }, owner ? make('button', { class: 'link', title: b.value, click: () => set('selection', { kind: 'node', name: owner }) }, b.name) : make('span', { title: b.value }, b.name),
                make('span', { class: 'bar-track middle' }, make('span', { class: b.share < 0 ? 'bar negative' : 'bar positive', style: `width:${share.toFixed(2)}%;${b.share < 0 ? `margin-left:${(50 - share).toFixed(2)}%` : 'margin-left:50%'}` })),
                make('span', { class: 'bar-value' }, signed(b.share)),
                b.bent ? make('span', { class: 'bent' }, `bends: ${signed(b.less)} for less of it, ${signed(b.more)} for more`) : null));
        }
        const note = (text: string, list: string[]): void => { if (list.length > 0) place.append(make('p', { class: 'hint' }, `${text}: ${list.slice(0, 60).join(', ')}${list.length > 60 ? ` and ${list.length - 60} more` : ''}.`)); };
        note(`Less than the runs can tell (${s.noise.toExponential(1)})`, small.map((b) => b.name));
        note('Of value 0, which has no percent', s.zero);
        for (const p of s.parameters.filter((q) => q.failure)) place.append(make('p', { class: 'hint' }, `${p.name}: no run with ${100 * s.step} % less and more of it: ${p.failure}`));
        if (s.left_out > 0) place.append(make('p', { class: 'hint' }, `${s.left_out} more parameters are left out.`));
    };
    show();
    return make('section', { class: 'sensitivity' }, make('div', { class: 'tools' }, make('label', {}, 'How ', result), ' ', measure, ' depends on each parameter'), place,
        make('p', { class: 'hint' }, `From runs with ${100 * s.step} % less and more of each parameter, everything else as it is.`));
}
