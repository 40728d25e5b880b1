import { expect, it } from 'vitest';
import { createHandler } from '../../http.js';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';
import { memoryStores } from '../../stores/memory-stores.js';
import { tasks } from './tasks.js';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'client', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};

it('refuses a task of 2026-07-28 over HTTP with 503 before its handler starts while the store is full', async () => {
  const stores = memoryStores({ maxEntries: 50, maxShare: 1 });
  for (let count = 0; count < 50; count += 1) await stores.values.put(`other/${count}`, {});
  const started: string[] = [];
  const codes: string[] = [];
  const server = createServer({
    name: 'shop',
    version: '1',
    stores,
    onError: ({ code }) => void codes.push(code),
    extensions: [tasks()],
    tools: { pay: tool({ task: 'required', run: () => String(started.push('pay')) }) },
  });
  const handle = createHandler(server);
  const call = async () => {
    const headers = {
      ...{ host: '127.0.0.1', 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'pay' },
    };
    const params = { name: 'pay', arguments: {}, _meta: meta };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    return handle(new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body }));
  };
  const refused = await call();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await refused.json()).toMatchObject({ error: { data: { retryAfterMs: 5000 } } });
  expect([started, codes]).toEqual([[], ['store/full']]);
  for (let count = 0; count < 50; count += 1) await stores.values.delete(`other/${count}`);
  expect((await call()).status).toBe(200);
  await expect.poll(() => started).toEqual(['pay']);
  await server.close();
});
