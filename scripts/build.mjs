// @ts-check
/**
 * Builds the library into packages/tenon/dist: ESM and declarations by TypeScript, CommonJS by esbuild, file by file
 * from the ESM. The result is made aside and then put in place, so that a program that runs meanwhile sees no half. Then
 * the command is built, into packages/cli/dist.
 */
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildCommand } from './build-command.mjs';
import { bin, library, root, runNode } from './process.mjs';

const started = performance.now();
await mkdir(join(root, '.cache'), { recursive: true });
const work = await mkdtemp(join(root, '.cache/build-'));
try {
  const esm = join(work, 'esm');
  const cjs = join(work, 'cjs');
  await runNode([bin('typescript'), '-p', join(library, 'tsconfig.build.json'), '--outDir', esm]);
  const files = await readdir(esm, { recursive: true });
  await toCommonJs(
    esm,
    files.filter(file => file.endsWith('.js')),
    cjs,
  );
  for (const file of files.filter(each => each.endsWith('.d.ts'))) await cp(join(esm, file), join(cjs, file));
  await writeFile(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
  await replace(join(library, 'dist'));
  await buildCommand();
  console.log(
    `built packages/tenon/dist and packages/cli/dist in ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
} finally {
  await rm(work, { recursive: true, force: true });
}

/** @param {string} from @param {string[]} files @param {string} to */
async function toCommonJs(from, files, to) {
  const { warnings } = await build({
    entryPoints: files.map(file => join(from, file)),
    outbase: from,
    outdir: to,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    define: { 'import.meta.filename': '__filename' },
    logLevel: 'warning',
  });
  // esbuild warns about what can not work as CommonJS, such as `import.meta`.
  if (warnings.length > 0) throw new Error('the CommonJS build has warnings');
}

/** @param {string} dist */
async function replace(dist) {
  const before = join(work, 'before');
  await rename(dist, before).catch(() => undefined);
  await mkdir(dist);
  await rename(join(work, 'esm'), join(dist, 'esm'));
  await rename(join(work, 'cjs'), join(dist, 'cjs'));
}
