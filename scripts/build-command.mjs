// @ts-check
/** Bundles the command into packages/cli/dist: one file for each command, loaded when it is used, beside its dependencies. */
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { readJson, root } from './process.mjs';

const folder = join(root, 'packages/cli');
const REQUIRE =
  "import { createRequire as createModuleRequire } from 'node:module';\nconst require = createModuleRequire(import.meta.url);";
/** The types of `@tenon/cli/init`. */
const INIT_TYPES = 'export declare const runInit: (args: readonly string[]) => Promise<void>;\n';

export async function buildCommand() {
  const { dependencies } = readJson(join(folder, 'package.json'));
  const dist = join(folder, 'dist');
  await mkdir(join(root, '.cache'), { recursive: true });
  const work = await mkdtemp(join(root, '.cache/command-'));
  const fresh = join(work, 'dist');
  await build({
    entryPoints: ['tenon', 'dev-process', 'init'].map(name => join(folder, `src/${name}.ts`)),
    outdir: fresh,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'parts/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Packages in CommonJS require modules of Node, and an ES module has no `require`.
    banner: { js: REQUIRE },
    // The paths of tsconfig.json lead to the sources of the library; who installs the command has the library itself.
    tsconfigRaw: {},
    external: Object.keys(dependencies).flatMap(name => [name, `${name}/*`]),
    logLevel: 'warning',
  });
  await writeFile(join(fresh, 'init.d.mts'), INIT_TYPES);
  await chmod(join(fresh, 'tenon.mjs'), 0o755);
  // A program that starts meanwhile finds the former files or the new ones.
  await rename(dist, join(work, 'before')).catch(() => undefined);
  await rename(fresh, dist);
  await rm(work, { recursive: true, force: true });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildCommand();
