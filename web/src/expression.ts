// Expressions as the program prints them and people type them, evaluated: enough of them to judge a derivation.

export type Values = Map<string, number>;
type Evaluate = (v: Values) => number;

const functions: Record<string, (...x: number[]) => number> = { sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan, atan2: Math.atan2, sinh: Math.sinh,
    cosh: Math.cosh, tanh: Math.tanh, exp: Math.exp, log: Math.log, ln: Math.log, log10: Math.log10, sqrt: Math.sqrt, abs: Math.abs, sign: Math.sign, min: Math.min, max: Math.max };

/** Numbers, names such as "La.p", "cell[2].c.q" and "a->b.f", signs. */
const token = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\p{N}_]*(?:\[[\d,\s]+\])?(?:(?:\.|->)[\p{L}_][\p{L}\p{N}_]*(?:\[[\d,\s]+\])?)*)|(\*\*|[-+*/^(),·×]))/uy;

export interface Parsed { evaluate: Evaluate; names: Set<string> }

/** Throws an Error with a sentence for people where it is none. */
export function parse(text: string): Parsed {
    const parts: { kind: 'number' | 'name' | 'sign' | 'end'; text: string }[] = [];
    token.lastIndex = 0;
    const trimmed = text.trimEnd();
    while (token.lastIndex < trimmed.length) {
        const at = token.lastIndex, match = token.exec(trimmed);
        if (!match) throw new Error(`'${trimmed.slice(at).trim()[0]}' has no meaning here`);
        parts.push({ kind: match[1] ? 'number' : match[2] ? 'name' : 'sign', text: match[1] ?? match[2] ?? match[3].replace('**', '^').replace(/[·×]/, '*') });
    }
    parts.push({ kind: 'end', text: 'the end' });
    const names = new Set<string>();
    let next = 0;
    const peek = (sign: string): boolean => parts[next].kind === 'sign' && parts[next].text === sign;
    const take = (sign: string): void => { if (!peek(sign)) throw new Error(`'${sign}' is expected, not ${parts[next].kind === 'end' ? 'the end' : `'${parts[next].text}'`}`); ++next; };
    const sum = (): Evaluate => {
        let left = product();
        while (peek('+') || peek('-')) {
            const minus = parts[next++].text === '-', a = left, b = product();
            left = minus ? (v) => a(v) - b(v) : (v) => a(v) + b(v);
        }
        return left;
    };
    const product = (): Evaluate => {
        let left = signed();
        while (peek('*') || peek('/')) {
            const over = parts[next++].text === '/', a = left, b = signed();
            left = over ? (v) => a(v) / b(v) : (v) => a(v) * b(v);
        }
        return left;
    };
    const signed = (): Evaluate => {
        if (peek('-')) { ++next; const a = signed(); return (v) => -a(v); }
        if (peek('+')) { ++next; return signed(); }
        const base = atom();
        if (!peek('^')) return base;
        ++next;
        const exponent = signed();
        return (v) => base(v) ** exponent(v);
    };
    const atom = (): Evaluate => {
        const part = parts[next++];
        if (part.kind === 'number') { const x = Number(part.text); return () => x; }
        if (part.kind === 'name') {
            if (!peek('(')) { names.add(part.text); return (v) => v.get(part.text) ?? NaN; }
            const f = functions[part.text];
            if (!f) throw new Error(`the function '${part.text}' is not known here`);
            take('(');
            const arguments_ = [sum()];
            while (peek(',')) { ++next; arguments_.push(sum()); }
            take(')');
            return (v) => f(...arguments_.map((a) => a(v)));
        }
        --next;
        take('(');
        const inside = sum();
        take(')');
        return inside;
    };
    const evaluate = sum();
    if (parts[next].kind !== 'end') throw new Error(`an operation is missing before '${parts[next].text}'`);
    return { evaluate, names };
}
