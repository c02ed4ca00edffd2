// What frequencies a result consists of.

/** The discrete Fourier transform in place, of as many values as a power of two (Cooley and Tukey 1965). */
function transform(re: Float64Array, im: Float64Array): void {
    const n = re.length;
    for (let i = 1, j = 0; i < n; ++i) {
        let bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            [re[i], re[j]] = [re[j], re[i]];
            [im[i], im[j]] = [im[j], im[i]];
        }
    }
    for (let length = 2; length <= n; length *= 2) {
        const half = length / 2;
        for (let k = 0; k < half; ++k) {
            const c = Math.cos(2 * Math.PI * k / length), s = -Math.sin(2 * Math.PI * k / length);
            for (let a = k; a < n; a += length) {
                const b = a + half;
                const x = re[b] * c - im[b] * s, y = re[b] * s + im[b] * c;
                re[b] = re[a] - x;
                im[b] = im[a] - y;
                re[a] += x;
                im[a] += y;
            }
        }
    }
}

/** Amplitudes over frequencies in Hz, of a stretch of time of which `rows` rows are known: taken at equal distances, less
 * the mean, in the window of Hann. A sine's peak is its amplitude where the stretch has whole periods of it. */
export function spectrum(at: (time: number) => number, from: number, to: number, rows: number): { x: number[]; y: number[] } {
    const span = to - from;
    if (!(span > 0) || rows < 8) return { x: [], y: [] };
    const n = 2 ** Math.min(16, Math.max(5, Math.ceil(Math.log2(rows))));
    const re = new Float64Array(n), im = new Float64Array(n);
    const window = (k: number): number => 0.5 - 0.5 * Math.cos(2 * Math.PI * k / n);
    let mean = 0; // as the window weighs: the sum of the window is n/2
    for (let k = 0; k < n; ++k) {
        re[k] = at(from + k / n * span);
        if (!Number.isFinite(re[k])) return { x: [], y: [] };
        mean += 2 * window(k) * re[k] / n;
    }
    for (let k = 0; k < n; ++k) re[k] = (re[k] - mean) * window(k);
    transform(re, im);
    const x: number[] = [], y: number[] = [];
    for (let k = 0; k <= Math.min(rows, n) / 2; ++k) { // what the rows can tell
        x.push(k / span);
        y.push((k === 0 ? 2 : 4) * Math.hypot(re[k], im[k]) / n);
    }
    return { x, y };
}
