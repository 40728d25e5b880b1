import type { RequestHeaders } from '../../jsonrpc/transport.js';

/**
 * Headers that carry credentials. `authorize` and `protect` read them; a handler has `ctx.auth`, and cannot pass on a token
 * that was issued for this server.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/security_best_practices
 */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie', 'dpop']);

const guardedViews = new WeakMap<RequestHeaders, RequestHeaders>();

/** Returns a view of the headers of one request without those that carry credentials, the same one each time. */
export function guardHeaders(request: RequestHeaders): RequestHeaders {
  const cached = guardedViews.get(request);
  if (cached !== undefined) return cached;
  const view: RequestHeaders = {
    header(name) {
      const key = name.toLowerCase();
      return CREDENTIAL_HEADERS.has(key) ? undefined : request.header(key);
    },
  };
  guardedViews.set(request, view);
  return view;
}
