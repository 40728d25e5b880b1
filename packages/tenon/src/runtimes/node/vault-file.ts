import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Secret, Vault, VaultKey } from '../../auth/credentials.js';
import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { isObject } from '../../jsonrpc/message.js';
import { withLock } from './file-lock.js';

export interface FileVaultOptions {
  readonly clock?: Clock;
}

/** Attempts to put a file in place: on Windows whoever reads it, a virus scanner say, is in the way for a moment. */
const RENAMES = 20;
const RENAME_WAIT = 25;

type Contents = { [name: string]: Secret };

/**
 * Keeps secrets in a file that only its owner can read (0600), for any number of processes at once. They are not encrypted:
 * whoever can read the files of this user can read them. Rejects with `auth/vault-unreadable`, `auth/vault-busy`.
 */
export function fileVault(path: string, { clock = systemClock }: FileVaultOptions = {}): Vault {
  let prepared: Promise<string> | undefined;
  const file = () => {
    prepared ??= prepare(path);
    return prepared;
  };

  return {
    async get(key) {
      return (await readContents(await file()))[nameOf(key)];
    },
    async update(key, change) {
      const at = await file();
      const name = nameOf(key);
      return withLock(lockOf(at, name), clock, async () => {
        const before = (await readContents(at))[name];
        const { next, result } = await change(before);
        if (next === undefined) return result;
        await withLock(`${at}.lock`, clock, async () => {
          const contents = await readContents(at);
          // Whoever was taken for dead, and is not, does not write over what came after it.
          if (JSON.stringify(contents[name]) !== JSON.stringify(before)) return;
          if (next === null) delete contents[name];
          else contents[name] = next;
          await replace(at, contents, clock);
        });
        return result;
      });
    },
  };
}

const nameOf = (key: VaultKey): string => JSON.stringify(key);

/** Each key has a lock of its own: a sign-in takes minutes, and the tokens of other servers are renewed meanwhile. */
function lockOf(path: string, name: string): string {
  return `${path}.${createHash('sha256').update(name).digest('hex').slice(0, 16)}.lock`;
}

/** The file itself, where the path is a link to it; its folder is made where there is none. */
async function prepare(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return realpath(path).catch(() => path);
}

async function readContents(path: string): Promise<Contents> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Object.create(null) as Contents;
    throw unreadable(path, (error as NodeJS.ErrnoException).code);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && isObject(value.secrets)) return value.secrets as Contents;
  } catch {
    // What JSON.parse says quotes the text.
  }
  throw unreadable(path, 'something else');
}

function unreadable(path: string, got: string | undefined): TenonError {
  return new TenonError('auth/vault-unreadable', `the vault can not be read: ${path}`, {
    expected: 'a file that fileVault wrote',
    got,
    next: 'give another path, or delete the file and sign in again',
  });
}

async function replace(path: string, secrets: Contents, clock: Clock): Promise<void> {
  const fresh = `${path}.${process.pid}.${randomUUID()}.new`;
  try {
    const file = await open(fresh, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ secrets }, undefined, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await putInPlace(fresh, path, clock);
  } finally {
    await rm(fresh, { force: true });
  }
}

async function putInPlace(from: string, to: string, clock: Clock): Promise<void> {
  for (let left = RENAMES; ; left -= 1) {
    try {
      return await rename(from, to);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (left === 0 || !['EPERM', 'EACCES', 'EBUSY'].includes(code)) throw error;
      await new Promise<void>(resolve => {
        clock.after(RENAME_WAIT, resolve, { hold: true });
      });
    }
  }
}
