import { decodeJwt, decodeProtectedHeader, errors, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Clock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { type Reading, readClaims } from './claims.js';
import { invalidToken, type Problem, type TokenCheck } from './problem.js';

/** An issuer whose tokens are taken. */
export interface KnownIssuer {
  readonly keys: JWTVerifyGetKey;
  /** By which names it knows this resource. */
  readonly audience: readonly string[];
}

export interface JwtRules extends Reading {
  readonly clock: Clock;
  readonly issuers: ReadonlyMap<string, KnownIssuer>;
  readonly algorithms: readonly string[];
  /** Whether a token must say that it is one of RFC 9068. */
  readonly typed: boolean;
  /** Milliseconds by which the clocks may differ. */
  readonly tolerance: number;
}

/** What tokens are called that are none for APIs: other JWTs of the same issuer must not pass for one. */
const ACCESS_TOKEN = /^(?:application\/)?at\+jwt$/i;
const PLAIN = /^(?:application\/)?jwt$/i;

/**
 * Judges JWT access tokens. Whose a token says it is, and how it says it is signed, is looked at before any key is asked
 * for, and believed only after the signature is verified. https://www.rfc-editor.org/rfc/rfc9068#section-4
 */
export function jwtCheck(rules: JwtRules): TokenCheck {
  return async token => {
    const said = preview(token);
    if (said === undefined) return invalidToken('The token is not a signed JWT');
    if (!isTyped(said.typ, rules.typed)) return invalidToken('The token is no access token');
    const issuer = rules.issuers.get(said.iss);
    if (issuer === undefined) return invalidToken('The token is of an issuer that is not trusted here');
    const options = {
      issuer: said.iss,
      audience: [...issuer.audience],
      algorithms: [...rules.algorithms],
      clockTolerance: rules.tolerance / 1000,
      currentDate: new Date(rules.clock.now()),
      requiredClaims: ['exp'],
    };
    try {
      const claims = await verified(token, issuer.keys, options);
      const expires = Number(claims.exp) * 1000;
      return readClaims(claims, { expires, expiresAt: expires + rules.tolerance }, rules);
    } catch (error) {
      return problemOf(error);
    }
  };
}

function preview(token: string): { typ: unknown; iss: string } | undefined {
  try {
    return { typ: decodeProtectedHeader(token).typ, iss: decodeJwt(token).iss ?? '' };
  } catch {
    return undefined;
  }
}

function isTyped(typ: unknown, strictly: boolean): boolean {
  if (typ === undefined) return !strictly;
  return typeof typ === 'string' && (ACCESS_TOKEN.test(typ) || (!strictly && PLAIN.test(typ)));
}

async function verified(token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JsonObject> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    // A token that names no key may be signed by any of the issuer's.
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (failed) {
        if (!(failed instanceof errors.JWSSignatureVerificationFailed)) throw failed;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function problemOf(error: unknown): Problem {
  if (TenonError.is(error)) return { problem: 'unavailable' };
  if (error instanceof errors.JWTExpired) return invalidToken('The token has expired');
  if (error instanceof errors.JOSEAlgNotAllowed)
    return invalidToken('The token is signed in a way that is not accepted');
  if (!(error instanceof errors.JWTClaimValidationFailed)) return invalidToken();
  if (error.claim === 'aud') return invalidToken('The token was not issued for this resource');
  if (error.claim === 'nbf') return invalidToken('The token is not valid yet');
  return invalidToken(`The token has no proper ${error.claim}`);
}
