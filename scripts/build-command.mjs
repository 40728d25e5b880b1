// @ts-check
/** Bundles the command into packages/cli/dist: one file for each command, loaded when it is used, beside its dependencies. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildConsole } from './build-console.mjs';
import { readJson, root } from './process.mjs';

const folder = join(root, 'packages/cli');
const REQUIRE =
  "import { createRequire as createModuleRequire } from 'node:module';\nconst require = createModuleRequire(import.meta.url);";
/**
 * Settings for the bundle of the command. The tests use them too when the built command is older than its sources.
 * @type {import('esbuild').BuildOptions & { splitting: true }}
 */
export const bundleSettings = {
  outExtension: { '.js': '.mjs' },
  chunkNames: 'parts/[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Packages in CommonJS require modules of Node, and an ES module has no `require`.
  banner: { js: REQUIRE },
};
/** The types of `@tenon/cli/init`. */
const INIT_TYPES = 'export declare const runInit: (args: readonly string[]) => Promise<void>;\n';

export async function buildCommand() {
  const { dependencies } = readJson(join(folder, 'package.json'));
  const dist = join(folder, 'dist');
  await mkdir(join(root, '.cache'), { recursive: true });
  const work = await mkdtemp(join(root, '.cache/command-'));
  const fresh = join(work, 'dist');
  const { metafile } = await build({
    ...bundleSettings,
    metafile: true,
    entryPoints: ['tenon', 'dev-process', 'serve/serve-export', 'init'].map(name => join(folder, `src/${name}.ts`)),
    outdir: fresh,
    // The paths of tsconfig.json lead to the sources of the library; who installs the command has the library itself. A copy
    // of its modules would have state of its own: it would not know the integers that the library keeps, for example.
    tsconfigRaw: {},
    external: Object.keys(dependencies),
    logLevel: 'warning',
  });
  const page = await buildConsole(join(fresh, 'console'));
  await writeFile(join(fresh, 'init.d.mts'), INIT_TYPES);
  await writeFile(join(fresh, 'LICENSES.txt'), await collectLicenses([...Object.keys(metafile.inputs), ...page]));
  await chmod(join(fresh, 'tenon.mjs'), 0o755);
  // A program that starts meanwhile finds the former files or the new ones.
  await rename(dist, join(work, 'before')).catch(() => undefined);
  await rename(fresh, dist);
  await rm(work, { recursive: true, force: true });
}

/**
 * Returns the licenses of the packages that the command contains, as they require.
 * @param {readonly string[]} files paths of the bundled modules, from the current folder
 */
async function collectLicenses(files) {
  const folders = files.flatMap(file => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  /** Names of packages, by the text of their license. @type {Map<string, Set<string>>} */
  const licenses = new Map();
  for (const folder of [...new Set(folders)].sort()) {
    const { name, version } = readJson(join(folder, 'package.json'));
    const license = (await readdir(folder)).find(file => /^licen[cs]e/i.test(file));
    if (license === undefined) throw new Error(`${name} has no file with its license`);
    const text = (await readFile(join(folder, license), 'utf8')).trim();
    licenses.set(text, (licenses.get(text) ?? new Set()).add(`${name} ${version}`));
  }
  const sections = [...licenses].map(([text, names]) => `${[...names].join('\n')}\n\n${text}\n`);
  return sections.join(`\n${'-'.repeat(80)}\n\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildCommand();
