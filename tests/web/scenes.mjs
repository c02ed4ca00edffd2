// The models whose pages are compared with stored pictures and measured.

import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const models = join(dirname(fileURLToPath(import.meta.url)), '../../models');

/** Sections of an RC line, four components each. */
export function ladder(components) {
    const n = components / 4;
    const parts = [], bonds = ['s -> j0'];
    for (let i = 0; i < n; ++i) {
        parts.push(`j${i}: {type: 1}`, `r${i}: {type: R, R: 0.1 ohm}`, `o${i}: {type: 0}`, `c${i}: {type: C, C: 1 mF}`);
        bonds.push(`j${i} -> r${i}`, `j${i} -> o${i}`, `o${i} -> c${i}`);
        if (i > 0) bonds.push(`o${i - 1} -> j${i}`);
    }
    return `model: ladder\ncomponents: {s: {type: Se, e: 10 V}, ${parts.join(', ')}}\nbonds: [${bonds.join(', ')}]\nexperiment: {stop: 100 ms, interval: 1 ms}\n`;
}

export const millionRows = 'model: long\ncomponents: {s: {type: Se, e: 5*sin(2*pi*time)}, j: {type: 1}, r: {type: R, R: 1}, c: {type: C, C: 1}}\n' +
    'bonds: [s -> j, j -> r, j -> c]\noutputs: [c.e]\nexperiment: {stop: 300 s, interval: 0.3 ms}\n';

/** Its run ends in nothing before its time is over. */
const failing = 'model: explodes\ncomponents: {c: {type: C, law: e = -q^3, initial: {q: 1}}, r: {type: R, R: 1}, j: {type: 1}}\n' +
    'bonds: [c -> j, j -> r]\nexperiment: {stop: 10 s}\n';

/** More of a run than a page may well be asked for; measured only. */
export const minute = {name: 'robot, a minute', file: join(models, 'mechanics3d/robot_arm.yaml'), time: 1, options: ['--stop', '60 s'], space: true};

/** Name, file or text, the instant, options of the program, how it ends, a parameter that is dragged in the bench; and
 *  whether the graph has causal strokes: one of frames and joints alone has none. */
export const scenes = [
    {name: 'rlc', file: join(models, 'electrical/series_rlc.yaml'), time: 0.002},
    {name: 'motor', file: join(models, 'electromechanical/dc_motor.yaml'), time: 0.12, drags: 'Ra.R'},
    {name: 'conflict', file: join(models, 'electrical/two_voltage_sources_conflict.yaml'), status: 2},
    {name: 'crane', file: join(models, 'mechanics3d/hydraulic_crane.yaml'), time: 1, space: true, drags: 'load'},
    {name: 'robot', file: join(models, 'mechanics3d/robot_arm.yaml'), time: 1, space: true, drags: 'yaw_drive.J'},
    {name: 'v6', file: join(models, 'mechanics3d/engine_v6.yaml'), time: 0.03, options: ['--stop', '0.05'], space: true},
    {name: 'brackets', file: join(models, 'mechanics3d/steel_brackets.yaml'), time: 0.5, space: true, strokes: false},
    {name: 'inverter', file: join(models, 'electromechanical/brushless_drive.yaml'), time: 0.02, drags: 'motor.R'},
    {name: 'ladder', text: ladder(1000), time: 0.02},
    {name: 'million', text: millionRows, time: 0.1},
    {name: 'failing', text: failing, status: 3, time: 0.2},
];
