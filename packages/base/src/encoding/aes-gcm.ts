import type { MaybePromise } from '../timing/maybe-promise.js';
import { joinBytes } from './bytes.js';
import { getNodeCrypto, type NodeCrypto } from './node-crypto.js';

/**
 * A cipher with one key: AES-256-GCM. It is synchronous in runtimes with `node:crypto`. The result is the same in every
 * runtime.
 */
export interface AesGcm {
  /**
   * Returns the ciphertext, followed by the tag of 16 bytes.
   * @param iv 12 bytes. Never use the same bytes twice with one key.
   * @param additional Data that is authenticated but not part of the result.
   */
  encrypt(data: Uint8Array, iv: Uint8Array, additional: Uint8Array): MaybePromise<Uint8Array>;
  /** Returns the decrypted data. Throws or rejects when a byte was changed. */
  decrypt(sealed: Uint8Array, iv: Uint8Array, additional: Uint8Array): MaybePromise<Uint8Array>;
}

interface WebKey {
  readonly type: string;
}

declare const crypto: {
  subtle: {
    importKey(format: 'raw', key: Uint8Array, algorithm: string, extractable: boolean, uses: string[]): Promise<WebKey>;
    encrypt(algorithm: object, key: WebKey, data: Uint8Array): Promise<ArrayBuffer>;
    decrypt(algorithm: object, key: WebKey, data: Uint8Array): Promise<ArrayBuffer>;
  };
};

const ALGORITHM = 'aes-256-gcm';
/** Length of an initialization vector in bytes. */
export const IV_LENGTH = 12;
const TAG_LENGTH = 16;

/** Creates the cipher of a key of 32 bytes. */
export function createAesGcm(key: Uint8Array): AesGcm {
  const native = getNodeCrypto();
  return native && canEncrypt(native, key) ? createNativeCipher(native, key) : createWebCipher(key);
}

/** Tells if the ciphers work. Some runtimes have `node:crypto` without them. */
function canEncrypt(native: NodeCrypto, key: Uint8Array): boolean {
  try {
    native.createDecipheriv(ALGORITHM, key, new Uint8Array(IV_LENGTH), { authTagLength: TAG_LENGTH });
    native.createCipheriv(ALGORITHM, key, new Uint8Array(IV_LENGTH), { authTagLength: TAG_LENGTH });
    return true;
  } catch {
    return false;
  }
}

/**
 * Creates the synchronous cipher. WebCrypto uses another thread, which takes four times as long for a few hundred
 * bytes. GCM has no blocks to complete, so `final` returns no bytes: it creates or checks the tag.
 */
function createNativeCipher(native: NodeCrypto, key: Uint8Array): AesGcm {
  const options = { authTagLength: TAG_LENGTH };
  return {
    encrypt(data, iv, additional) {
      const cipher = native.createCipheriv(ALGORITHM, key, iv, options);
      cipher.setAAD(additional);
      const encrypted = cipher.update(data);
      cipher.final();
      return joinBytes(encrypted, cipher.getAuthTag());
    },
    decrypt(sealed, iv, additional) {
      if (sealed.length < TAG_LENGTH) throw new Error('too short');
      const decipher = native.createDecipheriv(ALGORITHM, key, iv, options);
      decipher.setAAD(additional);
      decipher.setAuthTag(sealed.subarray(-TAG_LENGTH));
      const opened = decipher.update(sealed.subarray(0, -TAG_LENGTH));
      decipher.final();
      return new Uint8Array(opened);
    },
  };
}

/** Creates the cipher for runtimes that have only WebCrypto. */
export function createWebCipher(key: Uint8Array): AesGcm {
  const imported = crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']);
  const describe = (iv: Uint8Array, additionalData: Uint8Array) => ({ name: 'AES-GCM', iv, additionalData });
  return {
    async encrypt(data, iv, additional) {
      return new Uint8Array(await crypto.subtle.encrypt(describe(iv, additional), await imported, data));
    },
    async decrypt(sealed, iv, additional) {
      return new Uint8Array(await crypto.subtle.decrypt(describe(iv, additional), await imported, sealed));
    },
  };
}
