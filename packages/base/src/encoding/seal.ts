import { isObject, type JsonObject } from '../json/json-object.js';
import { catchMaybe, type MaybePromise, thenMaybe } from '../timing/maybe-promise.js';
import { type AesGcm, createAesGcm, IV_LENGTH } from './aes-gcm.js';
import { decodeBase64Url, encodeBase64Url } from './base64.js';

/**
 * Encrypts values that leave the process and return, with AES-256-GCM. The sealed text contains the ID of the key, so
 * that keys can be rotated. `boundTo` names the receiver and the purpose: it is authenticated, but it is not part of
 * the text.
 */
export interface Seal {
  /**
   * Encrypts a value. It can be opened only with the same `boundTo`. Returns the text at once in runtimes with
   * `node:crypto`.
   */
  seal(value: JsonObject, boundTo: string): MaybePromise<string>;
  /** Encrypts an object that is already serialized, as `seal` does. */
  sealText(json: string, boundTo: string): MaybePromise<string>;
  /**
   * Decrypts a value. Returns `undefined` for a text that was changed, was bound to another text, or was sealed with
   * another key.
   */
  open(sealed: string, boundTo: string): MaybePromise<JsonObject | undefined>;
  /** Returns the ID of the key that a text names, if this seal does not have that key. */
  findUnknownKey(sealed: string): string | undefined;
  /** Returns the format version that a text names, if this release cannot open that format. */
  findUnknownFormat(sealed: string): string | undefined;
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
/** Matches the beginning of a sealed text, with the ID of its key. */
const SEALED = /^tenon1\.([\w-]{1,64})\./;
/** Matches the beginning of a text that a release of Tenon has sealed, with its format version. */
const ANY_SEALED = /^tenon(\d{1,4})\./;
/** Maximum length of a sealed state, in characters. */
export const MAX_SEALED = 256 * 1024;

/**
 * Tells if a list contains valid keys: at least one, of 32 bytes each, with different IDs of letters, digits, "_" and
 * "-".
 */
export function areSealKeys(keys: readonly SealKey[]): boolean {
  // Callers without types pass anything.
  const isValid = Array.isArray(keys) && keys.every(each => /^[\w-]{1,64}$/.test(each?.id) && each.key?.length === 32);
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

/**
 * Creates a seal. By default it creates a key for this process, so values cannot be opened after a restart.
 * @param maxLength Maximum length of a text to open, in characters.
 */
export function createSeal(keys?: readonly SealKey[], maxLength: number = MAX_SEALED): Seal {
  let ciphers: Map<string, AesGcm> | undefined;
  // The key is created on first use, because Workers have no randomness before the first request.
  const getCipher = (id: string): AesGcm | undefined => {
    ciphers ??= new Map((keys ?? createProcessKeys()).map(each => [each.id, createAesGcm(each.key)]));
    return ciphers.get(id);
  };
  const current = keys === undefined ? PROCESS : (keys[0]?.id ?? '');
  const sealText = (json: string, boundTo: string): MaybePromise<string> => {
    const iv = crypto.getRandomValues(new Uint8Array(IV_LENGTH));
    const cipher = getCipher(current) as AesGcm;
    const sealed = cipher.encrypt(encoder.encode(json), iv, encodeBinding(current, boundTo));
    return thenMaybe(sealed, data => [PREFIX, current, encodeBase64Url(iv), encodeBase64Url(data)].join('.'));
  };
  return {
    seal: (value, boundTo) => sealText(JSON.stringify(value), boundTo),
    sealText,
    open(sealed, boundTo) {
      const [prefix, id = '', iv = '', data = '', ...rest] = sealed.length > maxLength ? [] : sealed.split('.');
      const cipher = getCipher(id);
      if (prefix !== PREFIX || rest.length > 0 || cipher === undefined) return undefined;
      const binding = encodeBinding(id, boundTo);
      return catchMaybe<JsonObject | undefined>(
        () => thenMaybe(cipher.decrypt(decodeBase64Url(data), decodeBase64Url(iv), binding), parseOpened),
        () => undefined,
      );
    },
    findUnknownKey(sealed) {
      const id = SEALED.exec(sealed)?.[1];
      return id === undefined || getCipher(id) ? undefined : id;
    },
    findUnknownFormat: sealed => (sealed.startsWith(`${PREFIX}.`) ? undefined : ANY_SEALED.exec(sealed)?.[1]),
  };
}

function parseOpened(opened: Uint8Array): JsonObject | undefined {
  const value: unknown = JSON.parse(decoder.decode(opened));
  return isObject(value) ? value : undefined;
}

function createProcessKeys(): SealKey[] {
  return [{ id: PROCESS, key: crypto.getRandomValues(new Uint8Array(32)) }];
}

function encodeBinding(id: string, boundTo: string): Uint8Array {
  return encoder.encode(`${PREFIX}.${id}.${boundTo}`);
}
