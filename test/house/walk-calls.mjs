// @ts-check
/**
 * Walks a plain `tools/call` over HTTP on Node, and prints the functions of the packages that it enters in their order:
 * stateless (2026-07-28), in a session (2025-11-25), and stateless through a gateway whose server is in memory. Each server
 * is warm.
 *
 * `npm run structure` builds and runs it with `runTraced`. It prints the figures as JSON. With the name of a walk it
 * prints the functions of that walk: `npm run structure -- gateway`.
 */
import { Agent, request } from 'node:http';
import { z } from 'zod';
import { createHost } from '../../packages/host/src/index.node.js';
import { createServer, tool } from '../../packages/tenon/src/index.node.ts';
import { serveHttp } from '../../packages/tenon/src/node.ts';

const WARM_CALLS = 5;
const STATELESS = '2026-07-28';
const WITH_SESSIONS = '2025-11-25';
const client = { name: 'reader', version: '1.0.0' };

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const walks = {
  stateless: await walk(createGreeter(), STATELESS),
  session: await walk(createGreeter(), WITH_SESSIONS),
  gateway: await walkGateway(),
};
agent.destroy();
const shown = process.argv[2];
if (shown === undefined) {
  const figures = Object.entries(walks).map(([name, entered]) => [name, measure(entered)]);
  console.log(JSON.stringify(Object.fromEntries(figures), null, 1));
} else console.log(walks[/** @type {keyof typeof walks} */ (shown)].join('\n'));

function createGreeter() {
  return createServer({
    name: 'greeter',
    version: '1.0.0',
    tools: {
      greet: tool({ input: z.object({ name: z.string() }), run: async ({ name }) => `Hello, ${name}` }),
    },
  });
}

async function walkGateway() {
  const host = await createHost({ prefix: 'never', servers: { greeter: { service: createGreeter() } } });
  try {
    return await walk(host.toServer(), STATELESS);
  } finally {
    await host.close();
  }
}

/** @param {import('../../packages/tenon/src/index.js').Server} server @param {string} version @returns {Promise<string[]>} */
async function walk(server, version) {
  const http = await serveHttp(server, { port: 0 });
  try {
    const session = version === WITH_SESSIONS ? await openSession(http.url) : undefined;
    for (let call = 0; call < WARM_CALLS; call++) await callTool(http.url, version, session);
    /** @type {string[]} */
    const entered = [];
    Object.assign(globalThis, { enteredFunctions: entered });
    await callTool(http.url, version, session);
    Object.assign(globalThis, { enteredFunctions: undefined });
    return entered;
  } finally {
    await http.close();
  }
}

/** A move is an entry into a function of another file than the one before. @param {string[]} entered */
function measure(entered) {
  const files = entered.map(each => each.replace(/#.*/, ''));
  return {
    calls: entered.length,
    functions: new Set(entered).size,
    files: new Set(files).size,
    moves: files.filter((file, index) => index > 0 && file !== files[index - 1]).length,
  };
}

/** @param {string | URL} url @returns {Promise<string>} */
async function openSession(url) {
  const params = { protocolVersion: WITH_SESSIONS, capabilities: {}, clientInfo: client };
  const { headers } = await post(url, {}, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const session = { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': WITH_SESSIONS };
  await post(url, session, { jsonrpc: '2.0', method: 'notifications/initialized' });
  return session['mcp-session-id'];
}

/** @param {string | URL} url @param {string} version @param {string | undefined} session */
async function callTool(url, version, session) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': client,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'greet', arguments: { name: 'Ada' }, ...(session ? {} : { _meta: meta }) };
  const headers = session ? { 'mcp-session-id': session } : { 'mcp-method': 'tools/call', 'mcp-name': 'greet' };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const { status, text } = await post(url, { ...headers, 'mcp-protocol-version': version }, message);
  if (!text.includes('"Hello, Ada"')) throw new Error(`HTTP ${status}: ${text}`);
}

/**
 * @param {string | URL} url
 * @param {Record<string, string>} headers
 * @param {object} message
 * @returns {Promise<{ status: number | undefined; text: string; headers: import('node:http').IncomingHttpHeaders }>}
 */
function post(url, headers, message) {
  const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers: { ...common, ...headers } }, async response => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode, text, headers: response.headers });
    });
    outgoing.on('error', reject).end(JSON.stringify(message));
  });
}
