import type { Stores } from '@tenon/base';
import { fakeClock, storeCases } from '@tenon/testing';
import { array, assert, asyncProperty, constantFrom, integer, oneof, option, record } from 'fast-check';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type PostgresPool, type PostgresStoresOptions, postgresStores } from '../../postgres.js';
import { memoryStores } from '../memory-stores.js';
import { hasPostgres, type PostgresServer, startPostgres } from './fixtures/start-postgres.js';

let server: PostgresServer;
let pool: Pool;
let schemas = 0;
/** A schema that no other test has. */
const createSchema = () => `test_${++schemas}`;

beforeAll(async () => {
  if (!hasPostgres) return;
  // The data of these tests need not survive a loss of power.
  server = await startPostgres('fsync=off');
  pool = new Pool({ connectionString: server.url });
});
afterAll(async () => {
  await pool?.end();
  await server?.close();
});

const opened: Stores[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map(({ close }) => close()))));

function open(options: PostgresStoresOptions, target: string | PostgresPool = pool): Stores {
  const stores = postgresStores(target, { timeout: 30_000, ...options });
  opened.push(stores);
  return stores;
}

const wait = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));

/** The time of Postgres is real: what has to pass passes. */
function openCases(open: (options: PostgresStoresOptions) => Stores) {
  return () => {
    const schema = createSchema();
    const openSecond = () => open({ schema, maxValueSize: 10_000, timeout: 30_000 });
    return { stores: openSecond(), openSecond, maxValueSize: 10_000, advance: wait };
  };
}

describe.skipIf(!hasPostgres)('stores in Postgres', () => {
  describe('by URL', () => {
    for (const { name, run } of storeCases(openCases(options => postgresStores(server.url, options)))) it(name, run);
  });

  describe('by a pool', () => {
    for (const { name, run } of storeCases(openCases(options => postgresStores(pool, options)))) it(name, run);
  });

  it('are separate from those in another schema [so.tenant-prefix]', async () => {
    const [one, other] = [createSchema(), createSchema()].map(schema => open({ schema }));
    const received: unknown[] = [];
    other?.bus.subscribe('topic', message => received.push(message));
    await one?.values.put('a', { n: 1 });
    await one?.bus.publish('topic', {});
    await other?.bus.publish('topic', { own: true });
    await vi.waitFor(() => expect(received).toEqual([{ own: true }]));
    expect([await other?.values.get('a'), await other?.values.list('')]).toEqual([undefined, []]);
  });

  it('return results in the order of the calls', async () => {
    const key = constantFrom('a', 'a/1', 'a/2', 'b');
    const version = option(integer({ min: 0, max: 3 }), { nil: undefined });
    const call = oneof(
      record({ what: constantFrom('put' as const), key, version }),
      record({ what: constantFrom('delete' as const), key, version }),
      record({ what: constantFrom('get' as const), key }),
      record({ what: constantFrom('list' as const), key: constantFrom('', 'a/'), limit: integer({ min: 1, max: 3 }) }),
    );
    const stores = open({ schema: createSchema() });
    await assert(
      asyncProperty(array(call, { minLength: 2, maxLength: 40 }), async calls => {
        const start = ({ values }: Stores) =>
          Promise.all(
            calls.map((each, n) => {
              if (each.what === 'put') return values.put(each.key, { n }, each);
              if (each.what === 'delete') return values.delete(each.key, each.version);
              return each.what === 'get' ? values.get(each.key) : values.list(each.key, each);
            }),
          );
        expect(await start(stores)).toEqual(await start(memoryStores()));
        for (const { key } of await stores.values.list('')) await stores.values.delete(key);
      }),
      { numRuns: 60 },
    );
  });

  it('lose no write of many connections that change the same keys at once', async () => {
    const schema = createSchema();
    const all = Array.from({ length: 6 }, () => open({ schema }, server.url));
    const keys = Array.from({ length: 8 }, (_, n) => `k${n}`);
    const add = async ({ values }: Stores, key: string): Promise<void> => {
      for (;;) {
        const { value, version } = (await values.get(key)) ?? { value: { n: 0 }, version: 0 };
        if ((await values.put(key, { n: Number(value.n) + 1 }, { version })) !== undefined) return;
      }
    };
    // Half of them in the other order, in which they would wait for each other if rows were locked as they come.
    const run = (stores: Stores, index: number) =>
      Promise.all((index % 2 ? keys.toReversed() : keys).map(key => add(stores, key)));
    for (let round = 0; round < 5; round++) await Promise.all(all.map(run));
    const stored = await all[0]?.values.list('');
    expect(stored?.map(({ value, version }) => [value.n, version])).toEqual(keys.map(() => [30, 30]));
    const { rows } = await pool.query("SELECT deadlocks FROM pg_stat_database WHERE datname = 'postgres'");
    expect(rows).toEqual([{ deadlocks: '0' }]);
  });

  it('delete expired values and messages [so.bounded]', async () => {
    const schema = createSchema();
    const { values, bus, close } = open({ schema });
    for (let n = 0; n < 700; n += 100)
      await Promise.all(Array.from({ length: 100 }, (_, k) => values.put(`k${n + k}`, {}, { ttl: 20 })));
    await values.put('other', {}, { ttl: 60_000 });
    await bus.publish('a', {});
    await pool.query(`UPDATE ${schema}.tenon_messages SET id = id - 61000000`);
    await wait(60);
    for (let n = 0; n < 80; n++) await values.put('other', {}, { ttl: 60_000 });
    for (let n = 0; n < 64; n++) await bus.publish('a', { n });
    await close();
    const count = async (table: string) => (await pool.query(`SELECT FROM ${schema}.${table}`)).rowCount;
    expect([await count('tenon_values'), await count('tenon_messages')]).toEqual([1, 64]);
  });

  it('expire values by the clock of Postgres, however the clocks of processes differ', async () => {
    const schema = createSchema();
    const [early, late] = [fakeClock(0), fakeClock(4e12)].map(clock => open({ schema, clock }));
    await early?.values.put('short', {}, { ttl: 200 });
    await late?.values.put('long', {}, { ttl: 3_600_000 });
    for (const stores of [early, late]) expect(await stores?.values.list('')).toHaveLength(2);
    await wait(250);
    for (const stores of [early, late])
      expect((await stores?.values.list(''))?.map(({ key }) => key)).toEqual(['long']);
  });

  it('deliver all messages of several publishers, each in order', async () => {
    const schema = createSchema();
    const publishers = Array.from({ length: 4 }, () => open({ schema }, server.url));
    const reader = open({ schema }, server.url);
    const received: number[][] = publishers.map(() => []);
    reader.bus.subscribe('a', ({ from, n }) => received[Number(from)]?.push(Number(n)));
    await reader.values.get('a');
    const numbers = Array.from({ length: 300 }, (_, n) => n);
    await Promise.all(publishers.flatMap(({ bus }, from) => numbers.map(n => bus.publish('a', { from, n }))));
    await vi.waitFor(() => expect(received.map(({ length }) => length)).toEqual([300, 300, 300, 300]));
    expect(received).toEqual(publishers.map(() => numbers));
  });

  it('find messages without a notification', async () => {
    const schema = createSchema();
    const [one, other] = [100, 100].map(pollInterval => open({ schema, pollInterval }));
    const received: unknown[] = [];
    one?.bus.subscribe('a', ({ n }) => received.push(n));
    await one?.values.get('a');
    await pool.query(
      `WITH c AS (UPDATE ${schema}.tenon_counter SET last_id = last_id + 1 RETURNING last_id)
       INSERT INTO ${schema}.tenon_messages SELECT last_id, 'somebody', 'a', '{"n":1}' FROM c`,
    );
    await vi.waitFor(() => expect(received).toEqual([1]));
    await other?.bus.publish('a', { n: 2 });
    await vi.waitFor(() => expect(received).toEqual([1, 2]));
  });

  it('listen again when the listening connection is lost, and deliver missed messages', async () => {
    const schema = createSchema();
    // The table is not looked at for an hour.
    const [one, other] = [`${server.url}?application_name=listening`, pool].map(target =>
      open({ schema, pollInterval: 3_600_000 }, target),
    );
    const received: unknown[] = [];
    one?.bus.subscribe('a', ({ n }) => received.push(n));
    await one?.values.get('a');
    await other?.bus.publish('a', { n: 0 });
    await vi.waitFor(() => expect(received).toEqual([0]));
    await pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'listening'");
    await other?.bus.publish('a', { n: 1 });
    await vi.waitFor(() => expect(received).toEqual([0, 1]), { timeout: 10_000 });
    await other?.bus.publish('a', { n: 2 });
    await vi.waitFor(() => expect(received).toEqual([0, 1, 2]));
  });

  it('read the messages of some topics among many', async () => {
    const schema = createSchema();
    const [one, other] = [1, 2].map(() => open({ schema }));
    const received: unknown[] = [];
    for (let n = 0; n < 300; n++) one?.bus.subscribe(`t${n}`, message => received.push([n, message.n]));
    await one?.values.get('a');
    await other?.bus.publish('t299', { n: 1 });
    await other?.bus.publish('unheard', { n: 2 });
    await other?.bus.publish('t0', { n: 3 });
    await vi.waitFor(() => expect(received).toHaveLength(2));
    expect(received).toEqual([
      [299, 1],
      [0, 3],
    ]);
  });
});
