// What pages of the documentation show: models, variants of them, pictures. The same rules as in tests/cli/documentation.hpp.

import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join, relative} from 'node:path';
import {fileURLToPath} from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

export const repositoryFile = (name) => readFileSync(join(root, name), 'utf8');

function* blocks(markdown) {
    for (const [, language, text] of markdown.matchAll(/^```(\S*)\n(.*?)^```$/gms)) yield {language, lines: text.split('\n').slice(0, -1)};
}

function replacedOnce(text, old, now) {
    const at = text.indexOf(old);
    if (old === '' || at < 0 || text.indexOf(old, at + 1) >= 0) throw new Error(`these lines are not to be found exactly once:\n${old}`);
    return text.slice(0, at) + now + text.slice(at + old.length);
}

function changed(text, lines) {
    let old = '', now = '';
    for (const line of [...lines, '…']) {
        if (line === '…') {
            text = replacedOnce(text, old, now);
            old = now = '';
            continue;
        }
        if (line[0] !== '+') old += `${line.slice(1)}\n`;
        if (line[0] !== '-') now += `${line.slice(1)}\n`;
    }
    return text;
}

/** The files that a reader is told to write, by their names: whole models, and after them variants. */
export function shownFiles(document) {
    const files = new Map();
    for (const {language, lines} of blocks(repositoryFile(document))) {
        if (language === 'yaml' && lines[0]?.startsWith('model: ')) files.set(`${lines[0].slice(7)}.yaml`, `${lines.join('\n')}\n`);
        if (language !== 'diff') continue;
        const from = lines[0].slice(4);
        files.set(lines[1].slice(4), changed(files.get(from) ?? repositoryFile(from), lines.slice(2)));
    }
    return files;
}

/** Pages of the documentation with their pictures, which are named from the root. */
export function* documentsWithPictures() {
    for (const entry of ['README.md', ...readdirSync(join(root, 'docs'), {recursive: true}).map((f) => `docs/${f}`)]) {
        if (!entry.endsWith('.md')) continue;
        const pictures = [...repositoryFile(entry).matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, name]) => relative(root, join(root, dirname(entry), name)));
        if (pictures.length > 0) yield {document: entry, pictures};
    }
}
