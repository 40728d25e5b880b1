import type { JsonObject } from '../jsonrpc/message.js';
import type { AuthInfo } from '../jsonrpc/transport.js';

/** The user and the OAuth client that make a request. Each field is absent where it is not known. */
export interface CallerIdentity {
  /** A stable name of the user. `undefined`: the caller is anonymous. */
  readonly principal: string | undefined;
  /** Issuer of the access token. */
  readonly issuer?: string | undefined;
  /** OAuth client that acts for the user. */
  readonly clientId?: string | undefined;
}

/** Reads the identity of a caller. `issuer` and `clientId` fall back to the claims of the token. */
export function identifyCaller(auth: AuthInfo | undefined): CallerIdentity {
  if (auth === undefined) return { principal: undefined };
  const { principal, claims = {} } = auth;
  const issuer = auth.issuer ?? readText(claims, 'iss');
  const clientId = auth.clientId ?? readText(claims, 'client_id') ?? readText(claims, 'azp');
  return { principal, ...(issuer === undefined ? {} : { issuer }), ...(clientId === undefined ? {} : { clientId }) };
}

/**
 * Names the owner of tasks, sessions, approvals, request states, stored results and quotas: the user, the OAuth client
 * and the issuer together. Returns `undefined` for anonymous callers, who cannot be distinguished. A record without a
 * client belongs only to callers without a client.
 */
export function getOwnerKey({ principal, issuer = '', clientId = '' }: Partial<CallerIdentity>): string | undefined {
  return principal === undefined ? undefined : JSON.stringify([principal, clientId, issuer]);
}

/** Compares the owners that two callers stand for. */
export function isSameOwner(one: AuthInfo | undefined, other: AuthInfo | undefined): boolean {
  // The same token usually yields the same object.
  return one === other || getOwnerKey(identifyCaller(one)) === getOwnerKey(identifyCaller(other));
}

function readText(claims: JsonObject, name: string): string | undefined {
  const value = claims[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
