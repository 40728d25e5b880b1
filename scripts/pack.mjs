// @ts-check
/** The packages as their users get them: packed, and installed into a project outside this checkout. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { library, readJson, root, runNpm } from './process.mjs';

/**
 * npm's own chatter belongs to nobody's output here; its errors do.
 * @type {import('node:child_process').SpawnOptions}
 */
const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };
const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];

/** The folder of the tarballs, which the programs that this process starts use too: npm takes a second for each. */
function tarballFolder() {
  const { TENON_TARBALLS: known } = process.env;
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'tenon-tarballs-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  process.env.TENON_TARBALLS = folder;
  return folder;
}

/** The path of the tarball of a package. @param {string} source the folder of the package */
function tarballOf(source) {
  const { name, version } = readJson(join(source, 'package.json'));
  return join(tarballFolder(), `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
}

/** Packs what is built of packages, each of them once. @param {readonly string[]} sources the folders of the packages */
async function pack(sources) {
  const missing = sources.filter(source => !existsSync(tarballOf(source)));
  if (missing.length === 0) return;
  await runNpm(['pack', ...missing, '--pack-destination', tarballFolder(), '--loglevel', 'error'], quiet);
  for (const tarball of missing.map(tarballOf)) {
    if (!existsSync(tarball)) throw new Error(`npm pack did not write ${tarball}`);
  }
}

/**
 * Finds what npm installs for packages and all that those of this checkout depend on: tarballs of packages of this checkout, and
 * folders of others.
 * @param {readonly string[]} names
 * @param {string} [beside] the folder of the package that needs them
 * @returns {Promise<Map<string, string>>} paths by names
 */
async function findInstallable(names, beside = library) {
  /** @type {Map<string, string>} */
  const own = new Map();
  /** @type {Map<string, string>} */
  const others = new Map();
  /** @param {readonly string[]} wanted @param {string} place */
  const collect = (wanted, place) => {
    for (const name of wanted.filter(each => !own.has(each) && !others.has(each))) {
      const source = findOwnPackage(name);
      if (source === undefined) {
        others.set(name, findInstalled(place, name));
        continue;
      }
      own.set(name, source);
      const {
        dependencies = {},
        peerDependencies = {},
        peerDependenciesMeta = {},
      } = readJson(join(source, 'package.json'));
      const peers = Object.keys(peerDependencies).filter(peer => peerDependenciesMeta[peer]?.optional !== true);
      collect([...Object.keys(dependencies), ...peers], source);
    }
  };
  collect(names, beside);
  await pack([...own.values()]);
  return new Map([...[...own].map(([name, source]) => /** @type {const} */ ([name, tarballOf(source)])), ...others]);
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
  const found = await findInstallable([name, ...also]);
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
  const found = await findInstallable(wanted, join(root, 'packages/cli'));
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
