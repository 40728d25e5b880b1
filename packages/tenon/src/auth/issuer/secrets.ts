import { base64url } from 'jose';
import { hashSha256 } from '../resource/digest.js';

/** A text that nobody guesses: 256 bits. */
export function createRandomText(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
}

/** What is kept of a secret: whoever reads the store cannot use it. */
export const hashSecret = (secret: string): Promise<string> => hashSha256(secret);

/** Whether a secret is the one whose hash is kept. What is compared are hashes: the time it takes tells nothing. */
export async function isMatchingSecret(given: string | undefined, hash: string | undefined): Promise<boolean> {
  return given !== undefined && hash !== undefined && (await hashSha256(given)) === hash;
}
