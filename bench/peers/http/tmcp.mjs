// @ts-check
/** tmcp, on @hono/node-server: the cheapest way to a `fetch` handler on Node. It serves sessions and requests that stand alone at once. */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { HttpTransport } from '@tmcp/transport-http';
import { McpServer } from 'tmcp';
import { listen } from './listen.mjs';
import { result, serverInfo, tools } from './tools.mjs';

const server = new McpServer(
  { ...serverInfo, description: 'The bench' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
for (const { name, description, input, run } of tools) {
  server.tool({ name, description, schema: input }, async given =>
    result(await run(given, (done, total) => server.progress(done, total))),
  );
}
const transport = new HttpTransport(server, { path: '/mcp' });
listen(
  createServer(
    getRequestListener(async request => (await transport.respond(request)) ?? new Response(null, { status: 404 })),
  ),
);
