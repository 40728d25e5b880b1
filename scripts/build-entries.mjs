// @ts-check
/** Makes the JavaScript of a package that uses the library: its entries and the parts that they share, in few files. */
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { pureBeginnings } from './build-forms.mjs';
import { readJson, root } from './process.mjs';

/**
 * @param {string} name of the folder of the package
 * @param {readonly string[]} entries names of files in the sources, without `.ts`
 * @param {Readonly<Record<'esm' | 'cjs', string>>} folders where each form goes
 */
export async function buildEntries(name, entries, folders) {
  const folder = join(root, 'packages', name);
  const installed = Object.keys(readJson(join(folder, 'package.json')).dependencies);
  const build = await rolldown({
    input: Object.fromEntries(entries.map(entry => [entry, join(folder, 'src', `${entry}.ts`)])),
    external: id => id.startsWith('node:') || installed.some(each => id === each || id.startsWith(`${each}/`)),
    platform: 'node',
    // A module in UMD form requires its parts in a way that no bundler follows.
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] }, mainFields: ['module', 'main'] },
    transform: { target: 'es2022' },
    // As package.json has it: a module that nobody takes a name from is left out.
    treeshake: { moduleSideEffects: false },
    checks: { bundlerTimings: false },
    plugins: [pureBeginnings],
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  for (const [format, dir] of Object.entries(folders)) {
    await build.write({
      dir,
      format: format === 'esm' ? 'es' : 'cjs',
      strict: true,
      entryFileNames: '[name].js',
      chunkFileNames: 'parts/[name].js',
      // Text of one byte a character takes half the memory, and is read faster.
      charset: 'ascii',
      comments: { annotation: true, jsdoc: false, legal: false },
    });
  }
  await build.close();
}
