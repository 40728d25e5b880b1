import { protocolVersions } from 'tenon';
import { type Finding, type FindingFactory, getSpecificationPage } from '../finding.js';
import type { HttpProbe, ProbeRequest, ProbeResponse } from '../http-probe.js';
import { createInitialize, describeResponse } from '../raw-requests.js';
import { checkInvalidJson, checkMediaType } from '../refused-requests.js';

/** Version whose specification defines HTTP+SSE. */
const SSE_VERSION = protocolVersions.at(-1) ?? '';
const PAGE = getSpecificationPage('basic/transports', SSE_VERSION);
const STREAM_TYPE = 'text/event-stream';
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
/** Shorter session IDs can be guessed. */
const MIN_ID = 16;

/** Examines the rules of HTTP+SSE: the stream, its endpoint for messages, and its sessions. */
export async function checkHttpSse(http: HttpProbe, url: URL, findings: FindingFactory): Promise<Finding[]> {
  const results: Finding[] = [];
  const stream = await openStream(http, async endpoint => {
    results.push(...(await checkEndpoint(http, new URL(endpoint, url), url, findings)));
  });
  return [checkStream(stream, findings), ...results];
}

/** Requests a stream with these headers. Returns `undefined` if the server opens none. */
export async function probeStream(http: HttpProbe, request: ProbeRequest = {}): Promise<ProbeResponse | undefined> {
  const response = await http({ ...request, method: 'GET', headersOnly: true });
  return response.status === 200 && response.mediaType === STREAM_TYPE ? response : undefined;
}

/** Opens a stream, and calls `work` with the address of the event `endpoint` while the stream is open. */
function openStream(http: HttpProbe, work: (endpoint: string) => Promise<void>): Promise<ProbeResponse> {
  return http({
    async onEvent({ event, data }) {
      if (event !== 'endpoint') return false;
      await work(data);
      return true;
    },
  });
}

function checkStream(response: ProbeResponse, { ok, problem, warning }: FindingFactory): Finding {
  const seen = describeResponse(response);
  if (response.status !== 200 || response.mediaType !== STREAM_TYPE)
    return problem('stream', 'GET does not open a stream', {
      seen,
      fix: `answer GET with 200 and Content-Type: ${STREAM_TYPE}`,
      spec: PAGE,
    });
  if (/\bno-(?:cache|store|transform)\b/.test(response.header('cache-control') ?? ''))
    return ok('stream', 'GET opens a stream that proxies do not store');
  return warning('stream', 'the stream may be stored or buffered by proxies', {
    seen: `Cache-Control: ${response.header('cache-control') ?? 'none'}`,
    cause: 'a proxy that waits for the end of a response never delivers its events',
    fix: 'send Cache-Control: no-cache, no-transform',
  });
}

async function checkEndpoint(http: HttpProbe, endpoint: URL, url: URL, findings: FindingFactory): Promise<Finding[]> {
  const { ok, warning, problem } = findings;
  if (endpoint.origin !== url.origin)
    return [
      problem('endpoint', 'the endpoint for messages has another origin than the stream', {
        seen: endpoint.origin,
        cause: 'clients refuse it, because they would send their token to another server',
        fix: 'send a path in the event "endpoint", or serve both at one origin',
        spec: PAGE,
      }),
    ];
  const opening = await http({ url: endpoint, body: createInitialize(SSE_VERSION) });
  const accepted =
    opening.status === 202
      ? ok('accepted', 'messages are answered with 202')
      : warning('accepted', 'messages are not answered with 202', {
          seen: describeResponse(opening),
          cause: 'some clients treat another answer as an error',
          fix: 'answer messages with 202, and send responses on the stream',
          spec: PAGE,
        });
  return [
    ok('endpoint', 'the stream names an endpoint for messages'),
    accepted,
    await checkMediaType(http, { url: endpoint, body: INITIALIZED }, findings),
    await checkInvalidJson(http, { url: endpoint }, PAGE, findings),
    await checkSession(http, endpoint, findings),
  ];
}

/** The address of the endpoint is the only secret of a session. */
async function checkSession(http: HttpProbe, url: URL, { ok, warning }: FindingFactory): Promise<Finding> {
  const ids = [...url.searchParams.values(), url.pathname.split('/').at(-1) ?? ''];
  const id = ids.toSorted((a, b) => b.length - a.length)[0] ?? '';
  if (id.length < MIN_ID || /^\d+$/.test(id))
    return warning('session', 'sessions have addresses that can be guessed', {
      seen: `an ID of ${id.length} ${/^\d+$/.test(id) ? 'digits' : 'characters'}`,
      cause: 'another client can send messages in the session',
      fix: 'use random IDs of at least 128 bits',
    });
  const other = new URL(url.href.replace(id, crypto.randomUUID()));
  const response = await http({ url: other, body: { jsonrpc: '2.0', id: 2, method: 'ping' } });
  if (response.status >= 400 && response.status < 500) return ok('session', 'messages of unknown sessions are refused');
  return warning('session', 'messages of unknown sessions are not refused', {
    seen: describeResponse(response),
    cause: 'clients wait for a response that no stream delivers',
    fix: 'answer messages of unknown sessions with 404',
    spec: PAGE,
  });
}
