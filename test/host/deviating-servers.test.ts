import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compareWithLock, createHost, createLock, type HostServer } from '@tenon/host';
import { connect, createTransportPair, type TenonError } from 'tenon';
import { describe, expect, it } from 'vitest';

type Results = Readonly<Record<string, object | undefined>>;

const tools = [{ name: 'hi', inputSchema: { type: 'object' }, outputSchema: null, annotations: null }];
const resources = [{ uri: 'console://logs', name: 'logs', mimeType: null }];

/** Creates a server of an earlier version that has only the methods with a result. */
function createDeviatingServer(results: Results, capabilities: object = { tools: {}, resources: {} }): HostServer {
  const all: Results = {
    initialize: { protocolVersion: '2024-11-05', capabilities, serverInfo: { name: 'old', version: '1' } },
    ping: {},
    ...results,
  };
  const service = () => {
    const { client, server } = createTransportPair();
    const onMessage = (value: unknown) => {
      const { id, method } = value as { id?: number; method?: string };
      if (id === undefined || method === undefined) return;
      const result = all[method];
      const error = { code: -32601, message: 'Method not found' };
      void server.send({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) } as never);
    };
    void server.open({ onMessage, onParseError() {}, onResponseLost() {}, onClose() {} });
    return client;
  };
  return { service };
}

async function readInventory(server: HostServer, options: { readonly strict?: boolean } = {}) {
  const errors: TenonError[] = [];
  const host = await createHost({ servers: { old: server }, onError: error => void errors.push(error), ...options });
  try {
    const { inventories, unavailable } = await host.inventory();
    return { inventory: inventories[0], unavailable, errors };
  } finally {
    await host.close();
  }
}

describe('a host', () => {
  it('lists the entries of a server that lacks a method of its capability, and reports its deviations', async () => {
    const { inventory, errors } = await readInventory(
      createDeviatingServer({ 'tools/list': { tools }, 'resources/list': { resources } }),
    );
    expect(inventory).toMatchObject({
      tools: [{ name: 'hi' }],
      resources: [{ uri: 'console://logs' }],
      templates: [],
      missing: ['templates'],
    });
    expect(inventory?.tools[0]).not.toHaveProperty('outputSchema');
    expect(errors.map(({ data }) => data)).toEqual(
      expect.arrayContaining([{ deviation: 'null-member' }, { deviation: 'missing-method' }]),
    );
    expect(errors).toHaveLength(2);
  });

  it('refuses deviations with strict, of the host or of one server', async () => {
    const server = createDeviatingServer({ 'tools/list': { tools } }, { tools: {} });
    expect(await readInventory(server, { strict: true })).toMatchObject({ unavailable: [{ server: 'old' }] });
    expect(await readInventory({ ...server, strict: true })).toMatchObject({ unavailable: [{ server: 'old' }] });
    expect(await readInventory({ ...server, strict: false }, { strict: true })).toMatchObject({ unavailable: [] });
  });

  it('uses capabilities that the configuration assumes', async () => {
    const server = createDeviatingServer({ 'tools/list': { tools } }, {});
    expect((await readInventory(server)).inventory?.tools).toEqual([]);
    expect((await readInventory({ ...server, assumeCapabilities: ['tools'] })).inventory?.tools).toMatchObject([
      { name: 'hi' },
    ]);
  });

  it.each([
    [
      'one__hi',
      /^Unknown tool: one__hi. .*The server "one" does not declare the capability tools. .*"assumeCapabilities": \["tools"\]/,
    ],
    ['two__hi', /^Unknown tool: two__hi. Choose a name from tools\/list$/],
    ['hi', /^Unknown tool: hi. Choose a name from tools\/list$/],
  ])(
    'names the setting in the error of a tool that a server may have without declaring it: %s',
    async (name, message) => {
      const one = createDeviatingServer({ 'tools/list': { tools }, 'prompts/list': { prompts: [] } }, { prompts: {} });
      const two = createDeviatingServer({ 'tools/list': { tools: [] } }, { tools: {} });
      const host = await createHost({ servers: { one, two }, prefix: 'always' });
      const client = await connect(host.toServer());
      await expect(client.callTool(name, {})).rejects.toMatchObject({
        rpcCode: -32602,
        summary: expect.stringMatching(message),
      });
      await Promise.all([client.close(), host.close()]);
    },
  );

  it('names the setting also without prefixes, and describes a server that declares nothing', async () => {
    const one = createDeviatingServer({ 'tools/list': { tools } }, {});
    const two = createDeviatingServer({ 'tools/list': { tools: [] } }, { tools: {} });
    const host = await createHost({ servers: { one, two }, prefix: 'never' });
    const client = await connect(host.toServer());
    await expect(client.callTool('hi', {})).rejects.toMatchObject({
      summary: expect.stringContaining('The server "one" does not declare the capability tools'),
    });
    expect(host.describeServers()).toMatchObject([{ declaresNothing: true }, { declaresNothing: false }]);
    await Promise.all([client.close(), host.close()]);
  });

  it.each([
    ['resources/read', { uri: 'console://logs' }, 'resources'],
    ['prompts/get', { name: 'greet' }, 'prompts'],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'a', value: '' } },
      'prompts',
    ],
    ['resources/subscribe', { uri: 'console://logs' }, 'resources(?:\\.subscribe)?'],
  ] as const)('names the setting in the error of %s %j', async (method, params, capability) => {
    const create = () => createDeviatingServer({}, {});
    for (const servers of [{ one: create() }, { one: create(), two: create() }]) {
      const host = await createHost({ servers, onError: () => {} });
      const client = await connect(host.toServer(), {
        protocolVersion: '2025-11-25',
        assumeCapabilities: ['resources.subscribe'],
      });
      await expect(client.call(method, params as never)).rejects.toMatchObject({
        summary: expect.stringMatching(`set "assumeCapabilities": \\["${capability}"\\] in its configuration`),
      });
      await Promise.all([client.close(), host.close()]);
    }
  });

  it('connects by the configured version to a server that fails each time on a request of another', async () => {
    const http = createHttpServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { id, method } = JSON.parse(body || '{}') as { id?: number; method?: string };
      const results: Results = {
        initialize: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'old', version: '1' },
        },
        'tools/list': { tools },
      };
      const result = results[method ?? ''];
      if (method === 'server/discover') response.writeHead(502).end();
      else if (result === undefined) response.writeHead(id === undefined ? 202 : 405).end();
      else
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    const failed = await readInventory({ url });
    expect(failed).toMatchObject({ unavailable: [{ server: 'old' }] });
    expect(failed.errors[0]?.hint).toContain('set `protocolVersion`');
    const read = await readInventory({ url, protocolVersion: '2025-06-18' });
    expect(read.inventory?.tools).toMatchObject([{ name: 'hi' }]);
    await new Promise(resolve => http.close(resolve));
  });

  it('distinguishes a missing list from one whose entries were removed', async () => {
    const entry = { name: 'old', target: { url: 'memory:' } };
    const read = async (results: Results) => (await readInventory(createDeviatingServer(results))).inventory;
    const before = await read({ 'tools/list': { tools }, 'resources/list': { resources } });
    if (!before) throw new Error('the server is unavailable');
    const lock = await createLock([before], [entry]);
    for (const results of [{ 'tools/list': {} }, { 'tools/list': { tools: null } }, {}])
      expect(await compareWithLock(lock, entry, await read(results))).toEqual([]);
    const emptied = await read({ 'tools/list': { tools: [] }, 'resources/list': { resources } });
    expect(await compareWithLock(lock, entry, emptied)).toMatchObject([{ kind: 'removed', name: 'hi' }]);
  });
});
