// @ts-check
/**
 * Makes the JavaScript of `@tenon/base`: one file for each entry, as ES modules and as CommonJS. A bundler leaves out the parts of a
 * file that a program does not use. It would add code for each file that a part of the program loads later.
 */
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { COMPRESSED, pureBeginnings } from './build-forms.mjs';
import { readJson, root } from './process.mjs';

const folder = join(root, 'packages/base');
const source = join(folder, 'src');
/** The entry whose modules the other entries share: an error has one class. */
const SHARED = 'index';

/**
 * @param {readonly string[]} entries names of files in the sources, without `.ts`
 * @param {Readonly<Record<'esm' | 'cjs', string>>} folders where each form goes
 */
export async function buildBase(entries, folders) {
  /** Modules of the shared entry. @type {Set<string>} */
  const shared = new Set();
  await write([SHARED], folders, [collectInto(shared)]);
  await write(
    entries.filter(entry => entry !== SHARED),
    folders,
    [takeFromShared(shared)],
  );
}

/** @satisfies {import('rolldown').OutputOptions} */
const OUTPUT = /** @type {const} */ ({
  strict: true,
  entryFileNames: '[name].js',
  // Text of one byte a character takes half the memory, and is read faster.
  charset: 'ascii',
  comments: { annotation: true, jsdoc: false, legal: false },
  minify: COMPRESSED,
});

/** Builds each entry as one file of both forms. @param {readonly string[]} entries @param {Readonly<Record<'esm' | 'cjs', string>>} folders @param {readonly import('rolldown').Plugin[]} plugins */
async function write(entries, { esm, cjs }, plugins) {
  for (const entry of entries) {
    const build = await open([entry], [pureBeginnings, ...plugins]);
    await build.write({ ...OUTPUT, dir: esm, format: 'es' });
    await build.write({ ...OUTPUT, dir: cjs, format: 'cjs' });
    await build.close();
  }
}

/** @param {readonly string[]} entries @param {import('rolldown').Plugin[]} plugins */
function open(entries, plugins) {
  const { dependencies } = readJson(join(folder, 'package.json'));
  const installed = Object.keys(dependencies);
  return rolldown({
    input: Object.fromEntries(entries.map(entry => [entry, join(source, `${entry}.ts`)])),
    external: id => id.startsWith('node:') || installed.includes(id),
    platform: 'node',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    transform: { target: 'es2022' },
    // As package.json has it: a module that nobody takes a name from is left out.
    treeshake: { moduleSideEffects: false },
    // On a busy machine, plugins take long.
    checks: { bundlerTimings: false },
    plugins,
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
}

/** Collects the modules of a build. @param {Set<string>} modules @returns {import('rolldown').Plugin} */
const collectInto = modules => ({
  name: 'collect-modules',
  moduleParsed: ({ id }) => void modules.add(id),
});

/** Takes modules of the shared entry from its file. @param {Set<string>} shared @returns {import('rolldown').Plugin} */
const takeFromShared = shared => ({
  name: 'take-from-shared',
  async resolveId(id, importer) {
    if (importer === undefined || !id.startsWith('.')) return undefined;
    const resolved = await this.resolve(id, importer, { skipSelf: true });
    if (!resolved || !shared.has(resolved.id)) return undefined;
    return { id: `./${relative(source, join(source, SHARED))}.js`, external: true };
  },
});
