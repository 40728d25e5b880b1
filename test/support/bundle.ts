import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bundles = new Map<string, string>();

/** Bundles a program of the project into one file, so that it starts at once. Returns its path. */
export function bundle(program: string | URL): string {
  const entry = fileURLToPath(new URL(program, new URL('../../', import.meta.url)));
  const made = bundles.get(entry);
  if (made !== undefined) return made;
  // Inside of the project, so that packages, which are not bundled, are found.
  const name = relative(root, entry)
    .replaceAll(/\W+/g, '-')
    .replace(/-(?:ts|mjs)$/, '.mjs');
  const outfile = `${root}.cache/programs/${process.pid}-${name}`;
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    tsconfig: `${root}tsconfig.json`,
    logLevel: 'error',
  });
  bundles.set(entry, outfile);
  return outfile;
}
