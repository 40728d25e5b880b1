import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWK, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../jsonrpc/clock.js';
import type { Values } from '../../stores/stores.js';
import { sha256 } from './digest.js';
import type { Nonces } from './nonces.js';
import type { Problem } from './problem.js';

export interface ProofRules {
  readonly clock: Clock;
  readonly algorithms: readonly string[];
  /** Milliseconds by which the time of a proof may differ from ours. */
  readonly window: number;
  readonly nonces: Nonces | undefined;
  /** Where proofs that were seen are remembered. */
  readonly seen: Values;
}

/** What a proof is to prove. */
export interface ToProve {
  readonly method: string;
  /** The URLs by which the request may be known. */
  readonly urls: readonly string[];
  readonly token: string;
  /** The key that the token is bound to. */
  readonly jkt: string;
}

/** How long a proof may be, in characters. */
const MAX_PROOF = 8 * 1024;

/** Gives the nonce for the next proof, when there should be one. */
export type ProofOutcome = Problem | { readonly nonce: string | undefined };

/** Judges the proof that the sender of a token has its key. https://www.rfc-editor.org/rfc/rfc9449#section-4.3 */
export async function checkProof(proof: string | undefined, wanted: ToProve, rules: ProofRules): Promise<ProofOutcome> {
  if (proof === undefined) return invalid('A DPoP proof is missing');
  if (proof.length > MAX_PROOF) return invalid('The DPoP proof is too long');
  const verified = await verify(proof, rules);
  if ('problem' in verified) return verified;
  const { claims, jkt } = verified;
  const wrong = (await mismatch(claims, wanted, rules)) ?? (jkt === wanted.jkt ? undefined : 'key');
  if (wrong !== undefined) return invalid(`The DPoP proof has another ${wrong} than this request`);
  const age = await ageOfNonce(claims, rules);
  if (age === 'bad') return { problem: 'nonce-wanted', nonce: (await rules.nonces?.make()) as string };
  if (!(await isFirst(claims, jkt, rules))) return invalid('The DPoP proof was used before');
  return { nonce: age === 'ageing' ? await rules.nonces?.make() : undefined };
}

async function verify(proof: string, { clock, algorithms }: ProofRules) {
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
    return invalid(`The DPoP proof is not valid${claim}`);
  }
}

async function mismatch(
  { jti, htm, htu, iat, ath }: JWTPayload,
  { method, urls, token }: ToProve,
  { clock, window }: ProofRules,
): Promise<string | undefined> {
  if (typeof jti !== 'string' || jti === '') return 'jti';
  if (htm !== method) return 'htm';
  const said = typeof htu === 'string' ? normalized(htu) : undefined;
  if (said === undefined || !urls.some(url => normalized(url) === said)) return 'htu';
  if (ath !== (await sha256(token))) return 'ath';
  return Math.abs(clock.now() - Number(iat) * 1000) <= window ? undefined : 'iat';
}

/** Without query and fragment, and with what is equivalent alike. */
function normalized(url: string): string | undefined {
  try {
    const parsed = new URL(url);
    parsed.search = '';
    parsed.hash = '';
    return parsed.href;
  } catch {
    return undefined;
  }
}

async function ageOfNonce({ nonce }: JWTPayload, { nonces }: ProofRules): Promise<'good' | 'ageing' | 'bad'> {
  if (nonces === undefined) return 'good';
  return typeof nonce === 'string' ? nonces.judge(nonce) : 'bad';
}

/** Last of all: only who has the key can fill the memory. */
async function isFirst({ jti, iat }: JWTPayload, jkt: string, { clock, window, seen }: ProofRules): Promise<boolean> {
  const key = `dpop/${await sha256(`${jkt} ${jti}`)}`;
  const ttl = Number(iat) * 1000 + window - clock.now() + 1;
  return (await seen.put(key, {}, { version: 0, ttl })) !== undefined;
}

function invalid(why: string): Extract<Problem, { problem: 'invalid-proof' }> {
  return { problem: 'invalid-proof', why };
}
