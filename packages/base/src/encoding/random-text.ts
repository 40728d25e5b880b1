import { base64url } from 'jose';

/** Creates a random string of 256 bits, in base64url. */
export function createRandomText(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
}
