// @ts-check
/**
 * A server with the tools of this part, on a port of its own. `node server.mjs MODE`: `tenon`, `v2` is the official
 * library, and `floor` is bare `node:http` that validates with ajv and zod.
 */
import { createServer as createHttpServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { listen } from '../peers/http/listen.mjs';
import { reply, resultFields, serve } from '../peers/http/plain-server.mjs';
import { items, itemsJsonSchema, itemsZodSchema, objectsJsonSchema, objectsZodSchema, serverInfo } from './data.mjs';

/** @typedef {import('../peers/http/plain-server.mjs').Json} Json */

/** @type {Record<string, () => unknown>} */
const modes = { tenon: startTenon, v2: startOfficial, floor: startFloor };
await modes[process.argv[2] ?? '']?.();

async function startTenon() {
  const server = createServer({
    ...serverInfo,
    tools: {
      items: tool({ output: itemsJsonSchema, run: () => ({ items }) }),
      count: tool({ input: objectsZodSchema, run: ({ objects }) => String(objects.length) }),
      countPlain: tool({ input: objectsJsonSchema, run: ({ objects }) => String(objects.length) }),
    },
  });
  const { url } = await serveHttp(server, { port: 0 });
  console.log(url);
}

function startOfficial() {
  const handler = createMcpHandler(() => {
    const server = new McpServer(serverInfo);
    server.registerTool('items', { outputSchema: itemsZodSchema }, async () => ({
      content: [{ type: 'text', text: JSON.stringify({ items }) }],
      structuredContent: { items },
    }));
    server.registerTool('count', { inputSchema: objectsZodSchema }, async ({ objects }) => ({
      content: [{ type: 'text', text: String(objects.length) }],
    }));
    return server;
  });
  listen(createHttpServer(/** @type {any} */ (toNodeHandler(handler))));
}

function startFloor() {
  const ajv = new Ajv2020();
  const isItems = ajv.compile(itemsJsonSchema);
  const isObjects = ajv.compile(objectsJsonSchema);
  const { before, after } = /** @type {import('../peers/http/plain-server.mjs').ResultFields} */ (
    resultFields['2026-07-28']
  );
  /** @type {Record<string, (given: Json) => Json>} */
  const tools = {
    items() {
      const structuredContent = { items };
      if (!isItems(structuredContent)) throw new Error('the items do not match their schema');
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    },
    count: given => ({ content: [{ type: 'text', text: String(objectsZodSchema.parse(given).objects.length) }] }),
    countPlain(given) {
      if (!isObjects(given)) throw new Error('the objects do not match their schema');
      return { content: [{ type: 'text', text: String(given.objects.length) }] };
    },
  };
  serve((_incoming, response, text) => {
    const { id, params } = JSON.parse(text);
    const result = tools[params.name]?.(params.arguments);
    reply(response, 200, { jsonrpc: '2.0', id, result: { ...before, ...result, ...after } });
  });
}
