import type { JsonObject } from '../json/json-object.js';
import type { AuthInfo } from './auth-info.js';

/** The user and the OAuth client of a request. Members that are not known are absent. */
export interface CallerIdentity {
  /** Stable name of the user. `undefined`: the caller is anonymous. */
  readonly principal: string | undefined;
  /** Issuer of the access token. */
  readonly issuer?: string | undefined;
  /** OAuth client that acts for the user. */
  readonly clientId?: string | undefined;
}

/** Returns the identity of a caller. The claims of the token are the default for `issuer` and `clientId`. */
export function identifyCaller(auth: AuthInfo | undefined): CallerIdentity {
  if (auth === undefined) return { principal: undefined };
  const { principal, claims = {} } = auth;
  const issuer = auth.issuer ?? readText(claims, 'iss');
  const clientId = auth.clientId ?? readText(claims, 'client_id') ?? readText(claims, 'azp');
  return { principal, ...(issuer === undefined ? {} : { issuer }), ...(clientId === undefined ? {} : { clientId }) };
}

/**
 * Returns the key of the owner of tasks, sessions, approvals, request states, stored results and quotas. The owner is
 * the user together with the OAuth client and the issuer.
 *
 * Returns `undefined` for anonymous callers, who cannot be distinguished. A record without a client belongs only to
 * callers without a client.
 */
export function getOwnerKey({ principal, issuer = '', clientId = '' }: Partial<CallerIdentity>): string | undefined {
  return principal === undefined ? undefined : JSON.stringify([principal, clientId, issuer]);
}

/** Tells if two callers are the same owner. */
export function isSameOwner(one: AuthInfo | undefined, other: AuthInfo | undefined): boolean {
  // Two requests with the same token usually have the same object.
  return one === other || getOwnerKey(identifyCaller(one)) === getOwnerKey(identifyCaller(other));
}

function readText(claims: JsonObject, name: string): string | undefined {
  const value = claims[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
