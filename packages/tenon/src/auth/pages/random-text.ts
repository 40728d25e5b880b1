import { base64url } from 'jose';

/** Creates a text of 256 random bits, in base64url. */
export function createRandomText(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
}
