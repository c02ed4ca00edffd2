// What the bench knows of a model's text without reading it as YAML: it is being typed, and mostly not whole.

export interface Component { name: string; type: string; line: number; indent: number }

const indentOf = (line: string): number => line.length - line.trimStart().length;
const isBlank = (line: string): boolean => /^\s*(#.*)?$/.test(line);

/** The lines of a section that begins at the left margin: from the one behind its key to the one behind its last. */
export function section(lines: string[], key: string): { from: number; to: number } | null {
    const at = lines.findIndex((l) => l.startsWith(`${key}:`));
    if (at < 0) return null;
    let to = at + 1;
    for (let i = at + 1; i < lines.length; ++i) {
        if (isBlank(lines[i])) continue;
        if (indentOf(lines[i]) === 0 && !lines[i].startsWith('-')) break;
        to = i + 1;
    }
    return { from: at + 1, to };
}

/** Components of the model itself, with the types they have. */
export function componentsOf(text: string): Component[] {
    const lines = text.split('\n');
    const found: Component[] = [];
    const range = section(lines, 'components');
    if (!range) return found;
    const own = lines.slice(range.from, range.to).find((l) => !isBlank(l));
    if (!own) return found;
    const depth = indentOf(own);
    for (let i = range.from; i < range.to; ++i) {
        const match = lines[i].match(/^(\s*)([\p{L}_][\p{L}\p{N}_]*(?:\[[^\]]*\])?)\s*:/u);
        if (match && match[1].length === depth) found.push({ name: match[2], type: '', line: i, indent: depth });
        const type = lines[i].match(/[{,\s]type:\s*([\p{L}_][\p{L}\p{N}_.]*|[01](?![\d.]))/u);
        const last = found[found.length - 1];
        if (type && last && !last.type) last.type = type[1];
    }
    return found;
}

/** The component that a line belongs to. */
export function componentAt(text: string, line: number): Component | null {
    const all = componentsOf(text).filter((c) => c.line <= line);
    const range = section(text.split('\n'), 'components');
    return range && line >= range.from && line < range.to ? all[all.length - 1] ?? null : null;
}

/** The section that a line lies in: "components". */
export function sectionAt(text: string, line: number): string {
    const lines = text.split('\n');
    for (let i = Math.min(line, lines.length - 1); i >= 0; --i) {
        const key = lines[i].match(/^([\p{L}_]+)\s*:/u);
        if (key) return key[1];
    }
    return '';
}

/** A name that no component has yet: "R1", "R2". */
export function freeName(text: string, type: string): string {
    const taken = new Set(componentsOf(text).map((c) => c.name));
    const word = /^[01]$/.test(type) ? 'j' : type.replace(/^.*\./, '');
    const stem = word.length <= 3 ? word : word[0].toLowerCase() + word.slice(1);
    for (let i = 1; ; ++i) if (!taken.has(`${stem}${i}`)) return `${stem}${i}`;
}

export interface Change { from: number; to: number; insert: string }
/** What is to be put by hand, as the text has another form than one line for each. */
export interface Insertion { changes: Change[]; byHand: string[] }

/** An import in a list of one line, or of one line for each, or where there is none yet. */
function insertImport(text: string, lines: string[], offset: (line: number) => number, file: string): Change | 'there' | null {
    const at = lines.findIndex((l) => /^["']?import["']?\s*:/.test(l));
    if (at < 0) {
        const model = lines.findIndex((l) => l.startsWith('model:'));
        const place = Math.min(offset(model < 0 ? 0 : model + 1), text.length);
        return { from: place, to: place, insert: `${place > 0 && text[place - 1] !== '\n' ? '\n' : ''}import: [${file}]\n` };
    }
    const list = lines[at].match(/^(import:\s*\[)([^\]]*)(\].*)$/);
    if (list) {
        const names = list[2].split(',').map((n) => n.trim()).filter(Boolean);
        if (names.includes(file)) return 'there';
        const end = offset(at) + list[1].length + list[2].length;
        return { from: end, to: end, insert: `${names.length > 0 ? ', ' : ''}${file}` };
    }
    const single = lines[at].match(/^import:\s*([\p{L}\p{N}_./-]+)\s*(#.*)?$/u);
    if (single) {
        if (single[1] === file) return 'there';
        const from = offset(at) + lines[at].indexOf(single[1], 'import:'.length);
        return { from, to: from + single[1].length, insert: `[${single[1]}, ${file}]` };
    }
    if (!/^import:\s*(#.*)?$/.test(lines[at])) return null;
    const items: number[] = [];
    for (let i = at + 1; i < lines.length && (isBlank(lines[i]) || /^\s*-/.test(lines[i])); ++i) if (!isBlank(lines[i])) items.push(i);
    const names = items.map((i) => lines[i].match(/^\s*-\s*([\p{L}\p{N}_./-]+)\s*(#.*)?$/u)?.[1]);
    if (items.length === 0 || names.includes(undefined)) return null;
    if (names.includes(file)) return 'there';
    const last = items[items.length - 1], place = Math.min(offset(last + 1), text.length);
    return { from: place, to: place, insert: `${text[place - 1] === '\n' ? '' : '\n'}${lines[last].match(/^\s*/)![0]}- ${file}\n` };
}

/** Puts a component behind the last one, and an import where its type needs one. */
export function insertComponent(text: string, component: string, file: string): Insertion {
    const lines = text.split('\n');
    const offset = (line: number): number => lines.slice(0, line).reduce((sum, l) => sum + l.length + 1, 0);
    const changes: Change[] = [], byHand: string[] = [];
    const range = section(lines, 'components');
    const head = range ? lines[range.from - 1] : '';
    const quoted = !range && lines.some((l) => /^\s*["']components["']\s*:/.test(l));
    if (quoted || (range && !/^components:\s*(\{\s*\}|\[\s*\])?\s*(#.*)?$/.test(head)) || /^\s*[{[]/.test(lines.find((l) => !isBlank(l)) ?? '')) {
        byHand.push(component);
    } else if (range && /[{[]/.test(head)) {
        changes.push({ from: offset(range.from - 1), to: offset(range.from - 1) + head.length, insert: `components:\n  ${component}` });
    } else if (range) {
        const first = lines.slice(range.from, range.to).find((l) => !isBlank(l));
        const at = Math.min(offset(range.to), text.length);
        changes.push({ from: at, to: at, insert: `${at > 0 && text[at - 1] !== '\n' ? '\n' : ''}${' '.repeat(first ? indentOf(first) : 2)}${component}\n` });
    } else {
        changes.push({ from: text.length, to: text.length, insert: `${text === '' || text.endsWith('\n') ? '' : '\n'}components:\n  ${component}\n` });
    }
    if (!file) return { changes, byHand };
    const first = byHand.length > 0 ? null : insertImport(text, lines, offset, file);
    if (first === null) return { changes, byHand: [...byHand, `import: [${file}]`] };
    if (first === 'there') return { changes, byHand };
    const behind = changes[0];
    // At one place, as at the end of a text of one line, it is one change.
    if (behind.from === first.from && behind.to === first.to) behind.insert = first.insert + behind.insert.replace(/^\n/, '');
    else changes.unshift(first);
    return { changes, byHand };
}

/** A column counts letters, and a text of the browser those beyond the first 65536 twice. */
export function placeInLine(line: string, column: number): number { return [...line].slice(0, Math.max(0, column - 1)).join('').length; }

export interface Literal { from: number; to: number; number: number; unit: string }

/** A number, perhaps with a unit and in quotes, that begins at a place (lines and columns from 1): what a slider may replace. The quotes
 *  stand around it. */
export function literalAt(text: string, line: number, column: number): Literal | null {
    const lines = text.split('\n');
    const own = lines[line - 1];
    if (own === undefined || column < 1) return null;
    const at = placeInLine(own, column);
    const match = own.slice(at).match(/^(["']?)(\s*)([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(\s*[\p{L}µ°%][\p{L}\p{N}µ°%./^·*\-]*)?\s*\1(?=\s*([,}\]#]|$))/u);
    if (!match) return null;
    const [, quote, blanks, number, unit = ''] = match;
    const from = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0) + at + quote.length + blanks.length;
    return { from, to: from + number.length + unit.length, number: Number(number), unit };
}

/** A value as a file has it: SI is scale times the number there plus offset. */
export interface WrittenUnit { unit: string; scale: number; offset: number }

/** What stands in its place for another value, in the unit that is there; `value` is in the unit `si`. */
export function replaced(literal: Literal, value: number, si: string, unit: WrittenUnit | undefined, written: (v: number) => string): string {
    if (unit) return `${written((value - unit.offset) / unit.scale)}${literal.unit}`;
    return `${written(value)}${si && si !== '1' ? ` ${si}` : ''}`;
}

/** The expression that begins at a place (lines and columns from 1), up to what ends a value; null where there is none. */
export function expressionAt(text: string, line: number, column: number): string | null {
    const own = text.split('\n')[line - 1];
    if (own === undefined || column < 1) return null;
    const rest = own.slice(placeInLine(own, column)), quote = /^["']/.exec(rest)?.[0];
    if (quote) return rest.slice(1, Math.max(1, rest.indexOf(quote, 1))).trim() || null;
    let depth = 0, to = 0;
    for (; to < rest.length; ++to) {
        const c = rest[to];
        if (c === '(' || c === '[') ++depth;
        else if (depth > 0 && (c === ')' || c === ']')) --depth;
        else if ((depth === 0 && /[,}\]]/.test(c)) || (c === '#' && /\s/.test(rest[to - 1] ?? ' '))) break;
    }
    return rest.slice(0, to).trim() || null;
}

/** Whether a place lies in the declarations of a type's parameters, rather than among its components. */
function declares(lines: string[], line: number, column: number): boolean {
    const before = lines[line - 1].slice(0, column - 1);
    const inLine = Math.max(before.lastIndexOf('parameters:'), before.lastIndexOf('components:'));
    if (inLine >= 0) return before.startsWith('parameters:', inLine);
    let indent = indentOf(lines[line - 1]);
    for (let i = line - 2; i >= 0 && indent > 0; --i) {
        if (isBlank(lines[i]) || indentOf(lines[i]) >= indent) continue;
        indent = indentOf(lines[i]);
        const key = lines[i].match(/^\s*(parameters|components)\s*:/)?.[1];
        if (key) return key === 'parameters';
    }
    return false;
}

/** Of an expression that gives a parameter its value the parameters it has in it; `known` are the names of all. None
 *  where it is a number. */
export function followsFrom(text: string, name: string, line: number, column: number, known: Set<string>): string[] {
    const expression = expressionAt(text, line, column);
    if (expression === null || literalAt(text, line, column)) return [];
    const path = name.split('.').slice(0, -1);
    const scope = (parts: string[]): string => parts.map((p) => `${p}.`).join('');
    // What a component is given is written where the component stands.
    const inside = sectionAt(text, line - 1) === 'types';
    const scopes = !inside ? [''] : [scope(declares(text.split('\n'), line, column) ? path : path.slice(0, -1))];
    const found = new Set<string>();
    for (const match of expression.matchAll(/(?<![\p{L}\p{N}_.])[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*(?!\s*\()/gu)) {
        const whole = scopes.map((s) => `${s}${match[0]}`).find((n) => n !== name && known.has(n));
        if (whole) found.add(whole);
    }
    return [...found];
}
