// Components that are looked into where they stand, and taken together again.

import { model, type Drawing } from './data';
import { make, makeSvg } from './elements';
import { set, state } from './state';

const base = (): Drawing => model.graphs[Math.min(state.graph, model.graphs.length - 1)];

/** Whether this page has a drawing of what is in a component of the graph that is shown. */
export const expandable = (name: string): boolean => state.opened !== name && base().opened?.[name] !== undefined;

export class Openings {
    readonly button = make('button', { id: 'expand', click: () => this.toggle(state.opened ?? this.chosen()) }, 'Expand');
    /** What was opened or closed last. */
    changed: string | null = null;
    private byKey = false;

    constructor(private readonly say: (text: string) => void) { this.offer(); }

    private chosen(): string | null { return state.selection?.kind === 'node' ? state.selection.name : null; }

    /** What the button would do now. */
    offer(): void {
        const name = state.opened ?? this.chosen();
        const can = name !== null && (state.opened !== null || expandable(name));
        const large = name !== null && base().closed?.includes(name) === true;
        this.button.textContent = state.opened !== null ? 'Collapse' : 'Expand';
        this.button.disabled = !can;
        this.button.hidden = Object.keys(base().opened ?? {}).length === 0 && (base().closed ?? []).length === 0;
        this.button.title = state.opened !== null ? `Take ${state.opened} together again (x)` : can ? `Look into ${name} where it stands (x)`
            : large ? `What is in ${name} would make this page too large: \'Looked into\', in the list beside, has all of it` : 'Choose a component that has parts, or press its +';
        if (large && state.opened === null) this.say(this.button.title);
    }

    /** One at a time: what was open is taken together. */
    toggle(name: string | null): void {
        this.byKey = document.activeElement?.closest('.canvas') !== null;
        if (state.opened !== null && (name === null || name === state.opened || !expandable(name))) { this.changed = state.opened; set('opened', null); return; }
        if (name === null || !expandable(name)) { this.offer(); return; }
        this.changed = name;
        set('opened', name);
    }

    /** Behind a change: in words, and the focus goes on to what takes it back. */
    tell(): void {
        const name = state.opened;
        if (name !== null) {
            const inside = (base().opened?.[name]?.nodes ?? []).filter((n) => n.name.startsWith(`${name}.`)).length;
            this.say(`${name} is expanded: ${inside} parts stand inside it. − or x takes them together again.`);
        } else if (this.changed !== null) this.say(`${this.changed} is collapsed.`);
        if (this.byKey) document.querySelector<SVGElement>(`.canvas .opener[data-name="${CSS.escape(this.changed ?? '')}"]`)?.focus();
        this.byKey = false;
        this.offer();
    }

    /** A + at what can be looked into, a − at what is. */
    addBadges(svg: SVGSVGElement, drawing: Drawing, shape: (of: string, role: string) => SVGElement | undefined): void {
        const badge = (name: string, box: SVGElement | undefined, open: boolean): void => {
            if (!box) return;
            const at = (key: string): number => Number(box.getAttribute(key));
            const x = at('x') + at('width') - 1, y = at('y') + 1;
            const act = (): void => this.toggle(name);
            svg.append(makeSvg('g', { class: 'opener', tabindex: 0, role: 'button', 'aria-expanded': String(open), 'aria-label': `${open ? 'Collapse' : 'Expand'} ${name}`, 'data-name': name,
                click: (e: Event) => { e.stopPropagation(); act(); }, dblclick: (e: Event) => e.stopPropagation(),
                keydown: (e: KeyboardEvent) => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); e.stopPropagation(); act(); } } },
            makeSvg('title', {}, `${open ? 'Collapse' : 'Expand'} ${name}`), makeSvg('circle', { cx: x, cy: y, r: 7.5 }),
            makeSvg('path', { d: open ? `M${x - 4},${y}h8` : `M${x - 4},${y}h8M${x},${y - 4}v8` })));
        };
        (drawing.nodes ?? []).forEach((n, k) => { if (expandable(n.name)) badge(n.name, shape(`node-${k}`, 'node'), false); });
        if (state.opened !== null) badge(state.opened, shape('frame-0', 'frame'), true);
    }
}
