import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose';
import type { IssuerHttpRequest } from './http-exchange.js';
import { OauthError } from './oauth-error.js';
import type { IssuerSettings } from './options.js';
import { hashSecret } from './secrets.js';

/** How proofs and assertions may be signed. */
export const PROOF_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'RS256', 'EdDSA', 'Ed25519'];
/** By how much the time of a proof may differ from ours, in milliseconds. */
const MAX_PROOF_AGE = 60_000;
const MAX_PROOF_LENGTH = 8 * 1024;

/** A key that the sender has proved to have. */
export interface ProvenKey {
  /** Thumbprint of the key. */
  readonly jkt: string;
  /** Uses the proof up, so that it is good once. Called only for requests that have an effect. Throws a `OauthError`. */
  useProof(): Promise<void>;
}

/** Reads the DPoP proof; `undefined` when there is none. https://www.rfc-editor.org/rfc/rfc9449#section-5 */
export async function verifyProof(
  request: IssuerHttpRequest,
  url: string,
  { clock, values }: IssuerSettings,
): Promise<ProvenKey | undefined> {
  const proof = request.header('dpop');
  if (proof === undefined) return undefined;
  const createProofError = () => new OauthError('invalid_dpop_proof', 'The DPoP proof is not one for this request');
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
  const key = `issuer/proof/${await hashSecret(`${jkt} ${jti}`)}`;
  return {
    jkt,
    async useProof() {
      const first = await values.put(key, {}, { version: 0, ttl: time + MAX_PROOF_AGE - clock.now() + 1 });
      if (first === undefined) throw createProofError();
    },
  };
}
