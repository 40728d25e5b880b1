import type { Finding, FindingFactory } from './finding.js';
import type { HttpProbe, ProbeRequest } from './http-probe.js';
import { describeResponse } from './raw-requests.js';

/** Sends a valid request as `text/plain`, which web pages can send to any server without a preflight. */
export async function checkMediaType(
  http: HttpProbe,
  request: ProbeRequest,
  { ok, warning }: FindingFactory,
): Promise<Finding> {
  const response = await http({ ...request, headers: { ...request.headers, 'content-type': 'text/plain' } });
  if (response.status >= 400) return ok('media-type', 'requests of another content type are refused');
  return warning('media-type', 'the server accepts requests with Content-Type: text/plain', {
    seen: describeResponse(response),
    cause: 'a web page can send such requests to the server without a CORS preflight',
    fix: 'answer other content types than application/json with 415',
  });
}

/**
 * Sends a request whose body is not JSON.
 *
 * @param spec Page of the specification for the transport.
 */
export async function checkInvalidJson(
  http: HttpProbe,
  request: ProbeRequest,
  spec: string,
  { ok, warning }: FindingFactory,
): Promise<Finding> {
  const response = await http({ ...request, body: '{"jsonrpc":' });
  if (response.status >= 400 && response.status < 500) return ok('invalid-json', 'invalid JSON is refused');
  return warning('invalid-json', 'invalid JSON is not refused with 400', {
    seen: describeResponse(response),
    fix: 'answer with 400 and the JSON-RPC error -32700',
    spec,
  });
}
