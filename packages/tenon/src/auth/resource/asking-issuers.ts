import { allowInsecureRequests, customFetch, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi';
import type { Clock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { type AuthFetch, createGuardedFetch } from '../guarded-fetch.js';
import { checkOpenable, createUrlGuard } from '../url-guard.js';

/** How the servers that issue tokens are asked. */
export interface Asking {
  readonly clock: Clock;
  readonly fetch: AuthFetch;
  readonly issuer: string;
}

/** Whether a URL may be asked for keys or about tokens: by TLS, or on this machine. */
export function isSafe(url: string): boolean {
  try {
    checkOpenable(url);
    return true;
  } catch {
    return false;
  }
}

/** Whom the operator trusts with the keys may be in the operator's own network, though others can not see that. */
function guarded({ clock, fetch, issuer }: Asking) {
  return createGuardedFetch(fetch, createUrlGuard(issuer, { allowPrivate: true }), clock);
}

/** What oauth4webapi is told with each request. The guard says which URLs may be asked without TLS. */
export function manners(asking: Asking) {
  return { [customFetch]: guarded(asking) as never, [allowInsecureRequests]: true };
}

/** The metadata of an issuer: by RFC 8414, else by OpenID Connect Discovery. It must say the issuer's own name, byte for byte. */
export async function issuerMetadata(asking: Asking): Promise<JsonObject> {
  const { issuer } = asking;
  const url = new URL(issuer) as never;
  const reasons: unknown[] = [];
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    try {
      const reply = await discoveryRequest(url, { algorithm, ...manners(asking) });
      const metadata = await processDiscoveryResponse(url, reply);
      if (metadata.issuer === issuer) return { ...metadata };
      const got = metadata.issuer.slice(0, 200);
      throw new TenonError('auth/issuer', 'the metadata is of another issuer', { expected: issuer, got });
    } catch (error) {
      reasons.push(error);
    }
  }
  throw unreachable(issuer, 'its metadata could not be read', bare(reasons.find(TenonError.is) ?? reasons[0]));
}

/** Reads a JSON object. */
export async function readDocument(asking: Asking, url: string): Promise<JsonObject> {
  const reply = await guarded(asking)(url, { headers: { accept: 'application/json' } });
  const value: unknown = reply.status === 200 ? await reply.json() : undefined;
  if (isObject(value)) return value;
  throw new TenonError('auth/issuer', 'an issuer did not answer with a JSON object', {
    expected: `status 200 and a JSON object at ${url.slice(0, 200)}`,
    got: `status ${reply.status}`,
    status: reply.status,
  });
}

/** The errors of oauth4webapi hold requests and answers: nothing of those is passed on. */
export function bare(cause: unknown): unknown {
  return TenonError.is(cause) ? cause : new Error(cause instanceof Error ? cause.message : 'unknown');
}

export function unreachable(issuer: string, summary: string, cause: unknown): TenonError {
  return new TenonError('auth/issuer', summary, {
    peer: issuer,
    next: 'requests are refused with 503 until it answers; check its URL and the way to it',
    cause,
  });
}
