// @ts-check
/**
 * A server whose sessions each watch a note of their own: `node session-server.mjs tenon|floor`. When a line with two numbers
 * comes on standard input, it changes that many notes per second for that many seconds, and prints the processor time of it.
 */
import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { createInterface } from 'node:readline';
import { createServer, resource } from 'tenon';
import { serveHttp } from 'tenon/node';

const MAX_SESSIONS = 20_000;
const TICK = 20;
/** Milliseconds between the comments on a stream, as Tenon has it. */
const KEEP_ALIVE = 15_000;

const change = process.argv[2] === 'tenon' ? await startTenon() : await startFloor();
createInterface({ input: process.stdin }).on('line', async line => {
  const [rate = 0, seconds = 0] = line.split(' ').map(Number);
  const before = process.cpuUsage();
  const start = performance.now();
  let changed = 0;
  while (changed < rate * seconds) {
    const due = Math.min(rate * seconds, ((performance.now() - start) / 1000) * rate);
    for (; changed < due; changed += 1) change(`note://${changed}`);
    await new Promise(resolve => setTimeout(resolve, TICK));
  }
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ cpu: (user + system) / 1000 / seconds, rss: process.memoryUsage().rss / 1e6 }));
});

async function startTenon() {
  const server = createServer({
    name: 'bench',
    version: '1.0.0',
    resources: { 'note://{id}': resource({ name: 'note', subscribe: () => () => {}, read: () => 'text' }) },
  });
  const limits = { maxShare: 1, maxStreams: MAX_SESSIONS, maxSessions: MAX_SESSIONS };
  console.log((await serveHttp(server, { port: 0, limits })).url);
  return (/** @type {string} */ uri) => server.notifyResourceUpdated(uri);
}

/** Bare `node:http` that knows which response belongs to which note. */
async function startFloor() {
  /** @type {Map<string, import('node:http').ServerResponse>} */
  const watchers = new Map();
  /** @type {Map<string, string>} */
  const notes = new Map();
  const server = createHttpServer((request, response) => {
    const session = String(request.headers['mcp-session-id'] ?? randomUUID());
    let text = '';
    request.on('data', chunk => {
      text += chunk;
    });
    request.on('end', () => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
        response.write(': open\n\n');
        watchers.set(notes.get(session) ?? '', response);
        setInterval(() => response.write(': keep-alive\n\n'), KEEP_ALIVE);
        return;
      }
      const { id, method, params } = JSON.parse(text);
      if (id === undefined) return void response.writeHead(202).end();
      if (method === 'resources/subscribe') notes.set(session, params.uri);
      const serverInfo = { name: 'bench', version: '1.0.0' };
      const result = method === 'initialize' ? { protocolVersion: '2025-11-25', capabilities: {}, serverInfo } : {};
      const headers = { 'content-type': 'application/json', 'mcp-session-id': session };
      response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    console.log(`http://127.0.0.1:${port}/mcp`);
  });
  return (/** @type {string} */ uri) => {
    const message = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } };
    watchers.get(uri)?.write(`data: ${JSON.stringify(message)}\n\n`);
  };
}
