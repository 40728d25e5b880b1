// @ts-check
/**
 * The packages that only the benchmarks and the tests with other clients use. They live in a project of their own, `bench/packages`, so that `npm install` of the
 * checkout is short, and beside the programs that are measured, so that what those import stays that of the checkout.
 */
import { join } from 'node:path';
import { readJson, root } from '../scripts/process.mjs';
import { installSideProject } from '../scripts/side-project.mjs';

const folder = join(root, 'bench/packages');
/** @type {string[]} */
const names = Object.keys(readJson(join(folder, 'package.json')).dependencies);

/** Installs them where that is still to be done. */
export const installBenchPackages = () =>
  installSideProject(
    folder,
    'packages of the benchmarks',
    names.map(name => join(getPackageFolder(name), 'package.json')),
  );

/** Returns the folder of a package: one of the benchmarks, or else one of the checkout. @param {string} name */
export const getPackageFolder = name => join(names.includes(name) ? folder : root, 'node_modules', name);
