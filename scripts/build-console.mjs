// @ts-check
/** Bundles the page of the console: index.html with the styles of the frame, and scripts and a style sheet whose names contain their digests. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { root } from './process.mjs';

const folder = join(root, 'packages/console');

/**
 * Builds the page into a folder. Returns the paths of the bundled modules.
 * @param {string} outdir @returns {Promise<string[]>}
 */
export async function buildConsole(outdir) {
  const assets = join(outdir, 'assets');
  await mkdir(assets, { recursive: true });
  const { metafile } = await build({
    entryPoints: [join(folder, 'src/main.tsx')],
    outdir: assets,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The paths of the root lead to the sources of the library, whose entry for Node is another one.
    tsconfigRaw: {},
    metafile: true,
    logLevel: 'warning',
    logOverride: { 'ignored-bare-import': 'silent' },
  });
  const outputs = Object.entries(metafile.outputs);
  const [script = ''] = outputs.find(([, { entryPoint }]) => entryPoint?.endsWith('main.tsx')) ?? [];
  const [styles = ''] = outputs.find(([path]) => path.endsWith('.css')) ?? [];
  const template = await readFile(join(folder, 'src/index.html'), 'utf8');
  const [frame = '', firstPaint = ''] = await buildInline(['frame.css', 'first-paint.ts']);
  const parts = listImports(metafile, script);
  const page = template
    .replace('/* frame.css */', () => frame)
    .replace('/* first-paint.js */', () => firstPaint)
    .replace(/^.*part\.js.*\n/m, line => parts.map(part => line.replace('part.js', basename(part))).join(''))
    .replace('main.js', basename(script))
    .replace('main.css', basename(styles));
  await writeFile(join(outdir, 'index.html'), page);
  await writeFile(join(outdir, 'icon.svg'), await readFile(join(folder, 'src/icon.svg')));
  return Object.keys(metafile.inputs);
}

/**
 * Builds files that index.html contains, in their order.
 * @param {readonly string[]} names @returns {Promise<string[]>}
 */
async function buildInline(names) {
  const { outputFiles } = await build({
    entryPoints: names.map(name => join(folder, 'src', name)),
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    tsconfigRaw: {},
    write: false,
    logLevel: 'warning',
  });
  return outputFiles.map(({ text }) => text.trim());
}

/**
 * Returns the scripts that a script imports, also by other ones. The browser loads all of them at once.
 * @param {Pick<import('esbuild').Metafile, 'outputs'>} metafile @param {string} script @param {Set<string>} found @returns {string[]}
 */
function listImports({ outputs }, script, found = new Set()) {
  for (const { path, kind } of outputs[script]?.imports ?? []) {
    if (kind !== 'import-statement' || found.has(path)) continue;
    found.add(path);
    listImports({ outputs }, path, found);
  }
  return [...found];
}
