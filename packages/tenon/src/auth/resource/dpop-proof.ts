import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWK, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../cancellation/clock.js';
import { hashSha256 } from '../../encoding/sha256.js';
import type { Values } from '../../stores/stores.js';
import type { DpopNonces } from './dpop-nonces.js';
import type { TokenProblem } from './token-problem.js';

export interface ProofVerifierOptions {
  readonly clock: Clock;
  readonly algorithms: readonly string[];
  /** Milliseconds by which the time of a proof may differ from ours. */
  readonly maxProofAge: number;
  readonly nonces: DpopNonces | undefined;
  /** Store of used proofs. */
  readonly usedProofs: Values;
}

/** Values that a proof must match. */
export interface ExpectedProof {
  readonly method: string;
  /** The URLs by which the request may be known. */
  readonly urls: readonly string[];
  readonly token: string;
  /** The key that the token is bound to. */
  readonly jkt: string;
}

/** Maximum length of a proof, in characters. */
const MAX_PROOF_LENGTH = 8 * 1024;

/** Gives the nonce for the next proof, when there should be one. */
export type ProofResult = TokenProblem | { readonly nonce: string | undefined };

/** Judges the proof that the sender of a token has its key. https://www.rfc-editor.org/rfc/rfc9449#section-4.3 */
export async function verifyProof(
  proof: string | undefined,
  expected: ExpectedProof,
  options: ProofVerifierOptions,
): Promise<ProofResult> {
  if (proof === undefined) return createInvalidProof('A DPoP proof is missing');
  if (proof.length > MAX_PROOF_LENGTH) return createInvalidProof('The DPoP proof is too long');
  const verified = await verifyProofJwt(proof, options);
  if ('problem' in verified) return verified;
  const { claims, jkt } = verified;
  const mismatched = findMismatch(claims, expected, options) ?? (jkt === expected.jkt ? undefined : 'key');
  if (mismatched !== undefined)
    return createInvalidProof(`The DPoP proof has a different ${mismatched} than the request`);
  const nonceState = await checkNonce(claims, options);
  if (nonceState === 'bad') return { problem: 'nonce-wanted', nonce: (await options.nonces?.createNonce()) as string };
  if (!(await isFirstUse(claims, jkt, options))) return createInvalidProof('The DPoP proof was used before');
  return { nonce: nonceState === 'ageing' ? await options.nonces?.createNonce() : undefined };
}

async function verifyProofJwt(proof: string, { clock, algorithms }: ProofVerifierOptions) {
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: [...algorithms],
      currentDate: new Date(clock.now()),
      requiredClaims: ['jti', 'htm', 'htu', 'iat', 'ath'],
    });
    return { claims: payload, jkt: await calculateJwkThumbprint(protectedHeader.jwk as JWK) };
  } catch (error) {
    const claim = error instanceof errors.JWTClaimValidationFailed ? ` (${error.claim})` : '';
    return createInvalidProof(`The DPoP proof is not valid${claim}`);
  }
}

function findMismatch(
  { jti, htm, htu, iat, ath }: JWTPayload,
  { method, urls, token }: ExpectedProof,
  { clock, maxProofAge }: ProofVerifierOptions,
): string | undefined {
  if (typeof jti !== 'string' || jti === '') return 'jti';
  if (htm !== method) return 'htm';
  const actualUrl = typeof htu === 'string' ? normalizeUrl(htu) : undefined;
  if (actualUrl === undefined || !urls.some(url => normalizeUrl(url) === actualUrl)) return 'htu';
  if (ath !== hashSha256(token)) return 'ath';
  return Math.abs(clock.now() - Number(iat) * 1000) <= maxProofAge ? undefined : 'iat';
}

/** Without query and fragment, and with what is equivalent alike. */
function normalizeUrl(url: string): string | undefined {
  try {
    const parsed = new URL(url);
    parsed.search = '';
    parsed.hash = '';
    return parsed.href;
  } catch {
    return undefined;
  }
}

async function checkNonce({ nonce }: JWTPayload, { nonces }: ProofVerifierOptions): Promise<'good' | 'ageing' | 'bad'> {
  if (nonces === undefined) return 'good';
  return typeof nonce === 'string' ? nonces.verifyNonce(nonce) : 'bad';
}

/** Last of all: only who has the key can fill the memory. */
async function isFirstUse(
  { jti, iat }: JWTPayload,
  jkt: string,
  { clock, maxProofAge, usedProofs }: ProofVerifierOptions,
): Promise<boolean> {
  const key = `dpop/${hashSha256(`${jkt} ${jti}`)}`;
  const ttl = Number(iat) * 1000 + maxProofAge - clock.now() + 1;
  return (await usedProofs.put(key, {}, { version: 0, ttl })) !== undefined;
}

function createInvalidProof(reason: string): Extract<TokenProblem, { problem: 'invalid-proof' }> {
  return { problem: 'invalid-proof', reason };
}
