import { type JsonObject, TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { ConnectionScope } from '../connections/connection-scope.js';
import {
  audienceNamed,
  createFakeConnection,
  type FakeConnection,
  factsOf,
  sessionNamed,
  turns,
} from '../connections/fixtures/stand-in.js';
import { UpstreamRegistry } from '../connections/upstream-registry.js';
import { UpstreamServer } from '../connections/upstream-server.js';
import { HostCatalog } from './host-catalog.js';
import { PublicEntries } from './public-entries.js';

type Offers = Record<string, readonly JsonObject[]>;
const never = () => new Promise<never>(() => {});
const broken = new TenonError('stdio/exited', 'it has exited');

/** A catalog of servers by what they offer now; one that is `null` does not start. */
function catalogOf(servers: Record<string, Offers | null | 'hangs'>, scope = audienceNamed('all')) {
  const clock = fakeClock();
  const fakes = new Map<string, FakeConnection>();
  const upstreams = Object.keys(servers).map((name): [string, UpstreamServer] => {
    const connect = async () => {
      if (servers[name] === null) throw broken;
      const fake = createFakeConnection({
        pages: list => (servers[name] === 'hangs' ? never() : [{ [list]: (servers[name] as Offers)[list] ?? [] }]),
      });
      fakes.set(name, fake);
      return fake.client;
    };
    const { server: _, connect: __, ...details } = factsOf(clock, connect);
    return [
      name,
      new UpstreamServer({
        ...details,
        name,
        connect,
        maxConnectionsPerServer: 10,
        maxShare: 1,
        connectionIdleTimeout: 1e9,
        share: undefined,
        onError: () => {},
      }),
    ];
  });
  const registry = new UpstreamRegistry(new Map(upstreams), clock, 100, () => {});
  const admit = async (_: unknown, { list }: { list: { items: never } }) => list.items;
  const publicEntries = new PublicEntries();
  const openCatalog = (scope: ConnectionScope) =>
    new HostCatalog(registry, scope, {
      prefix: 'auto',
      filterList: admit as never,
      publicEntries,
      getToolNames: () => undefined,
    });
  return { catalog: openCatalog(scope), openCatalog, clock, fakes };
}
const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
const at = (uri: string) => ({ uri, name: uri });

describe('a catalog of several servers', () => {
  it('returns public names and maps them back, as the same array while nothing changes', async () => {
    const { catalog } = catalogOf({ a: { tools: [tool('x')] }, b: { tools: [tool('x'), tool('y z')] } });
    const { items } = await catalog.listEntries('tools');
    expect(items.map(({ name }) => name)).toEqual(['a__x', 'b__x', expect.stringMatching(/^b__y_z_[a-z0-9]+$/)]);
    expect((await catalog.listEntries('tools')).items).toBe(items);
    for (const [at, name] of ['x', 'x', 'y z'].entries()) {
      const route = await catalog.resolveByName('tools', items[at]?.name as string);
      expect([route.name, route.connection.server]).toEqual([name, at === 0 ? 'a' : 'b']);
    }
  });

  it('is in memory once for all users who see the same entries, and each call reaches the own connection', async () => {
    const servers: Record<string, Offers> = {
      a: { tools: [tool('x'), tool('y')], resources: [at('note://a')], prompts: [{ name: 'p' }] },
      b: { tools: [tool('x')], resources: [at('note://a')] },
    };
    const { openCatalog } = catalogOf(servers);
    const [ada, bob, eve] = ['ada', 'bob', 'eve'].map(user => openCatalog(audienceNamed(user)));
    if (!ada || !bob || !eve) throw new Error('no catalogs');
    const kinds = ['tools', 'prompts', 'resources', 'templates'] as const;
    for (const kind of kinds) expect((await ada.listEntries(kind)).items).toBe((await bob.listEntries(kind)).items);
    const { items } = await ada.listEntries('tools');
    const [shown] = items;
    const origins = [ada, bob].map(catalog => shown && catalog.getOrigin(shown));
    expect(origins.map(origin => origin?.connection.scope.key)).toEqual(['ada', 'bob']);
    expect(origins[0]?.entry).toBe(origins[1]?.entry);
    expect((await bob.resolveByName('tools', 'a__x')).connection.scope.key).toBe('bob');
    servers.a = { ...servers.a, tools: [tool('x'), { ...tool('y'), title: 'of Eve' }] };
    const own = (await eve.listEntries('tools')).items;
    expect(own.map((entry, index) => entry === items[index])).toEqual([true, false, true]);
    expect(own[1]).toEqual({ ...items[1], title: 'of Eve' });
    expect((await ada.listEntries('tools')).items[1]).not.toHaveProperty('title');
  });

  it('fails for a session that has ended, whose connections are closed at once', async () => {
    let connections = 0;
    const { session: open } = sessionNamed('ended');
    const session: typeof open = {
      ...open,
      onEnd(close) {
        connections += 1;
        if (connections > 100) throw new Error('opens one connection after the other');
        close();
      },
    };
    const { catalog } = catalogOf({ a: { tools: [tool('x')] } }, audienceNamed('own', { session }));
    await expect(catalog.resolveByName('tools', 'x')).rejects.toThrow('The server "a" did not respond');
  });

  it('finds a new tool of a server whose list was read before', async () => {
    const servers = { a: { tools: [tool('x')] }, b: {} };
    const { catalog, fakes } = catalogOf(servers);
    await catalog.resolveByName('tools', 'a__x');
    servers.a.tools = [tool('x'), tool('new')];
    await expect(catalog.resolveByName('tools', 'a__new')).rejects.toMatchObject({ rpcCode: -32602 });
    fakes.get('a')?.notify('change', { list: 'tools' });
    expect((await catalog.resolveByName('tools', 'a__new')).name).toBe('new');
  });

  it('distinguishes an unknown name from an unavailable server', async () => {
    const { catalog, clock } = catalogOf({ a: { tools: [tool('x')] }, down: null });
    await expect(catalog.resolveByName('tools', 'nobody__x')).rejects.toMatchObject({
      rpcCode: -32602,
      summary: 'Unknown tool: nobody__x. Choose a name from tools/list. These servers are unavailable: down',
    });
    await expect(catalog.resolveByName('tools', 'a__y')).rejects.toMatchObject({
      rpcCode: -32602,
      summary: 'Unknown tool: a__y. Choose a name from tools/list',
    });
    // The call waits for the end of the delay after the failure.
    const resolving = Promise.resolve(catalog.resolveByName('tools', 'down__x'));
    setImmediate(() => clock.advance(2000));
    await expect(resolving).rejects.toMatchObject({
      rpcCode: -32603,
      summary: expect.stringMatching(/^The server "down" did not respond correctly to tools\/list/),
    });
  });
});

describe('resources of several servers', () => {
  it('resolve to their server, and equal URIs stay separate', async () => {
    const servers = { a: { resources: [at('note://a'), at('note://both')] }, b: { resources: [at('note://both')] } };
    const { catalog } = catalogOf(servers);
    expect(await catalog.resolveResource('note://a')).toMatchObject({ connection: { server: 'a' }, uri: 'note://a' });
    const uris = (await catalog.listEntries('resources')).items.map(({ uri }) => uri);
    expect(uris).toEqual(['note://a', 'tenon:a/note://both', 'tenon:b/note://both']);
    expect(await catalog.resolveResource('tenon:b/note://both')).toMatchObject({
      connection: { server: 'b' },
      uri: 'note://both',
    });
    await expect(catalog.resolveResource('note://both')).rejects.toMatchObject({ rpcCode: -32602 });
    expect(await catalog.resolveResource('note://none')).toBeUndefined();
    expect(catalog.unavailable).toEqual([]);
  });

  it('resolve to their server when they are new', async () => {
    const servers = { a: { resources: [at('note://a')] }, b: {} };
    const { catalog, fakes } = catalogOf(servers);
    expect(await catalog.resolveResource('note://new')).toBeUndefined();
    servers.a.resources = [at('note://a'), at('note://new')];
    fakes.get('a')?.notify('change', { list: 'resources' });
    expect(await catalog.resolveResource('note://new')).toMatchObject({ connection: { server: 'a' } });
  });

  it('resolve at once when known, although another server does not respond', async () => {
    const { catalog, clock } = catalogOf({ a: { resources: [at('note://a')] }, hung: 'hangs' });
    const first = catalog.resolveResource('note://a');
    await turns();
    clock.advance(100);
    expect(await first).toMatchObject({ connection: { server: 'a' } });
    // The clock stands still: nothing is waited for.
    expect(await catalog.resolveResource('note://a')).toMatchObject({ connection: { server: 'a' } });
    const elsewhere = catalog.resolveResource('note://elsewhere');
    await turns();
    clock.advance(0);
    expect(await elsewhere).toBeUndefined();
    expect(catalog.unavailable).toMatchObject([{ server: 'hung' }]);
  });
});

it('keeps names and URIs of a single server, without further requests', async () => {
  const { catalog } = catalogOf({ only: { tools: [tool('any name')] } });
  expect((await catalog.listEntries('tools')).items.map(({ name }) => name)).toEqual(['any name']);
  expect(await catalog.resolveResource('any://uri')).toMatchObject({
    connection: { server: 'only' },
    uri: 'any://uri',
  });
});
