// Bundles the page of a model and the bench: node build.mjs PAGE BENCH. What ends with .cpp becomes a source of the
// program, which has them as texts; PAGE may also be a file of HTML.
import {build} from 'esbuild';
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [page, bench] = process.argv.slice(2);
if (!page) throw new Error('usage: node build.mjs PAGE [BENCH]');

const bundled = async (entry) => (await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['es2022'],
    charset: 'ascii',
    legalComments: 'none',
    loader: {'.css': 'text'},
    write: false,
})).outputFiles[0].text;

const licences = (names) => names.map((name) => {
    const about = JSON.parse(readFileSync(join(here, 'node_modules', name, 'package.json'), 'utf8'));
    return `${name} ${about.version} (${about.license})`;
}).join(', ');

const source = (name) => readFileSync(join(here, 'src', name), 'utf8');
const filled = (name, fill) => source(name).replace(/\{\{(\w+)\}\}/g, (_, key) => fill[key]);

/** A source that has texts, each as a function of its name. */
function written(file, header, space, texts) {
    const delimiter = 'bondgraph_page';
    let code = `// Written by web/build.mjs.\n#include "${header}"\n\nnamespace ${space} {\n`;
    for (const [name, text] of Object.entries(texts)) {
        if (text.includes(`)${delimiter}"`)) throw new Error('a text has the delimiter of the source in it');
        code += `\nstd::string_view ${name}() { return R"${delimiter}(${text})${delimiter}"; }\n`;
    }
    writeFileSync(file, `${code}\n}  // namespace ${space}\n`);
}

const html = filled('page.html', {STYLE: source('style.css'), SCRIPT: await bundled('start.ts'), LICENCES: licences(['three', 'katex'])});
if (page.endsWith('.cpp')) written(page, 'bondgraph/api/page_template.hpp', 'bondgraph::api', {page_template: html});
else writeFileSync(page, html);
console.log(`page: ${(html.length / 1e6).toFixed(2)} MB`);

if (bench) {
    const script = await bundled('bench/bench.ts');
    const held = ['@codemirror/view', '@codemirror/state', '@codemirror/lang-yaml', '@codemirror/autocomplete', '@codemirror/lint',
                  '@codemirror/search', '@codemirror/commands', '@codemirror/language', 'markdown-it'];
    written(bench, 'bondgraph/serve/bench.hpp', 'bondgraph::serve', {
        bench_page: filled('bench/bench.html', {LICENCES: licences(held)}),
        bench_script: script,
        bench_style: source('bench/bench.css'),
    });
    console.log(`bench: ${(script.length / 1e6).toFixed(2)} MB`);
}
