// @ts-check
/** mcp-lite, on @hono/node-server as its pages have it. `mode`: `stateless`, or `sessions` in memory. */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from 'mcp-lite';
import { z } from 'zod';
import { listen } from './listen.mjs';
import { result, serverInfo, setup, tools } from './tools.mjs';

const server = new McpServer({
  ...serverInfo,
  schemaAdapter: schema => z.toJSONSchema(/** @type {import('zod').ZodType} */ (schema)),
});
for (const { name, description, input, run } of tools) {
  server.tool(name, {
    description,
    inputSchema: input,
    handler: async (given, ctx) => result(await run(given, (progress, total) => ctx.progress?.({ progress, total }))),
  });
}
const sessions = { sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }) };
const transport = new StreamableHttpTransport(setup.mode === 'sessions' ? sessions : {});
const handle = transport.bind(server);
listen(createServer(getRequestListener(request => handle(request))));
