// @ts-check
/**
 * The library as its users get it, packed and unpacked into node_modules beside the fixtures: that is what `tenon` means
 * to them. Its dependencies are those of this checkout.
 */
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { library, root, runNode, runNpm } from '../../scripts/process.mjs';

const modules = fileURLToPath(new URL('node_modules', import.meta.url));
const installed = join(modules, 'tenon');
/** Says which build was packed. */
const stamp = join(installed, '.build');
const built = join(library, 'dist/esm/index.node.js');
const lock = join(modules, '.packing');
/** Longer than packing takes anywhere: who holds the lock for so long has died. */
const LOCK_LIFE = 120_000;
/** Standard output belongs to the fixture. @type {import('node:child_process').SpawnOptions} */
const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };

/** Packs what is built, or builds it first, unless that has been done. */
export async function installPacked() {
  if (await isCurrent()) return;
  await mkdir(modules, { recursive: true });
  while (!(await locked())) await pause(100);
  try {
    if (!(await isCurrent())) await replace();
  } finally {
    await rmdir(lock).catch(() => undefined);
  }
}

/** What tells one build from another. */
const build = () => String(statSync(built).mtimeMs);

async function isCurrent() {
  return existsSync(built) && (await readFile(stamp, 'utf8').catch(() => '')) === build();
}

/** Many fixtures may start at once: one packs, the others wait. */
async function locked() {
  try {
    await mkdir(lock);
    return true;
  } catch {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > LOCK_LIFE) await rmdir(lock).catch(() => undefined);
    return false;
  }
}

async function replace() {
  if (!existsSync(built)) await runNode([join(root, 'scripts/build.mjs')], quiet);
  const work = await mkdtemp(join(modules, '.work-'));
  try {
    const of = build();
    await runNpm(['pack', library, '--ignore-scripts', '--pack-destination', work, '--loglevel', 'error'], quiet);
    const tarball = (await readdir(work)).find(file => file.endsWith('.tgz'));
    if (tarball === undefined) throw new Error(`npm pack left no tarball in ${work}`);
    await promisify(execFile)('tar', ['-xzf', join(work, tarball), '-C', work]);
    await writeFile(join(work, 'package/.build'), of);
    await rename(installed, join(work, 'before')).catch(() => undefined);
    await rename(join(work, 'package'), installed);
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 10 });
  }
}
