// How much a result depends on each parameter: of each two runs, with a little more and a little less of it.

import { clear, make } from '../elements';
import { bytes, withNumbers, type Packed as Numbers } from '../packed';
import { askRun, type Parameter } from './ask';

interface Packed { name: string; unit: string; data: Numbers; wide?: boolean }
export interface PackedRun { tables: { time: Numbers; columns: Packed[] }[] }

/** By how much parameters are changed: results have seven digits, and what is not linear shall not count. */
const kStep = 0.01;
const kMost = 60;

export type Measure = 'end' | 'largest' | 'mean';

/** One number of a result over the run; NaN where it is not there. */
export function measured(run: PackedRun, result: string, measure: Measure): number {
    for (const table of run.tables) {
        const column = table.columns.find((c) => c.name === result);
        if (!column) continue;
        const values = column.wide ? new Float64Array(bytes(column.data)) : Float64Array.from(new Float32Array(bytes(column.data)));
        if (values.length === 1) return values[0];
        if (measure === 'end') return values[values.length - 1];
        if (measure === 'largest') return values.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
        const time = new Float64Array(bytes(table.time));
        let area = 0;
        for (let i = 1; i < values.length; ++i) area += 0.5 * (values[i] + values[i - 1]) * (time[i] - time[i - 1]);
        return area / (time[time.length - 1] - time[0]);
    }
    return NaN;
}

export interface Bar { name: string; share: number }

/** Percent of the result per percent of a parameter; where the result is 0 its unit per 100 %. */
export function sensitivity(less: number, more: number, now: number): number {
    return (more - less) / (2 * kStep) / (now === 0 ? 1 : now);
}

export class Sensitivity {
    readonly element = make('section', { class: 'sensitivity', 'aria-label': 'Sensitivity' });
    private readonly result = make('select', { id: 'sensitive-result', 'aria-label': 'Result' });
    private readonly measure = make('select', { id: 'sensitive-measure', 'aria-label': 'Its value' }, make('option', { value: 'end' }, 'at the end'), make('option', { value: 'largest' }, 'where it is largest'), make('option', { value: 'mean' }, 'on average'));
    private readonly bars = make('div', { class: 'bars', role: 'status' });
    private readonly start = make('button', { id: 'sensitive-start', click: () => void this.find() }, 'Find');
    private running = 0;

    constructor(private readonly asked: () => { name: string; text: string; values: Record<string, number>; parameters: Parameter[] }) {
        this.element.append(make('div', { class: 'tools' }, 'How ', this.result, ' ', this.measure, ' depends on each parameter ', this.start), this.bars);
    }

    /** Another run is there: what was found is no matter of it. */
    take(run: PackedRun | undefined): void {
        ++this.running;
        clear(this.bars);
        const chosen = this.result.value;
        clear(this.result);
        for (const c of run?.tables[0]?.columns.slice(0, 300) ?? []) this.result.append(make('option', { value: c.name }, c.name));
        if ([...this.result.options].some((o) => o.value === chosen)) this.result.value = chosen;
        this.start.disabled = this.result.options.length === 0;
    }

    private async find(): Promise<void> {
        const turn = ++this.running;
        const { name, text, values, parameters } = this.asked();
        const result = this.result.value, measure = this.measure.value as Measure;
        const able = parameters.filter((p) => (values[p.name] ?? p.value) !== 0).slice(0, kMost);
        const run = async (more: Record<string, number>): Promise<number> => {
            const said = await askRun(name, text, { ...values, ...more }, { results: [result], energy: false, space: false });
            return said.value.data?.run ? measured(withNumbers(said.value.data.run as PackedRun, said.numbers), result, measure) : NaN;
        };
        const now = await run({});
        if (!Number.isFinite(now)) { clear(this.bars); this.bars.append(make('p', { class: 'hint' }, 'There is no run to begin with.')); return; }
        const found: Bar[] = [], failed: string[] = [];
        for (const p of able) {
            if (turn !== this.running) return;
            const v = values[p.name] ?? p.value;
            clear(this.bars);
            this.bars.append(make('p', { class: 'hint' }, `${found.length + failed.length} of ${able.length} …`));
            const share = sensitivity(await run({ [p.name]: v * (1 - kStep) }), await run({ [p.name]: v * (1 + kStep) }), now);
            if (Number.isFinite(share)) found.push({ name: p.name, share }); else failed.push(p.name);
        }
        if (turn === this.running) this.show(result, now, found, failed);
    }

    private show(result: string, now: number, found: Bar[], failed: string[]): void {
        clear(this.bars);
        found.sort((a, b) => Math.abs(b.share) - Math.abs(a.share));
        const largest = Math.max(1e-300, ...found.map((b) => Math.abs(b.share)));
        // Differences of numbers with seven digits.
        const noise = 2e-5;
        const told = (share: number): string => (Math.abs(share) < noise ? '0' : `${share > 0 ? '+' : '−'}${Math.abs(share).toPrecision(3)}`);
        this.bars.append(make('p', {}, now === 0 ? `Change of ${result} (0 now) as each parameter doubles, from 1 % of that:` : `Percent of ${result} (${Number(now.toPrecision(4))} now) for one percent more of each parameter:`),
            ...found.map((b) => make('div', { class: 'bar-row' }, make('span', { class: 'bar-name' }, b.name), make('span', { class: 'bar-track' },
                make('span', { class: b.share < 0 ? 'bar negative' : 'bar', style: `width:${(50 * Math.abs(b.share) / largest).toFixed(2)}%` })), make('span', { class: 'bar-number' }, told(b.share)))));
        if (failed.length > 0) this.bars.append(make('p', { class: 'hint' }, `Without a run: ${failed.join(', ')}.`));
    }
}
