import {
  type AuthFetch,
  type Clock,
  checkBrowserUrl,
  createGuardedFetch,
  createUrlGuard,
  isObject,
  type JsonObject,
  TenonError,
} from '@tenon/base';
import { fetchIssuerMetadata } from '../oauth/authorization-server.js';

/** Connection to an issuer of tokens. */
export interface IssuerConnection {
  readonly clock: Clock;
  readonly fetch: AuthFetch;
  readonly issuer: string;
}

/** Tells if keys or introspection may be requested from a URL: over TLS, or on this machine. */
export function isSafeUrl(url: string): boolean {
  try {
    checkBrowserUrl(url);
    return true;
  } catch {
    return false;
  }
}

/** Creates a fetch that may reach the operator's own network, because the operator trusts this issuer. */
export function createIssuerFetch({ clock, fetch, issuer }: IssuerConnection) {
  return createGuardedFetch({ fetch, guard: createUrlGuard(issuer, { allowPrivate: true }), clock });
}

/**
 * Loads the metadata of an issuer with the reader of clients: from the URLs of RFC 8414, else from those of OpenID
 * Connect Discovery. Its `issuer` must equal the configured one byte for byte.
 */
export async function fetchIssuerDocument(connection: IssuerConnection): Promise<JsonObject> {
  const { issuer } = connection;
  try {
    const { metadata } = await fetchIssuerMetadata(issuer, createIssuerFetch(connection), undefined);
    return { ...metadata };
  } catch (error) {
    let cause = stripError(error);
    // The hints of this error are about exceptions of clients, which an operator does not have.
    if (TenonError.is(error) && error.code === 'auth/issuer-mismatch') {
      const { received } = error;
      cause = new TenonError('auth/issuer', 'the metadata names another issuer', { expected: issuer, received });
    }
    throw createUnreachableError(issuer, 'cannot read the issuer metadata', cause);
  }
}

/** Fetches a URL and parses the response as a JSON object. */
export async function fetchJsonObject(connection: IssuerConnection, url: string): Promise<JsonObject> {
  const response = await createIssuerFetch(connection)(url, { headers: { accept: 'application/json' } });
  const value: unknown = response.status === 200 ? await response.json() : undefined;
  if (isObject(value)) return value;
  throw new TenonError('auth/issuer', 'the issuer did not return a JSON object', {
    expected: `HTTP 200 with a JSON object from ${url.slice(0, 200)}`,
    received: `HTTP ${response.status}`,
    status: response.status,
  });
}

/** Removes the details of an error of a request, because they may contain the request and the response. */
export function stripError(cause: unknown): unknown {
  return TenonError.is(cause) ? cause : new Error(cause instanceof Error ? cause.message : 'unknown');
}

export function createUnreachableError(issuer: string, summary: string, cause: unknown): TenonError {
  return new TenonError('auth/issuer', summary, {
    peer: issuer,
    hint: 'check the URL and the network path to the issuer (requests get 503 until it answers)',
    cause,
  });
}
