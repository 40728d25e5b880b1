// @ts-check
/** Bundles the page of the console: index.html, and scripts and a style sheet whose names contain their digests. */
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
  const page = await readFile(join(folder, 'src/index.html'), 'utf8');
  const filled = page.replace('main.js', basename(script)).replace('main.css', basename(styles));
  await writeFile(join(outdir, 'index.html'), filled);
  await writeFile(join(outdir, 'icon.svg'), await readFile(join(folder, 'src/icon.svg')));
  return Object.keys(metafile.inputs);
}
