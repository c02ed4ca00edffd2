// What is known of component types: for completion, for hints, and to add parts.

import type { Section, Type } from './ask';

export const types: Type[] = [];

export function setTypes(list: Type[]): void { types.splice(0, types.length, ...list); }

/** "Resistor" or "electrical.Resistor"; of several of one name the first. */
export function typeOf(name: string): Type | undefined {
    const bare = name.replace(/^.*\./, '');
    return types.find((t) => t.name === name) ?? types.find((t) => t.name === bare);
}

export const sectionOf = (type: Type, title: string): Section | undefined => type.sections.find((s) => s.title === title && s.rows.length > 0);

export interface Row { name: string; unit: string; need: string; meaning: string }

/** Of parameters, from their table. */
export function parametersOf(type: Type): Row[] {
    return (sectionOf(type, 'Parameters')?.rows ?? []).slice(1).map(([name, unit, need, meaning]) => ({ name, unit, need, meaning }));
}

/** The names of ports or connectors. */
export function portsOf(type: Type): string[] {
    return [...sectionOf(type, 'Connectors')?.rows.slice(1) ?? [], ...sectionOf(type, 'Ports')?.rows.slice(1) ?? []].map((r) => r[0]);
}

/** A component of this type as it may stand in a file: with what it needs, in the unit of the table. */
export function lineOf(type: Type, name: string): string {
    const needed = parametersOf(type).filter((p) => /^required/.test(p.need));
    const values = needed.map((p) => `${p.name}: 1${p.unit && !/[ef]|word|equation|expression|integer/.test(p.unit.replace(/[A-Z]+/g, '')) ? ` ${p.unit}` : ''}`);
    return `${name}: {type: ${type.name}${values.map((v) => `, ${v}`).join('')}}`;
}

/** How well a type fits what was typed to find it; 0: not. */
export function fits(type: Type, wanted: string): number {
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    let sum = 1;
    for (const word of words) {
        const name = type.name.toLowerCase();
        const score = name === word ? 100 : name.startsWith(word) ? 50 : name.includes(word) ? 25
            : type.group.toLowerCase().includes(word) ? 8 : type.summary.toLowerCase().includes(word) ? 5 : 0;
        if (score === 0) return 0;
        sum += score;
    }
    return sum;
}
