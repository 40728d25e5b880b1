import { encodeText, REDACTED } from '@tenon/base';
import { base64url } from 'jose';

interface PasswordKey {
  readonly type: string;
}

declare const crypto: {
  subtle: {
    importKey(form: 'raw', key: Uint8Array, kind: string, extractable: boolean, uses: string[]): Promise<PasswordKey>;
    deriveBits(algorithm: object, key: PasswordKey, bits: number): Promise<ArrayBuffer>;
  };
};

/** Number of rounds of HMAC-SHA-256, which makes guessing a secret slow. */
const ROUNDS = 200_000;
const BITS = 96;

/**
 * Creates the mark that replaces a secret in a lock. The mark changes with the secret and does not reveal it. It makes
 * the change of a secret value visible.
 */
export async function createSecretMark(secret: string): Promise<string> {
  const key = await crypto.subtle.importKey('raw', encodeText(secret), 'PBKDF2', false, ['deriveBits']);
  const algorithm = { name: 'PBKDF2', hash: 'SHA-256', salt: encodeText('tenon mcp.lock'), iterations: ROUNDS };
  return `${REDACTED}#${base64url.encode(new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, BITS)))}`;
}
