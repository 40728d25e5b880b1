import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns a function that compares a text with a secret in a time that shows nothing of the secret. */
export function createSecretCheck(secret: string): (given: string) => boolean {
  // Digests have the same length, which the comparison needs.
  const expected = computeDigest(secret);
  return given => timingSafeEqual(computeDigest(given), expected);
}

const computeDigest = (text: string): Buffer => createHash('sha256').update(text).digest();
