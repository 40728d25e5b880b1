import { randomUUID } from 'node:crypto';
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../jsonrpc/clock.js';

/** Attempts to put a file in place: on Windows whoever reads it, a virus scanner say, is in the way for a moment. */
const RENAMES = 20;
const RENAME_WAIT = 25;

/** The file itself, where the path is a link to it; its folder is made, in this mode, where there is none. */
export async function realFile(path: string, folderMode = 0o777): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: folderMode });
  return realpath(path).catch(() => path);
}

/**
 * Writes a file so that whoever reads it, also after the power went, finds what was there before or what is there now,
 * never a part. Without a mode it has that of the file before it.
 */
export async function replaceFile(path: string, text: string, clock: Clock, mode?: number): Promise<void> {
  const fresh = `${path}.${process.pid}.${randomUUID()}.new`;
  const before = mode === undefined ? await stat(path).catch(() => undefined) : undefined;
  try {
    const file = await open(fresh, 'wx', mode ?? 0o666);
    try {
      if (before) await file.chmod(before.mode & 0o777);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await putInPlace(fresh, path, clock);
  } finally {
    await rm(fresh, { force: true });
  }
}

/** Makes it last that a file has come or gone. Not every platform can. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

async function putInPlace(from: string, to: string, clock: Clock): Promise<void> {
  for (let left = RENAMES; ; left -= 1) {
    try {
      await rename(from, to);
      return await syncFolder(to);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (left === 0 || !['EPERM', 'EACCES', 'EBUSY'].includes(code)) throw error;
      await new Promise<void>(resolve => {
        clock.after(RENAME_WAIT, resolve, { hold: true });
      });
    }
  }
}
