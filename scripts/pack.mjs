// @ts-check
/** The packages as their users get them: packed, and installed into a project outside this checkout. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { library, readJson, root, runNpm } from './process.mjs';

/**
 * npm's own chatter belongs to nobody's output here; its errors do.
 * @type {import('node:child_process').SpawnOptions}
 */
const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };
const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];

/**
 * Packs what is built of a package.
 * @param {string} folder where the tarball goes, and no other is
 * @param {string} [source] the folder of the package
 * @returns {Promise<string>} its path
 */
async function pack(folder, source = library) {
  await runNpm(['pack', source, '--pack-destination', folder, '--loglevel', 'error'], quiet);
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
  await runNpm(install, { ...quiet, cwd: folder });
  return { folder, tarball, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Installs the packed adapters for the AI SDK into a project that has the packed library and the AI SDK. */
export async function installPackedAiAdapters() {
  const { folder, remove } = await installPacked(['ai', '@types/node']);
  await mkdir(join(folder, 'adapters'));
  const tarball = await pack(join(folder, 'adapters'), join(root, 'packages/ai'));
  await runNpm([...install, tarball], { ...quiet, cwd: folder });
  return { folder, tarball, remove };
}

/** Installs the packed command into a project that has the packed library. */
export async function installPackedCommand() {
  const { folder, remove } = await installPacked(['libsql']);
  const source = join(root, 'packages/cli');
  await mkdir(join(folder, 'command'));
  const tarball = await pack(join(folder, 'command'), source);
  const parser = `commander@file:${join(source, 'node_modules/commander')}`;
  await runNpm([...install, tarball, parser], { ...quiet, cwd: folder });
  return { folder, tarball, remove };
}
