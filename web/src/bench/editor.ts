// The text of a model: highlighting, completion by what is known of types, hints, mistakes at their place.

import { autocompletion, type Completion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { history, redo, undo } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, hoverTooltip } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { minimalSetup } from 'codemirror';
import { lineNumbers, highlightActiveLine, keymap } from '@codemirror/view';
import { searchKeymap, highlightSelectionMatches } from '@codemirror/search';
import type { BenchMessage, Type } from './ask';
import { parametersOf, portsOf, typeOf, types } from './types';
import { componentAt, componentsOf, placeInLine, sectionAt, type Change } from './yaml_text';

const kSections: [string, string][] = [['model', 'its name'], ['description', 'what it is'], ['import', 'files with types: [electrical]'], ['parameters', 'numbers with names'],
    ['components', 'what it is made of'], ['bonds', 'half arrows: - from -> to'], ['connect', 'what is joined: - [battery.p, R1.p]'], ['signals', 'who computes what: - block.y -> R1.R'],
    ['experiment', 'stop, interval, tolerance'], ['outputs', 'results by name'], ['plots', 'what belongs together'], ['expect', 'what has to come out'], ['initial', 'equations of the start'],
    ['when', 'what happens when'], ['types', 'types of your own'], ['records', 'parameters that belong together'], ['connector_types', 'connectors of your own'], ['require', 'what must hold'], ['layout', 'where things are drawn']];
const kExperiment: [string, string][] = [['stop', 'the end, as in 2 s'], ['interval', 'between rows, as in 1 ms'], ['tolerance', 'relative'], ['start', 'the beginning, as in 0 s']];
const kOfComponents: [string, string][] = [['type', 'the type'], ['initial', 'values of states at the start'], ['guess', 'from which the start is searched'], ['nominal', 'magnitudes of variables'], ['domain', 'of its ports'], ['size', 'of its multibonds'], ['if', 'whether it is there'], ['at', 'where it is drawn']];

const optionOf = ([label, detail]: [string, string]): Completion => ({ label, detail, type: 'keyword', apply: `${label}: ` });

function typeOption(t: Type): Completion {
    return { label: t.name, detail: t.import ? `import: [${t.import}]` : t.group, info: t.summary, type: 'class' };
}

function complete(context: CompletionContext): CompletionResult | null {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const word = before.match(/[\p{L}\p{N}_.]*$/u)![0];
    const from = context.pos - word.length;
    if (word === '' && !context.explicit) return null;
    const text = context.state.doc.toString();
    if (/(^|[{,\s])type:\s*[\p{L}\p{N}_.]*$/u.test(before)) return { from, options: types.map(typeOption), validFor: /^[\p{L}\p{N}_.]*$/u };
    const options = (list: [string, string][]) => ({ from, options: list.map(optionOf), validFor: /^[\p{L}_]*$/u });
    if (/^[\p{L}_]*$/u.test(before)) return options(kSections);
    const section = sectionAt(text, line.number - 1);
    if (section === 'experiment' && /(^|[{,\s])[\p{L}_]*$/u.test(before)) return options(kExperiment);
    if (['bonds', 'connect', 'signals', 'outputs'].includes(section)) {
        const names: Completion[] = componentsOf(text).flatMap((c) => {
            const type = typeOf(c.type);
            const ports = type ? portsOf(type) : [];
            return [{ label: c.name, detail: c.type, type: 'variable' }, ...(section === 'outputs' ? ['e', 'f'] : ports).map((p) => ({ label: `${c.name}.${p}`, detail: c.type, type: 'property' }))];
        });
        return { from, options: names, validFor: /^[\p{L}\p{N}_.]*$/u };
    }
    const component = componentAt(text, line.number - 1);
    const type = component ? typeOf(component.type) : undefined;
    if (component && /[{,\s][\p{L}_]*$/u.test(before) && !/:\s+[^,{]*$/.test(before.replace(/[\p{L}_]*$/u, '').replace(/[^,{]*:\s*\{/, '{'))) {
        const own: [string, string][] = type ? parametersOf(type).map((p) => [p.name, `${p.meaning}${p.unit ? `, in ${p.unit}` : ''}${p.need ? ` (${p.need})` : ''}`]) : [];
        return options([...own, ...kOfComponents]);
    }
    return null;
}

/** What a word means where it stands. */
function meaning(text: string, line: number, word: string): { title: string; lines: string[] } | null {
    const component = componentAt(text, line);
    const own = component ? typeOf(component.type) : undefined;
    const parameter = own ? parametersOf(own).find((p) => p.name === word) : undefined;
    if (parameter) return { title: `${word} of ${own!.name}`, lines: [parameter.meaning, [parameter.unit ? `in ${parameter.unit}` : '', parameter.need].filter(Boolean).join(', ')] };
    const type = typeOf(word);
    if (type && (component?.type === word || component?.type.endsWith(`.${word}`) || new RegExp(`type:\\s*\\S*${word}`).test(text.split('\n')[line] ?? ''))) {
        const law = type.sections.find((s) => s.title === 'Law')?.text;
        return { title: `${type.name}${type.import ? ` (import: [${type.import}])` : ''}`, lines: [type.summary, law ?? '', ...parametersOf(type).map((p) => `${p.name}: ${p.meaning}${p.unit ? `, in ${p.unit}` : ''}`)] };
    }
    const component2 = componentsOf(text).find((c) => c.name === word);
    if (component2) return { title: word, lines: [`${component2.type}, line ${component2.line + 1}`] };
    return null;
}

const hints = hoverTooltip((view, pos) => {
    const line = view.state.doc.lineAt(pos);
    const at = pos - line.from;
    const start = line.text.slice(0, at).match(/[\p{L}\p{N}_]*$/u)![0].length;
    const end = line.text.slice(at).match(/^[\p{L}\p{N}_]*/u)![0].length;
    const word = line.text.slice(at - start, at + end);
    const found = word ? meaning(view.state.doc.toString(), line.number - 1, word) : null;
    if (!found) return null;
    return { pos: pos - start, end: pos + end, above: true, create: () => {
        const dom = document.createElement('div');
        dom.className = 'hint-box';
        const title = document.createElement('strong');
        title.textContent = found.title;
        dom.append(title, ...found.lines.filter(Boolean).map((l) => { const p = document.createElement('div'); p.textContent = l; return p; }));
        return { dom };
    } };
});

const colours = HighlightStyle.define([{ tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--key)' }, { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
    { tag: [tags.string, tags.content], color: 'var(--text)' }, { tag: [tags.punctuation, tags.separator, tags.bracket, tags.brace, tags.squareBracket], color: 'var(--faint)' }]);

const look = EditorView.theme({ '&': { height: '100%', backgroundColor: 'var(--back)', color: 'var(--text)' }, '.cm-scroller': { fontFamily: 'ui-monospace, "DejaVu Sans Mono", monospace', fontSize: '13.5px' },
    '.cm-gutters': { backgroundColor: 'var(--soft)', color: 'var(--faint)', border: 'none' }, '.cm-activeLine': { backgroundColor: 'transparent' }, '.cm-content': { caretColor: 'var(--text)' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' }, '.cm-tooltip': { backgroundColor: 'var(--back)', color: 'var(--text)', border: '1px solid var(--faint)' },
    '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--back)' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--lit) !important' }, '.cm-panels': { backgroundColor: 'var(--soft)', color: 'var(--text)' } });

export class Editor {
    readonly view: EditorView;

    constructor(parent: HTMLElement, private readonly changed: () => void, private readonly saving: () => void) {
        this.view = new EditorView({ parent, state: this.stateOf('') });
    }

    private stateOf(text: string): EditorState {
        return EditorState.create({ doc: text, extensions: [minimalSetup, lineNumbers(), history(), highlightActiveLine(), highlightSelectionMatches(), lintGutter(), yaml(), syntaxHighlighting(colours), look,
            autocompletion({ override: [complete] }), hints, keymap.of([...searchKeymap, { key: 'Mod-s', run: () => { this.saving(); return true; }, preventDefault: true }]),
            EditorView.contentAttributes.of({ 'aria-label': 'The text of the model', spellcheck: 'false', tabindex: '0' }),
            EditorView.updateListener.of((u) => { if (u.docChanged) this.changed(); })] });
    }

    get text(): string { return this.view.state.doc.toString(); }

    /** Another file: nothing of the one before can be undone. */
    open(text: string): void { this.view.setState(this.stateOf(text)); }

    /** A change that can be undone. */
    apply(changes: Change[]): void { this.view.dispatch({ changes, scrollIntoView: true, userEvent: 'input' }); }
    replace(text: string): void { this.apply([{ from: 0, to: this.view.state.doc.length, insert: text }]); }
    undo(): void { undo(this.view); }
    redo(): void { redo(this.view); }

    private lineAt(line: number): { from: number; to: number } {
        return this.view.state.doc.line(Math.min(Math.max(1, line), this.view.state.doc.lines));
    }

    /** The place of a message, by line and column from 1. */
    goto(line: number, column: number): void {
        const own = this.lineAt(line);
        this.view.dispatch({ selection: { anchor: Math.min(own.from + placeInLine(this.view.state.doc.sliceString(own.from, own.to), column), own.to) }, scrollIntoView: true });
        this.view.focus();
    }

    mark(messages: BenchMessage[], file: string): void {
        const doc = this.view.state.doc;
        const found: Diagnostic[] = messages.filter((m) => m.line > 0 && (m.file === file || m.file === '')).map((m) => {
            const line = this.lineAt(m.line);
            const from = Math.min(line.from + placeInLine(doc.sliceString(line.from, line.to), m.column), line.to);
            const word = doc.sliceString(from, line.to).match(/^[\p{L}\p{N}_.[\]]+|^\S/u)?.[0].length ?? 0;
            const notes = m.notes.map(([label, text]) => `\n${label}: ${text}`).join('');
            return { from, to: Math.min(from + Math.max(1, word), line.to), severity: m.warning ? 'warning' as const : 'error' as const, message: `${m.text}${notes}`, source: m.code };
        });
        this.view.dispatch(setDiagnostics(this.view.state, found));
    }
}
