// @ts-check
/** The floor of a client: `node client-floor.mjs VERSION URL` sends each call by `node:http` and parses the response. */
import { Agent, request } from 'node:http';
import { serveParent } from './worker.mjs';

const [, , version = '', url = ''] = process.argv;
const { hostname, port, pathname: path } = new URL(url);
const agent = new Agent({ keepAlive: true });
const isStateless = version === '2026-07-28';
const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': version,
  ...(isStateless ? { 'mcp-method': 'tools/call', 'mcp-name': 'echo' } : { 'mcp-session-id': 'bench' }),
};
const meta = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};
let last = 0;

await serveParent(text => {
  last += 1;
  const id = last;
  const params = { name: 'echo', arguments: { text }, ...(isStateless ? meta : {}) };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
  const sized = { ...headers, 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, hostname, port, path, method: 'POST', headers: sized }, response => {
      let received = '';
      response.setEncoding('utf8').on('data', chunk => {
        received += chunk;
      });
      response.on('end', () => resolve(JSON.parse(received).result.content[0].text));
    });
    sent.on('error', reject).end(body);
  });
});
