import { TenonError } from '@tenon/base';
import { bearer } from '../../auth/client/bearer.js';
import { createHttpTransport } from '../../transports/http/client/http-transport.js';
import type { Requester } from '../../transports/http/client/requester.js';
import { createHttpSseTransport } from '../../transports/http-sse/client.js';
import type { HttpTarget } from '../target.js';
import type { ServerEndpoint } from './endpoint.js';

/** Creates the endpoint of a URL: Streamable HTTP, and HTTP+SSE for servers that support nothing else. */
export function createClientEndpoint(
  { url, transport, fetch: _, auth, ...rest }: HttpTarget,
  requester: Requester,
): ServerEndpoint {
  const authorizer = typeof auth === 'string' ? bearer(auth) : auth;
  let onSignIn = (_busy: boolean): void => {};
  const options = {
    ...rest,
    requester,
    ...(authorizer ? { auth: authorizer, onSigningIn: (busy: boolean) => onSignIn(busy) } : {}),
  };
  const shared = {
    key: String(url),
    extensions: authorizer?.extensions ?? [],
    onSigningIn(listener: typeof onSignIn) {
      onSignIn = listener;
    },
  };
  const httpSse: ServerEndpoint = { ...shared, kind: 'http-sse', open: () => createHttpSseTransport(url, options) };
  if (transport === 'http-sse') return httpSse;
  const streamable: ServerEndpoint = { ...shared, kind: 'http', open: () => createHttpTransport(url, options) };
  return transport === 'http' ? streamable : { ...streamable, fallback: () => httpSse };
}

/** Throws on runtimes that cannot start child processes. */
export function rejectProcesses(): never {
  throw new TenonError('connect/no-processes', 'this runtime cannot start processes', {
    hint: 'pass a URL to `connect`',
  });
}
