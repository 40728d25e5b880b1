import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose';
import type { Asked } from './exchange.js';
import type { Settings } from './options.js';
import { Refusal } from './refusal.js';
import { hashed } from './secrets.js';

/** How proofs and assertions may be signed. */
export const PROOF_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'RS256', 'EdDSA', 'Ed25519'];
/** By how much the time of a proof may differ from ours, in milliseconds. */
const WINDOW = 60_000;
const MAX_PROOF = 8 * 1024;

/** A key that the sender has proved to have. */
export interface ProvenKey {
  /** Thumbprint of the key. */
  readonly jkt: string;
  /** Uses the proof up, so that it is good once. Called only for requests that have an effect. Throws a `Refusal`. */
  useProof(): Promise<void>;
}

/** Reads the DPoP proof; `undefined` when there is none. https://www.rfc-editor.org/rfc/rfc9449#section-5 */
export async function readProof(
  asked: Asked,
  url: string,
  { clock, values }: Settings,
): Promise<ProvenKey | undefined> {
  const proof = asked.header('dpop');
  if (proof === undefined) return undefined;
  const refuse = () => new Refusal('invalid_dpop_proof', 'The DPoP proof is not one for this request');
  if (proof.length > MAX_PROOF || proof.includes(',')) throw refuse();
  const verified = await jwtVerify(proof, EmbeddedJWK, {
    typ: 'dpop+jwt',
    algorithms: PROOF_ALGORITHMS,
    requiredClaims: ['jti', 'htm', 'htu', 'iat'],
    currentDate: new Date(clock.now()),
  }).catch(() => undefined);
  if (verified === undefined) throw refuse();
  const { jti, htm, htu, iat } = verified.payload;
  const time = Number(iat) * 1_000;
  if (htm !== asked.method || htu !== url || !(Math.abs(clock.now() - time) <= WINDOW)) throw refuse();
  const jkt = await calculateJwkThumbprint(verified.protectedHeader.jwk as JWK);
  const key = `issuer/proof/${await hashed(`${jkt} ${jti}`)}`;
  return {
    jkt,
    async useProof() {
      const first = await values.put(key, {}, { version: 0, ttl: time + WINDOW - clock.now() + 1 });
      if (first === undefined) throw refuse();
    },
  };
}
