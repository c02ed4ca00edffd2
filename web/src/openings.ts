// Components that are looked into where they stand, and taken together again.

import type { Drawing } from './data';
import { make, makeSvg } from './elements';
import { baseDrawing, openedDrawing, set, state } from './state';

/** Whether this page has a drawing of what is in a component of the graph that is shown. */
export const expandable = (name: string): boolean => !state.opened.includes(name) && openedDrawing([name]) !== undefined;

export class Openings {
    readonly button = make('button', { id: 'expand', click: () => this.toggle(this.meant()) }, 'Expand');
    /** What was opened or closed last. */
    changed: string | null = null;
    /** What was taken together for it, as there is no drawing of both. */
    private instead: string[] = [];
    private byKey = false;

    constructor(private readonly say: (text: string) => void) { this.offer(); }

    private chosen(): string | null { return state.selection?.kind === 'node' ? state.selection.name : null; }

    /** What is chosen if it can be expanded, what it stands in if that is, or else what was expanded last. */
    private meant(): string | null {
        const chosen = this.chosen();
        if (chosen !== null && expandable(chosen)) return chosen;
        return state.opened.find((n) => chosen === n || chosen?.startsWith(`${n}.`)) ?? state.opened[state.opened.length - 1] ?? chosen;
    }

    /** What the button would do now. */
    offer(): void {
        const name = this.meant(), open = name !== null && state.opened.includes(name);
        const can = name !== null && (open || expandable(name));
        const base = baseDrawing(), large = name !== null && base.closed?.includes(name) === true;
        this.button.textContent = open ? 'Collapse' : 'Expand';
        this.button.disabled = !can;
        this.button.hidden = Object.keys(base.opened ?? {}).length === 0 && (base.closed ?? []).length === 0;
        this.button.title = open ? `Take ${name} together again (x)` : can ? `Look into ${name} where it stands (x)`
            : large ? `What is in ${name} would make this page too large: \'Looked into\', in the list beside, has all of it` : 'Choose a component that has parts, or press its +';
        if (large && !open) this.say(this.button.title);
    }

    /** Expands or collapses; null: what was expanded last. Where there is no drawing of all together, the others are collapsed. */
    toggle(name: string | null): void {
        this.byKey = document.activeElement?.closest('.canvas') !== null;
        const inside = name === null ? undefined : state.opened.find((n) => name === n || name.startsWith(`${n}.`));
        const close = inside ?? (name === null || !expandable(name) ? state.opened[state.opened.length - 1] : undefined);
        this.instead = [];
        if (close !== undefined) {
            this.changed = close;
            set('opened', state.opened.filter((n) => n !== close));
            return;
        }
        if (name === null || !expandable(name)) { this.offer(); return; }
        this.changed = name;
        const all = [...state.opened, name];
        if (!openedDrawing(all)) this.instead = [...state.opened];
        set('opened', this.instead.length > 0 ? [name] : all);
    }

    /** Behind a change: in words, and the focus goes on to what takes it back. */
    tell(): void {
        const name = this.changed;
        if (name !== null && state.opened.includes(name)) {
            const inside = (openedDrawing(state.opened)?.nodes ?? []).filter((n) => n.name.startsWith(`${name}.`)).length;
            const collapsed = this.instead.length > 0 ? ` ${this.instead.join(', ')} ${this.instead.length > 1 ? 'are' : 'is'} collapsed: this page has no drawing of both.` : '';
            this.say(`${name} is expanded: ${inside} parts stand inside it. − or x takes them together again.${collapsed}`);
        } else if (name !== null) this.say(`${name} is collapsed.`);
        if (this.byKey) document.querySelector<SVGElement>(`.canvas .opener[data-name="${CSS.escape(name ?? '')}"]`)?.focus();
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
        (drawing.frames ?? []).forEach((name, k) => { if (state.opened.includes(name)) badge(name, shape(`frame-${k}`, 'frame'), true); });
    }
}
