// @ts-check
/** Installs a folder under test/ that is an npm project of its own, with its own lock file. */
import { existsSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runNpm } from './process.mjs';

/**
 * Installs the project when it was never installed, when its lock file has changed, or when one of `files` is missing.
 * @param {string} folder of the project
 * @param {string} content named in the output, such as "Bun and Deno"
 * @param {readonly string[]} files that the installation brings
 */
export async function installSideProject(folder, content, files) {
  const lock = join(folder, 'package-lock.json');
  // A copy of the lock file that the last successful installation used.
  const installed = join(folder, 'node_modules/.tenon-lock.json');
  const missing = () => files.filter(path => !existsSync(path));
  if (missing().length === 0 && hasSameText(installed, lock)) return;
  console.log(`installing ${content} into ${folder}`);
  await runNpm(['install', '--no-audit', '--no-fund', '--loglevel', 'error'], { cwd: folder });
  if (missing().length > 0) throw new Error(`npm did not install ${missing().join(', ')}`);
  await copyFile(lock, installed);
}

/** @param {string} left @param {string} right */
function hasSameText(left, right) {
  return existsSync(left) && existsSync(right) && readFileSync(left, 'utf8') === readFileSync(right, 'utf8');
}
