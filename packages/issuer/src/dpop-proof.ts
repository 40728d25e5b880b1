import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose';
import type { AuthHttpRequest } from 'tenon/auth/endpoints';
import { OauthError } from './oauth-error.js';
import type { IssuerSettings } from './options.js';
import { hashSecret } from './secrets.js';

/** Signature algorithms of proofs and assertions. */
export const PROOF_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'RS256', 'EdDSA', 'Ed25519'];
/** Maximum difference between the time of a proof and ours, in milliseconds. */
const MAX_PROOF_AGE = 60_000;
/** Maximum length of a proof, in characters. */
const MAX_PROOF_LENGTH = 8 * 1024;

/** A key whose possession the sender has proved. */
export interface ProvenKey {
  /** Thumbprint of the key. */
  readonly jkt: string;
  /** Marks the proof as used, so that it is accepted once. It is called only for requests with an effect. Throws an `OauthError`. */
  useProof(): Promise<void>;
}

/** Verifies the DPoP proof of a request. `undefined` when there is none. https://www.rfc-editor.org/rfc/rfc9449#section-5 */
export async function verifyProof(
  request: AuthHttpRequest,
  url: string,
  { clock, values }: IssuerSettings,
): Promise<ProvenKey | undefined> {
  const proof = request.header('dpop');
  if (proof === undefined) return undefined;
  const createProofError = () => new OauthError('invalid_dpop_proof', 'The DPoP proof is not valid for this request');
  if (proof.length > MAX_PROOF_LENGTH || proof.includes(',')) throw createProofError();
  const verified = await jwtVerify(proof, EmbeddedJWK, {
    typ: 'dpop+jwt',
    algorithms: PROOF_ALGORITHMS,
    requiredClaims: ['jti', 'htm', 'htu', 'iat'],
    currentDate: new Date(clock.now()),
  }).catch(() => undefined);
  if (verified === undefined) throw createProofError();
  const { jti, htm, htu, iat } = verified.payload;
  const time = Number(iat) * 1_000;
  if (htm !== request.method || htu !== url || !(Math.abs(clock.now() - time) <= MAX_PROOF_AGE))
    throw createProofError();
  const jkt = await calculateJwkThumbprint(verified.protectedHeader.jwk as JWK);
  const key = `issuer/proof/${hashSecret(`${jkt} ${jti}`)}`;
  return {
    jkt,
    async useProof() {
      const first = await values.put(key, {}, { version: 0, ttl: time + MAX_PROOF_AGE - clock.now() + 1 });
      if (first === undefined) throw createProofError();
    },
  };
}
