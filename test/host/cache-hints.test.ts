import { createHost } from '@tenon/host';
import { connect } from 'tenon';
import { expect, it } from 'vitest';

/** A server that sends these hints in its lists and contents. */
const createFetch =
  (hints: object): typeof fetch =>
  async (_, init) => {
    const { id, method } = JSON.parse(String(init?.body));
    const results: Record<string, object> = {
      'server/discover': {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: 'a', version: '1.0.0' },
      },
      'tools/list': { tools: [{ name: 'add', inputSchema: { type: 'object' } }] },
      'resources/list': { resources: [{ uri: 'note://a', name: 'a' }] },
      'resources/templates/list': { resourceTemplates: [] },
      'resources/read': { contents: [{ uri: 'note://a', text: 'a' }] },
    };
    const result = { resultType: 'complete', ...results[method], ...hints };
    const body = JSON.stringify({ jsonrpc: '2.0', id, result });
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  };

it.each([
  [
    { ttlMs: -1, cacheScope: 'shared' },
    { ttlMs: 0, cacheScope: 'private' },
  ],
  [{ ttlMs: '5000' }, { ttlMs: 0, cacheScope: 'private' }],
  [
    { ttlMs: 1e308, cacheScope: 'public' },
    { ttlMs: 2 ** 31 - 1, cacheScope: 'public' },
  ],
])('passes on valid cache hints for %j [caching.shape] [caching.ttl-non-negative]', async (hints, expected) => {
  const host = await createHost({ servers: { a: { url: 'http://127.0.0.1:9/mcp', fetch: createFetch(hints) } } });
  const client = await connect(host.toServer());
  expect(await client.call('tools/list')).toMatchObject(expected);
  const { resources, ...others } = await client.call('resources/list');
  expect(others).toMatchObject(expected);
  expect(await client.call('resources/read', { uri: String(resources[0]?.uri) })).toMatchObject(expected);
  await client.close();
  await host.close();
});
