import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Clock, requireKnownOptions, systemClock, TenonError } from '@tenon/base';
import { ensurePathInFolder, readTextFile, replaceFile, withLock } from '@tenon/base/node';
import { type Lock, MAX_LOCK } from '../../security/lock/lock.js';
import { parseLockFile } from '../../security/lock/parse-lock.js';
import { serializeLock } from '../../security/lock/serialize-lock.js';

export interface LockFileOptions {
  readonly clock?: Clock | undefined;
}

/** A lock file, usually `mcp.lock`. Keep it in version control with the project, and review its changes. */
export interface LockFile {
  /** Path of the lock file. */
  readonly path: string;
  /**
   * Reads the lock. Returns `undefined` if the file does not exist. Rejects with `lock/unreadable`, or with the errors
   * of `parseLockFile`.
   */
  read(): Promise<Lock | undefined>;
  /** Replaces the lock atomically. Does not write if the lock is the same. */
  write(lock: Lock): Promise<void>;
  /**
   * Changes the lock, or creates it from an empty one. Concurrent updates of several processes run one after another.
   * Resolves with the new lock.
   */
  update(change: (lock: Lock) => Lock | Promise<Lock>): Promise<Lock>;
}

/** Opens the lock file of a host. */
export function openLockFile(path: string, options: LockFileOptions = {}): LockFile {
  requireKnownOptions('openLockFile', options, { clock: true });
  const { clock = systemClock } = options;
  const read = async () => {
    const text = await readText(path);
    return text === undefined ? undefined : parseLockFile(text, basename(path));
  };
  const write = async (lock: Lock) => {
    const text = serializeLock(lock);
    const realPath = await resolvePath(path);
    if (text !== (await readText(path).catch(() => undefined))) await replaceFile(realPath, text, clock);
  };
  return {
    path,
    read,
    write,
    async update(change) {
      const guard = `${await resolvePath(path)}.lock`;
      const createBusyError = () =>
        new TenonError('lock/busy', `another process changes the lock ${path}`, {
          hint: `try again, and delete ${guard} if no other program changes the lock`,
        });
      const run = async () => {
        const lock = await change((await read()) ?? { servers: new Map() });
        await write(lock);
        return lock;
      };
      return withLock(guard, clock, run, { createBusyError });
    },
  };
}

async function resolvePath(path: string): Promise<string> {
  const realPath = await ensurePathInFolder(path);
  if (realPath !== undefined) return realPath;
  throw new TenonError('lock/link', `the lock ${path} is not written, because a link leads out of its folder`, {
    hint: 'remove the link, or pass the path of the file itself',
  });
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      // Each character needs at least one byte.
      const { size } = await file.stat();
      if (size > 3 * MAX_LOCK) throw Object.assign(new Error('too large'), { code: `${size} bytes` });
      return await readTextFile(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new TenonError('lock/unreadable', `cannot read the lock ${path}`, {
      received: code,
      hint: 'check that it is a readable file of valid size',
      cause: error,
    });
  }
}
