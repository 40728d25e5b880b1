import { randomBytes } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import {
  checkCharacters,
  checkClock,
  checkFilePath,
  checkFunction,
  checkObject,
  checkOptional,
  createSeal,
  decodeBase64Url,
  encodeBase64Url,
  requireArgument,
  requirePresentOptions,
  type Seal,
  TenonError,
} from '@tenon/base';
import type { StoredSecret, TokenStore, TokenStoreKey } from '../../../auth/client/token-store.js';
import { createSystemKeychain, type Keychain } from './system-keychain.js';
import { type FileTokenStoreOptions, fileTokenStore } from './token-store-file.js';

/** Options of `keychainTokenStore`. */
export interface KeychainTokenStoreOptions extends FileTokenStoreOptions {
  /**
   * Name of the program in the keychain, which the system shows to the user.
   * @default `tenon`
   */
  readonly service?: string | undefined;
  /**
   * Keychain to use.
   * @default that of the system, by the package `@napi-rs/keyring`
   */
  readonly keychain?: Keychain | undefined;
}

/** ID of the key in sealed values. */
const KEY_ID = 'keychain';
const KEY_LENGTH = 32;
/** Key of the file store whose lock serializes the creation of the encryption key. It never has a value. */
const LOCK_KEY: TokenStoreKey = ['keychain'];

/**
 * Creates a token store for a desktop: tokens are in a file that is encrypted with a key in the keychain of the system
 * (AES-256-GCM). A copy of the file is useless without the keychain. The tokens themselves are not in the keychain,
 * because Windows limits an entry to 2,560 bytes.
 *
 * When the keychain has lost the key, the tokens count as absent, and the user signs in again.
 *
 * @throws TenonError on use: `auth/no-keychain` without the package `@napi-rs/keyring` or without a keychain, and the
 * errors of `fileTokenStore`.
 */
export function keychainTokenStore(path: string, options: KeychainTokenStoreOptions = {}): TokenStore {
  requirePresentOptions<KeychainTokenStoreOptions>('keychainTokenStore', options, {
    service: checkOptional(checkCharacters),
    keychain: checkOptional(checkObject({ get: checkFunction, set: checkFunction })),
    onWait: checkOptional(checkFunction),
    clock: checkOptional(checkClock),
  });
  requireArgument('`path` of keychainTokenStore', path, checkFilePath);
  const { service = 'tenon', keychain = createSystemKeychain(service), ...fileOptions } = options;
  const file = fileTokenStore(path, fileOptions);
  const account = isAbsolute(path) ? path : resolve(path);
  let opened: Promise<Seal> | undefined;
  const openSeal = () => {
    opened ??= readOrCreateKey(file, keychain, account).then(key => createSeal([{ id: KEY_ID, key }]));
    // A keychain that was locked may be unlocked before the next use.
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  const openValue = async (stored: StoredSecret | undefined, key: TokenStoreKey): Promise<StoredSecret | undefined> =>
    typeof stored?.sealed === 'string' ? (await openSeal()).open(stored.sealed, bindTo(key)) : undefined;

  return {
    get: async key => {
      const stored = await file.get(key);
      return openValue(stored, key);
    },
    listKeys: async () => (await file.listKeys?.()) ?? [],
    async update(key, change) {
      // Fails before the user signs in, not after.
      const seal = await openSeal();
      return file.update(key, async stored => {
        const { next, result } = await change(await openValue(stored, key));
        if (next === undefined || next === null) return { next, result };
        return { next: { sealed: await seal.seal(next, bindTo(key)) }, result };
      });
    },
  };
}

/** Binds a value to its key, so that it cannot be moved to that of another server. */
const bindTo = (key: TokenStoreKey): string => JSON.stringify(['token', ...key]);

/** Reads the encryption key. The first process creates it, and the others wait meanwhile. */
async function readOrCreateKey(file: TokenStore, keychain: Keychain, account: string): Promise<Uint8Array> {
  return file.update(LOCK_KEY, async () => {
    const existing = await keychain.get(account);
    if (existing !== undefined) {
      const stored = /^[\w-]{43}$/.test(existing) ? decodeBase64Url(existing) : undefined;
      if (stored?.length === KEY_LENGTH) return { result: stored };
      throw new TenonError('auth/no-keychain', 'the key in the keychain of the system is invalid', {
        expected: '32 bytes in base64url',
        hint: 'delete the entry in the keychain, and sign in again',
      });
    }
    const key = new Uint8Array(randomBytes(KEY_LENGTH));
    await keychain.set(account, encodeBase64Url(key));
    return { result: key };
  });
}
