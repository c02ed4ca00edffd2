// Questions to the server. The token came behind the "#" of the address, which browsers send to nobody.

export interface BenchMessage { warning: boolean; code: string; text: string; file: string; line: number; column: number; notes: [string, string][] }
export interface Parameter { name: string; unit: string; value: number; line: number; column: number;
    /** The unit in which the file has its number: SI is scale times that plus offset. */
    written?: { unit: string; scale: number; offset: number } }
export interface ModelAnswer { messages: BenchMessage[]; parameters?: Parameter[]; data?: any; error?: string }
export interface ListedFile { name: string; stamp: string; solution: boolean; exercise: boolean }
export interface FileList { folder: string; first: string; read_only: boolean; version: string; files: ListedFile[] }
export interface Section { title: string; text: string; rows: string[][] }
export interface Type { name: string; group: string; import: string; summary: string; sections: Section[] }
export interface Comparison { equal?: boolean; verdict?: string; difference?: string; behaviour?: string; steps?: string[]; messages?: BenchMessage[]; error?: string }

export interface Stroke { bond: string; end: 'from' | 'to' }
export interface Strokes { judged?: { bond: string; end: string; at: string; verdict: 'forced' | 'chosen' | 'wrong' | 'unknown'; reason: string }[];
    places?: { bond: string; placed: boolean; inside: boolean; end?: 'from' | 'to' }[]; left?: number; messages?: BenchMessage[]; error?: string }
export interface Derived { states?: string[]; known?: string[]; unjudged?: string; judged?: { state: string; right: boolean; text: string }[]; messages?: BenchMessage[]; error?: string }

function keptToken(): string {
    const given = new URLSearchParams(location.hash.slice(1)).get('token');
    try {
        if (given) sessionStorage.setItem('token', given);
        return given ?? sessionStorage.getItem('token') ?? '';
    } catch {
        return given ?? '';
    }
}

const token = keptToken();
/** Tells this tab from others, so that what one of them stops is its own. */
export const tab = [...crypto.getRandomValues(new Uint8Array(8))].map((b) => b.toString(16)).join('');

/** What the server said, with its status; 0 where it is not there. */
export interface Said<T> { status: number; value: T & { error?: string } }

const decoder = new TextDecoder();
const reached = (path: string, options: RequestInit): Promise<Response | null> => fetch(path, { ...options, headers: { 'X-Token': token } }).catch(() => null);
const gone = <T>(): Said<T> => ({ status: 0, value: { error: 'The server is not there any more. Start bondgraph serve again.' } as T & { error?: string } });

function read<T>(status: number, text: string): Said<T> {
    try {
        return { status, value: JSON.parse(text) };
    } catch {
        return { status, value: { error: text.trim() } as T & { error?: string } };
    }
}

async function ask<T>(path: string, options: RequestInit = {}): Promise<Said<T>> {
    const response = await reached(path, options);
    const text = response ? await response.text().catch(() => null) : null;
    return response && text !== null ? read(response.status, text) : gone();
}

const post = <T>(path: string, body: object): Promise<Said<T>> => ask(path, { method: 'POST', body: JSON.stringify({ tab, ...body }) });

export const listFiles = (): Promise<Said<FileList>> => ask('/api/files');
/** Status 404 where there is no such file. */
export async function readFile(name: string): Promise<Said<{ text: string; version: string }>> {
    const said = await ask<{ text: string; version: string; missing?: boolean }>(`/api/file?name=${encodeURIComponent(name)}&if_there=1`);
    return said.value.missing ? { ...said, status: 404 } : said;
}
export const listTypes = (): Promise<Said<{ types: Type[] }>> => ask('/api/types');
export const saveFile = (name: string, text: string, version: string): Promise<Said<{ version: string }>> => post('/api/save', { name, text, version });
export const renameFile = (name: string, to: string, version: string): Promise<Said<{ version: string }>> => post('/api/rename', { name, to, version });
/** A text and the name of its file. */
export interface NamedText { name: string; text: string }
/** Gives what went with it. */
export const deleteFile = (name: string, version: string): Promise<Said<{ beside?: NamedText[] }>> => post('/api/delete', { name, version });
/** `solved`: with strokes and equations, which may be left to be found. */
export const askModel = (name: string, text: string, values: object, solved = true): Promise<Said<ModelAnswer>> => post('/api/model', { name, text, values, solved });
/** The same with the numbers of the run beside it, as bytes. `seen`: what of the run is looked at; null for all. */
export async function askRun(name: string, text: string, values: object, seen: object | null = null): Promise<Said<ModelAnswer> & { numbers: ArrayBuffer }> {
    const response = await reached('/api/run', { method: 'POST', body: JSON.stringify({ tab, name, text, values, seen, bytes: true }) });
    const whole = response ? await response.arrayBuffer().catch(() => null) : null, none = new ArrayBuffer(0);
    if (!response || !whole) return { ...gone<ModelAnswer>(), numbers: none };
    if (response.headers.get('Content-Type') !== 'application/octet-stream') return { ...read<ModelAnswer>(response.status, decoder.decode(whole)), numbers: none };
    // The length of the JSON, a line break, the JSON, the numbers.
    const from = new Uint8Array(whole).indexOf(10) + 1, to = from + Number(decoder.decode(new Uint8Array(whole, 0, from)));
    return { ...read<ModelAnswer>(response.status, decoder.decode(new Uint8Array(whole, from, to - from))), numbers: whole.slice(to) };
}
export const askCompare = (name: string, text: string): Promise<Said<Comparison>> => post('/api/compare', { name, text });
const pairs = (placed: Stroke[]): [string, string][] => placed.map((p) => [p.bond, p.end]);
export const askStrokes = (name: string, text: string, placed: Stroke[], reveal = false): Promise<Said<Strokes>> => post('/api/strokes', { name, text, placed: pairs(placed), reveal });
export const askDerive = (name: string, text: string, placed: Stroke[], equations: string[]): Promise<Said<Derived>> => post('/api/derive', { name, text, placed: pairs(placed), equations });
export const stopAll = (): Promise<Said<object>> => post('/api/stop', {});

export async function readPicture(name: string): Promise<string | null> {
    const response = await fetch(`/api/file?name=${encodeURIComponent(name)}`, { headers: { 'X-Token': token } }).catch(() => null);
    return response?.ok ? URL.createObjectURL(await response.blob()) : null;
}
