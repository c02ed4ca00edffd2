// Small helpers to make elements of the page.

type Child = globalThis.Node | string | null | undefined;
type Options = Record<string, string | number | boolean | ((e: any) => void) | undefined>;

function fill(element: Element, options: Options, children: Child[]): void {
    for (const [key, value] of Object.entries(options)) {
        if (value === undefined || value === false) continue;
        if (typeof value === 'function') element.addEventListener(key, value);
        else element.setAttribute(key, value === true ? '' : String(value));
    }
    for (const child of children) if (child !== null && child !== undefined) element.append(child);
}

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, options: Options = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    fill(element, options, children);
    return element;
}

export function makeSvg(tag: string, options: Options = {}, ...children: Child[]): SVGElement {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement;
    fill(element, options, children);
    return element;
}

export function clear(element: Element): void { element.replaceChildren(); }

export const calm = matchMedia('(prefers-reduced-motion: reduce)');

/** Whether an element is on the screen, and not scrolled away; `appears` is called when it comes back. */
export function onScreen(element: Element, appears: () => void): () => boolean {
    let seen = true;
    new IntersectionObserver((entries) => {
        const before = seen;
        seen = entries[entries.length - 1].isIntersecting;
        if (seen && !before) appears();
    }).observe(element);
    return () => seen;
}

/** A colour of the page's style. */
export function colour(name: string): string { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

/** Curves that colour-blind people tell apart (Okabe and Ito 2008), the light ones left out. */
export const curveColours = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#B07800', '#5B5BD6', '#4D7C0F', '#A3330A'];
