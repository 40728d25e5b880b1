import { bearer } from '../auth/bearer.js';
import { TenonError } from '../jsonrpc/error.js';
import { openHttp } from '../transports/http/client.js';
import type { Requester } from '../transports/http/requester.js';
import { openHttpSse } from '../transports/http-sse/client.js';
import type { Endpoint } from './endpoint.js';
import type { HttpTarget } from './target.js';

/** The two roads over HTTP: the one endpoint and, where a server has nothing else, the two endpoints of the first revision. */
export function httpEndpoint({ url, transport, fetch: _, auth, ...rest }: HttpTarget, requester: Requester): Endpoint {
  const authorizer = typeof auth === 'string' ? bearer(auth) : auth;
  let signingIn = (_busy: boolean): void => {};
  const options = {
    ...rest,
    requester,
    ...(authorizer ? { auth: authorizer, onSigningIn: (busy: boolean) => signingIn(busy) } : {}),
  };
  const facts = {
    key: String(url),
    extensions: authorizer?.extensions ?? [],
    onSigningIn(listener: typeof signingIn) {
      signingIn = listener;
    },
  };
  const two: Endpoint = { ...facts, kind: 'http-sse', open: () => openHttpSse(url, options) };
  if (transport === 'http-sse') return two;
  const one: Endpoint = { ...facts, kind: 'http', open: () => openHttp(url, options) };
  return transport === 'http' ? one : { ...one, fallback: () => two };
}

/** A runtime without child processes. */
export function noProcesses(): never {
  throw new TenonError('connect/no-processes', 'this runtime starts no processes', { next: 'connect to a URL' });
}
