// Files that are laid beside the run: measured data as CSV, and the pages of other runs.

import { unpack, type Column, type Run } from './data';
import { Unreadable, unpacked } from './unpacking';

/** Of a line of CSV; a comma inside quotation marks is part of a cell. */
function cells(line: string): string[] {
    return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => (m[1] ?? m[2]).replace(/""/g, '"').trim());
}

function table(text: string): Column[] | null {
    const lines = text.split(/\r?\n/).filter((l) => l.trim() !== '');
    const head = cells(lines.shift() ?? '');
    const rows = lines.map((l) => cells(l).map((s) => (s === '' ? NaN : Number(s)))).filter((r) => r.length === head.length && Number.isFinite(r[0]));
    if (head.length < 2 || rows.length < 2) return null;
    const time = Float64Array.from(rows.map((r) => r[0]));
    return head.slice(1).map((name, k) => ({ name, unit: '', description: 'measured', time, values: Float64Array.from(rows.map((r) => r[k + 1])) }));
}

async function page(text: string): Promise<Column[] | null> {
    const data = new DOMParser().parseFromString(text, 'text/html').getElementById('data')?.textContent;
    if (!data) return null;
    try {
        const { run } = await unpacked(JSON.parse(data)) as { run?: Run };
        return run ? unpack(run) : null;
    } catch (e) {
        if (e instanceof Unreadable) throw e;
        return null; // some other page
    }
}

/** What a file has, or what is wrong with it. */
export async function readBeside(file: File): Promise<Column[] | string> {
    const text = await file.text();
    if (/\.html?$/i.test(file.name)) {
        try {
            return await page(text) ?? `${file.name} is no page of a run.`;
        } catch (e) {
            return `${file.name}: ${(e as Error).message}`;
        }
    }
    return table(text) ?? `${file.name} has no table: a first line with names, then rows of numbers, the time first.`;
}
