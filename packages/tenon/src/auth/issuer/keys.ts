import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { TenonError } from '../../jsonrpc/error.js';
import type { PrivateJwk } from '../client-auth.js';

/** The keys of an issuer: the first signs, all are published. */
export interface IssuerKeys {
  readonly alg: string;
  readonly published: { readonly keys: readonly JWK[] };
  sign(claims: JWTPayload): Promise<string>;
}

/** What of a key may be known. Whatever else is in it stays here. */
const PUBLIC = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;
const ALG = 'ES256';

/** Rejects with `auth/bad-key`. Makes a key for this process when none is given. */
export async function readKeys(given: readonly PrivateJwk[] | undefined): Promise<IssuerKeys> {
  const jwks = given?.length ? (given as readonly JWK[]) : [await makeKey()];
  const published = await Promise.all(jwks.map(publicPart));
  const [first] = jwks as [JWK];
  const { alg = ALG, kid = '' } = published[0] as JWK;
  const key = await importPrivate(first, alg);
  return {
    alg,
    published: { keys: published },
    sign: claims => new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'at+jwt' }).sign(key),
  };
}

async function makeKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALG, { extractable: true });
  return exportJWK(privateKey);
}

async function publicPart(jwk: JWK): Promise<JWK> {
  const known = Object.fromEntries(PUBLIC.flatMap(name => (jwk[name] === undefined ? [] : [[name, jwk[name]]]))) as JWK;
  const kid = jwk.kid ?? (await calculateJwkThumbprint(known));
  return { ...known, kid, alg: jwk.alg ?? ALG, use: 'sig' };
}

async function importPrivate(jwk: JWK, alg: string) {
  try {
    if (!/^(RS|PS|ES|Ed)/.test(alg) || jwk.d === undefined) throw new TypeError('no private key of a pair');
    return await importJWK(jwk, alg);
  } catch {
    // What was thrown may hold parts of the key.
    throw new TenonError('auth/bad-key', 'the private key can not be used', {
      expected: `a private JWK for ${alg.slice(0, 20)}`,
      next: 'make one with `generateKeyPair` of jose, and export it by `exportJWK`',
    });
  }
}
