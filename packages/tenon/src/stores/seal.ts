import { type AesGcm, createAesGcm, IV_LENGTH } from '../encoding/aes-gcm.js';
import { decodeBase64Url, encodeBase64Url } from '../encoding/base64.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';

/**
 * Encrypts values that leave the process and return, with AES-256-GCM. The sealed text contains the ID of the key, so
 * that keys can be rotated. `boundTo` names the receiver and the purpose: it is authenticated, but it is not part of
 * the text.
 */
export interface Seal {
  /** Encrypts a value. It can be opened only with the same `boundTo`. */
  seal(value: JsonObject, boundTo: string): Promise<string>;
  /**
   * Decrypts a value. Returns `undefined` for a text that was changed, was bound to another text, or was sealed with
   * another key.
   */
  open(sealed: string, boundTo: string): Promise<JsonObject | undefined>;
}

/** A key and its ID. The first key of a list seals; all keys open. */
export interface SealKey {
  /** ID of the key. Sealed values contain it. */
  readonly id: string;
  /** The key: 32 bytes. */
  readonly key: Uint8Array;
}

declare const crypto: {
  getRandomValues(bytes: Uint8Array): Uint8Array;
  subtle: {
    importKey(form: 'raw', key: Uint8Array, name: 'HKDF', extractable: false, uses: string[]): Promise<DerivationKey>;
    deriveBits(algorithm: object, key: DerivationKey, bits: number): Promise<ArrayBuffer>;
  };
};

interface DerivationKey {
  readonly type: string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const PREFIX = 'tenon1';
const PROCESS = 'process';
/** Maximum length of a sealed state, in characters. */
export const MAX_SEALED = 256 * 1024;

/**
 * Tells if a list contains valid keys: at least one, of 32 bytes each, with different IDs of letters, digits, "_" and
 * "-".
 */
export function areSealKeys(keys: readonly SealKey[]): boolean {
  const isValid = keys.every(({ id, key }) => /^[\w-]{1,64}$/.test(id) && key.length === 32);
  return isValid && keys.length > 0 && new Set(keys.map(({ id }) => id)).size === keys.length;
}

/**
 * Derives a key for one purpose from a secret of high entropy. Do not use it for passwords, because the derivation is
 * fast.
 * @see https://www.rfc-editor.org/rfc/rfc5869
 */
export async function deriveSealKey(id: string, secret: string, purpose: string): Promise<SealKey> {
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, ['deriveBits']);
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(32), info: encoder.encode(purpose) };
  return { id, key: new Uint8Array(await crypto.subtle.deriveBits(derivation, material, 256)) };
}

/** Creates a seal. By default it creates a key for this process, so values cannot be opened after a restart. */
export function createSeal(keys?: readonly SealKey[]): Seal {
  let ciphers: Map<string, AesGcm> | undefined;
  // The key is created on first use, because Workers have no randomness before the first request.
  const getCipher = (id: string): AesGcm | undefined => {
    ciphers ??= new Map((keys ?? createProcessKeys()).map(each => [each.id, createAesGcm(each.key)]));
    return ciphers.get(id);
  };
  const current = keys === undefined ? PROCESS : (keys[0]?.id ?? '');
  return {
    async seal(value, boundTo) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_LENGTH));
      const cipher = getCipher(current) as AesGcm;
      const sealed = await cipher.encrypt(encoder.encode(JSON.stringify(value)), iv, encodeBinding(current, boundTo));
      return [PREFIX, current, encodeBase64Url(iv), encodeBase64Url(sealed)].join('.');
    },
    async open(sealed, boundTo) {
      const [prefix, id = '', iv = '', data = '', ...rest] = sealed.length > MAX_SEALED ? [] : sealed.split('.');
      const cipher = getCipher(id);
      if (prefix !== PREFIX || rest.length > 0 || cipher === undefined) return undefined;
      try {
        const binding = encodeBinding(id, boundTo);
        const opened = await cipher.decrypt(decodeBase64Url(data), decodeBase64Url(iv), binding);
        const value: unknown = JSON.parse(decoder.decode(opened));
        return isObject(value) ? value : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

function createProcessKeys(): SealKey[] {
  return [{ id: PROCESS, key: crypto.getRandomValues(new Uint8Array(32)) }];
}

function encodeBinding(id: string, boundTo: string): Uint8Array {
  return encoder.encode(`${PREFIX}.${id}.${boundTo}`);
}
