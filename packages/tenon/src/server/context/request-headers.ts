import type { RequestHeaders } from '../../jsonrpc/transport.js';

/**
 * Headers that contain credentials. Handlers must use `ctx.auth` instead, so that they cannot pass on a token that was
 * issued for this server. Only `authorize` and `protect` read these headers.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/security_best_practices
 */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie', 'dpop']);

const guardedViews = new WeakMap<RequestHeaders, RequestHeaders>();

/**
 * Returns a view of a request's headers without those that contain credentials. The same request always gets the same
 * view.
 */
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
