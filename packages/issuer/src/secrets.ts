import { hashSha256 } from 'tenon/auth/endpoints';

/** Hashes a secret for the store: a reader of the store cannot use it. */
export const hashSecret = (secret: string): string => hashSha256(secret);

/** Tells if a secret has a hash. Only hashes are compared, so that the duration of the comparison reveals nothing. */
export function isMatchingSecret(given: string | undefined, hash: string | undefined): boolean {
  return given !== undefined && hash !== undefined && hashSecret(given) === hash;
}
