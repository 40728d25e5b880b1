import { existsSync, renameSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const made = new Set<string>();

/** Bundles a program of the project into one file, so that it starts at once. Returns its path. */
export function bundle(program: string | URL): string {
  const entry = fileURLToPath(new URL(program, new URL('../../', import.meta.url)));
  // Inside of the project, so that packages, which are not bundled, are found.
  const name = relative(root, entry)
    .replaceAll(/\W+/g, '-')
    .replace(/-(?:ts|mjs)$/, '.mjs');
  // The workers of a run share what one of them has bundled, in a folder that the set-up deletes before and after the run.
  const { TENON_TEST_PROGRAMS: shared } = process.env;
  const outfile = join(shared ?? join(root, '.cache/programs', String(process.pid)), name);
  if (!(shared === undefined ? made.has(outfile) : existsSync(outfile))) build(entry, outfile);
  made.add(outfile);
  return outfile;
}

/** Another worker may bundle the same program meanwhile, so the file is made aside. */
function build(entry: string, outfile: string): void {
  const aside = `${outfile}.${process.pid}.mjs`;
  buildSync({
    entryPoints: [entry],
    outfile: aside,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    tsconfig: `${root}tsconfig.json`,
    logLevel: 'error',
  });
  renameSync(aside, outfile);
}
