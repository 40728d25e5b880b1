import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  type Clock,
  checkClock,
  checkFilePath,
  checkFunction,
  checkOptional,
  decodeRecord,
  encodeRecord,
  isObject,
  isUnknownFormat,
  requireArgument,
  requirePresentOptions,
  systemClock,
  TenonError,
} from '@tenon/base';
import { ensureRealPath, makePrivate, replaceFile, withLock } from '@tenon/base/node';
import {
  parseTokenStoreKey,
  type StoredSecret,
  type TokenStore,
  type TokenStoreKey,
} from '../../../auth/client/token-store.js';

/** Options of `fileTokenStore`. */
export interface FileTokenStoreOptions {
  /**
   * Called when a sign-in or a renewal has waited for one second, because another process signs the same user in, or
   * renews the same tokens. It ends when the other process does.
   * @default nothing is called
   */
  readonly onWait?: (() => void) | undefined;
  /**
   * Source of time, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/** Kind of the file's record. */
const KIND = 'file.tokens';

type FileContents = { [name: string]: StoredSecret };

/**
 * Creates a token store in a file that only its owner can read (0600), for any number of processes. Tokens are not
 * encrypted.
 * @throws TenonError on use: `auth/token-store-unreadable`, `auth/token-store-busy`, or `auth/token-store-permissions`
 * when other users can write the file.
 */
export function fileTokenStore(path: string, options: FileTokenStoreOptions = {}): TokenStore {
  requirePresentOptions<FileTokenStoreOptions>('fileTokenStore', options, {
    onWait: checkOptional(checkFunction),
    clock: checkOptional(checkClock),
  });
  requireArgument('`path` of fileTokenStore', path, checkFilePath);
  const { onWait, clock = systemClock } = options;
  // Only a write creates the folder, because a reader needs no permission for it. Each write does, because a program may
  // run for longer than the folder exists.
  const prepare = () =>
    ensureRealPath(path, 0o700).catch((error: NodeJS.ErrnoException) => {
      throw new TenonError('auth/token-store-unreadable', `cannot create the folder of the token store ${path}`, {
        expected: 'a folder that this user can write',
        received: error.code,
        hint: 'use another path, or give the user this permission',
      });
    });

  const lock = <T>(lockPath: string, work: () => Promise<T>) =>
    withLock(lockPath, clock, work, {
      onWait,
      createBusyError: () =>
        new TenonError('auth/token-store-busy', `another process holds the lock of the token store ${path}`, {
          hint: `try again, and delete ${lockPath} if no other program uses the store`,
        }),
    });

  return {
    async get(key) {
      return (await readContents(path))[serializeKey(key)];
    },
    async listKeys() {
      return Object.keys(await readContents(path)).map(parseTokenStoreKey);
    },
    async update(key, change) {
      const realPath = await prepare();
      const name = serializeKey(key);
      // Each key has its own lock, because a sign-in takes minutes and other tokens must be renewed meanwhile.
      const tag = createHash('sha256').update(name).digest('hex').slice(0, 16);
      return lock(`${realPath}.${tag}.lock`, async () => {
        const previous = (await readContents(realPath))[name];
        const { next, result } = await change(previous);
        if (next === undefined) return result;
        await prepare();
        await lock(`${realPath}.lock`, async () => {
          const contents = await readContents(realPath);
          // A process that counts as dead but still runs must not overwrite later changes.
          if (JSON.stringify(contents[name]) !== JSON.stringify(previous)) return;
          if (next === null) delete contents[name];
          else contents[name] = next;
          const text = `${JSON.stringify(encodeRecord(KIND, { secrets: contents }), undefined, 2)}\n`;
          await replaceFile(realPath, text, clock, 0o600);
        });
        return result;
      });
    },
  };
}

const serializeKey = (key: TokenStoreKey): string => JSON.stringify(key);

async function readContents(path: string): Promise<FileContents> {
  makePrivate({ path, code: 'auth/token-store-permissions', subject: 'the tokens' });
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    // ENOTDIR: a part of the path is a file, so nothing is stored there either.
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return Object.create(null);
    throw createUnreadableError(path, (error as NodeJS.ErrnoException).code);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && isObject(value.secrets)) return decodeRecord(KIND, value).secrets as FileContents;
  } catch (error) {
    if (isUnknownFormat(error)) throw error;
    // The message of JSON.parse contains a part of the text.
  }
  throw createUnreadableError(path, 'a file of another format');
}

function createUnreadableError(path: string, received: string | undefined): TenonError {
  return new TenonError('auth/token-store-unreadable', `cannot read the token store ${path}`, {
    expected: 'a file written by fileTokenStore',
    received,
    hint: 'use another path, or delete the file and sign in again',
  });
}
