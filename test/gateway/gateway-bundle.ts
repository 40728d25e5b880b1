import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The gateway's program as one file that starts at once. */
export async function gatewayBundle(): Promise<string> {
  const outfile = join(root, '.cache/programs', `${process.pid}-gateway-program.mjs`);
  await build({
    entryPoints: [join(root, 'test/gateway/gateway-program.ts')],
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
