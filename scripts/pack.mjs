// @ts-check
/** The packages as their users get them: packed, and installed into a project outside this checkout. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { library, readJson, root, runNpm } from './process.mjs';

/**
 * npm's own chatter belongs to nobody's output here; its errors do.
 * @type {import('node:child_process').SpawnOptions}
 */
const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };
const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];

/** Names and contents of tarballs, by the folders of their packages: npm takes a second for each. @type {Map<string, { file: string, content: Buffer }>} */
const packed = new Map();

/**
 * Packs what is built of a package, once in this process.
 * @param {string} folder where the tarball goes, in a folder of its own
 * @param {string} source the folder of the package
 * @returns {Promise<string>} its path
 */
async function pack(folder, source) {
  const place = await mkdtemp(join(folder, '.packed-'));
  const known = packed.get(source);
  if (known !== undefined) {
    await writeFile(join(place, known.file), known.content);
    return join(place, known.file);
  }
  await runNpm(['pack', source, '--pack-destination', place, '--loglevel', 'error'], quiet);
  const tarball = (await readdir(place)).find(file => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm pack left no tarball in ${place}`);
  packed.set(source, { file: tarball, content: await readFile(join(place, tarball)) });
  return join(place, tarball);
}

/**
 * Finds what npm installs for packages and all that those of this checkout depend on: packed packages of this checkout, and
 * folders of others.
 * @param {string} folder where the tarballs go
 * @param {readonly string[]} names
 * @param {string} [beside] the folder of the package that needs them
 * @param {Map<string, string>} [found]
 * @returns {Promise<Map<string, string>>} paths by names
 */
async function findInstallable(folder, names, beside = library, found = new Map()) {
  for (const name of names) {
    if (found.has(name)) continue;
    const source = findOwnPackage(name);
    found.set(name, source === undefined ? findInstalled(beside, name) : await pack(folder, source));
    if (source === undefined) continue;
    const {
      dependencies = {},
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = readJson(join(source, 'package.json'));
    const peers = Object.keys(peerDependencies).filter(peer => peerDependenciesMeta[peer]?.optional !== true);
    await findInstallable(folder, [...Object.keys(dependencies), ...peers], source, found);
  }
  return found;
}

/** Returns the folder of a package of this checkout. @param {string} name */
function findOwnPackage(name) {
  const folder = join(root, 'packages', name.replace(/^@tenon\//, ''));
  const manifest = join(folder, 'package.json');
  return existsSync(manifest) && readJson(manifest).name === name ? folder : undefined;
}

/**
 * Installs packed packages of this checkout into a fresh, empty project. Their dependencies come from this checkout, so no
 * network is needed. A dependency that a package uses without declaring it is missing there.
 * @param {string} name of the package whose tarball is returned
 * @param {readonly string[]} [also] more packages that the project needs
 * @returns {Promise<{ folder: string, tarball: string, tarballs: ReadonlyMap<string, string>, remove: () => Promise<void> }>}
 */
async function installOwn(name, also = []) {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-package-'));
  const found = await findInstallable(folder, [name, ...also]);
  const dependencies = Object.fromEntries([...found].map(([each, path]) => [each, `file:${path}`]));
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }, undefined, 2),
  );
  await runNpm(install, { ...quiet, cwd: folder });
  const remove = () => rm(folder, { recursive: true, force: true });
  return { folder, tarball: found.get(name) ?? '', tarballs: found, remove };
}

/**
 * Installs the packed library into a fresh, empty project.
 * @param {readonly string[]} [also] more packages that the project needs
 */
export const installPacked = (also = []) => installOwn('tenon', also);

/**
 * Installs a packed package of this checkout into a project that has the packed library.
 * @param {string} name of its folder
 * @param {readonly string[]} [also] more packages that the project needs
 */
export const installPackedPackage = (name, also = []) =>
  installOwn(readJson(join(root, 'packages', name, 'package.json')).name, ['tenon', ...also]);

/**
 * Installs packed packages of this checkout together into an empty project.
 * @param {readonly string[]} names
 */
export const installTogether = ([first = 'tenon', ...others]) => installOwn(first, others);

/**
 * Packs packages of this checkout, and completes a package.json so that npm installs them without a network: with the packed
 * packages, and everything else that it and they need from this checkout.
 * @param {string} folder of the package.json
 * @param {readonly string[]} names of the folders of the packages
 */
export async function installWithPacked(folder, names) {
  const manifest = readJson(join(folder, 'package.json'));
  const own = names.map(name => readJson(join(root, 'packages', name, 'package.json')).name);
  const wanted = [...own, ...Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })];
  const found = await findInstallable(folder, wanted, join(root, 'packages/cli'));
  const dependencies = Object.fromEntries([...found].map(([name, path]) => [name, `file:${path}`]));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, dependencies, devDependencies: {} }));
  // No package that a new project gets may need a newer Node than the packages themselves do.
  await runNpm([...install, '--engine-strict'], { ...quiet, cwd: folder });
}

/** The folder of a dependency: beside the package that needs it, or at the root. @param {string} source @param {string} name */
function findInstalled(source, name) {
  const nested = join(source, 'node_modules', name);
  return existsSync(nested) ? nested : join(root, 'node_modules', name);
}
