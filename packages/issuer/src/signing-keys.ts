import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { TenonError } from 'tenon';
import type { PrivateJwk } from 'tenon/auth';

/** Keys of an issuer. The first one signs. All of them are published. */
export interface SigningKeys {
  readonly alg: string;
  readonly published: { readonly keys: readonly JWK[] };
  sign(claims: JWTPayload): Promise<string>;
}

/** Published members of a JWK. All others are private. */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;
const DEFAULT_ALGORITHM = 'ES256';

/**
 * Creates the signing keys. Default: one random key of this process.
 *
 * @throws TenonError `auth/bad-key`
 */
export async function createSigningKeys(privateKeys: readonly PrivateJwk[] | undefined): Promise<SigningKeys> {
  const jwks = privateKeys?.length ? (privateKeys as readonly JWK[]) : [await generatePrivateKey()];
  const published = await Promise.all(jwks.map(toPublicKey));
  const [first] = jwks as [JWK];
  const { alg = DEFAULT_ALGORITHM, kid = '' } = published[0] as JWK;
  const key = await importPrivate(first, alg);
  return {
    alg,
    published: { keys: published },
    sign: claims => new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'at+jwt' }).sign(key),
  };
}

/** Creates a private key. */
export async function generatePrivateKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(DEFAULT_ALGORITHM, { extractable: true });
  return exportJWK(privateKey);
}

async function toPublicKey(jwk: JWK): Promise<JWK> {
  const publicMembers = Object.fromEntries(
    PUBLIC_MEMBERS.flatMap(name => (jwk[name] === undefined ? [] : [[name, jwk[name]]])),
  ) as JWK;
  const kid = jwk.kid ?? (await calculateJwkThumbprint(publicMembers));
  return { ...publicMembers, kid, alg: jwk.alg ?? DEFAULT_ALGORITHM, use: 'sig' };
}

async function importPrivate(jwk: JWK, alg: string) {
  try {
    if (!/^(RS|PS|ES|Ed)/.test(alg) || jwk.d === undefined) throw new TypeError('no private key of a pair');
    return await importJWK(jwk, alg);
  } catch {
    // The error is dropped, because it may contain parts of the key.
    throw new TenonError('auth/bad-key', 'invalid private key', {
      expected: `a private JWK for ${alg.slice(0, 20)}`,
      hint: 'make one with `generateKeyPair` of jose, and export it with `exportJWK`',
    });
  }
}
