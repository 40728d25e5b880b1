import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createHandler } from 'tenon/http';
import { server } from '../notes/server.ts';

const port = Number(process.argv[2] ?? 3000);
const handler = createHandler(server);

const app = new Hono();
for (const path of ['/mcp', '/sse', '/messages']) app.all(path, c => handler(c.req.raw));

const listening = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () =>
  console.log(`http://127.0.0.1:${port}/mcp`),
);
process.once('SIGTERM', () => {
  listening.close();
  void handler.close();
});
