// @ts-check
/** The frameworks of Node: `node node.mjs bare|express|hono|fastify echo|tenon`, with Tenon as its pages have it. */
import { createServer } from 'node:http';
import { serve } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { createHandler } from 'tenon/http';
import { serveHttp, toNode } from 'tenon/node';
import { listen } from '../peers/http/listen.mjs';
import { reply, serve as servePlainly } from '../peers/http/plain-server.mjs';
import { server } from './server.mjs';

const [framework = '', what] = process.argv.slice(2);
const echoes = what === 'echo';

/** @type {Record<string, () => unknown>} */
const frameworks = {
  async bare() {
    if (echoes) return servePlainly((_, response, text) => reply(response, 200, JSON.parse(text)));
    console.log((await serveHttp(server, { port: 0 })).url);
  },
  express() {
    const app = /** @type {any} */ (express());
    app.use(express.json());
    if (echoes) app.post('/mcp', (/** @type {any} */ { body }, /** @type {any} */ response) => response.json(body));
    else app.use(toNode(createHandler(server)));
    listen(createServer(app));
  },
  async hono() {
    const app = new Hono();
    const handler = createHandler(server);
    if (echoes) app.post('/mcp', async c => c.json(await c.req.json()));
    else app.all('/mcp', c => handler(c.req.raw));
    serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      console.log(`http://127.0.0.1:${port}/mcp`),
    );
  },
  async fastify() {
    const app = Fastify({ keepAliveTimeout: 65_000 });
    if (echoes) app.post('/mcp', async request => request.body);
    else app.all('/mcp', toNode(createHandler(server)));
    console.log(`${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`);
  },
};
await frameworks[framework]?.();
