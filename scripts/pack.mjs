// @ts-check
/** The packages as their users get them: packed, and installed into a project outside this checkout. */
import { existsSync } from 'node:fs';
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

/**
 * Installs another packed package of this checkout into a project that has the packed library, with the packages that it
 * depends on.
 * @param {string} name of its folder
 * @param {readonly string[]} [also] more packages that the project needs
 */
export async function installPackedPackage(name, also = []) {
  const source = join(root, 'packages', name);
  const { dependencies = {}, peerDependencies = {} } = readJson(join(source, 'package.json'));
  const { folder, remove } = await installPacked(also);
  await mkdir(join(folder, 'packed'));
  const tarball = await pack(join(folder, 'packed'), source);
  const others = Object.keys({ ...dependencies, ...peerDependencies }).filter(each => each !== 'tenon');
  const linked = others.map(each => `${each}@file:${findInstalled(source, each)}`);
  await runNpm([...install, tarball, ...linked], { ...quiet, cwd: folder });
  return { folder, tarball, remove };
}

/**
 * Packs packages of this checkout, and completes a package.json so that npm installs them without a network: with the packed
 * packages, and everything else that it and they need from this checkout.
 * @param {string} folder of the package.json
 * @param {readonly string[]} names of the folders of the packages
 */
export async function installWithPacked(folder, names) {
  const manifest = readJson(join(folder, 'package.json'));
  const sources = names.map(name => join(root, 'packages', name));
  const packed = await Promise.all(
    sources.map(async source => {
      const place = await mkdtemp(join(folder, '.packed-'));
      return [readJson(join(source, 'package.json')).name, `file:${await pack(place, source)}`];
    }),
  );
  const needed = sources.flatMap(source => Object.keys(readJson(join(source, 'package.json')).dependencies ?? {}));
  const wanted = [...Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }), ...needed];
  const linked = wanted.map(name => [name, `file:${findInstalled(join(root, 'packages/cli'), name)}`]);
  const dependencies = { ...Object.fromEntries(linked), ...Object.fromEntries(packed) };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, dependencies, devDependencies: {} }));
  // No package that a new project gets may need a newer Node than the packages themselves do.
  await runNpm([...install, '--engine-strict'], { ...quiet, cwd: folder });
}

/** The folder of a dependency: beside the package that needs it, or at the root. @param {string} source @param {string} name */
function findInstalled(source, name) {
  const nested = join(source, 'node_modules', name);
  return existsSync(nested) ? nested : join(root, 'node_modules', name);
}
