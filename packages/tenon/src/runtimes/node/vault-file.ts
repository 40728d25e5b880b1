import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Secret, Vault, VaultKey } from '../../auth/credentials.js';
import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { isObject } from '../../jsonrpc/message.js';
import { withLock } from './file-lock.js';
import { realFile, replaceFile } from './file-replacement.js';
import { makePrivate } from './private-file.js';

export interface FileVaultOptions {
  readonly clock?: Clock | undefined;
}

type Contents = { [name: string]: Secret };

/**
 * Keeps secrets in a file that only its owner can read (0600), for any number of processes at once. They are not encrypted:
 * whoever can read the files of this user can read them. Rejects with `auth/vault-unreadable`, `auth/vault-busy`, and with
 * `auth/token-store-permissions` when other users can write the file. One that they can only read is made private, with a warning.
 */
export function fileVault(path: string, { clock = systemClock }: FileVaultOptions = {}): Vault {
  let prepared: Promise<string> | undefined;
  const file = () => {
    prepared ??= realFile(path, 0o700);
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
          await replaceFile(at, textOf(contents), clock, 0o600);
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

async function readContents(path: string): Promise<Contents> {
  await makePrivate({ path, code: 'auth/token-store-permissions', subject: 'the tokens' });
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

function textOf(secrets: Contents): string {
  return `${JSON.stringify({ secrets }, undefined, 2)}\n`;
}

function unreadable(path: string, got: string | undefined): TenonError {
  return new TenonError('auth/vault-unreadable', `the vault can not be read: ${path}`, {
    expected: 'a file that fileVault wrote',
    got,
    next: 'give another path, or delete the file and sign in again',
  });
}
