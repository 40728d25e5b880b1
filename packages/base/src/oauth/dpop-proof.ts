import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { hashSha256 } from '../encoding/sha256.js';
import { requireKnownOptions } from '../options/check-options.js';
import type { Values } from '../stores/stores.js';
import type { Clock } from '../timing/clock.js';
import { parseUrl } from '../uris/parse-url.js';

/** Options of `verifyDpopProof`. */
export interface DpopProofOptions {
  /** Clock for the age of proofs. */
  readonly clock: Pick<Clock, 'now'>;
  /** Accepted signature algorithms. */
  readonly algorithms: readonly string[];
  /** Maximum difference between the time of a proof and the clock, in milliseconds. */
  readonly maxProofAge: number;
  /** Store for used proofs. */
  readonly usedProofs: Values;
  /** Prefix of the keys in the store. */
  readonly keyPrefix: string;
}

/** Values that a DPoP proof must match. */
export interface ExpectedDpopProof {
  /** HTTP method of the request. */
  readonly method: string;
  /** Accepted URLs of the request. Query and fragment are ignored. */
  readonly urls: readonly string[];
  /**
   * Access token of the request.
   * @default none, as at a token endpoint
   */
  readonly token?: string | undefined;
}

/** Valid DPoP proof. */
export interface VerifiedDpopProof {
  /** Thumbprint of the key that signed the proof. */
  readonly jkt: string;
  /** Nonce of the proof. `undefined` when it has none. */
  readonly nonce: string | undefined;
  /**
   * Marks the proof as used. Resolves with false if it was used before. Only the owner of the key can fill the store.
   */
  markUsed(): Promise<boolean>;
}

/** Invalid DPoP proof. */
export interface InvalidDpopProof {
  /** Discriminates the type from `VerifiedDpopProof`. */
  readonly error: 'invalid-proof';
  /** Reason for the developer of the client. Contains no part of the proof. */
  readonly reason: string;
}

/** Maximum length of a proof, in characters. */
const MAX_PROOF_LENGTH = 8 * 1024;

/**
 * Verifies that the sender of a request has a key. Does not mark the proof as used.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.3
 */
export async function verifyDpopProof(
  proof: string,
  expected: ExpectedDpopProof,
  options: DpopProofOptions,
): Promise<VerifiedDpopProof | InvalidDpopProof> {
  requireKnownOptions('verifyDpopProof', options, {
    clock: true,
    algorithms: true,
    maxProofAge: true,
    usedProofs: true,
    keyPrefix: true,
  });
  if (proof.length > MAX_PROOF_LENGTH) return createInvalidProof('The DPoP proof is too long');
  const verified = await verifyProofJwt(proof, expected, options);
  if ('error' in verified) return verified;
  const { claims, jkt } = verified;
  const mismatched = findMismatch(claims, expected, options);
  if (mismatched !== undefined)
    return createInvalidProof(`The DPoP proof has a different ${mismatched} than the request`);
  const nonce = typeof claims.nonce === 'string' ? claims.nonce : undefined;
  return { jkt, nonce, markUsed: () => markUsed(claims, jkt, options) };
}

async function verifyProofJwt(
  proof: string,
  { token }: ExpectedDpopProof,
  { clock, algorithms }: DpopProofOptions,
): Promise<{ readonly claims: JWTPayload; readonly jkt: string } | InvalidDpopProof> {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: [...algorithms],
      currentDate: new Date(clock.now()),
      requiredClaims: ['jti', 'htm', 'htu', 'iat', ...(token === undefined ? [] : ['ath'])],
    });
    return { claims: payload, jkt: await calculateJwkThumbprint(protectedHeader.jwk as JWK) };
  } catch (error) {
    const claim = error instanceof errors.JWTClaimValidationFailed ? ` (${error.claim})` : '';
    return createInvalidProof(`The DPoP proof is not valid${claim}`);
  }
}

function findMismatch(
  { jti, htm, htu, iat, ath }: JWTPayload,
  { method, urls, token }: ExpectedDpopProof,
  { clock, maxProofAge }: DpopProofOptions,
): string | undefined {
  if (typeof jti !== 'string' || jti === '') return 'jti';
  if (htm !== method) return 'htm';
  const actualUrl = typeof htu === 'string' ? normalizeUrl(htu) : undefined;
  if (actualUrl === undefined || !urls.some(url => normalizeUrl(url) === actualUrl)) return 'htu';
  if (token !== undefined && ath !== hashSha256(token)) return 'ath';
  return Math.abs(clock.now() - Number(iat) * 1000) <= maxProofAge ? undefined : 'iat';
}

/** Normalizes a URL, and removes its query and fragment. */
function normalizeUrl(url: string): string | undefined {
  const parsed = parseUrl(url);
  return parsed && Object.assign(parsed, { search: '', hash: '' }).href;
}

async function markUsed(
  { jti, iat }: JWTPayload,
  jkt: string,
  { clock, maxProofAge, usedProofs, keyPrefix }: DpopProofOptions,
): Promise<boolean> {
  const key = `${keyPrefix}${hashSha256(`${jkt} ${jti}`)}`;
  const ttl = Number(iat) * 1000 + maxProofAge - clock.now() + 1;
  return (await usedProofs.put(key, {}, { version: 0, ttl })) !== undefined;
}

export function createInvalidProof(reason: string): InvalidDpopProof {
  return { error: 'invalid-proof', reason };
}
