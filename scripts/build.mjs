// @ts-check
/**
 * Builds `@tenon/base`, the library, `@tenon/host` and `@tenon/testing`, each into its dist: their entries as ES modules and as CommonJS, and their
 * declarations for both by TypeScript, file by file. The result is made aside and then put in place, so that a program that
 * runs meanwhile sees no half. Then the packages that use the library are compiled against it, and the command is bundled,
 * each into its dist. With the argument `ai`, only that package is compiled, because its peer is installed after the others are built.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { buildBase } from './build-base.mjs';
import { buildCommand } from './build-command.mjs';
import { buildEntries } from './build-entries.mjs';
import { buildForms } from './build-forms.mjs';
import { readJson, root, runCompiler } from './process.mjs';

const onlyAi = process.argv[2] === 'ai';
/** Packages whose files are compiled one by one, against the built library. The peer of `ai` is one of the tools that tests install. */
const COMPILED = ['issuer', 'apps', 'skills', ...(existsSync(join(root, 'node_modules/ai')) ? ['ai'] : [])];

const started = performance.now();
await mkdir(join(root, '.cache'), { recursive: true });
const work = await mkdtemp(join(root, '.cache/build-'));
try {
  if (onlyAi) await compilePackage('ai');
  else await buildAll();
} finally {
  await rm(work, { recursive: true, force: true });
}

async function buildAll() {
  await buildForBoth('base', buildBase);
  await buildForBoth('tenon', buildForms);
  // The host opens documents of OpenAPI.
  await compilePackage('openapi');
  await buildForBoth('host', (entries, folders) => buildEntries('host', entries, folders));
  await buildForBoth('testing', (entries, folders) => buildEntries('testing', entries, folders));
  for (const name of COMPILED) await compilePackage(name);
  await buildCommand();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `built packages/{${['base', 'tenon', 'openapi', 'host', 'testing', ...COMPILED, 'cli'].join(',')}}/dist in ${seconds} s`,
  );
}

/**
 * Builds a package whose entries are ES modules and CommonJS.
 *
 * @param {string} name of its folder
 * @param {(entries: readonly string[], folders: Readonly<Record<'esm' | 'cjs', string>>) => Promise<void>} build
 */
async function buildForBoth(name, build) {
  const folder = join(root, 'packages', name);
  /** @param {string} form */
  const placeOf = form => join(work, name, form);
  const [esm, cjs, emitted] = [placeOf('esm'), placeOf('cjs'), placeOf('types')];
  const entries = entriesOf(readJson(join(folder, 'package.json')).exports);
  const compiler = ['-p', join(folder, 'tsconfig.build.json')];
  await Promise.all([
    build(entries, { esm, cjs }),
    runCompiler([...compiler, '--emitDeclarationOnly', '--outDir', emitted]),
  ]);
  // The host uses members of the library that are not in its published types, so it is compiled with the sources.
  const types = existsSync(join(emitted, name)) ? join(emitted, name, 'src') : emitted;
  for (const file of await declarationsOf(entries, types)) await cp(join(types, file), join(cjs, file));
  // Both forms have the same types, not two that are alike: those of CommonJS, which both may import.
  for (const entry of entries) {
    const path = relative(join(esm, dirname(entry)), join(cjs, entry)).replaceAll('\\', '/');
    await writeFile(join(esm, `${entry}.d.ts`), `export * from '${path}.js';\n`);
  }
  await writeFile(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
  await replace(folder, join(work, name), ['esm', 'cjs']);
}

/**
 * The entries whose types package.json names, as paths within the sources. @param {unknown} exports @returns {string[]}
 */
function entriesOf(exports) {
  const named = JSON.stringify(exports).matchAll(/dist\/esm\/([\w./-]+)\.d\.ts/g);
  return [...new Set([...named].map(([, entry]) => entry ?? ''))];
}

/**
 * The declarations that entries reach: nobody can ask for the others.
 * @param {readonly string[]} entries @param {string} folder @returns {Promise<Set<string>>} paths within the folder
 */
async function declarationsOf(entries, folder) {
  const reached = new Set(entries.map(entry => `${entry}.d.ts`));
  for (const file of reached) {
    const text = await readFile(join(folder, file), 'utf8');
    for (const [, path] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      reached.add(join(dirname(file), `${path}.d.ts`));
    }
  }
  return reached;
}

/** Replaces the dist of a package by parts of a work folder. @param {string} folder @param {string} from @param {readonly string[]} parts */
async function replace(folder, from, parts) {
  const dist = join(folder, 'dist');
  await rename(dist, await mkdtemp(join(work, 'before-'))).catch(() => undefined);
  await mkdir(dist);
  for (const part of parts) await rename(join(from, part), join(dist, part));
}

/** Compiles a package by its tsconfig.build.json into its dist. @param {string} name of its folder */
async function compilePackage(name) {
  const folder = join(root, 'packages', name);
  const compiled = join(work, name);
  await runCompiler(['-p', join(folder, 'tsconfig.build.json'), '--outDir', compiled]);
  await rename(join(folder, 'dist'), await mkdtemp(join(work, 'before-'))).catch(() => undefined);
  await rename(compiled, join(folder, 'dist'));
}
