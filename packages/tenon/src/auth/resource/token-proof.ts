import { createInvalidProof, type DpopProofOptions, type ExpectedDpopProof, verifyDpopProof } from '@tenon/base/oauth';
import type { DpopNonces } from './dpop-nonces.js';
import type { TokenError } from './token-error.js';

export interface TokenProofOptions extends DpopProofOptions {
  readonly nonces: DpopNonces | undefined;
}

/** Values that the DPoP proof of a token must match. */
export interface ExpectedTokenProof extends ExpectedDpopProof {
  readonly token: string;
  /** Thumbprint of the key to which the token is bound. */
  readonly jkt: string;
}

/**
 * Error of the proof, or the nonce that the client should use next. `nonce` is `undefined` if it can keep the current
 * one.
 */
export type TokenProofResult = TokenError | { readonly nonce: string | undefined };

/** Verifies that the sender of a token has its key. Accepts each proof only once. */
export async function verifyTokenProof(
  proof: string | undefined,
  expected: ExpectedTokenProof,
  options: TokenProofOptions,
): Promise<TokenProofResult> {
  if (proof === undefined) return createInvalidProof('A DPoP proof is missing');
  const { nonces, ...proofOptions } = options;
  const verified = await verifyDpopProof(proof, expected, proofOptions);
  if ('error' in verified) return verified;
  if (verified.jkt !== expected.jkt) return createInvalidProof('The DPoP proof has a different key than the request');
  const nonceState = verified.nonce === undefined ? 'bad' : await nonces?.verifyNonce(verified.nonce);
  if (nonces && nonceState === 'bad') return { error: 'nonce-wanted', nonce: await nonces.createNonce() };
  if (!(await verified.markUsed())) return createInvalidProof('The DPoP proof was used before');
  return { nonce: nonceState === 'ageing' ? await nonces?.createNonce() : undefined };
}
