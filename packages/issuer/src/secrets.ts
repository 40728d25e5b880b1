import { hashSha256 } from '@tenon/base';

/** Hashes a secret before it is stored, so that a reader of the store cannot use it. */
export const hashSecret = (secret: string): string => hashSha256(secret);

/** Tells if a secret matches a hash. Compares hashes only, so that the duration reveals nothing. */
export function isMatchingSecret(given: string | undefined, hash: string | undefined): boolean {
  return given !== undefined && hash !== undefined && hashSecret(given) === hash;
}
