import type { Check } from '../check.js';
import type { Finding, FindingFactory } from '../finding.js';
import { getSpecificationPage } from '../finding.js';
import type { HttpProbe, ProbeResponse } from '../http-probe.js';
import { closeSession, createOpeningRequest, describeResponse, openSession, type RawSession } from '../raw-requests.js';
import { checkInvalidJson, checkMediaType } from '../refused-requests.js';
import { checkHttpSse } from './http-sse.js';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

/** Examines the HTTP rules of a Streamable HTTP server: media types, statuses, sessions. */
export const transportCheck: Check = {
  id: 'transport',
  title: 'Transport',
  requires: 'http',
  async run(context, findings) {
    const { http, url, transport, handshakeVersion } = context;
    if (transport === 'http-sse' && http && url)
      return [reportSse(findings), ...(await checkHttpSse(http, url, findings))];
    if (!http || transport === undefined) return [];
    const session = handshakeVersion === undefined ? undefined : await openSession(http, handshakeVersion);
    const opening = session?.opening ?? (await http(createOpeningRequest(context)));
    const results = [
      checkResponseType(opening, findings),
      await checkGet(http, session, findings),
      await checkMediaType(http, createOpeningRequest(context), findings),
      await checkInvalidJson(http, { headers: session?.headers ?? {} }, TRANSPORT_PAGE, findings),
      ...(session ? await checkSession(http, session, findings) : []),
    ];
    if (session) await closeSession(http, session);
    return results;
  },
};

const TRANSPORT_PAGE = getSpecificationPage('basic/transports/streamable-http');

function reportSse({ warning }: FindingFactory): Finding {
  return warning('sse-only', 'the server supports only HTTP+SSE', {
    cause: 'HTTP+SSE is deprecated, and some hosts no longer connect with it',
    fix: 'serve Streamable HTTP too, or put `tenon bridge` in front of the server',
    spec: TRANSPORT_PAGE,
  });
}

function checkResponseType(response: ProbeResponse, { ok, problem }: FindingFactory): Finding {
  if (response.mediaType === JSON_TYPE || response.mediaType === STREAM_TYPE)
    return ok('content-type', `responses have a valid content type: ${response.mediaType}`);
  return problem('content-type', 'responses have an invalid content type', {
    seen: describeResponse(response),
    cause: `clients read only ${JSON_TYPE} and ${STREAM_TYPE}`,
    fix: 'set Content-Type, and check that no proxy replaces it',
    spec: TRANSPORT_PAGE,
  });
}

/** A GET opens the stream for messages of the server, or is answered with 405. */
async function checkGet(
  http: HttpProbe,
  session: RawSession | undefined,
  { ok, warning, problem }: FindingFactory,
): Promise<Finding> {
  const response = await http({ headers: session?.headers ?? {}, headersOnly: true });
  if (response.status === 405) return ok('get', 'GET is answered with 405: the server has no stream of its own');
  if (response.status === 200 && response.mediaType === STREAM_TYPE)
    return ok('get', 'GET opens a stream for messages of the server');
  const details = {
    seen: describeResponse(response),
    cause: 'clients expect a stream or 405, and may treat another answer as a failed connection',
    fix: 'answer GET with 405 if the server has no stream',
    spec: TRANSPORT_PAGE,
  };
  return response.status >= 500
    ? problem('get', 'GET fails on the server', details)
    : warning('get', 'GET is answered neither with a stream nor with 405', details);
}

async function checkSession(http: HttpProbe, session: RawSession, { ok, warning }: FindingFactory): Promise<Finding[]> {
  const spec = getSpecificationPage('basic/transports', session.headers['mcp-protocol-version']);
  const body = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const accepted = await http({ headers: session.headers, body });
  const notification =
    accepted.status === 202
      ? ok('notification', 'notifications are answered with 202')
      : warning('notification', 'notifications are not answered with 202', {
          seen: describeResponse(accepted),
          cause: 'some clients wait for a body, or report an error',
          fix: 'answer notifications and responses with 202 and no body',
          spec,
        });
  if (session.id === undefined) return [notification];
  const unknown = await http({
    headers: { ...session.headers, 'mcp-session-id': crypto.randomUUID() },
    body: { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  });
  const unknownSession =
    unknown.status === 404
      ? ok('unknown-session', 'unknown sessions are answered with 404')
      : warning('unknown-session', 'unknown sessions are not answered with 404', {
          seen: describeResponse(unknown),
          cause: 'clients open another session only after 404, so a restart of the server breaks their connections',
          fix: 'answer requests with an unknown Mcp-Session-Id with 404',
          spec,
        });
  return [notification, unknownSession];
}
