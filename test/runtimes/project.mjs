// @ts-check
/** The packed library in a project of its own, with the programs that are run there and their bundles. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { installPacked } from '../../scripts/pack.mjs';

/** @typedef {{ folder: string, remove: () => Promise<void> }} Project */

/** @returns {Promise<Project>} */
export async function createProject() {
  const { folder, remove } = await installPacked(['zod']);
  try {
    await cp(fileURLToPath(new URL('./programs/', import.meta.url)), folder, { recursive: true });
    await bundle(folder);
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** @param {string} folder */
async function bundle(folder) {
  /** @param {readonly string[]} names */
  const paths = names => names.map(name => join(folder, `${name}.mjs`));
  const common = /** @type {const} */ ({ bundle: true, absWorkingDir: folder, logLevel: 'warning', format: 'esm' });
  await Promise.all([
    // The programs by `require`; the packages stay outside, so that it is their CommonJS that is loaded.
    build({
      ...common,
      entryPoints: paths(['serve-http', 'serve-stdio', 'client']),
      format: 'cjs',
      platform: 'node',
      packages: 'external',
      outdir: folder,
      outExtension: { '.js': '.cjs' },
    }),
    build({
      ...common,
      entryPoints: paths(['worker', 'worker-zod']),
      conditions: ['workerd', 'worker', 'browser'],
      outdir: join(folder, 'bundles'),
    }),
    build({ ...common, entryPoints: paths(['page']), platform: 'browser', outdir: join(folder, 'bundles') }),
  ]);
}
