import { type Clock, type JsonObject, TenonError } from '@tenon/base';
import { decodeJwt, decodeProtectedHeader, errors, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { type ClaimOptions, readClaims } from './claims.js';
import { createInvalidTokenError, type TokenError, type VerifyToken } from './token-error.js';

/** Issuer whose tokens are accepted. */
export interface AcceptedIssuer {
  readonly keys: JWTVerifyGetKey;
  /** Names of this resource at the issuer. */
  readonly audience: readonly string[];
}

export interface JwtVerifierOptions extends ClaimOptions {
  readonly clock: Clock;
  readonly issuers: ReadonlyMap<string, AcceptedIssuer>;
  readonly algorithms: readonly string[];
  /** True if a token must have the type of RFC 9068. */
  readonly requireTokenType: boolean;
  /** Maximum difference between the clocks of issuer and server, in milliseconds. */
  readonly clockTolerance: number;
}

/** Type of access tokens. It excludes other JWTs of the same issuer. */
const ACCESS_TOKEN_TYPE = /^(?:application\/)?at\+jwt$/i;
const PLAIN_TYPE = /^(?:application\/)?jwt$/i;

/**
 * Creates a verifier of JWT access tokens. Reads issuer and algorithm to choose the key, and trusts them only after the
 * signature is verified.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9068#section-4
 */
export function createJwtVerifier(options: JwtVerifierOptions): VerifyToken {
  return async token => {
    let typ: unknown;
    let iss: string;
    try {
      typ = decodeProtectedHeader(token).typ;
      iss = decodeJwt(token).iss ?? '';
    } catch {
      return createInvalidTokenError('The token is not a signed JWT');
    }
    const isAccessToken = typeof typ === 'string' && ACCESS_TOKEN_TYPE.test(typ);
    const isUntyped = typ === undefined || (typeof typ === 'string' && PLAIN_TYPE.test(typ));
    if (!isAccessToken && (options.requireTokenType || !isUntyped))
      return createInvalidTokenError('The token is not an access token');
    const issuer = options.issuers.get(iss);
    if (issuer === undefined) return createInvalidTokenError('The issuer of the token is not trusted');
    const verifyOptions = {
      issuer: iss,
      audience: [...issuer.audience],
      algorithms: [...options.algorithms],
      clockTolerance: options.clockTolerance / 1000,
      currentDate: new Date(options.clock.now()),
      requiredClaims: ['exp'],
    };
    try {
      const claims = await verifyJwt(token, issuer.keys, verifyOptions);
      const endsAt = Number(claims.exp) * 1000;
      return readClaims(claims, { expires: endsAt, expiresAt: endsAt + options.clockTolerance }, options);
    } catch (error) {
      return toTokenError(error);
    }
  };
}

async function verifyJwt(token: string, keys: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JsonObject> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    // A token that names no key may be signed by any key of the issuer.
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

function toTokenError(error: unknown): TokenError {
  if (TenonError.is(error)) return { error: 'unavailable' };
  if (error instanceof errors.JWTExpired) return createInvalidTokenError('The token has expired');
  if (error instanceof errors.JOSEAlgNotAllowed)
    return createInvalidTokenError('The signature algorithm of the token is not accepted');
  if (!(error instanceof errors.JWTClaimValidationFailed)) return createInvalidTokenError();
  if (error.claim === 'aud') return createInvalidTokenError('The token was not issued for this resource');
  if (error.claim === 'nbf') return createInvalidTokenError('The token is not valid yet');
  return createInvalidTokenError(`The claim ${error.claim} of the token is missing or invalid`);
}
