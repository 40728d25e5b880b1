// @ts-check
/** How many bytes the library adds to a program, and what installing it takes. */
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { installPacked } from '../../scripts/pack.mjs';
import { readJson, root, runNpm } from '../../scripts/process.mjs';
import { heading, table } from '../report.mjs';
import { bundles } from './bundles.mjs';

const KIB = 1024;
/** How many of the heaviest folders are named. */
const HEAVIEST = 10;

/** @typedef {{ name: string, bytes: number, gzipped: number, atStart: number, limit: number | undefined, heaviest: [string, number][] }} Bundle */
/** @typedef {{ name: string, packages: number, megabytes: number }} Footprint */

/** Bundles are the same each time: there are no rounds. */
export async function measureSize() {
  const project = await installPacked([
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/node',
  ]);
  try {
    /** @type {Bundle[]} */
    const measured = [];
    for (const bundle of bundles) measured.push(await measureBundle(project.folder, bundle));
    const footprints = [
      await measureFootprint(
        'tenon',
        [...project.tarballs].filter(([, path]) => path.endsWith('.tgz')),
      ),
      await measureFootprint('@modelcontextprotocol/server'),
    ];
    return { results: { bundles: measured, footprints }, markdown: toMarkdown(measured, footprints) };
  } finally {
    await project.remove();
  }
}

/** Measures a program in a project that has the packages. @param {string} folder @param {typeof bundles[number]} bundle @returns {Promise<Bundle>} */
export async function measureBundle(folder, bundle) {
  const { name, limit } = bundle;
  const { outputFiles, metafile } = await bundled(folder, bundle, false);
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  const inputs = Object.values(metafile.outputs)[0]?.inputs ?? {};
  /** @type {Map<string, number>} */
  const folders = new Map();
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const within = getFolder(path);
    folders.set(within, (folders.get(within) ?? 0) + bytesInOutput);
  }
  const heaviest = [...folders].sort(([, a], [, b]) => b - a).slice(0, HEAVIEST);
  return { name, bytes: code.length, gzipped: gzipped(code), atStart: await atStart(folder, bundle), limit, heaviest };
}

/** What is loaded before the program runs, where the bundler makes a file of what is imported later. @param {string} folder @param {typeof bundles[number]} bundle */
async function atStart(folder, bundle) {
  const { outputFiles, metafile } = await bundled(folder, bundle, true);
  const files = new Map(outputFiles.map(({ path, contents }) => [relative(folder, path), contents]));
  const loaded = new Set(
    Object.keys(metafile.outputs).filter(path => metafile.outputs[path]?.entryPoint === '<stdin>'),
  );
  for (const path of loaded) {
    for (const { kind, path: next } of metafile.outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && files.has(next)) loaded.add(next);
    }
  }
  return [...loaded].reduce((sum, path) => sum + gzipped(files.get(path) ?? new Uint8Array()), 0);
}

/** @param {Uint8Array} code */
const gzipped = code => gzipSync(code, { level: 9 }).length;

/** @param {string} folder @param {typeof bundles[number]} bundle @param {boolean} splitting */
function bundled(folder, { source, platform, external = [] }, splitting) {
  return build({
    stdin: { contents: source, resolveDir: folder, loader: 'js' },
    absWorkingDir: folder,
    outdir: join(folder, 'bundled'),
    splitting,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform,
    external,
    target: 'es2022',
    logLevel: 'error',
  });
}

/** @param {string} path */
const getFolder = path => {
  const inside = path.replace(/^.*node_modules\//, '').replace(/^tenon\/dist\/esm\//, '');
  return inside.split('/').slice(0, -1).join('/') || inside;
};

/**
 * What an empty project holds after one installation.
 * @param {string} name
 * @param {readonly (readonly [string, string])[]} [tarballs] of the package and those that it needs, by name; else the version
 * of this checkout, from the registry or the cache of npm
 * @returns {Promise<Footprint>}
 */
async function measureFootprint(name, tarballs) {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-footprint-'));
  try {
    /** @type {Record<string, string>} */
    const dependencies = {};
    for (const [each, tarball] of tarballs ?? []) {
      await cp(tarball, join(folder, basename(tarball)));
      dependencies[each] = `file:${basename(tarball)}`;
    }
    if (tarballs === undefined) dependencies[name] = readJson(join(root, 'node_modules', name, 'package.json')).version;
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
    const args = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
    await runNpm(args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const lock = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
    const bytes = await bytesUnder(join(folder, 'node_modules'));
    return { name, packages: Object.keys(lock.packages).length, megabytes: bytes / 1_000_000 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder @returns {Promise<number>} */
async function bytesUnder(folder) {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

/** @param {readonly Bundle[]} measured @param {readonly Footprint[]} footprints */
function toMarkdown(measured, footprints) {
  const kib = (/** @type {number} */ bytes) => (bytes / KIB).toFixed(1);
  const rows = measured.map(({ name, bytes, gzipped, atStart, limit }) => {
    const verdict = limit === undefined ? '' : `${limit} ${gzipped <= limit * KIB ? 'held' : 'MISSED'}`;
    return [name, kib(bytes), kib(gzipped), kib(atStart), verdict];
  });
  const heaviest = measured
    .filter(({ limit }) => limit !== undefined)
    .map(
      ({ name, heaviest }) =>
        `${heading(3, `Heaviest in: ${name}`)}${table(
          ['folder', 'bytes, minified'],
          heaviest.map(([path, bytes]) => [path, String(bytes)]),
        )}`,
    );
  const installed = footprints.map(({ name, packages, megabytes }) => [name, String(packages), megabytes.toFixed(2)]);
  return [
    `${heading(2, 'Bundles, without a schema library')}${table(['program', 'minified, KiB', 'and gzipped, KiB', 'of that at start, if split', 'target, KiB'], rows)}`,
    `${heading(2, 'Installing into an empty project')}${table(['package', 'packages', 'MB'], installed)}`,
    ...heaviest,
  ].join('\n');
}
