// What changes several times before the next picture is drawn once, for it.

const waiting = new Set<() => void>();
let asked = false;

function ask(): void {
    asked = true;
    requestAnimationFrame(drawNow);
}

/** Draws before the next picture, however often it is asked for until then. */
export function drawSoon(action: () => void): void {
    waiting.add(action);
    if (!asked) ask();
}

/** From the callback of a frame: what has changed in it is seen in its own picture, not in the next one. */
export function drawNow(): void {
    asked = true;
    const drawn = new Set<() => void>();
    for (const action of waiting) { // and what these ask for
        if (drawn.has(action)) continue;
        drawn.add(action);
        waiting.delete(action);
        action();
    }
    asked = false;
    if (waiting.size > 0) ask();
}
