import { fakeClock } from '@tenon/testing';
import { connect } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Json, listeningPair, newest } from './site.js';

/** A client, its clock, and a server that says how long each of its answers stays good. */
async function getStored(lasting: Json, protocolVersion: '2025-11-25' | typeof newest = newest) {
  const { client: end, server, receiver, received } = listeningPair();
  const say = (message: Json) => void server.send({ jsonrpc: '2.0', ...message } as never);
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  const answers: { [method: string]: (params: Json) => Json } = {
    'server/discover': () => ({ supportedVersions: [newest], capabilities, ttlMs: 0, cacheScope: 'private' }),
    initialize: () => ({ protocolVersion, capabilities, serverInfo: { name: 's', version: '1' } }),
    'tools/list': ({ cursor }) => ({
      tools: [],
      ...(cursor === undefined ? { nextCursor: 'second' } : {}),
      ...lasting,
    }),
    'prompts/list': () => ({ prompts: [], ...lasting }),
    'resources/list': () => ({ resources: [], ...lasting }),
    'resources/templates/list': () => ({ resourceTemplates: [], ...lasting }),
    'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'x' }], ...lasting }),
  };
  await server.open({
    ...receiver,
    onMessage(value) {
      receiver.onMessage(value);
      const { id, method, params = {} } = value as { id?: number; method: string; params?: Json };
      const result = answers[method]?.(params);
      if (id !== undefined && result) say({ id, result: { resultType: 'complete', ...result } });
    },
  });
  const clock = fakeClock();
  const client = await connect(end, { clock, protocolVersion });
  onTestFinished(() => client.close());
  const getRequests = (method: string) => received.filter(each => each.method === method).length;
  const notify = async (method: string, params: Json = {}) => {
    say({ method, params });
    await client.ping().catch(() => {});
  };
  return { client, clock, getRequests, notify, received };
}

const list = 'prompts/list';

describe('a cached response', () => {
  it('is used for its lifetime by the clock of the client, and then requested again [caching.ttl-positive-fresh, caching.freshness-formula, caching.stale-refetch]', async () => {
    const { client, clock, getRequests } = await getStored({ ttlMs: 1000, cacheScope: 'private' });
    await client.call(list);
    clock.advance(999);
    await client.call(list);
    expect(getRequests(list)).toBe(1);
    clock.advance(1);
    await client.call(list);
    expect(getRequests(list)).toBe(2);
  });

  it.each([
    ['for no time [caching.ttl-zero-stale]', { ttlMs: 0, cacheScope: 'public' }, newest],
    ['for less than no time [caching.ttl-negative-as-zero]', { ttlMs: -1000, cacheScope: 'public' }, newest],
    ['for a time that it does not say [compat.ttl-absent-is-zero]', {}, '2025-11-25'],
  ] as const)('is requested each time when its lifetime is %s', async (_, lasting, version) => {
    const { client, getRequests } = await getStored(lasting, version);
    await client.call(list);
    await client.call(list);
    expect(getRequests(list)).toBe(2);
  });

  it('is not requested before it is needed [caching.ttl-not-poll-interval]', async () => {
    const { client, clock, received } = await getStored({ ttlMs: 1000, cacheScope: 'private' });
    await client.call(list);
    const before = received.length;
    clock.advance(1_000_000);
    await new Promise(resolve => setTimeout(resolve, 5));
    expect(received.length).toBe(before);
  });

  it('has the lifetime of its own page [caching.page-clock, caching.page-expired-refetch]', async () => {
    const { client, clock, getRequests } = await getStored({ ttlMs: 1000, cacheScope: 'private' });
    await client.call('tools/list');
    clock.advance(600);
    await client.call('tools/list', { cursor: 'second' });
    clock.advance(600);
    await client.call('tools/list', { cursor: 'second' });
    expect(getRequests('tools/list')).toBe(2);
    await client.call('tools/list');
    expect(getRequests('tools/list')).toBe(3);
    clock.advance(500);
    await client.call('tools/list', { cursor: 'second' });
    expect(getRequests('tools/list')).toBe(4);
  });

  it.each<[string, Json, string[]]>([
    ['notifications/tools/list_changed', {}, ['tools/list']],
    ['notifications/prompts/list_changed', {}, ['prompts/list']],
    ['notifications/resources/list_changed', {}, ['resources/list', 'resources/templates/list']],
    ['notifications/resources/updated', { uri: 'x://a' }, ['resources/read x://a']],
  ])(
    'expires at once by %s, and nothing else does [caching.notification-invalidates, caching.notification-relevance]',
    async (notice, params, stale) => {
      const { client, received, notify } = await getStored({ ttlMs: 1_000_000, cacheScope: 'private' });
      const all = async () => {
        for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const)
          await client.call(method);
        for (const uri of ['x://a', 'x://b']) await client.readResource(uri);
      };
      await all();
      const before = received.length;
      await all();
      expect(received.length).toBe(before);
      await notify(notice, params);
      const from = received.length;
      await all();
      const again = received.slice(from).map(({ method, params: given }) => {
        const { uri } = given as Json;
        return uri === undefined ? method : `${method} ${uri}`;
      });
      expect(again).toEqual(stale);
    },
  );
});
