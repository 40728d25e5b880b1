// @ts-check
/** A server on bare `node:http` for the clients: `node http-server.mjs VERSION`. Its URL is its output. It ends with its input. */
import { createServer } from 'node:http';

const version = process.argv[2];
const serverInfo = { name: 'bench', version: '1.0.0' };
const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };
const cache = version === '2026-07-28' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};

/** @param {string} method @param {any} params @returns {object} */
function createResult(method, params) {
  if (method === 'tools/call') {
    const content = [{ type: 'text', text: params.arguments.text }];
    return version === '2026-07-28' ? { resultType: 'complete', content } : { content };
  }
  if (method === 'tools/list') return { ...cache, tools: [{ name: 'echo', inputSchema }] };
  if (method === 'server/discover')
    return {
      ...cache,
      supportedVersions: [version],
      capabilities: { tools: {} },
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    };
  return { protocolVersion: version, capabilities: { tools: {} }, serverInfo };
}

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', chunk => {
    body += chunk;
  });
  request.on('end', () => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    const session = method === 'initialize' ? { 'mcp-session-id': 'bench' } : {};
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: createResult(method, params) });
    return response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...session })
      .end(text);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${port}/mcp`);
});
process.stdin.on('end', () => process.exit(0)).resume();
