import type { RequestHeaders } from '../jsonrpc/channel.js';

/**
 * Headers that carry credentials. `authorize` and `protect` read them; a handler has `ctx.auth`, and cannot pass on a token
 * that was issued for this server.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/security_best_practices
 */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie', 'dpop']);

const guarded = new WeakMap<RequestHeaders, RequestHeaders>();

/** Returns a view of the headers of one request without those that carry credentials, the same one each time. */
export function guardHeaders(request: RequestHeaders): RequestHeaders {
  const known = guarded.get(request);
  if (known !== undefined) return known;
  const view: RequestHeaders = {
    header(name) {
      const key = name.toLowerCase();
      return CREDENTIALS.has(key) ? undefined : request.header(key);
    },
  };
  guarded.set(request, view);
  return view;
}
