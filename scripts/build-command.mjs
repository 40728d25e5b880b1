// @ts-check
/** Bundles the command into packages/cli/dist: one file, beside the packages that it names as its dependencies. */
import { chmod, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { readJson, root } from './process.mjs';

const folder = join(root, 'packages/cli');

export async function buildCommand() {
  const { dependencies } = readJson(join(folder, 'package.json'));
  const outfile = join(folder, 'dist/tenon.mjs');
  const fresh = `${outfile}.${process.pid}`;
  await mkdir(join(folder, 'dist'), { recursive: true });
  await build({
    entryPoints: [join(folder, 'src/tenon.ts')],
    outfile: fresh,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // The paths of tsconfig.json lead to the sources of the library; who installs the command has the library itself.
    tsconfigRaw: {},
    external: Object.keys(dependencies).flatMap(name => [name, `${name}/*`]),
    logLevel: 'warning',
  });
  await chmod(fresh, 0o755);
  // A program that runs meanwhile sees no half.
  await rename(fresh, outfile);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildCommand();
