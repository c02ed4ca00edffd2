// Strokes and marks in a drawing that is there already, where a mode other than that at the start has others.

import type { Drawing, Edge, Node } from './data';
import { makeSvg } from './elements';
import { changesMarks, derivativeAtStart } from './modes';

interface Point { x: number; y: number }

const minus = (p: Point): Point => ({ x: -p.x, y: -p.y });
const towards = (a: Point, b: Point): Point => {
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    return { x: (b.x - a.x) / length, y: (b.y - a.y) / length };
};

/** Below a bond, and to its right where it stands upright: there the flow is written. */
function flowSide(along: Point): Point {
    const normal = { x: -along.y, y: along.x }, upright = Math.abs(along.x) < 0.35 * Math.abs(along.y);
    return (upright ? normal.x : normal.y) < 0 ? minus(normal) : normal;
}

const routeOf = (body: SVGElement): Point[] =>
    [...(body.getAttribute('d') ?? '').matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g)].map((m) => ({ x: Number(m[1]), y: Number(m[2]) }));

/** As the program draws them: across the bond's ends; where its components differ each has its share, the first on the effort's side. */
function strokesOf(edge: Edge, body: SVGElement, of: string): SVGElement[] {
    const route = routeOf(body);
    if (route.length < 2) return [];
    const first = route[0], last = route[route.length - 1], flow = flowSide(towards(first, last));
    const across = (along: Point): Point => {
        const side = { x: -along.y, y: along.x };
        return side.x * flow.x + side.y * flow.y < 0 ? minus(side) : side;
    };
    const strokes: SVGElement[] = [];
    const add = (where: string, from: number, to: number, size: number): void => {
        if (where === 'open') return;
        const end = where === 'from' ? first : last, side = where === 'from' ? across(towards(route[0], route[1])) : across(towards(route[route.length - 2], last));
        const at = (share: number): string => `${end.x + size * (share - 0.5) * side.x},${end.y + size * (share - 0.5) * side.y}`;
        strokes.push(makeSvg('path', { class: 'stroke', 'data-of': of, d: `M${at(from)} L${at(to)}`, stroke: '#1A1A1A', 'stroke-width': 1.8, fill: 'none' }));
    };
    const all = edge.components;
    if (new Set(all.map((c) => c.stroke)).size === 1) add(all[0].stroke, 0, 1, 15);
    else all.forEach((c, i) => add(c.stroke, (i + 0.15) / all.length, (i + 0.85) / all.length, 9 * all.length));
    return strokes;
}

/** Behind the bonds and boxes of an algebraic loop. */
const loopColour = '#F5EB94', loopWidth = 11;
const loopBehindBond = (edge: Edge, body: SVGElement, of: string): SVGElement[] => (edge.loop === 0 ? [] :
    [makeSvg('path', { class: 'loop', 'data-of': of, d: body.getAttribute('d')!, stroke: loopColour, 'stroke-width': loopWidth, fill: 'none' })]);
function loopBehindNode(node: Node, box: SVGElement, of: string): SVGElement[] {
    const number = (key: string): number => Number(box.getAttribute(key)), grown = 4;
    return node.loop === 0 || node.kind === 'junction' ? [] : [makeSvg('rect', { class: 'loop', 'data-of': of, x: number('x') - grown, y: number('y') - grown,
        width: number('width') + 2 * grown, height: number('height') + 2 * grown, rx: loopWidth, fill: loopColour })];
}

/** On the upper right corner of a node's box: derivative causality, and the algebraic loop it lies on. */
function badgesOf(node: Node, box: SVGElement, of: string): SVGElement[] {
    const number = (key: string): number => Number(box.getAttribute(key));
    const y = number('y');
    let x = number('x') + number('width') - 2;
    const badges: SVGElement[] = [];
    const add = (text: string, colour: string): void => {
        const words = makeSvg('text', { class: 'badge-text', 'data-of': of, x, y: y + 3.15, 'font-size': 9, 'text-anchor': 'middle', 'font-weight': 'bold', fill: '#FFFFFF' });
        words.textContent = text;
        badges.push(makeSvg('circle', { class: 'badge', 'data-of': of, cx: x, cy: y, r: Math.max(7, 3 + 2.6 * text.length), fill: colour }), words);
        x -= 16;
    };
    if (node.conflict) add('!', '#D55E00');
    if (node.derivative) add('D', '#882255');
    if (node.loop > 0 && node.kind !== 'junction') add(String(node.loop), '#1A1A1A');
    return badges;
}

/** Around the box of what is in derivative causality. Otherwise it has what the program has drawn, or would have: an outline of its own, or none. */
const outlines = new WeakMap<SVGElement, { ink: string | null; width: string | null }>();
function outline(node: Node, box: SVGElement, derivativeAtStart: boolean): void {
    const drawn = { ink: box.getAttribute('stroke'), width: box.getAttribute('stroke-width') };
    if (!outlines.has(box)) outlines.set(box, !derivativeAtStart ? drawn : node.kind === 'element' ? { ink: null, width: null } : { ink: '#808080', width: '1' });
    if (node.conflict) return;
    const plain = outlines.get(box)!;
    const now = node.derivative ? { ink: '#882255', width: '1.8' } : plain;
    for (const [key, value] of [['stroke', now.ink], ['stroke-width', now.width]] as const) {
        if (value === null) box.removeAttribute(key); else box.setAttribute(key, value);
    }
}

/** Draws what is not the same in all modes as the drawing's bonds and nodes have it now; `parts`: all shapes, by what they are of. */
export function markAnew(svg: SVGSVGElement, drawing: Drawing, parts: Map<string, SVGElement[]>, ofStart: boolean): void {
    const paper = svg.querySelector('g')!;
    const replace = (of: string, roles: string[], shapes: SVGElement[], behind: boolean): void => {
        const all = parts.get(of) ?? [], old = all.filter((s) => roles.some((role) => s.classList.contains(role)));
        for (const shape of old) shape.remove();
        if (behind) paper.prepend(...shapes); else paper.append(...shapes);
        parts.set(of, [...all.filter((s) => !old.includes(s)), ...shapes]);
    };
    const shape = (of: string, role: string): SVGElement | undefined => parts.get(of)?.find((s) => s.classList.contains(role));
    for (const line of svg.querySelectorAll<SVGElement>('text.mode')) line.style.display = ofStart ? '' : 'none';
    (drawing.edges ?? []).forEach((edge, index) => {
        const of = `edge-${index}`, body = edge.kind === 'bond' && changesMarks(edge) ? shape(of, 'bond') : undefined;
        if (!body) return;
        replace(of, ['stroke'], strokesOf(edge, body, of), false);
        replace(of, ['loop'], loopBehindBond(edge, body, of), true);
    });
    (drawing.nodes ?? []).forEach((node, index) => {
        const of = `node-${index}`, box = changesMarks(node) ? shape(of, 'node') : undefined;
        if (!box) return;
        outline(node, box, derivativeAtStart(node));
        replace(of, ['badge', 'badge-text'], badgesOf(node, box, of), false);
        replace(of, ['loop'], loopBehindNode(node, box, of), true);
    });
}
