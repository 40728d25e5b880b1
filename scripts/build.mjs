// @ts-check
/**
 * Builds the library into packages/tenon/dist: its entries as ES modules and as CommonJS, and their declarations for both
 * by TypeScript, file by file. The result is made aside and then put in place, so that a program that runs meanwhile sees
 * no half. Then the packages that use the library are compiled against it, and the command is bundled, each into its dist.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { buildCommand } from './build-command.mjs';
import { buildForms } from './build-forms.mjs';
import { bin, library, readJson, root, runNode } from './process.mjs';

/** Packages whose files are compiled one by one, against the built library. The peer of `ai` is one of the tools that tests install. */
const COMPILED = ['issuer', ...(existsSync(join(root, 'node_modules/ai')) ? ['ai'] : [])];

const started = performance.now();
await mkdir(join(root, '.cache'), { recursive: true });
const work = await mkdtemp(join(root, '.cache/build-'));
try {
  const [esm, cjs, types] = ['esm', 'cjs', 'types'].map(form => join(work, form));
  if (!esm || !cjs || !types) throw new Error('there is no folder to build in');
  const entries = entriesOf(readJson(join(library, 'package.json')).exports);
  const compiler = [bin('typescript'), '-p', join(library, 'tsconfig.build.json')];
  await Promise.all([
    buildForms(entries, { esm, cjs }),
    runNode([...compiler, '--emitDeclarationOnly', '--outDir', types]),
  ]);
  for (const file of await declarationsOf(entries, types)) await cp(join(types, file), join(cjs, file));
  // Both forms have the same types, not two that are alike: those of CommonJS, which both may import.
  for (const entry of entries) {
    const path = relative(join(esm, dirname(entry)), join(cjs, entry)).replaceAll('\\', '/');
    await writeFile(join(esm, `${entry}.d.ts`), `export * from '${path}.js';\n`);
  }
  await writeFile(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
  await replace(join(library, 'dist'), ['esm', 'cjs']);
  for (const name of COMPILED) await compilePackage(name);
  await buildCommand();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`built packages/{${['tenon', ...COMPILED, 'cli'].join(',')}}/dist in ${seconds} s`);
} finally {
  await rm(work, { recursive: true, force: true });
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

/** Replaces a folder by parts of the work folder. @param {string} dist @param {readonly string[]} parts */
async function replace(dist, parts) {
  await rename(dist, await mkdtemp(join(work, 'before-'))).catch(() => undefined);
  await mkdir(dist);
  for (const part of parts) await rename(join(work, part), join(dist, part));
}

/** Compiles a package by its tsconfig.build.json into its dist. @param {string} name of its folder */
async function compilePackage(name) {
  const folder = join(root, 'packages', name);
  const compiled = join(work, name);
  await runNode([bin('typescript'), '-p', join(folder, 'tsconfig.build.json'), '--outDir', compiled]);
  await rename(join(folder, 'dist'), await mkdtemp(join(work, 'before-'))).catch(() => undefined);
  await rename(compiled, join(folder, 'dist'));
}
