// @ts-check
/** The floor of a client: `node client-floor.mjs VERSION URL` sends each call by `node:http` and parses the response. */
import { Agent, request } from 'node:http';
import { serveParent } from './worker.mjs';

const [, , version = '', url = ''] = process.argv;
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
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: 'POST', headers }, response => {
      let body = '';
      response.setEncoding('utf8').on('data', chunk => {
        body += chunk;
      });
      response.on('end', () => resolve(JSON.parse(body).result.content[0].text));
    });
    sent.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }));
  });
});
