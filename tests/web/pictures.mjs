// Makes the pictures of the page and the bench in the documentation anew: BONDGRAPH=… CHROMIUM=… node pictures.mjs [PART OF A DOCUMENT'S NAME]
// Node 20.15 or later.

import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {launched} from './chromium.mjs';
import {root} from './documents.mjs';
import {withPalette} from './png.mjs';
import {Student} from './student.mjs';
import {walks} from './walks.mjs';

const browser = await launched();
const reader = await browser.newPage();
for (const {document, images, walk} of walks.filter((w) => w.document.includes(process.argv[2] ?? ''))) {
    mkdirSync(join(root, images), {recursive: true});
    const student = new Student(browser, document, async (name, png, most) => {
        const picture = await withPalette(reader, png, most);
        writeFileSync(join(root, images, `${name}.png`), picture);
        console.log(`${images}/${name}.png ${picture.length}`);
    });
    try {
        await walk(student);
    } finally {
        await student.leave();
    }
}
await browser.close();
