// The bench: files of a folder, the text of one, what is wrong with it, its parameters, and what it does.

import { clear, make } from '../elements';
import { askModel, askRun, askStrokes, deleteFile, listFiles, listTypes, readFile, renameFile, saveFile, stopAll, type BenchMessage, type FileList, type ModelAnswer, type NamedText, type Parameter, type Said } from './ask';
import { Catalogue } from './catalogue';
import { Editor } from './editor';
import { Exercise } from './exercise';
import { ModelFrame } from './frame';
import { Overview } from './overview';
import { Sensitivity } from './sensitivity';
import { Sliders, written } from './sliders';
import { sentenceOf } from './stages';
import { setTypes } from './types';
import { componentsOf, literalAt, replaced, sectionAt, type Change } from './yaml_text';

const kTyping = 350, kWatch = 2000;
const kNew = 'model: new_model\ndescription: What it is\ncomponents:\n  source: {type: Se, e: 1 V}\n  j: {type: 1}\n  R1: {type: R, R: 1 ohm}\n  C1: {type: C, C: 1 F}\nbonds:\n  - source -> j\n  - j -> R1\n  - j -> C1\nexperiment: {stop: 5 s}\n';

const kNoName = 'A file needs a name, which is more than blanks.';
/** Empty where what was given is no name. */
function fileName(given: string): string {
    const name = given.trim(), stem = name.replace(/\.ya?ml$/, '');
    if (stem.replace(/^.*\//, '').trim() === '') return '';
    return stem === name ? `${name}.yaml` : name;
}

class Bench {
    private files: FileList = { folder: '', first: '', read_only: false, version: '', files: [] };
    private name = '';
    private version = '';
    private saved = '';
    private stamp = '';
    private crlf = false;
    private shownText: string | null = null;
    private hasRun = false;
    private working = false;
    private wanted: 'run' | 'model' | null = null;
    private timer = 0;
    private started = 0;
    private told = '';
    /** A file is being renamed or deleted: what lists say of it meanwhile may be of before. */
    private moving = false;

    private readonly choose = make('select', { id: 'file', 'aria-label': 'File', change: () => void this.open(this.choose.value) });
    private readonly saveButton = make('button', { id: 'save', title: 'Save (Ctrl+S)', click: () => void this.save() }, 'Save');
    private readonly renameButton = make('button', { id: 'rename', click: () => void this.rename() }, 'Rename');
    private readonly deleteButton = make('button', { id: 'delete', click: () => void this.remove() }, 'Delete');
    private readonly stopButton = make('button', { id: 'stop', hidden: true, click: () => void stopAll() }, 'Stop');
    private readonly status = make('output', { id: 'status', class: 'status', role: 'status' });
    private readonly messages = make('section', { class: 'messages', 'aria-label': 'Messages' });
    private readonly notice = make('div', { class: 'notice', hidden: true, role: 'alert', id: 'notice' });
    private readonly frame = new ModelFrame({ chosen: (name) => this.jumpTo(name), lacking: () => { if (this.hasRun) this.want('run'); }, asked: (message) => void this.aboutStrokes(message), swapped: () => this.exercise.pageShown() });
    private readonly sliders = new Sliders(() => this.want('run'), () => this.want('model'), (values) => this.keep(values));
    private readonly exercise: Exercise = new Exercise({ answer: () => ({ name: this.name, text: this.editor.text }), placing: (task) => this.frame.tell(task), refresh: () => this.want('model'), readOnly: () => this.files.read_only });
    private readonly overview = new Overview(() => this.files.files, (name) => this.exercise.progressOf(name), (name) => void this.open(name));
    private readonly task = make('section', { class: 'exercise-pane' }, this.overview.element, this.exercise.element);
    private readonly sensitivity = new Sensitivity(() => ({ name: this.name, text: this.editor.text, values: this.sliders.values, parameters: this.sliders.all }));
    private readonly catalogue = new Catalogue((insertion) => this.insert(insertion.changes, insertion.byHand), () => this.editor.text);
    private readonly place = make('div', { class: 'editor' });
    private readonly editor: Editor;
    private readonly panes: { id: string; title: string; element: HTMLElement; tab: HTMLButtonElement }[] = [];

    constructor() {
        this.editor = new Editor(this.place, () => this.typed(), () => void this.save());
        const button = (id: string, text: string, click: () => void) => make('button', { id, click }, text);
        const theme = make('button', { id: 'theme', 'aria-label': 'Light or dark', title: 'Light or dark', click: () => {
            const root = document.documentElement;
            root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
            this.frame.theme(root.dataset.theme);
        } }, '◐');
        document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
        const header = make('header', {}, make('h1', {}, 'bondgraph'), this.choose, button('new', 'New', () => void this.make()), this.saveButton, this.renameButton, this.deleteButton,
            button('undo', 'Undo', () => this.editor.undo()), button('redo', 'Redo', () => this.editor.redo()), button('add', 'Add a part', () => this.catalogue.open()), this.stopButton, this.status, theme);
        const list = make('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Below the text' });
        const body = make('div', { class: 'panes' });
        for (const [id, title, element] of [['parameters', 'Parameters', this.sliders.element], ['messages', 'Messages', this.messages], ['sensitivity', 'Sensitivity', this.sensitivity.element], ['exercise', 'Exercise', this.task]] as const) {
            const tab = make('button', { role: 'tab', id: `tab-${id}`, 'aria-controls': `pane-${id}`, click: () => this.showPane(id) }, title);
            element.id = `pane-${id}`;
            element.setAttribute('role', 'tabpanel');
            element.setAttribute('aria-labelledby', `tab-${id}`);
            element.removeAttribute('aria-label');
            element.setAttribute('tabindex', '0');
            this.panes.push({ id, title, element, tab });
            list.append(tab);
            body.append(element);
        }
        list.addEventListener('keydown', (e) => {
            const step = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
            const shown = this.panes.filter((p) => !p.tab.hidden);
            const at = shown.findIndex((p) => !p.element.hidden);
            if (step === 0 || at < 0) return;
            const next = shown[(at + step + shown.length) % shown.length];
            this.showPane(next.id);
            next.tab.focus();
        });
        const left = make('section', { class: 'left', 'aria-label': 'Model' }, this.notice, this.place, make('div', { class: 'below' }, list, body));
        document.getElementById('bench')!.append(header, make('main', {}, left, this.frame.element), this.catalogue.element);
        this.showPane('parameters');
        addEventListener('beforeunload', (e) => { if (this.editor.text !== this.saved) e.preventDefault(); });
        setInterval(() => { if (document.visibilityState === 'visible') void this.look(); }, kWatch);
    }

    async begin(): Promise<void> {
        const said = await listFiles();
        if (said.status !== 200) { this.tell(said.value.error ?? 'The server does not answer.'); return; }
        void listTypes().then((t) => { if (t.status === 200) setTypes(t.value.types); document.documentElement.dataset.types = String(t.value.types?.length ?? 0); });
        this.take(said.value);
        const wanted = new URLSearchParams(location.hash.slice(1)).get('file') ?? (this.files.first || this.files.files.find((f) => !f.solution)?.name);
        if (wanted) await this.open(wanted);
        else this.tell('There is no model in this folder: "New" makes one.');
        document.documentElement.dataset.ready = 'true';
    }

    // ---- files

    private take(list: FileList): void {
        this.files = list;
        document.title = `${this.name || list.folder} – bondgraph`;
        for (const b of [this.saveButton, this.renameButton, this.deleteButton]) b.hidden = list.read_only;
        const names = list.files.filter((f) => !f.solution || f.name === this.name).map((f) => f.name);
        if (this.name && !names.includes(this.name)) names.unshift(this.name);
        const shown = [...this.choose.options].map((o) => o.value);
        if (shown.join('\n') !== names.join('\n')) {
            clear(this.choose);
            for (const name of names) this.choose.append(make('option', { value: name }, name));
        }
        this.choose.value = this.name;
    }

    private async open(name: string): Promise<void> {
        if (this.editor.text !== this.saved && !confirm(`'${this.name}' has changes that are not saved. Leave them?`)) { this.choose.value = this.name; return; }
        const said = await readFile(name);
        const listed = this.files.files.find((f) => f.name === name);
        if (said.status !== 200 && !listed?.exercise) { this.tell(said.value.error ?? `'${name}' can't be read.`); this.choose.value = this.name; return; }
        this.notice.hidden = true;
        this.name = name;
        this.saved = said.status === 200 ? said.value.text : `model: ${name.replace(/^.*\//, '').replace(/\.ya?ml$/, '')}\ncomponents:\nbonds:\n`;
        this.version = said.status === 200 ? said.value.version : '';
        this.stamp = listed?.stamp ?? '';
        this.sliders.reset();
        this.frame.forget();
        this.shownText = null;
        this.crlf = this.saved.includes('\r\n');
        this.editor.open(this.saved);
        this.saved = this.editor.text;
        this.take(this.files);
        this.exercise.close();
        const exercise = listed?.exercise ? await this.exercise.open(name) : false;
        if (this.overview.element.open) this.overview.paint();
        const pane = this.panes.find((p) => p.id === 'exercise')!;
        pane.tab.hidden = !exercise;
        this.place.parentElement!.classList.toggle('with-exercise', exercise);
        if (exercise) this.showPane('exercise'); else if (!pane.element.hidden) this.showPane('parameters');
        this.changedMark();
        this.want('model');
    }

    private async rename(): Promise<void> {
        if (!this.name) return;
        const given = prompt(`Another name for '${this.name}'`, this.name);
        if (given === null || given === this.name) return;
        const name = fileName(given);
        if (!name) { this.tell(kNoName); return; }
        if (name === this.name) return;
        if (this.version === '') { this.tell(`'${this.name}' is not there yet: Save writes it.`); return; }
        this.moving = true;
        const said = await renameFile(this.name, name, this.version);
        if (said.status === 200) this.name = name;
        this.moving = false;
        if (said.status !== 200) { this.tell(said.value.error ?? 'It could not be renamed.'); return; }
        await this.look();
        this.shownText = null; // what is beside it is other there
        if (this.editor.text === this.saved) await this.open(name); else this.want('model');
    }

    private async remove(): Promise<void> {
        const name = this.name, version = this.version;
        if (!name) return;
        if (version === '') { this.tell(`'${name}' is not there.`); return; }
        if (!confirm(`Delete '${name}'${this.editor.text === this.saved ? '' : ', and the changes that are not saved'}?`)) return;
        const text = this.crlf ? this.saved.replace(/\n/g, '\r\n') : this.saved;
        this.moving = true;
        const said = await deleteFile(name, version);
        this.moving = false;
        if (said.status !== 200) { this.tell(said.value.error ?? 'It could not be deleted.'); return; }
        this.saved = this.editor.text;
        await this.close();
        const files: NamedText[] = [{ name, text }, ...said.value.beside ?? []];
        this.ask(`${files.map((f) => `'${f.name}'`).join(', ')} ${files.length > 1 ? 'are' : 'is'} deleted.`, [['Undo', () => void this.putBack(files)]]);
    }

    /** Another file takes the place of the one that is gone. */
    private async close(): Promise<void> {
        this.name = '';
        this.version = '';
        await this.look();
        const next = this.files.files.find((f) => !f.solution && f.stamp !== '');
        if (next) { await this.open(next.name); return; }
        this.saved = '';
        this.editor.open('');
        this.sliders.reset();
        this.sliders.set([], '');
        this.showMessages([]);
        this.hasRun = false;
        this.shownText = null;
        this.frame.empty();
        this.changedMark();
    }

    /** A file that was deleted and what went with it, unless there are others of their names by now. */
    private async putBack([file, ...beside]: NamedText[]): Promise<void> {
        const save = async ({ name, text }: NamedText): Promise<string> => {
            const said = await saveFile(name, text, '');
            return said.status === 200 ? '' : `'${name}': ${said.value.error ?? 'it could not be saved'}.`;
        };
        const why = await save(file);
        if (why) { this.tell(why); return; }
        const left = (await Promise.all(beside.map(save))).filter(Boolean);
        await this.look();
        await this.open(file.name);
        if (left.length > 0) this.tell(left.join(' '));
    }

    private async make(): Promise<void> {
        const given = prompt('Name of the new file', 'new_model.yaml');
        if (given === null) return;
        const name = fileName(given);
        if (!name) { this.tell(kNoName); return; }
        if (this.files.files.some((f) => f.name === name)) { this.tell(`There is a file '${name}' already.`); return; }
        const stem = name.replace(/^.*\//, '').replace(/\.ya?ml$/, '').replace(/[^\p{L}\p{N}_]/gu, '_');
        const said = await saveFile(name, kNew.replace('new_model', /^\d/.test(stem) ? `m_${stem}` : stem), '');
        if (said.status !== 200) { this.tell(said.value.error ?? 'It could not be saved.'); return; }
        await this.look();
        await this.open(name);
    }

    private async save(): Promise<void> {
        if (this.files.read_only || !this.name) return;
        const text = this.editor.text;
        const said = await saveFile(this.name, this.crlf ? text.replace(/\n/g, '\r\n') : text, this.version);
        if (said.status === 200) {
            this.saved = text;
            this.version = said.value.version;
            this.notice.hidden = true;
            this.changedMark();
            await this.look();
        } else if (said.status === 409) {
            this.ask(`${said.value.error}.`, [['Take theirs', () => void this.takeTheirs()], ['Keep mine', () => void this.overwrite()]]);
        } else this.tell(said.value.error ?? 'It could not be saved.');
    }

    private async takeTheirs(): Promise<void> {
        const said = await readFile(this.name);
        if (said.status !== 200) { this.tell(said.value.error ?? 'It can\'t be read.'); return; }
        this.crlf = said.value.text.includes('\r\n');
        this.saved = said.value.text.replace(/\r\n/g, '\n');
        this.version = said.value.version;
        this.editor.replace(this.saved);
        this.notice.hidden = true;
        this.changedMark();
    }

    private async overwrite(): Promise<void> {
        const said = await readFile(this.name);
        this.version = said.status === 200 ? said.value.version : '';
        await this.save();
    }

    /** Whether another editor has been here. */
    private async look(): Promise<void> {
        const name = this.name;
        const said = await listFiles();
        if (this.moving || name !== this.name) return;
        if (said.status !== 200) { this.status.textContent = said.value.error ?? ''; return; }
        this.take(said.value);
        const listed = this.files.files.find((f) => f.name === this.name);
        if ((!listed || listed.stamp === '') && this.version !== '') {
            this.version = '';
            this.saved = '';
            this.changedMark();
            this.tell(`'${this.name}' is not there any more: Save writes it again.`);
        }
        if (!listed || listed.stamp === this.stamp) return;
        this.stamp = listed.stamp;
        const now = await readFile(this.name);
        if (now.status !== 200 || now.value.version === this.version) return;
        if (this.editor.text === this.saved) await this.takeTheirs();
        else this.ask(`'${this.name}' has been changed by another editor.`, [['Take theirs', () => void this.takeTheirs()], ['Keep mine', () => void this.overwrite()]]);
    }

    // ---- what the model does

    private typed(): void {
        this.changedMark();
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.want('model'), kTyping);
    }

    private changedMark(): void { this.saveButton.classList.toggle('unsaved', this.editor.text !== this.saved); }

    /** One question at a time; of those asked meanwhile the last, and the whole page rather than its run. */
    private want(what: 'run' | 'model'): void {
        if (this.wanted !== 'model') this.wanted = what;
        if (!this.working) void this.work();
    }

    private async work(): Promise<void> {
        this.working = true;
        this.started = performance.now();
        let drawn = Promise.resolve();
        const late = window.setTimeout(() => { this.stopButton.hidden = false; this.status.textContent = 'running …'; }, 400);
        while (this.wanted && this.name) {
            const what = this.wanted;
            this.wanted = null;
            const text = this.editor.text, name = this.name, begun = performance.now();
            const quick = what === 'run' && this.hasRun && text === this.shownText;
            if (quick) this.frame.tell({ kind: 'expect' });
            const said = quick ? await askRun(name, text, this.sliders.values, this.frame.seen) : await askModel(name, text, this.sliders.values, !this.exercise.hides);
            // The next run is asked for while this one is drawn, and is shown once that is done.
            await drawn;
            if (name !== this.name) continue;
            drawn = this.show(said, text, quick);
            if (!quick) this.exercise.edited();
            this.status.textContent = said.status === 200 ? `${Math.round(performance.now() - begun)} ms` : '';
            if (!this.wanted) await drawn;
        }
        clearTimeout(late);
        this.stopButton.hidden = true;
        this.working = false;
        document.documentElement.dataset.answered = String(Math.round(performance.now() - this.started));
    }

    /** Done when it is seen, of a run that the page takes. */
    private show(said: Said<ModelAnswer> & { numbers?: ArrayBuffer }, text: string, quick: boolean): Promise<void> {
        const answer = said.value, done = Promise.resolve();
        if (said.status !== 200 || answer.error) {
            this.showMessages([{ warning: false, code: '', text: answer.error ?? 'no answer', file: '', line: 0, column: 0, notes: [] }]);
            return done;
        }
        // Those of another run of the same text are the same nearly always.
        if (!quick || JSON.stringify(answer.messages) !== this.told) this.showMessages(answer.messages);
        if (answer.parameters) this.sliders.set(answer.parameters, text);
        if (!answer.data) return done;
        if (!quick || answer.data.run) this.sensitivity.take(answer.data.run);
        if (quick && answer.data.run) return this.frame.run(answer.data.run, said.numbers!);
        if (quick) { this.want('model'); return done; }
        this.shownText = text;
        this.hasRun = Boolean(answer.data.run);
        this.frame.show(answer.data);
        return done;
    }

    /** What the page asks while strokes are placed there. */
    private async aboutStrokes(asked: { kind: string; id: number; placed: { bond: string; end: 'from' | 'to' }[]; bond: string; end: 'from' | 'to' }): Promise<void> {
        const text = this.shownText ?? this.editor.text;
        if (asked.kind === 'places') {
            const said = await askStrokes(this.name, text, []);
            this.frame.tell({ kind: 'placing', bonds: (said.value.places ?? []).map((p) => p.bond), placed: [], shown: [] });
            return;
        }
        const stroke = { bond: asked.bond, end: asked.end };
        let answer: { accepted: boolean; text: string };
        if (this.exercise.hides) answer = await this.exercise.judge(stroke);
        else {
            const said = await askStrokes(this.name, text, [...asked.placed, stroke]);
            const last = said.value.judged?.[said.value.judged.length - 1];
            answer = { accepted: last?.verdict === 'forced' || last?.verdict === 'chosen', text: last ? sentenceOf(last.verdict, last.reason) : said.value.error ?? 'it can\'t be judged.' };
        }
        this.frame.tell({ kind: 'judged', id: asked.id, answer });
    }

    private showMessages(messages: BenchMessage[]): void {
        this.told = JSON.stringify(messages);
        clear(this.messages);
        const wrong = messages.filter((m) => !m.warning).length;
        const tab = this.panes.find((p) => p.id === 'messages')!.tab;
        tab.textContent = messages.length === 0 ? 'Messages' : `Messages (${messages.length})`;
        tab.classList.toggle('wrong', wrong > 0);
        this.editor.mark(messages, this.name);
        for (const m of messages.slice(0, 200)) {
            const where = m.line > 0 ? `${m.file && m.file !== this.name ? `${m.file}, ` : ''}line ${m.line}` : '';
            const here = m.line > 0 && (m.file === this.name || !m.file);
            this.messages.append(make('div', { class: m.warning ? 'message warning' : 'message error' },
                make('div', {}, make('strong', {}, m.warning ? 'Warning' : 'Error'), ' ', here ? make('button', { class: 'link', click: () => this.editor.goto(m.line, m.column) }, where) : where, make('span', { class: 'code' }, m.code)),
                make('div', {}, m.text), ...m.notes.map(([label, note]) => make('div', { class: 'note' }, make('em', {}, `${label}: `), note))));
        }
        if (messages.length === 0) this.messages.append(make('p', { class: 'hint' }, 'Nothing is wrong with this model.'));
    }

    /** A part that was chosen in the picture is shown in the text. */
    private jumpTo(name: string): void {
        const first = name.replace(/(\.|->).*$/, '').replace(/\[.*$/, '');
        const found = componentsOf(this.editor.text).find((c) => c.name === first || c.name.startsWith(`${first}[`));
        if (found) this.editor.view.dispatch({ selection: { anchor: this.editor.view.state.doc.line(found.line + 1).from }, scrollIntoView: true });
    }

    /** Values of sliders where the file has numbers. */
    private keep(values: { parameter: Parameter; value: number }[]): void {
        const text = this.editor.text;
        const changes = [], left = [];
        for (const { parameter, value } of values) {
            // What stands in a type, or stands for several parameters, is not this one's alone.
            const own = parameter.line > 0 && ['components', 'parameters'].includes(sectionAt(text, parameter.line - 1)) &&
                this.sliders.all.filter((p) => p.line === parameter.line && p.column === parameter.column).length === 1;
            const place = own ? literalAt(text, parameter.line, parameter.column) : null;
            if (place) changes.push({ from: place.from, to: place.to, insert: replaced(place, value, parameter.unit, parameter.written, written) });
            else left.push(parameter.name);
        }
        if (changes.length > 0) {
            for (const { parameter } of values) if (!left.includes(parameter.name)) delete this.sliders.values[parameter.name];
            this.editor.apply(changes.sort((a, b) => a.from - b.from));
        }
        if (left.length > 0) this.tell(`${left.join(', ')}: the file has no number of its own there that could be replaced.`);
    }

    private insert(changes: Change[], byHand: string[]): void {
        if (changes.length > 0) this.editor.apply(changes);
        if (byHand.length > 0) this.tell(`The text has a form in which this is to be put by hand: ${byHand.join('  and  ')}`);
    }

    // ---- the page itself

    private showPane(id: string): void {
        for (const p of this.panes) {
            p.element.hidden = p.id !== id;
            p.tab.setAttribute('aria-selected', String(p.id === id));
            p.tab.setAttribute('tabindex', p.id === id ? '0' : '-1');
        }
    }

    private tell(text: string): void { this.ask(text, []); }

    private ask(text: string, choices: [string, () => void][]): void {
        clear(this.notice);
        this.notice.append(make('span', {}, text), ...choices.map(([label, action]) => make('button', { click: action }, label)),
            make('button', { 'aria-label': 'Close', click: () => { this.notice.hidden = true; } }, '×'));
        this.notice.hidden = false;
    }
}

void new Bench().begin();
