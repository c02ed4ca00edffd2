// Bundles the page into one HTML file: node build.mjs OUTPUT. An OUTPUT that ends with .cpp becomes a source of the
// library, which has the page as a text.
import {build} from 'esbuild';
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output) throw new Error('usage: node build.mjs OUTPUT');

const bundled = await build({
    entryPoints: [join(here, 'src/main.ts')],
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['es2022'],
    charset: 'ascii',
    legalComments: 'none',
    loader: {'.css': 'text'},
    write: false,
});
const licences = ['three', 'katex'].map((name) => {
    const about = JSON.parse(readFileSync(join(here, 'node_modules', name, 'package.json'), 'utf8'));
    return `${name} ${about.version} (${about.license})`;
});
const fill = {STYLE: readFileSync(join(here, 'src/style.css'), 'utf8'), SCRIPT: bundled.outputFiles[0].text,
              LICENCES: licences.join(', ')};
const page = readFileSync(join(here, 'src/page.html'), 'utf8').replace(/\{\{(\w+)\}\}/g, (_, key) => fill[key]);

if (output.endsWith('.cpp')) {
    const delimiter = 'bondgraph_page';
    if (page.includes(`)${delimiter}"`)) throw new Error('the page has the delimiter of the source in it');
    writeFileSync(output, `// Written by web/build.mjs.
#include "bondgraph/api/page_template.hpp"

namespace bondgraph::api {

std::string_view page_template() { return R"${delimiter}(${page})${delimiter}"; }

}  // namespace bondgraph::api
`);
} else {
    writeFileSync(output, page);
}
console.log(`page: ${(page.length / 1e6).toFixed(2)} MB`);
