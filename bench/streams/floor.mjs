// @ts-check
/** The floor: bare `node:http` that holds the responses of those who listen, and writes to all of them at once. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { listen } from '../peers/http/listen.mjs';
import { notifyOnLine } from './turns.mjs';

/** @type {Set<import('node:http').ServerResponse>} */
const open = new Set();
const uri = 'note://1';

const server = createServer((request, response) => {
  let text = '';
  request.on('data', chunk => {
    text += chunk;
  });
  request.on('end', () => {
    const { id, method } = request.method === 'GET' ? { id: 0, method: 'subscriptions/listen' } : JSON.parse(text);
    if (method !== 'subscriptions/listen') return reply(response, id, method);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.write(': open\n\n');
    open.add(response);
    response.on('close', () => open.delete(response));
  });
});
server.maxConnections = 20_000;
listen(server);
notifyOnLine(() => {
  const message = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } };
  for (const response of open) response.write(`data: ${JSON.stringify(message)}\n\n`);
});

/** @param {import('node:http').ServerResponse} response @param {unknown} id @param {string} method */
function reply(response, id, method) {
  if (id === undefined) return void response.writeHead(202).end();
  const opening = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'bench', version: '1.0.0' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? opening : {} });
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': randomUUID() }).end(body);
}
