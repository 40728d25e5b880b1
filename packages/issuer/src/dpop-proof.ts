import { type AuthHttpRequest, verifyDpopProof } from '@tenon/base/oauth';
import { OauthError } from './oauth-error.js';
import type { IssuerSettings } from './options.js';

/** Signature algorithms of proofs and assertions. */
export const PROOF_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'RS256', 'EdDSA', 'Ed25519'];
/** Maximum difference between the time of a proof and the time of the issuer, in milliseconds. */
const MAX_PROOF_AGE = 60_000;

/** Key whose possession the sender has proved. */
export interface ProvenKey {
  /** Thumbprint of the key. */
  readonly jkt: string;
  /**
   * Marks the proof as used, so that it is accepted once. Called only for requests with an effect.
   *
   * @throws OauthError for a proof that was used before.
   */
  useProof(): Promise<void>;
}

/**
 * Verifies the DPoP proof of a request. Resolves with `undefined` when there is none.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-5
 */
export async function verifyProof(
  request: AuthHttpRequest,
  url: string,
  { clock, values }: IssuerSettings,
): Promise<ProvenKey | undefined> {
  const proof = request.header('dpop');
  if (proof === undefined) return undefined;
  const verified = await verifyDpopProof(
    proof,
    { method: request.method, urls: [url] },
    {
      clock,
      algorithms: PROOF_ALGORITHMS,
      maxProofAge: MAX_PROOF_AGE,
      usedProofs: values,
      keyPrefix: 'issuer/proof/',
    },
  );
  if ('error' in verified) throw createProofError();
  return {
    jkt: verified.jkt,
    async useProof() {
      if (!(await verified.markUsed())) throw createProofError();
    },
  };
}

function createProofError(): OauthError {
  return new OauthError('invalid_dpop_proof', 'The DPoP proof is not valid for this request');
}
