// @ts-check
/**
 * The other JavaScript runtimes that the library is tested on. They live in a project of their own under
 * test/runtimes, because the `node` package puts a `node` into .bin that would shadow the one in use.
 * `node scripts/runtimes.mjs` installs them where that is still to be done.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './process.mjs';
import { installSideProject } from './side-project.mjs';

const folder = join(root, 'test/runtimes');

export const runtimes = {
  node24: join(folder, 'node_modules/.bin/node'),
  bun: join(folder, 'node_modules/.bin/bun'),
  deno: join(folder, 'node_modules/.bin/deno'),
  workerd: join(folder, 'node_modules/.bin/workerd'),
};

/** Installs the runtimes when they are missing or not those of the lock file. */
export const installRuntimes = () =>
  installSideProject(folder, 'Node 24, Bun, Deno and workerd', Object.values(runtimes));

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await installRuntimes();
