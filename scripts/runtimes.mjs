// @ts-check
/**
 * The other JavaScript runtimes that the library is tested on. They live in a project of their own under
 * test/runtimes, because the `node` package puts a `node` into .bin that would shadow the one in use.
 * `node scripts/runtimes.mjs` installs them where that is still to be done.
 */
import { existsSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, runNpm } from './process.mjs';

const folder = join(root, 'test/runtimes');
const lock = join(folder, 'package-lock.json');
/** The lock file that the folder was installed from, kept there by the last successful installation. */
const installed = join(folder, 'node_modules/.tenon-lock.json');

export const runtimes = {
  node24: join(folder, 'node_modules/.bin/node'),
  bun: join(folder, 'node_modules/.bin/bun'),
  deno: join(folder, 'node_modules/.bin/deno'),
  workerd: join(folder, 'node_modules/.bin/workerd'),
};

/** Installs the runtimes when they are missing or not those of the lock file. */
export async function installRuntimes() {
  if (isCurrent()) return;
  console.log(`installing Node 24, Bun, Deno and workerd into ${folder}`);
  await runNpm(['install', '--no-audit', '--no-fund', '--loglevel', 'error'], { cwd: folder });
  const missing = Object.values(runtimes).filter(path => !existsSync(path));
  if (missing.length > 0) throw new Error(`npm installed no ${missing.join(', ')}`);
  await copyFile(lock, installed);
}

function isCurrent() {
  if (!existsSync(installed) || !existsSync(lock)) return false;
  if (!Object.values(runtimes).every(path => existsSync(path))) return false;
  return readFileSync(installed, 'utf8') === readFileSync(lock, 'utf8');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await installRuntimes();
