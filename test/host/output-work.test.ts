/** A hostile server whose results take long to check, before a client and before a gateway. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { allow, createHost } from '@tenon/host';
import { connect, type JsonObject } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const members = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, 1]));
const outputSchema = {
  type: 'object',
  properties: { r: { allOf: Array.from({ length: 300 }, () => ({ minProperties: 1 })) } },
};
const results: { readonly [method: string]: JsonObject } = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'hostile', version: '1' },
  },
  'tools/list': { tools: [{ name: 'large', inputSchema: { type: 'object' }, outputSchema }] },
  'tools/call': { content: [], structuredContent: { r: members } },
};

const server = createServer(async (request, response) => {
  const { id, method } = JSON.parse((await text(request)) || '{}') as { id?: number; method?: string };
  const result = results[method ?? ''];
  const error = { code: -32601, message: 'Method not found' };
  response.writeHead(id === undefined ? 202 : 200, { 'content-type': 'application/json' });
  response.end(id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
});
let url: string;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('a result that takes too many steps to validate', () => {
  it('rejects a client with the code of the limit', async () => {
    const client = await connect(url);
    await expect(client.callTool('large')).rejects.toMatchObject({
      code: 'schema/work-limit',
      method: 'tools/call',
      hint: expect.stringContaining('do not send the request again, because the server has executed it'),
      message: expect.stringContaining('is refused: at the root: could not be checked'),
    });
    await client.close();
  });

  it('is reported by a client that only warns', async () => {
    const client = await connect(url, { validate: 'warn' });
    const errors: string[] = [];
    client.on('error', ({ code }) => errors.push(code));
    await client.callTool('large');
    expect(errors).toContain('schema/work-limit');
    await client.close();
  });

  it('rejects a host, which checks it once, with the code of the limit', async () => {
    const host = await createHost({ servers: { hostile: { url } }, policy: [allow()] });
    await expect(host.callTool('hostile__large', {})).rejects.toMatchObject({
      code: 'schema/work-limit',
      hint: expect.stringContaining('do not send the request again, because the server has executed it'),
      data: { outcome: 'executed' },
    });
    await host.close();
  });

  it('reaches the caller of a gateway that does not check results', async () => {
    const host = await createHost({ servers: { hostile: { url } }, policy: [allow()] });
    const client = await connect(host.toServer(), { validate: 'off' });
    await client.listTools();
    expect((await client.callTool('hostile__large')).structuredContent).toEqual({ r: members });
    await client.close();
    await host.close();
  });
});
