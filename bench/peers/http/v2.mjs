// @ts-check
/**
 * The official library, version 2. `mode`: `node` is its handler by `toNodeHandler`, a server for each request, which
 * serves both manners; `hono` the same handler on @hono/node-server; `stateful` a server and a transport for a session,
 * `stateful-sse` with streams as answers. Schemas and tools are made once.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { listen } from './listen.mjs';
import { result, serverInfo, setup, tools } from './tools.mjs';

function makeServer() {
  const server = new McpServer(serverInfo);
  for (const { name, description, input, run } of tools) {
    server.registerTool(name, { description, inputSchema: input }, async (given, { mcpReq }) => {
      const text = await run(given, (progress, total) => {
        const { progressToken } = mcpReq._meta ?? {};
        if (progressToken === undefined) return;
        return mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total } });
      });
      return result(text);
    });
  }
  return server;
}

/** @type {Map<unknown, NodeStreamableHTTPServerTransport>} */
const transports = new Map();

/** @type {import('node:http').RequestListener} */
async function stateful(incoming, response) {
  const known = transports.get(incoming.headers['mcp-session-id']);
  if (known) return known.handleRequest(incoming, response);
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: setup.mode === 'stateful',
    onsessioninitialized: id => void transports.set(id, transport),
  });
  await makeServer().connect(transport);
  await transport.handleRequest(incoming, response);
}

/** @returns {import('node:http').RequestListener} */
function listener() {
  if (setup.mode.startsWith('stateful')) return stateful;
  const handler = createMcpHandler(makeServer);
  return setup.mode === 'hono'
    ? getRequestListener(request => handler.fetch(request))
    : /** @type {any} */ (toNodeHandler(handler));
}
listen(createServer(listener()));
