// Where the axes of a plot have ticks, and what stands there.

export const ticksOf = (low: number, high: number, count: number): number[] => {
    const rough = (high - low) / Math.max(1, count);
    if (!(rough > 0)) return [low];
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough)!;
    const ticks: number[] = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) ticks.push(k * step);
    return ticks;
};

/** With the digits that tell one tick from the next. */
export const tickText = (v: number, step: number): string => {
    const size = Math.abs(v), decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    if (size < 0.001 * step) return '0';
    if (size < 1e8 && decimals <= 4) return v.toFixed(decimals);
    const decade = (x: number): number => Math.floor(Math.log10(x) + 1e-9);
    return v.toExponential(Math.min(12, Math.max(0, decade(size) - decade(step))));
};
export const stepOf = (ticks: number[]): number => (ticks.length > 1 ? ticks[1] - ticks[0] : Math.abs(ticks[0]) || 1);
