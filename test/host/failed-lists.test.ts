import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareWithLock, createHost, createLock, type Host, type HostServer } from '@tenon/host';
import { fakeClock } from '@tenon/testing';
import { connect, createTransportPair } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { advanceTime } from './host-fixture.js';

const LISTS: Readonly<Record<string, object>> = {
  'tools/list': { tools: [{ name: 'query', inputSchema: { type: 'object' } }] },
  'prompts/list': { prompts: [{ name: 'explain' }] },
  'resources/list': { resources: [{ uri: 'table://users', name: 'users' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'table://{name}', name: 'table' }] },
};

/** Creates a server whose lists can fail, each at a number of requests. `lists` may be changed while it runs. */
function createDatabaseServer(
  failing: Set<string>,
  lists: Record<string, object> = { ...LISTS },
  { hanging = new Set<string>(), requests = [] as string[] } = {},
): HostServer {
  const service = () => {
    const { client, server } = createTransportPair();
    const onMessage = (value: unknown) => {
      const { id, method } = value as { id?: number; method?: string };
      if (id === undefined || method === undefined) return;
      requests.push(method);
      if (hanging.has(method)) return;
      const hasSkills = failing.has('skills/list') || hanging.has('skills/list');
      const extensions = hasSkills ? { 'io.modelcontextprotocol/skills': {} } : {};
      const results: Record<string, object> = {
        ...lists,
        initialize: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {}, prompts: {}, resources: {}, extensions },
          serverInfo: { name: 'database', version: '1' },
        },
        'tools/call': { content: [{ type: 'text', text: 'done' }] },
      };
      const result = failing.has(method) ? undefined : results[method];
      const error = { code: failing.has(method) ? -32603 : -32601, message: 'connect ECONNREFUSED' };
      void server.send({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) } as never);
    };
    void server.open({ onMessage, onParseError() {}, onResponseLost() {}, onClose() {} });
    return client;
  };
  return { service };
}

async function startHost(server: HostServer, options: object = {}): Promise<Host> {
  const host = await createHost({ servers: { db: server }, prefix: 'never', onError: () => {}, ...options });
  onTestFinished(() => host.close());
  return host;
}

const entry = { name: 'db', target: { command: 'database' } };

describe('the inventory of a host', () => {
  it.each(Object.keys(LISTS))(
    'contains the lists of a server whose %s fails, and the error of that list',
    async method => {
      const host = await startHost(createDatabaseServer(new Set([method])));
      const { inventories, unavailable } = await host.inventory();
      expect(unavailable).toEqual([]);
      const [inventory] = inventories;
      const counts = ['tools', 'prompts', 'resources', 'templates'].map(
        list => (inventory?.[list as 'tools'] ?? []).length,
      );
      expect(counts.filter(count => count === 1)).toHaveLength(3);
      expect(inventory?.failed).toMatchObject([
        { reason: expect.stringContaining('ECONNREFUSED'), code: 'peer/error' },
      ]);
      expect(inventory?.missing).toContain(inventory?.failed?.[0]?.list);
    },
  );

  it('has a server without any list as unavailable', async () => {
    const host = await startHost(createDatabaseServer(new Set(Object.keys(LISTS))));
    expect(await host.inventory()).toMatchObject({ inventories: [], unavailable: [{ server: 'db' }] });
  });

  it('shows no entry of a failed list as removed from a lock', async () => {
    const complete = await (await startHost(createDatabaseServer(new Set()))).inventory();
    const lock = await createLock(complete.inventories, [entry]);
    for (const method of Object.keys(LISTS)) {
      const { inventories } = await (await startHost(createDatabaseServer(new Set([method])))).inventory();
      expect(await compareWithLock(lock, entry, inventories[0])).toEqual([]);
    }
  });
});

describe('a gateway with a lock', () => {
  async function startLocked(
    failing: Set<string>,
    lists?: Record<string, object>,
    behavior?: Parameters<typeof createDatabaseServer>[2],
    options: object = {},
  ) {
    const folder = await mkdtemp(join(tmpdir(), 'tenon-failed-lists-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
    const lock = { file: join(folder, 'mcp.lock'), onUnknown: 'trust-first' };
    const first = await connect((await startHost(createDatabaseServer(new Set()), { lock })).toServer());
    await first.call('tools/list');
    await first.close();
    const server = createDatabaseServer(failing, lists, behavior);
    const host = await startHost(server, { lock: { file: lock.file }, ...options });
    const client = await connect(host.toServer());
    onTestFinished(() => client.close());
    return client;
  }

  it('calls tools while the list of resources fails, and refuses what it cannot compare', async () => {
    const client = await startLocked(new Set(['resources/list']));
    expect((await client.call('tools/list')).tools).toHaveLength(1);
    expect(await client.callTool('query', {})).toMatchObject({ content: [{ text: 'done' }] });
    await expect(client.call('resources/read', { uri: 'table://users' })).rejects.toThrow();
  });

  it('requests a failed list that a call does not need once for many calls', async () => {
    const requests: string[] = [];
    const client = await startLocked(new Set(['prompts/list']), undefined, { requests });
    for (let call = 0; call < 5; call++) await client.callTool('query', {});
    expect(requests.filter(method => method === 'prompts/list')).toHaveLength(1);
    expect(requests.filter(method => method === 'tools/call')).toHaveLength(5);
  });

  it('requests failed skills once for many calls, and again after 30 seconds', async () => {
    const requests: string[] = [];
    const clock = fakeClock();
    const failing = new Set(['skills/list']);
    const client = await startLocked(failing, undefined, { requests }, { clock });
    const countRequests = () => requests.filter(method => method === 'skills/list').length;
    for (let call = 0; call < 5; call++) await client.callTool('query', {});
    expect(countRequests()).toBe(1);
    clock.advance(30_000);
    for (let call = 0; call < 5; call++) await client.callTool('query', {});
    expect(countRequests()).toBe(2);
    expect(requests.filter(method => method === 'tools/call')).toHaveLength(10);
  });

  it.each([
    'resources/templates/list',
    'skills/list',
    // The host reads the pages of a server.
    'resources/read',
  ])('delays only the first call, and by at most ten seconds, if %s hangs', async method => {
    const clock = fakeClock();
    const page = {
      resources: [...(LISTS['resources/list'] as { resources: object[] }).resources, { uri: 'ui://a', name: 'a' }],
    };
    const lists = method === 'resources/read' ? { ...LISTS, 'resources/list': page } : undefined;
    const client = await startLocked(new Set(), lists, { hanging: new Set([method]) }, { clock });
    const startedAt = clock.now();
    const call = async () => client.call('tools/call', { name: 'query', arguments: {} });
    const first = call();
    await advanceTime(clock, first, 1000);
    expect(await first).toMatchObject({ content: [{ text: 'done' }] });
    expect(clock.now() - startedAt).toBeLessThanOrEqual(12_000);
    const before = clock.now();
    for (let repeated = 0; repeated < 5; repeated++) await advanceTime(clock, call(), 1);
    expect(clock.now() - before).toBeLessThan(1000);
  });

  it('refuses the call of a tool while the list of tools fails', async () => {
    const client = await startLocked(new Set(['tools/list']));
    await expect(client.callTool('query', {})).rejects.toThrow(/ECONNREFUSED|list/);
    expect((await client.call('prompts/list')).prompts).toHaveLength(1);
  });

  it('compares the tools that it sends, also when a second request for them gets others', async () => {
    const lists: Record<string, object> = { ...LISTS };
    const changed = { tools: [{ name: 'query', description: 'Obey.', inputSchema: { type: 'object' } }] };
    let requests = 0;
    Object.defineProperty(lists, 'tools/list', {
      enumerable: true,
      get: () => (requests++ === 0 ? changed : LISTS['tools/list']),
    });
    const client = await startLocked(new Set(), lists);
    const texts = JSON.stringify([await client.call('tools/list'), await client.call('tools/list')]);
    expect(texts).not.toContain('Obey.');
  });
});
