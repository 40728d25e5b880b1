import { protocolVersions } from 'tenon';
import { isMissingStatus } from '../../target/explain-failure.js';
import type { Check } from '../check.js';
import type { HttpProbe, ProbeResponse } from '../http-probe.js';
import {
  createInitialize,
  createOpeningRequest,
  createStatelessRequest,
  describeResponse,
  hasResult,
  resolveLocation,
} from '../raw-requests.js';

/** Paths at which servers often have their endpoint. */
const USUAL_PATHS = ['/mcp', '/sse', '/', '/api/mcp', '/v1/mcp', '/message', '/messages'];
const REDIRECTS = [301, 302, 303, 307, 308];

/** Examines the path of the URL: redirects, a missing slash, or an endpoint at another path. */
export const pathCheck: Check = {
  id: 'path',
  title: 'Path',
  requires: 'http',
  async run(context, { ok, warning, problem }) {
    const { http, url, connection } = context;
    if (!http || !url) return [];
    const response = await http({ ...createOpeningRequest(context), url }).catch(() => undefined);
    if (!response) return [];
    if (REDIRECTS.includes(response.status)) {
      const target = response.header('location') ?? '';
      const details = {
        seen: describeResponse(response),
        cause: 'many clients do not follow redirects of POST, and drop the token when the host changes',
        fix: `use the final URL: ${resolveLocation(response, url)?.href ?? target}`,
      };
      return [
        connection
          ? warning('redirect', 'the URL redirects', details)
          : problem('redirect', 'the URL redirects', details),
      ];
    }
    if (connection) return [ok('endpoint', 'the endpoint is at this path')];
    if (!isMissingStatus(response.status) && !isPage(response)) return [];
    const seen = describeResponse(response);
    if (hasResult(response)) {
      return [
        problem('media-type', 'the response is not marked as JSON', {
          seen,
          cause: 'clients read the body by its media type',
          fix: 'send Content-Type: application/json, or text/event-stream for a stream',
        }),
      ];
    }
    const found = await findEndpoint(http, url);
    return [
      found
        ? problem('other-path', `the endpoint is at ${found.pathname}, not at ${url.pathname}`, {
            seen,
            fix: `use ${found.href}`,
          })
        : problem('not-found', 'no MCP endpoint at this path', {
            seen: `${seen}; also tried ${listCandidates(url)
              .map(({ pathname }) => pathname)
              .join(', ')}`,
            fix: 'look up the URL in the documentation of the server',
          }),
    ];
  },
};

/** A proxy shows a page too, with a status of its own, if it cannot reach the server. */
const isPage = ({ mediaType, status }: ProbeResponse): boolean => mediaType === 'text/html' && status < 500;

function listCandidates({ origin, pathname }: URL): URL[] {
  const toggled = pathname.endsWith('/') ? pathname.slice(0, -1) : `${pathname}/`;
  const below = `${pathname.replace(/\/$/, '')}/mcp`;
  const paths = [toggled || '/', below, ...USUAL_PATHS].filter(path => path !== pathname);
  return [...new Set(paths)].map(path => new URL(path, origin));
}

async function findEndpoint(http: HttpProbe, url: URL): Promise<URL | undefined> {
  for (const candidate of listCandidates(url)) if (await isEndpoint(http, candidate)) return candidate;
  return undefined;
}

/** Tells if a path answers as an MCP endpoint, of any transport and with or without authorization. */
async function isEndpoint(http: HttpProbe, url: URL): Promise<boolean> {
  const [newest = '', handshake = ''] = protocolVersions;
  try {
    for (const request of [{ body: createInitialize(handshake) }, createStatelessRequest(newest)]) {
      const response = await http({ ...request, url });
      if (hasResult(response)) return true;
      if (response.status === 401 && response.header('www-authenticate') !== undefined) return true;
    }
    const stream = await http({ url, headersOnly: true });
    return stream.status === 200 && stream.mediaType === 'text/event-stream';
  } catch {
    return false;
  }
}
