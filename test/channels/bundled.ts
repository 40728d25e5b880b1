import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A program of the tests as one file that starts at once. Returns its path. */
export async function bundled(program: string): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'tenon-')), basename(program).replace(/\.ts$/, '.mjs'));
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
