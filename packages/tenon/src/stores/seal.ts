import { decodeBase64Url, encodeBase64Url } from '../encoding/base64.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';

/**
 * Encrypts values that leave the process and come back, by AES-256-GCM. The id of the key is part of the text, so that
 * keys can be rotated. The receiver and the purpose are authenticated by `boundTo`, and are not part of the text.
 */
export interface Seal {
  /** Encrypts a value. It can be opened only with the same `boundTo`. */
  seal(value: JsonObject, boundTo: string): Promise<string>;
  /** Returns `undefined` for a text that was sealed elsewhere, was bound to another text, or was changed. */
  open(sealed: string, boundTo: string): Promise<JsonObject | undefined>;
}

/** A key and its id. The first key seals, all of them open. */
export interface SealKey {
  /** ID of the key, which sealed values carry. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

interface CryptoKey {
  readonly type: string;
}

declare const crypto: {
  getRandomValues(bytes: Uint8Array): Uint8Array;
  subtle: {
    importKey(
      format: 'raw',
      key: Uint8Array,
      algorithm: string,
      extractable: boolean,
      uses: string[],
    ): Promise<CryptoKey>;
    importKey(form: 'raw', key: Uint8Array, name: 'HKDF', extractable: false, uses: string[]): Promise<DerivationKey>;
    deriveBits(algorithm: object, key: DerivationKey, bits: number): Promise<ArrayBuffer>;
    encrypt(algorithm: object, key: CryptoKey, data: Uint8Array): Promise<ArrayBuffer>;
    decrypt(algorithm: object, key: CryptoKey, data: Uint8Array): Promise<ArrayBuffer>;
  };
};

interface DerivationKey {
  readonly type: string;
}

const PREFIX = 'tenon1';
const PROCESS = 'process';
/** Maximum length of a sealed state, in characters. */
export const MAX_SEALED = 256 * 1024;

/** Tells if keys can seal: one or more of 32 bytes, with different ids of letters, digits, "_" and "-". */
export function areSealKeys(keys: readonly SealKey[]): boolean {
  const isValid = keys.every(({ id, key }) => /^[\w-]{1,64}$/.test(id) && key.length === 32);
  return isValid && keys.length > 0 && new Set(keys.map(({ id }) => id)).size === keys.length;
}

/**
 * Derives a key from a secret of high entropy, for one purpose. Not for passwords: the derivation is fast.
 * https://www.rfc-editor.org/rfc/rfc5869
 */
export async function deriveSealKey(id: string, secret: string, purpose: string): Promise<SealKey> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const material = await crypto.subtle.importKey('raw', encode(secret), 'HKDF', false, ['deriveBits']);
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(32), info: encode(purpose) };
  return { id, key: new Uint8Array(await crypto.subtle.deriveBits(derivation, material, 256)) };
}

/** Creates a seal. Default keys: one made for this process, so that nothing can be opened after a restart. */
export function createSeal(keys?: readonly SealKey[]): Seal {
  let keysById: Map<string, Promise<CryptoKey>> | undefined;
  // Only when it is first needed: Workers have no randomness before the first request.
  const getKey = (id: string): Promise<CryptoKey> | undefined => {
    keysById ??= new Map((keys ?? createProcessKeys()).map(each => [each.id, importSealKey(each.key)]));
    return keysById.get(id);
  };
  const current = keys === undefined ? PROCESS : (keys[0]?.id ?? '');
  return {
    async seal(value, boundTo) {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const key = await (getKey(current) as Promise<CryptoKey>);
      const data = new TextEncoder().encode(JSON.stringify(value));
      const sealed = await crypto.subtle.encrypt(createAlgorithm(iv, current, boundTo), key, data);
      return [PREFIX, current, encodeBase64Url(iv), encodeBase64Url(new Uint8Array(sealed))].join('.');
    },
    async open(sealed, boundTo) {
      const [prefix, id = '', iv = '', data = '', ...rest] = sealed.length > MAX_SEALED ? [] : sealed.split('.');
      const key = await getKey(id);
      if (prefix !== PREFIX || rest.length > 0 || key === undefined) return undefined;
      try {
        const opened = await crypto.subtle.decrypt(
          createAlgorithm(decodeBase64Url(iv), id, boundTo),
          key,
          decodeBase64Url(data),
        );
        const value: unknown = JSON.parse(new TextDecoder().decode(opened));
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

function importSealKey(key: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

function createAlgorithm(iv: Uint8Array, id: string, boundTo: string): object {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(`${PREFIX}.${id}.${boundTo}`) };
}
