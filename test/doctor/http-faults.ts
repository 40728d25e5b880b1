import type { JsonObject } from 'tenon';
import type { HttpFault } from './sound-server.js';

/** A fault of a server over HTTP, and the findings that name it. */
export interface SeededHttpFault extends HttpFault {
  readonly title: string;
  /** IDs of all findings above `info`, or of the one that names the fault. */
  readonly found: readonly string[];
  /** Token of the user. */
  readonly token?: string;
  /** @default `/mcp` */
  readonly path?: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const getResult = ({ result }: JsonObject): JsonObject => ({ ...(result as JsonObject | undefined) });
const isFirst = (body: string): boolean => /"(?:initialize|server\/discover)"/.test(body);
const getMethod = (body: string): string | undefined => /"method":"([^"]+)"/.exec(body)?.[1];

export const httpFaults: readonly SeededHttpFault[] = [
  {
    title: 'the endpoint is at another path',
    path: '/wrong',
    found: ['connection.failed', 'path.other-path'],
    intercept: (request, response) => request.url !== '/mcp' && Boolean(response.writeHead(404).end()),
  },
  {
    title: 'the endpoint needs a slash at its end',
    path: '/mcp',
    found: ['path.redirect'],
    intercept(request, response) {
      if (request.url === '/mcp') return Boolean(response.writeHead(307, { location: '/mcp/' }).end());
      request.url = '/mcp';
      return false;
    },
  },
  {
    title: 'a redirect loses the method of POST',
    path: '/old',
    found: ['connection.failed', 'path.redirect'],
    intercept: (request, response) =>
      request.url === '/old' && Boolean(response.writeHead(301, { location: '/mcp' }).end()),
  },
  {
    title: 'a web application answers every path with a page',
    found: ['connection.failed', 'path.not-found'],
    intercept: (_, response) =>
      Boolean(response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Welcome')),
  },
  {
    title: 'a web server without an endpoint',
    found: ['connection.failed', 'path.not-found'],
    intercept: (_, response) => Boolean(response.writeHead(404, { 'content-type': 'text/plain' }).end('not found')),
  },
  {
    title: 'JSON has the media type text/html',
    found: ['connection.failed', 'path.media-type'],
    rewrite: ({ headers }) => headers.set('content-type', 'text/html'),
  },
  {
    title: 'every request fails with 500',
    found: ['connection.failed'],
    intercept: (_, response) => Boolean(response.writeHead(500, JSON_TYPE).end('{}')),
  },
  {
    title: 'a proxy cannot reach the server',
    found: ['connection.failed'],
    intercept: (_, response) =>
      Boolean(response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway')),
  },
  {
    title: 'GET fails',
    found: ['transport.get'],
    intercept: (request, response) => request.method === 'GET' && Boolean(response.writeHead(500).end()),
  },
  {
    title: 'GET is not found',
    found: ['transport.get'],
    intercept: (request, response) => request.method === 'GET' && Boolean(response.writeHead(404).end()),
  },
  {
    title: 'GET shows a page',
    found: ['transport.get'],
    intercept: (request, response) =>
      request.method === 'GET' && Boolean(response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello')),
  },
  {
    title: 'requests of web pages without a preflight are taken',
    found: ['transport.media-type'],
    intercept(request) {
      if (request.method === 'POST') request.headers['content-type'] = 'application/json';
      return false;
    },
  },
  {
    title: 'invalid JSON is answered with 200',
    found: ['transport.invalid-json'],
    intercept: (_, response, body) =>
      body === '{"jsonrpc":' && Boolean(response.writeHead(200, JSON_TYPE).end('{"ok":false}')),
  },
  {
    title: 'invalid JSON is answered with 500',
    found: ['transport.invalid-json'],
    intercept: (_, response, body) => body === '{"jsonrpc":' && Boolean(response.writeHead(500).end()),
  },
  {
    title: 'notifications are answered with 200',
    found: ['transport.notification'],
    intercept: (_, response, body) =>
      body.includes('"notifications/initialized"') && Boolean(response.writeHead(200, JSON_TYPE).end('{}')),
  },
  {
    title: 'an unknown session is answered with 400',
    found: ['transport.unknown-session'],
    rewrite(head, request) {
      if (head.status === 404 && request.headers['mcp-session-id'] !== undefined) head.status = 400;
    },
  },
  {
    title: 'an unknown session is answered with a result',
    found: ['transport.unknown-session'],
    intercept: (request, response, body) =>
      /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(String(request.headers['mcp-session-id'])) &&
      getMethod(body) === 'tools/list' &&
      Boolean(response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id: 2, result: { tools: [] } }))),
  },
  {
    title: 'web pages may connect, but not with the headers of clients',
    found: ['cors.preflight'],
    intercept(request, response) {
      if (request.method !== 'OPTIONS') return false;
      const allow = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type' };
      response.writeHead(204, allow).end();
      return true;
    },
    rewrite: ({ headers }) => headers.set('access-control-expose-headers', 'mcp-session-id'),
  },
  {
    title: 'every web page may send cookies',
    found: ['cors.credentials'],
    intercept(request, response) {
      if (request.method !== 'OPTIONS') return false;
      const names = 'content-type,mcp-session-id,mcp-protocol-version,authorization';
      response.writeHead(204, {
        'access-control-allow-origin': String(request.headers.origin),
        'access-control-allow-credentials': 'true',
        'access-control-allow-headers': names,
      });
      response.end();
      return true;
    },
    rewrite: ({ headers }) => headers.set('access-control-expose-headers', 'mcp-session-id'),
  },
  {
    title: 'web pages cannot read the session ID',
    found: ['cors.exposed', 'origin.foreign-origin'],
    intercept(request, response) {
      delete request.headers.origin;
      if (request.method !== 'OPTIONS') return false;
      const names = 'content-type,mcp-session-id,mcp-protocol-version,authorization';
      response.writeHead(204, { 'access-control-allow-origin': '*', 'access-control-allow-headers': names }).end();
      return true;
    },
  },
  {
    title: 'a foreign Host and a foreign Origin are accepted',
    found: ['origin.rebinding'],
    ignoresHost: true,
  },
  {
    title: 'a foreign Origin is accepted',
    found: ['origin.foreign-origin'],
    intercept(request) {
      delete request.headers.origin;
      return false;
    },
  },
  {
    title: 'server/discover fails with 500',
    found: ['versions.2026-07-28'],
    intercept: (request, response) =>
      request.headers['mcp-method'] === 'server/discover' && Boolean(response.writeHead(500).end()),
  },
  {
    title: 'the answer to older clients has no version',
    found: ['versions.2024-11-05'],
    edit: (response, { method, params }) =>
      method === 'initialize' && (params as JsonObject).protocolVersion === '2024-11-05'
        ? { ...response, result: { ...getResult(response), protocolVersion: undefined } }
        : response,
  },
  {
    title: 'initialize fails for older clients',
    found: ['versions.2025-03-26'],
    edit: (response, { method, params }) =>
      method === 'initialize' && (params as JsonObject).protocolVersion === '2025-03-26'
        ? { jsonrpc: '2.0', id: response.id, error: { code: -32603, message: 'Internal error' } }
        : response,
  },
  {
    title: 'results lack caching hints',
    found: ['cache.hints'],
    edit(response, { method }) {
      const { ttlMs: _, cacheScope: __, ...result } = getResult(response);
      if (method !== 'tools/list' || !('ttlMs' in getResult(response))) return response;
      return { ...response, result };
    },
  },
  {
    title: 'a response for a token may be stored by shared caches',
    found: ['cache.public'],
    token: 'secret',
    intercept: (request, response, body) =>
      request.method === 'POST' &&
      getMethod(body) === 'tools/list' &&
      request.headers['mcp-protocol-version'] === '2026-07-28' &&
      request.headers.authorization === undefined &&
      Boolean(response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()),
    edit: (response, { method }) =>
      method === 'tools/list' && 'cacheScope' in getResult(response)
        ? { ...response, result: { ...getResult(response), cacheScope: 'public' } }
        : response,
  },
  {
    title: 'events have IDs, but streams cannot be resumed',
    found: ['resume.refused'],
    ...createUnresumable(),
  },
  ...([-32_603, -32_601] as const).map(code => ({
    title: `tools/list fails with ${code}`,
    found: [code === -32_601 ? 'connection.deviation' : 'connection.list'],
    edit: (response: JsonObject, { method }: JsonObject): JsonObject =>
      method === 'tools/list' ? { jsonrpc: '2.0', id: response.id, error: { code, message: 'Failed' } } : response,
  })),
  {
    title: 'prompts/list fails beside another list',
    found: ['connection.list-prompts'],
    edit: (response, { method }) => {
      if (method === 'prompts/list')
        return { jsonrpc: '2.0', id: response.id, error: { code: -32_603, message: 'no database' } };
      const { capabilities, ...result } = getResult(response);
      if (typeof capabilities !== 'object') return response;
      return { ...response, result: { ...result, capabilities: { ...capabilities, prompts: {} } } };
    },
  },
  {
    title: 'the pages of a list never end',
    found: ['connection.list'],
    edit: (response, { method }) =>
      method === 'tools/list' ? { ...response, result: { ...getResult(response), nextCursor: 'same' } } : response,
  },
  {
    title: 'an answer is no JSON-RPC',
    found: ['connection.failed'],
    intercept: (_, response, body) =>
      isFirst(body) && Boolean(response.writeHead(200, JSON_TYPE).end(JSON.stringify({ ok: true }))),
  },
  {
    title: 'requests are answered with 202 and nothing',
    found: ['connection.failed'],
    intercept: (_, response, body) => isFirst(body) && Boolean(response.writeHead(202).end()),
  },
  {
    title: 'requests without a token are answered with 403',
    found: ['connection.failed', 'authorization.forbidden'],
    intercept: (_, response) => Boolean(response.writeHead(403, JSON_TYPE).end('{}')),
  },
];

/** Sends lists on streams with event IDs, and refuses to continue a stream. */
function createUnresumable(): HttpFault {
  const sessions = new Set<string | null>();
  return {
    intercept(request, response, body) {
      if (request.headers['last-event-id'] !== undefined) return Boolean(response.writeHead(400).end());
      if (!sessions.has(String(request.headers['mcp-session-id'])) || getMethod(body) !== 'tools/list') return false;
      const message = { jsonrpc: '2.0', id: JSON.parse(body).id, result: { tools: [] } };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`id: 7\ndata: ${JSON.stringify(message)}\n\n`);
      return true;
    },
    rewrite: ({ headers }) => void sessions.add(headers.get('mcp-session-id')),
  };
}
