// The plane through the origin that is level, as a grid.

import { BufferGeometry, Color, Float32BufferAttribute, LineBasicMaterial, LineSegments, type Quaternion } from 'three';

const kCells = 10;
/** More would be a grey area. */
const kMostCells = 100;
const kMiddle = new Color(0x999999), kOthers = new Color(0xcccccc);

const powerOfTen = (size: number): number => 10 ** Math.ceil(Math.log10(size));

/** As large as all of the run, in cells for what is `near`: both powers of ten. Each line is made of pieces: some graphics
 *  leave out lines that begin behind the camera. */
export function ground(size: number, near: number, upright: Quaternion): LineSegments {
    const side = powerOfTen(size), cells = Math.min(kMostCells, Math.round(kCells * side / powerOfTen(near)));
    const at = (k: number): number => (k / cells - 0.5) * side;
    const places: number[] = [], colours: number[] = [];
    for (let line = 0; line <= cells; ++line) {
        for (let piece = 0; piece < cells; ++piece) {
            places.push(at(line), 0, at(piece), at(line), 0, at(piece + 1), at(piece), 0, at(line), at(piece + 1), 0, at(line));
            for (let k = 0; k < 4; ++k) colours.push(...(line === cells / 2 ? kMiddle : kOthers).toArray());
        }
    }
    const geometry = new BufferGeometry().setAttribute('position', new Float32BufferAttribute(places, 3)).setAttribute('color', new Float32BufferAttribute(colours, 3));
    const grid = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, toneMapped: false }));
    grid.quaternion.copy(upright);
    return grid;
}
