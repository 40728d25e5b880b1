import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Lock, MAX_LOCK } from '../../host/lock/lock.js';
import { readLock } from '../../host/lock/reading.js';
import { writeLock } from '../../host/lock/writing.js';
import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { withLock } from './file-lock.js';
import { realFile, replaceFile } from './file-replacement.js';

export interface LockFileOptions {
  readonly clock?: Clock | undefined;
}

/** A lock in a file, `mcp.lock` by custom: made to be kept with the project and looked over when it changes. */
export interface LockFile {
  readonly path: string;
  /** `undefined` when there is no such file. Rejects with `lock/unreadable`, and as `readLock` does. */
  read(): Promise<Lock | undefined>;
  /** Puts a lock in its place, in one step. Writes nothing when the same stands there. */
  write(lock: Lock): Promise<void>;
  /** Changes the lock that is there, or an empty one; one process after another. Resolves with what is there then. */
  update(change: (lock: Lock) => Lock | Promise<Lock>): Promise<Lock>;
}

/** Where the lock of a host is kept. */
export function lockFile(path: string, { clock = systemClock }: LockFileOptions = {}): LockFile {
  const read = async () => {
    const text = await textOf(path);
    return text === undefined ? undefined : readLock(text, basename(path));
  };
  const write = async (lock: Lock) => {
    const text = writeLock(lock);
    const at = await realFile(path);
    if (text !== (await textOf(path).catch(() => undefined))) await replaceFile(at, text, clock);
  };
  return {
    path,
    read,
    write,
    async update(change) {
      return withLock(`${await realFile(path)}.lock`, clock, async () => {
        const lock = await change((await read()) ?? { servers: new Map() });
        await write(lock);
        return lock;
      });
    },
  };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      // A character is a byte at the least.
      const { size } = await file.stat();
      if (size > 3 * MAX_LOCK) throw Object.assign(new Error('too large'), { code: `${size} bytes` });
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new TenonError('lock/unreadable', `the lock can not be read: ${path}`, { got: code, cause: error });
  }
}
