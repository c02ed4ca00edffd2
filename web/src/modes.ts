// For which modes (of switches, diodes, …) strokes and equations are: those of the start of the run.

/** "switch closed, diode not on". */
export function modesText(modes: Record<string, number | boolean>): string {
    return Object.entries(modes).map(([name, value]) => {
        const dot = name.lastIndexOf('.');
        if (typeof value !== 'boolean' || dot < 0) return `${name} = ${value}`;
        return `${name.slice(0, dot)} ${value ? '' : 'not '}${name.slice(dot + 1)}`;
    }).join(', ');
}

/** What stands beside strokes or equations; empty where there is one mode only. */
export function toldOfModes(what: string, modes: Record<string, number | boolean> | undefined): string {
    const text = modesText(modes ?? {});
    return text ? `${what} as at the start of the run: ${text}. In other modes they may be others.` : '';
}
