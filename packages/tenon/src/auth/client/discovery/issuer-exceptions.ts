import { redactUrl, TenonError, type UrlGuard } from '@tenon/base';
import type { AuthorizationServer } from 'oauth4webapi';
import {
  type AcceptMetadata,
  type AuthorizationServerInfo,
  ENDPOINT_FIELDS,
} from '../../oauth/authorization-server.js';
import type { AuthExceptions } from '../auth-exceptions.js';

/**
 * Tells if a configured issuer is one that the metadata names. With the exception `ignoreIssuerSlash`, they may differ by
 * the slash of their root: `https://as` and `https://as/`.
 */
export function isSameIssuer(issuer: string, other: string, { ignoreIssuerSlash }: AuthExceptions): boolean {
  if (issuer === other) return true;
  if (ignoreIssuerSlash !== true) return false;
  const [short, long] = issuer.length < other.length ? [issuer, other] : [other, issuer];
  return long === `${short}/` && /^https?:\/\/[^/?#]+$/i.test(short);
}

/**
 * Creates the check of metadata for a server with exceptions.
 *
 * @param clientIssuer Issuer at which the user registered the client. Its credentials reach no other issuer.
 */
export function createMetadataCheck(
  exceptions: AuthExceptions,
  guard: UrlGuard,
  clientIssuer?: string | undefined,
): AcceptMetadata | undefined {
  const expected = exceptions.issuer;
  if (expected === undefined) {
    if (exceptions.ignoreIssuerSlash !== true) return undefined;
    return ({ issuer }, location) =>
      typeof issuer === 'string' && isSameIssuer(issuer, location, exceptions) ? issuer : undefined;
  }
  return (document, location) => {
    if (document.issuer !== expected) return undefined;
    if (location === expected || checkEndpoints(document as AuthorizationServer, location, expected, guard))
      return expected;
    // Endpoints of another origin than that of the issuer get none of its credentials, but their own.
    return clientIssuer === expected ? undefined : location;
  };
}

/**
 * Lists the issuers to try. Another issuer that the user has configured for the server may have its metadata at the URLs
 * of those that the resource names, at the origin of the server if it names none, or at its own.
 */
export function listCandidates(
  issuers: readonly string[],
  server: string,
  { issuer }: AuthExceptions,
): readonly string[] {
  if (issuer === undefined) return issuers;
  const locations = issuers.length > 0 ? issuers : [new URL(server).origin];
  return [...locations.filter(each => each !== issuer), issuer];
}

/**
 * Checks the endpoints of metadata that another origin than that of the issuer may serve. Only the authorization
 * endpoint may be on the other origin. Otherwise that origin could combine the sign-in page of the issuer with its own
 * token endpoint, and receive codes and credentials of the issuer.
 *
 * Endpoints that are all on the other origin are accepted, because the client uses none of its credentials of the
 * issuer there. Returns false for them.
 */
function checkEndpoints(metadata: AuthorizationServer, location: string, issuer: string, guard: UrlGuard): boolean {
  const issuerOrigin = new URL(issuer).origin;
  const locationOrigin = new URL(location).origin;
  const endpoints = ENDPOINT_FIELDS.flatMap(name => {
    const url = metadata[name] ?? undefined;
    return url === undefined
      ? []
      : [{ name, origin: guard.check(url, `\`${name}\` of the authorization server`).origin }];
  });
  const foreign = endpoints.find(
    ({ name, origin }) => origin !== issuerOrigin && (name !== 'authorization_endpoint' || origin !== locationOrigin),
  );
  if (foreign === undefined) return true;
  if (endpoints.every(({ origin }) => origin === locationOrigin)) return false;
  throw new TenonError(
    'auth/foreign-endpoint',
    `the authorization server metadata has a \`${foreign.name}\` of another origin`,
    {
      peer: redactUrl(location),
      expected: `an endpoint on ${issuerOrigin.slice(0, 200)}`,
      received: foreign.origin.slice(0, 200),
      hint: 'ask the operator of the authorization server to correct its metadata',
    },
  );
}

/** Finds the first issuer with usable metadata. Rejects with the first error if there is none. */
export async function findFirstIssuer(
  issuers: readonly string[],
  find: (issuer: string, signal: AbortSignal | undefined) => Promise<AuthorizationServerInfo>,
  signal: AbortSignal | undefined,
): Promise<AuthorizationServerInfo> {
  let firstError: unknown;
  for (const issuer of issuers) {
    try {
      return await find(issuer, signal);
    } catch (error) {
      signal?.throwIfAborted();
      firstError ??= error;
    }
  }
  throw firstError;
}
