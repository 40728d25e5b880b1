// @ts-check
/** The library as its users get it: packed, and installed into a project outside this checkout. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { library, readJson, root, runNpm } from './process.mjs';

/**
 * npm's own chatter belongs to nobody's output here; its errors do.
 * @type {import('node:child_process').SpawnOptions}
 */
const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };

/**
 * Packs the built library.
 * @param {string} folder where the tarball goes
 * @returns {Promise<string>} its path
 */
async function pack(folder) {
  await runNpm(['pack', library, '--pack-destination', folder, '--loglevel', 'error'], quiet);
  const tarball = (await readdir(folder)).find(file => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}`);
  return join(folder, tarball);
}

/**
 * Installs the packed library into a fresh, empty project. Its dependencies come from this checkout, so no network is
 * needed; a dependency that it uses without declaring it is missing there.
 * @param {readonly string[]} [also] more packages that the project needs
 * @returns {Promise<{ folder: string, tarball: string, remove: () => Promise<void> }>}
 */
export async function installPacked(also = []) {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-package-'));
  const tarball = await pack(folder);
  const { dependencies } = readJson(join(library, 'package.json'));
  const wanted = [...Object.keys(dependencies), ...also];
  const linked = wanted.map(name => [name, `file:${join(root, 'node_modules', name)}`]);
  const manifest = {
    private: true,
    type: 'module',
    dependencies: { tenon: `file:${tarball}`, ...Object.fromEntries(linked) },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest, undefined, 2));
  const args = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  await runNpm(args, { ...quiet, cwd: folder });
  return { folder, tarball, remove: () => rm(folder, { recursive: true, force: true }) };
}
