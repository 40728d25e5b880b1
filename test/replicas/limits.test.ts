import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, startPostgres } from '../../packages/tenon/src/stores/postgres/fixtures/start-postgres.js';
import { hasRedis, startRedis } from '../../packages/tenon/src/stores/redis/fixtures/start-redis.js';
import { bundleProgram, type HttpPeer, startHttpPeer } from '../interop/process.js';
import { retryUntilPasses } from '../interop/retry.js';

const program = bundleProgram(new URL('./limited-server.ts', import.meta.url));

interface StoreServer {
  readonly url: string;
  kill(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

const stores: { name: string; isInstalled: boolean; start: () => Promise<StoreServer> }[] = [
  { name: 'Redis', isInstalled: hasRedis, start: startRedis },
  { name: 'Postgres', isInstalled: hasPostgres, start: startPostgres },
];

let lastId = 0;

/** Calls a tool on 2026-07-28, from another machine. */
async function call({ origin }: HttpPeer, name: string, address = '192.0.2.1') {
  lastId += 1;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      'x-real-ip': address,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: lastId, method: 'tools/call', params: { name, arguments: {}, _meta } }),
  });
  const { result, error } = (await response.json()) as {
    result?: { content: [{ text: string }] };
    error?: { code: number; data?: { retryAfterMs?: number } };
  };
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    text: result?.content[0].text,
    error,
  };
}

describe.each(stores)('two processes with limits in $name', ({ isInstalled, start }) => {
  let store: StoreServer;
  let peers: HttpPeer[] = [];
  beforeAll(async () => {
    if (!isInstalled) return;
    store = await start();
    peers = await Promise.all([1, 2].map(() => startHttpPeer(program, { STORE_URL: store.url })));
  }, 60_000);
  afterAll(async () => {
    await Promise.all(peers.map(peer => peer.stop()));
    await store?.close();
  });
  const callInTurn = (count: number, name: string, address?: string) =>
    Promise.all(Array.from({ length: count }, (_, n) => call(peers[n % peers.length] as HttpPeer, name, address)));

  it.runIf(isInstalled)('count a quota together, exactly [so.quota-atomic]', async () => {
    const results = await callInTurn(30, 'counted');
    expect(results.filter(({ text }) => text === 'counted')).toHaveLength(10);
    const refused = results.filter(({ error }) => error?.code === 429);
    expect(refused).toHaveLength(20);
    for (const { error } of refused) expect(error?.data?.retryAfterMs).toBeGreaterThan(300_000);
  });

  it.runIf(isInstalled)(
    'count a rate together, never above it and at most a twentieth below it for the other process [so.quota-atomic]',
    async () => {
      const passed = (await callInTurn(80, 'limited', '192.0.2.2')).filter(({ text }) => text === 'limited').length;
      expect(passed).toBeLessThanOrEqual(40);
      expect(passed).toBeGreaterThanOrEqual(38);
    },
  );

  it.runIf(isInstalled)('count the calls of one address together, by default', async () => {
    const passed = (await callInTurn(300, 'plain', '192.0.2.3')).filter(({ text }) => text === 'plain').length;
    expect(passed).toBeLessThanOrEqual(200);
    expect(passed).toBeGreaterThanOrEqual(190);
  });

  it.runIf(isInstalled)('refresh tokens once, and use the new ones [so.refresh-single]', async () => {
    const texts = (await callInTurn(6, 'refresh', '192.0.2.4')).map(({ text }) => text);
    expect(texts.sort()).toEqual(['refresh 1', 'renewed', 'renewed', 'renewed', 'renewed', 'renewed']);
  });

  it.runIf(isInstalled)(
    'respond 503 with a delay to counted calls while the store is down, and serve others [so.outage-auth] [so.outage-recover]',
    async () => {
      const [peer] = peers as [HttpPeer];
      await store.kill();
      for (const name of ['counted', 'limited']) {
        const refused = await call(peer, name, '192.0.2.5');
        expect([refused.status, refused.error?.code]).toEqual([503, 503]);
        expect(Number(refused.retryAfter)).toBeGreaterThan(0);
      }
      expect(await call(peer, 'plain', '192.0.2.5')).toMatchObject({ status: 200, text: 'plain' });
      await store.restart();
      await retryUntilPasses(async () => expect((await call(peer, 'counted', '192.0.2.5')).error?.code).toBe(429));
    },
  );
});
