import { decodeBase64Url, encodeBase64Url } from './base64.js';
import { encodeText } from './bytes.js';

interface HmacKey {
  readonly type: string;
}

declare const crypto: {
  subtle: {
    importKey(form: 'raw', key: Uint8Array, kind: object, extractable: boolean, uses: string[]): Promise<HmacKey>;
    sign(algorithm: string, key: HmacKey, data: Uint8Array): Promise<ArrayBuffer>;
    verify(algorithm: string, key: HmacKey, signature: Uint8Array, data: Uint8Array): Promise<boolean>;
  };
};

/** Signs texts with one key, and verifies its own signatures. */
export interface Signer {
  sign(text: string): Promise<string>;
  verify(text: string, signature: string): Promise<boolean>;
}

/** Creates a signer with HMAC-SHA-256. */
export function createSigner(secret: Uint8Array): Signer {
  const key = crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  return {
    sign: async text => encodeBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', await key, encodeText(text)))),
    async verify(text, signature) {
      try {
        return await crypto.subtle.verify('HMAC', await key, decodeBase64Url(signature), encodeText(text));
      } catch {
        return false;
      }
    },
  };
}
