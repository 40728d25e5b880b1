import { sealStores } from 'tenon';
import { redisStores } from 'tenon/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis, startRedis } from '../../packages/tenon/src/stores/redis/fixtures/start-redis.js';
import { runTenon } from './command.js';

const key = Buffer.alloc(32, 7);
const keys = [{ id: 'k', key: new Uint8Array(key) }];
const env = { KEYS: `k:${key.toString('base64')}` };

describe.skipIf(!hasRedis)('tenon store reseal', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.close());
  const reseal = (...args: string[]) =>
    runTenon('.', ['store', 'reseal', '--store', redis.url, '--keys-env', 'KEYS', ...args], env);

  it('lets a deployment with another prefix read a backup, and keeps the lifetimes', async () => {
    const raw = { source: redisStores(redis.url, { prefix: 't1' }), target: redisStores(redis.url, { prefix: 't2' }) };
    const source = sealStores(raw.source, { keys });
    const target = sealStores(raw.target, { keys });
    await source.values.put('session/a', { user: 'ada' }, { ttl: 3_600_000 });
    await source.values.put('token/b', { user: 'bob' });
    for (const { key: name, value } of await raw.source.values.list(''))
      await raw.target.values.put(name, value, name === 'session/a' ? { ttl: 60_000 } : {});
    expect(await target.values.list('')).toEqual([]);

    const from = ['--from', 't1', '--prefix', 't2'];
    expect(await reseal(...from)).toMatchObject({ code: 0, out: 'Resealed 2 values. Unchanged: 0. Failed: 0.\n' });
    expect((await target.values.list('')).map(({ value }) => value)).toEqual([{ user: 'ada' }, { user: 'bob' }]);
    const { out } = await reseal(...from, '--json');
    expect(JSON.parse(out)).toEqual({ resealed: 0, unchanged: 2, failed: 0 });
    for (const stores of [source, target]) await stores.close();
  });

  it('needs keys and a store', async () => {
    expect(await runTenon('.', ['store', 'reseal', '--from', 't1'])).toMatchObject({ code: 2 });
    expect(await reseal()).toMatchObject({ code: 2 });
  });
});
