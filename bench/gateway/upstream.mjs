// @ts-check
/**
 * The server behind all gateways: bare Node, one tool, one protocol version. `node upstream.mjs 2025-11-25|2026-07-28` serves on
 * the standard streams; with `--http` on a free port, whose URL is the first line of its output.
 */
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

/** @typedef {{ [key: string]: any }} Json */

const [version = '2025-11-25', option] = process.argv.slice(2);
const perRequest = version === '2026-07-28';
const HOUR = 3_600_000;
const serverInfo = { name: 'upstream', version: '1.0.0' };
const tools = [
  {
    name: 'echo',
    description: 'Gives back what it is given.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
];
const complete = perRequest ? { resultType: 'complete' } : {};
const cache = perRequest ? { ttlMs: HOUR, cacheScope: 'public' } : {};

/** @type {Record<string, (params: Json) => Json>} */
const methods = {
  'tools/call': params => ({ ...complete, content: [{ type: 'text', text: params.arguments.text }] }),
  'tools/list': () => ({ ...complete, ...cache, tools }),
  ...(perRequest
    ? {
        'server/discover': () => ({
          ...complete,
          ...cache,
          supportedVersions: [version],
          capabilities: { tools: {} },
          serverInfo,
          _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
        }),
      }
    : {
        initialize: () => ({ protocolVersion: version, capabilities: { tools: {} }, serverInfo }),
        ping: () => ({}),
      }),
};

/** @param {Json} request @returns {Json} */
function answer({ id, method, params }) {
  const run = methods[method];
  if (run) return { jsonrpc: '2.0', id, result: run(params) };
  // A server without handshakes refuses `initialize`.
  const other = perRequest && method === 'initialize';
  const error = other
    ? {
        code: -32022,
        message: 'Unsupported protocol version',
        data: { supported: [version], requested: params.protocolVersion },
      }
    : { code: -32601, message: 'Method not found' };
  return { jsonrpc: '2.0', id, error };
}

if (option === '--http') {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(request.method === 'GET' ? 405 : 200).end();
    let text = '';
    request.setEncoding('utf8');
    request.on('data', chunk => {
      text += chunk;
    });
    request.on('end', () => {
      const message = JSON.parse(text);
      if (message.id === undefined) return void response.writeHead(202).end();
      const reply = answer(message);
      const body = JSON.stringify(reply);
      const session = message.method === 'initialize' && !reply.error ? { 'mcp-session-id': 'the-only-one' } : {};
      const status = reply.error?.code === -32601 && perRequest ? 404 : reply.error?.code === -32022 ? 400 : 200;
      const length = Buffer.byteLength(body);
      response
        .writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...session })
        .end(body);
    });
  });
  server.keepAliveTimeout = 65_000;
  server.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/mcp`);
  });
} else {
  createInterface({ input: process.stdin }).on('line', line => {
    const message = JSON.parse(line);
    if (message.id !== undefined) process.stdout.write(`${JSON.stringify(answer(message))}\n`);
  });
}
