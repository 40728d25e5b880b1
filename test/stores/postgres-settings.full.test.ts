import { storeCases } from '@tenon/testing';
import { Pool, type PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Stores } from '../../packages/base/src/stores/stores.js';
import {
  type PostgresClient,
  type PostgresPool,
  type PostgresStoresOptions,
  postgresStores,
} from '../../packages/tenon/src/postgres.js';
import {
  hasPostgres,
  type PostgresServer,
  startPostgres,
} from '../../packages/tenon/src/stores/postgres/fixtures/start-postgres.js';
import { takeCover } from '../support/extent.js';

let server: PostgresServer;
let pool: Pool;
let schemas = 0;
const createSchema = () => `test_${++schemas}`;

beforeAll(async () => {
  if (!hasPostgres) return;
  server = await startPostgres('fsync=off');
  pool = new Pool({ connectionString: server.url });
});
afterAll(async () => {
  await pool?.end();
  await server?.close();
});

const opened: Stores[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map(({ close }) => close()))));

const wait = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));

function openCases(create: (options: PostgresStoresOptions) => Stores) {
  return () => {
    const schema = createSchema();
    const openSecond = () => {
      const stores = create({ schema, maxValueSize: 10_000, timeout: 30_000 });
      opened.push(stores);
      return stores;
    };
    return { stores: openSecond(), openSecond, maxValueSize: 10_000, advance: wait };
  };
}

/** A pool whose clients run each statement outside of a transaction on another connection, as a pooler does. */
function createPoolerPool(inner: Pool): PostgresPool & { readonly names: readonly unknown[] } {
  const names: unknown[] = [];
  const connect: PostgresPool['connect'] = onConnected => onConnected(undefined, createClient());
  const createClient = (): PostgresClient => {
    const transaction: PoolClient[] = [];
    const end = (destroy: boolean) => {
      for (const client of transaction.splice(0)) client.release(destroy);
    };
    return {
      async query(statement) {
        names.push(statement.name);
        if (statement.text.startsWith('BEGIN')) transaction.push(await inner.connect());
        const result = await (transaction[0] ?? inner).query(statement);
        if (statement.text === 'COMMIT') end(false);
        return result;
      },
      on: () => {},
      removeListener: () => {},
      release: () => end(true),
    };
  };
  return { names, connect };
}

/** Every run tests one of these settings. */
const databases = [
  ['LATIN1', 'read committed'],
  ['SQL_ASCII', 'repeatable read'],
  ['UTF8', 'serializable'],
] as const;

describe.skipIf(!hasPostgres)('stores in Postgres with other settings', () => {
  describe('behind a pooler', () => {
    const settings = { transactionPooling: true, pollInterval: 20 };
    const open = (options: PostgresStoresOptions) =>
      postgresStores(createPoolerPool(pool), { ...options, ...settings });
    const cases = storeCases(openCases(open));
    for (const { name, run } of takeCover(cases, ({ name }) => cases.findIndex(each => each.name === name) % 4 === 0))
      it(name, run);

    it('prepare no statements', async () => {
      const pooler = createPoolerPool(pool);
      const stores = postgresStores(pooler, { schema: createSchema(), timeout: 30_000, ...settings });
      await stores.values.put('a', {});
      await stores.close();
      expect(new Set(pooler.names)).toEqual(new Set([undefined]));
    });
  });

  it.each(takeCover(databases, ([encoding]) => encoding === 'SQL_ASCII'))(
    'pass the contract with encoding %s, isolation %s',
    async (encoding, isolation) => {
      const name = `other_${encoding.toLowerCase()}`;
      await pool.query(`CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`);
      await pool.query(`ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`);
      const url = server.url.replace(/\/postgres$/, `/${name}`);
      for (const { run } of storeCases(openCases(options => postgresStores(url, options)))) await run();
    },
  );
});
