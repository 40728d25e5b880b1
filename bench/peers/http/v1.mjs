// @ts-check
/**
 * The official library, version 1, on bare `node:http`: its Express app costs more. `mode`: `stateless` is a server and a
 * transport for each request, `stateful` one of each for a session; `-sse` answers with streams, as progress needs.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { listen } from './listen.mjs';
import { result, serverInfo, setup, tools } from './tools.mjs';

/** @typedef {import('node:http').IncomingMessage} Incoming */
/** @typedef {import('node:http').ServerResponse} Outgoing */

const [mode, kind] = setup.mode.split('-');
const enableJsonResponse = kind !== 'sse';

function makeServer() {
  const server = new McpServer(serverInfo);
  for (const { name, description, shape, run } of tools) {
    server.registerTool(name, { description, inputSchema: shape }, async (given, { _meta, sendNotification }) => {
      const text = await run(given, (progress, total) => {
        const { progressToken } = _meta ?? {};
        if (progressToken === undefined) return;
        return sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total } });
      });
      return result(text);
    });
  }
  return server;
}

/** @type {Map<unknown, StreamableHTTPServerTransport>} */
const transports = new Map();

/** @param {Incoming} incoming @param {Outgoing} response */
async function stateful(incoming, response) {
  const known = transports.get(incoming.headers['mcp-session-id']);
  if (known) return known.handleRequest(incoming, response);
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse,
    onsessioninitialized: id => void transports.set(id, transport),
  });
  await makeServer().connect(/** @type {any} */ (transport));
  await transport.handleRequest(incoming, response);
}

/** @param {Incoming} incoming @param {Outgoing} response */
async function stateless(incoming, response) {
  const server = makeServer();
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse });
  response.on('close', () => {
    void transport.close();
    void server.close();
  });
  await server.connect(/** @type {any} */ (transport));
  await transport.handleRequest(incoming, response);
}

const handle = mode === 'stateful' ? stateful : stateless;
listen(createServer((incoming, response) => void handle(incoming, response)));
