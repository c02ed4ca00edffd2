// Where the energy of the run went.

import { model, quantity, type EnergyRow } from './data';
import { clear, make } from './elements';
import { set, watch } from './state';

function bar(label: string, value: number, largest: number, kind: string): HTMLElement {
    const share = largest > 0 ? Math.abs(value) / largest : 0;
    return make('div', { class: 'bar-row' }, make('span', { class: 'bar-label' }, label),
        make('span', { class: 'bar-track' }, make('span', { class: `bar ${kind}`, style: `width:${(100 * share).toFixed(2)}%` })), make('span', { class: 'bar-value' }, quantity(value, 'J')));
}

function table(title: string, rows: EnergyRow[]): HTMLElement | null {
    if (rows.length === 0) return null;
    const titles = { supplied: 'supplied', in: 'in', out: 'out', stored: 'stored', dissipated: 'dissipated', other: 'own types', events: 'events' };
    const heads = (Object.keys(titles) as (keyof typeof titles)[]).filter((h) => (h !== 'other' && h !== 'events') || rows.some((r) => r[h] !== 0));
    return make('table', { class: 'books' }, make('caption', {}, title),
        make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, ''), ...heads.map((h) => make('th', { scope: 'col' }, titles[h])))),
        make('tbody', {}, ...rows.map((r) => make('tr', {}, make('th', { scope: 'row' }, r.type
            ? make('button', { class: 'link', click: () => set('selection', { kind: 'node', name: r.name }) }, r.name) : r.name),
        ...heads.map((h) => make('td', {}, r[h] === 0 ? '' : quantity(r[h], 'J')))))));
}

export function energyView(): HTMLElement {
    const element = make('section', { class: 'energy', 'aria-label': 'Energy' });
    watch(['run'], () => { clear(element); fill(element); });
    fill(element);
    return element;
}

function fill(element: HTMLElement): void {
    const e = model.run?.energy;
    if (!e) {
        element.append(make('p', { class: 'empty' }, model.failure ? 'The run did not come to its end: there is no account of it.' : model.run ? 'No bond of this model carries power.' : 'There is no run to account for.'));
        return;
    }
    const largest = Math.max(...[e.supplied, e.stored, e.dissipated, e.other, e.events].map(Math.abs));
    const share = e.moved > 0 ? Math.abs(e.imbalance) / e.moved : 0;
    element.append(make('h3', {}, `From ${quantity(e.from, 's')} to ${quantity(e.to, 's')}`),
        bar('Supplied', e.supplied, largest, 'supplied'), bar('Stored', e.stored, largest, 'stored'), bar('Dissipated', e.dissipated, largest, 'dissipated'));
    if (e.other !== 0) element.append(bar('Taken by own types', e.other, largest, 'other'));
    if (e.events !== 0) element.append(bar('Lost in events', e.events, largest, 'events'));
    element.append(make('p', { class: 'balance' }, `Supplied − stored − dissipated${e.other !== 0 ? ' − own types' : ''}${e.events !== 0 ? ' − events' : ''} = ${quantity(e.imbalance, 'J')}: ` +
        `${share.toExponential(1)} of the ${quantity(e.moved, 'J')} that moved.${e.imbalance === 0 ? '' : ' It is the error of the integration.'}`));
    const flow = make('div', { class: 'sankey' });
    flow.innerHTML = e.sankey.replace(/^<\?xml[^>]*\?>\s*/, '');
    const domains = table('By domain', e.domains), parts = table('By part', e.components.filter((r) => !r.passes_on));
    element.append(flow);
    if (domains) element.append(domains);
    if (parts) element.append(parts);
}
