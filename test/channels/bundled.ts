import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A program of the tests as one file that starts at once. Returns its path. */
export async function bundled(program: string): Promise<string> {
  // Inside of the project, where what is not bundled is found.
  const outfile = join(root, '.cache/programs', `${process.pid}-${basename(program).replace(/\.ts$/, '.mjs')}`);
  await build({
    entryPoints: [join(root, program)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    tsconfig: join(root, 'tsconfig.json'),
    logLevel: 'error',
  });
  return outfile;
}
