import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { createFolder } from '@tenon/base/node';
import type { ArchiveFile } from './read-archive.js';

/** Differences between a folder and its archive that were corrected. */
export interface RestoredFiles {
  /** Files that had another content, or were missing. */
  readonly changed: readonly string[];
  /** Files and folders that the archive does not have. */
  readonly added: readonly string[];
}

/** Folder of compiled code that Python writes beside its modules. */
const PYTHON_CACHE = '__pycache__';

/**
 * Makes a folder equal to its archive again. Its programs could change its files, or add packages and modules that are
 * loaded instead of those of the archive.
 *
 * @param removed Folder that gets the files which the archive does not have, because they may be data of the user.
 */
export async function restoreFiles(
  folder: string,
  removed: string,
  files: AsyncIterable<ArchiveFile>,
): Promise<RestoredFiles> {
  const changed: string[] = [];
  const known = new Set<string>();
  const folders = new Set<string>();
  for await (const file of files) {
    known.add(file.path);
    const parts = file.path.split('/');
    for (let count = 1; count < parts.length; count += 1) {
      const parent = parts.slice(0, count).join('/');
      if (folders.has(parent)) continue;
      folders.add(parent);
      await replaceByFolder(join(folder, parent));
    }
    if (await isSameFile(join(folder, file.path), file)) continue;
    await writeBundleFile(join(folder, file.path), file);
    changed.push(file.path);
  }
  const added: string[] = [];
  await removeOthers(folder, async path => {
    const name = relative(folder, path).split(sep).join('/');
    if (known.has(name)) return 'file';
    if (folders.has(name)) return 'folder';
    if (name.split('/').includes(PYTHON_CACHE)) await rm(path, { recursive: true, force: true });
    else {
      added.push(name);
      await moveAway(path, join(removed, name));
    }
    return 'removed';
  });
  return { changed, added };
}

/** Writes a file that its owner can only read. Replaces another one at once. */
export async function writeBundleFile(path: string, { bytes, executable }: ArchiveFile): Promise<void> {
  const partial = join(dirname(path), `.${randomUUID()}`);
  await writeFile(partial, bytes, { flag: 'wx', mode: executable ? 0o500 : 0o400 });
  if ((await lstat(path).catch(() => undefined))?.isFile() === false) await rm(path, { recursive: true, force: true });
  // Windows replaces no file that is read-only.
  if (process.platform === 'win32') await chmod(path, 0o600).catch(() => {});
  await rename(partial, path);
}

async function isSameFile(path: string, { bytes, executable }: ArchiveFile): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile() || found.size !== bytes.length) return false;
  if (process.platform !== 'win32' && ((found.mode & 0o100) !== 0) !== executable) return false;
  return (await readFile(path)).equals(bytes);
}

/** A link could lead to files elsewhere. */
async function replaceByFolder(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory()) return;
  if (found) await rm(path, { force: true });
  await mkdir(path, { mode: 0o700 });
}

async function removeOthers(
  folder: string,
  classify: (path: string) => Promise<'file' | 'folder' | 'removed'>,
): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if ((await classify(path)) === 'folder') await removeOthers(path, classify);
  }
}

async function moveAway(path: string, target: string): Promise<void> {
  await createFolder(dirname(target), 0o700);
  await rm(target, { recursive: true, force: true });
  await rename(path, target);
}
