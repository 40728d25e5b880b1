// @ts-check
/**
 * Completes the package in whose folder npm runs this: with the licence, and with a README whose links work on npm. A package
 * without a README of its own gets that of the project. `--undo` restores the folder.
 */

import { existsSync } from 'node:fs';
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { readJson, root } from './process.mjs';

const folder = process.cwd();
const readme = join(folder, 'README.md');
const backup = join(folder, '.original-readme.md');

if (process.argv.includes('--undo')) await undo();
else await prepare();

async function prepare() {
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const own = existsSync(readme);
  const base = own ? relative(root, folder) : '.';
  const text = await readFile(own ? readme : join(root, 'README.md'), 'utf8');
  if (own) await rename(readme, backup);
  const { repository } = readJson(join(folder, 'package.json'));
  await writeFile(readme, toAbsoluteLinks(text, repository.url.replace(/^git\+|\.git$/g, ''), base));
}

async function undo() {
  await rm(join(folder, 'LICENSE'), { force: true });
  await rm(readme, { force: true });
  if (existsSync(backup)) await rename(backup, readme);
}

/**
 * Links to files become links to the repository, and images those to their raw files.
 *
 * @param {string} text @param {string} repository @param {string} base
 */
function toAbsoluteLinks(text, repository, base) {
  return text.replace(/\]\((?!\w+:|#)([^)\s]+)\)/g, (_, link) => {
    const kind = /\.(png|svg|jpe?g|gif)$/.test(link) ? 'raw' : 'blob';
    return `](${repository}/${kind}/main/${posix.join(base, link)})`;
  });
}
