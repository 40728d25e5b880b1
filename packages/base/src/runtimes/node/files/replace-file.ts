import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../../timing/clock.js';
import { createFolder } from './create-folder.js';
import { isInside } from './is-inside.js';

/**
 * Maximum number of attempts to replace a file. On Windows a reader, such as a virus scanner, can block the replacement
 * for a moment.
 */
const MAX_RENAME_ATTEMPTS = 20;
const RENAME_DELAY = 25;

/**
 * Returns the real path of a file, which differs from `path` for a link. Creates its folder with this mode if it does
 * not exist.
 */
export async function ensureRealPath(path: string, folderMode = 0o777): Promise<string> {
  await createFolder(dirname(path), folderMode);
  return realpath(path).catch(() => path);
}

/**
 * Returns the real path of a file. Resolves with `undefined` if a link leads it out of its folder: a project that someone
 * else wrote must not lead to files of the user. A link whose file does not exist is replaced.
 */
export async function ensurePathInFolder(path: string): Promise<string | undefined> {
  const realPath = await ensureRealPath(path);
  return isInside(realPath, await realpath(dirname(path))) ? realPath : undefined;
}

/**
 * Writes a file atomically. A reader gets the old or the new content, never a part, even after a power failure. Without
 * a mode the file keeps its mode. It keeps its owner if root writes it.
 */
export async function replaceFile(path: string, text: string, clock: Clock, mode?: number): Promise<void> {
  const temporaryPath = `${path}.${process.pid}.${randomUUID()}.new`;
  const previous = await stat(path).catch(() => undefined);
  try {
    const file = await open(temporaryPath, 'wx', mode ?? 0o666);
    try {
      if (previous && mode === undefined) await file.chmod(previous.mode & 0o777);
      // Not each file system lets root give a file away.
      if (previous && process.getuid?.() === 0) await file.chown(previous.uid, previous.gid).catch(() => {});
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await renameWithRetry(temporaryPath, path, clock);
  } finally {
    await rm(temporaryPath, { force: true });
  }
}

/** Makes the creation or deletion of a file durable. Not every platform supports it. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

async function renameWithRetry(from: string, to: string, clock: Clock): Promise<void> {
  for (let attemptsLeft = MAX_RENAME_ATTEMPTS; ; attemptsLeft -= 1) {
    try {
      await rename(from, to);
      return await syncFolder(to);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (attemptsLeft === 0 || !['EPERM', 'EACCES', 'EBUSY'].includes(code)) throw error;
      await new Promise<void>(resolve => {
        clock.after(RENAME_DELAY, resolve, { hold: true });
      });
    }
  }
}
