import type { Check } from '../check.js';
import type { Finding, FindingFactory } from '../finding.js';
import type { ProbeResponse } from '../http-probe.js';
import { createOpeningRequest, describeResponse } from '../raw-requests.js';

/** Origin of a web page that no server knows. */
const FOREIGN_ORIGIN = 'https://page.example';
/** Headers that clients in a browser send. */
const REQUEST_HEADERS = ['content-type', 'mcp-session-id', 'mcp-protocol-version', 'authorization'];

/** Examines access by web pages of other origins. */
export const corsCheck: Check = {
  id: 'cors',
  title: 'CORS',
  requires: 'http',
  async run(context, findings) {
    const { anonymous, transport } = context;
    if (!anonymous || transport !== 'http') return [];
    const preflight = await anonymous({
      method: 'OPTIONS',
      headers: {
        origin: FOREIGN_ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': REQUEST_HEADERS.join(','),
      },
    });
    const allowed = preflight.header('access-control-allow-origin');
    if (allowed !== '*' && allowed !== FOREIGN_ORIGIN)
      return [
        findings.ok('closed', 'web pages of unknown origins have no access', {
          seen: describeResponse(preflight),
        }),
      ];
    const request = createOpeningRequest(context);
    const actual = await context.http?.({ ...request, headers: { ...request.headers, origin: FOREIGN_ORIGIN } });
    return [
      ...checkPreflight(preflight, findings),
      ...checkCredentials(preflight, findings),
      ...(actual ? checkExposed(actual, findings) : []),
    ];
  },
};

function checkPreflight(preflight: ProbeResponse, { ok, warning }: FindingFactory): Finding[] {
  const listed =
    preflight
      .header('access-control-allow-headers')
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? [];
  // `*` does not cover Authorization.
  const missing = REQUEST_HEADERS.filter(
    name => !listed.includes(name) && !(listed.includes('*') && name !== 'authorization'),
  );
  if (missing.length === 0) return [ok('preflight', 'the preflight allows the headers of MCP clients')];
  return [
    warning('preflight', 'the preflight does not allow all headers of MCP clients', {
      seen: `missing in Access-Control-Allow-Headers: ${missing.join(', ')}`,
      cause: 'web pages can connect, but their next requests fail',
      fix: 'list these headers in Access-Control-Allow-Headers',
    }),
  ];
}

function checkCredentials(preflight: ProbeResponse, { problem }: FindingFactory): Finding[] {
  if (preflight.header('access-control-allow-credentials') !== 'true') return [];
  return [
    problem('credentials', 'every web page may send requests with cookies', {
      seen: `Access-Control-Allow-Origin: ${preflight.header('access-control-allow-origin')}, Access-Control-Allow-Credentials: true`,
      cause: 'a page that the user visits can act in the name of the user',
      fix: 'list the origins of your own pages, or remove Access-Control-Allow-Credentials',
    }),
  ];
}

function checkExposed(response: ProbeResponse, { ok, warning }: FindingFactory): Finding[] {
  if (response.header('mcp-session-id') === undefined) return [];
  const exposed =
    response
      .header('access-control-expose-headers')
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? [];
  if (exposed.includes('mcp-session-id') || exposed.includes('*'))
    return [ok('exposed', 'web pages can read Mcp-Session-Id')];
  return [
    warning('exposed', 'web pages cannot read Mcp-Session-Id', {
      seen: `Access-Control-Expose-Headers: ${exposed.join(', ') || 'none'}`,
      cause: 'clients in a browser lose their session after the first request',
      fix: 'send Access-Control-Expose-Headers: Mcp-Session-Id',
    }),
  ];
}
