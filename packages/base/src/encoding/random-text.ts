import { encodeBase64Url } from './base64.js';

/** Creates a random string of 256 bits, in base64url. */
export function createRandomText(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}
