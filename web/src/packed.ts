// Numbers as the program packs them: their bytes, the lowest first, as base64 or beside the data that refer to them.

export type Packed = string | ArrayBuffer;

export function bytes(text: Packed): ArrayBuffer {
    if (typeof text !== 'string') return text;
    const binary = atob(text);
    const result = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; ++i) result[i] = binary.charCodeAt(i);
    return result.buffer;
}

/** Puts numbers in their places: the program has written {"bytes": [from, size]} there. */
export function withNumbers<T>(data: T, numbers: ArrayBuffer): T {
    if (data === null || typeof data !== 'object') return data;
    const place = (data as { bytes?: [number, number] }).bytes;
    if (Array.isArray(place)) return numbers.slice(place[0], place[0] + place[1]) as T;
    if (Array.isArray(data)) return data.map((inner) => withNumbers(inner, numbers)) as T;
    return Object.fromEntries(Object.entries(data).map(([key, inner]) => [key, withNumbers(inner, numbers)])) as T;
}
