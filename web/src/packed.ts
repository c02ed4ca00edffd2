// Numbers as the program packs them: base64 of their bytes, the lowest first.

export function bytes(text: string): ArrayBuffer {
    const binary = atob(text);
    const result = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; ++i) result[i] = binary.charCodeAt(i);
    return result.buffer;
}
