import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Stores, TenonError } from '@tenon/base';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PostgresStoresOptions, postgresStores } from '../../postgres.js';
import {
  createCertificate,
  hasPostgres,
  hasPostgresWithTls,
  type PostgresServer,
  startPostgres,
  startStandby,
} from './fixtures/start-postgres.js';

const PROGRAM = fileURLToPath(new URL('fixtures/process.mjs', import.meta.url));

let server: PostgresServer;
let schema = '';
let schemas = 0;
const closing: (() => unknown)[] = [];

function nameSchema(): void {
  schema = `test_${++schemas}`;
}

async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).toReversed()) await close();
}

function open(options?: PostgresStoresOptions, target: string | Pool = server.url): Stores {
  const stores = postgresStores(target, { schema, ...options });
  closing.push(stores.close);
  return stores;
}

function openPool(settings: { readonly max?: number } = {}): Pool {
  const pool = new Pool({ connectionString: server.url, ...settings });
  pool.on('error', () => {});
  closing.push(() => pool.end());
  return pool;
}

function start(...args: readonly string[]) {
  const [mode = '', ...rest] = args;
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', PROGRAM, mode, server.url, schema, ...rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closing.push(() => child.kill('SIGKILL'));
  const ended = new Promise<number | string | null>(resolve =>
    child.on('close', (code, signal) => resolve(signal ?? code)),
  );
  if (!child.stdout) throw new Error('no output');
  return { child, ended, lines: createInterface({ input: child.stdout }) };
}

const isUnavailable = expect.objectContaining({ code: 'store/unavailable' });

describe.skipIf(!hasPostgres)('stores in a Postgres that fails', () => {
  beforeEach(async () => {
    nameSchema();
    server = await startPostgres();
  });
  afterEach(async () => {
    await closeAll();
    await server.close();
  });

  it('keep each acknowledged write when Postgres is killed', async () => {
    const { values } = open({ timeout: 500 });
    let acknowledged = 0;
    const write = async () => {
      for (let n = 1; ; n++) {
        await values.put(`k/${String(n).padStart(6, '0')}`, { n });
        acknowledged = n;
        if (n === 200) setTimeout(() => void server.kill(), 5);
      }
    };
    await expect(write()).rejects.toEqual(isUnavailable);
    expect(acknowledged).toBeGreaterThanOrEqual(200);
    await server.restart();
    const stored: unknown[] = [];
    for (let after: string | undefined; ; after = `k/${String(stored.length).padStart(6, '0')}`) {
      const page = await vi.waitFor(() => values.list('k/', { after }), { timeout: 10_000 });
      if (page.length === 0) break;
      stored.push(...page.map(({ value }) => value.n));
    }
    expect(stored).toEqual(Array.from({ length: stored.length }, (_, n) => n + 1));
    expect(stored.length).toBeGreaterThanOrEqual(acknowledged);
  });

  it('report that they are unavailable, without user and password, and recover [so.outage-recover]', async () => {
    const errors: TenonError[] = [];
    const stores = open(
      { timeout: 1000, onError: error => errors.push(error) },
      server.url.replace('@', ':secret-word@'),
    );
    const other = open();
    const received: unknown[] = [];
    stores.bus.subscribe('a', ({ n }) => received.push(n));
    await stores.values.put('a', { n: 1 });
    await other.bus.publish('a', { n: 1 });
    await vi.waitFor(() => expect(received).toEqual([1]));
    await server.kill();
    for (const call of [
      () => stores.values.get('a'),
      () => stores.values.put('a', {}),
      () => stores.bus.publish('a', {}),
    ]) {
      const error = await call().catch((reason: unknown) => reason);
      expect(error).toEqual(isUnavailable);
      expect(String(error)).not.toContain('secret-word');
    }
    await server.restart();
    await vi.waitFor(async () => expect((await stores.values.get('a'))?.value).toEqual({ n: 1 }), { timeout: 10_000 });
    expect(await stores.values.put('a', { n: 2 }, { version: 1 })).toBe(2);
    await vi.waitFor(() => other.bus.publish('a', { n: 2 }), { timeout: 10_000 });
    await vi.waitFor(() => expect(received).toEqual([1, 2]), { timeout: 10_000 });
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['store/unavailable']));
    expect(errors.join()).not.toContain('secret-word');
  });

  it('wait at most for the timeout when the server hangs', async () => {
    const timeout = 8000;
    const stores = open({ timeout });
    const other = open({ timeout });
    const received: unknown[] = [];
    stores.bus.subscribe('a', ({ n }) => received.push(n));
    await stores.values.put('a', {});
    server.signal('SIGSTOP');
    const startedAt = performance.now();
    const calls = [
      stores.values.get('a'),
      stores.values.put('a', {}),
      stores.values.put('a', {}),
      stores.bus.publish('a', {}),
      postgresStores(server.url, { timeout }).values.get('a'),
    ];
    for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected');
    expect(performance.now() - startedAt).toBeLessThan(2 * timeout);
    for (const call of calls) await expect(call).rejects.toEqual(isUnavailable);
    server.signal('SIGCONT');
    await vi.waitFor(async () => expect(await stores.values.get('a')).toMatchObject({ key: 'a' }), { timeout: 10_000 });
    await vi.waitFor(() => other.bus.publish('a', { n: 2 }), { timeout: 10_000 });
    await vi.waitFor(() => expect(received).toContain(2), { timeout: 10_000 });
  });

  it('use no standby until it is the primary server', async () => {
    const primary = open();
    await primary.values.put('a', {});
    const standby = await startStandby(server);
    closing.push(() => standby.close());
    const errors: TenonError[] = [];
    const stores = open({ onError: error => errors.push(error) }, standby.url);
    const received: unknown[] = [];
    stores.bus.subscribe('a', ({ n }) => received.push(n));
    for (const call of [
      () => stores.values.get('a'),
      () => stores.values.list(''),
      () => stores.values.put('a', {}),
      () => stores.bus.publish('a', {}),
    ])
      await expect(call()).rejects.toEqual(isUnavailable);
    await server.kill();
    standby.promote();
    await vi.waitFor(async () => expect(await stores.values.put('a', {}, { version: 1 })).toBe(2), { timeout: 10_000 });
    await open({}, standby.url).bus.publish('a', { n: 1 });
    await vi.waitFor(() => expect(received).toContain(1), { timeout: 10_000 });
    expect(errors.length).toBeGreaterThan(0);
  });
});

describe.skipIf(!hasPostgresWithTls)('stores in Postgres, used by several processes', () => {
  const certificate = hasPostgresWithTls ? createCertificate() : undefined;
  beforeAll(async () => {
    server = await startPostgres(...(certificate?.settings ?? []));
  });
  beforeEach(nameSchema);
  afterEach(closeAll);
  afterAll(async () => {
    await server.close();
    certificate?.delete();
  });

  it('end a statement that waits for a lock of another client', async () => {
    const stores = open({ timeout: 1000 });
    await stores.values.put('a', {});
    await stores.values.put('b', {});
    const pool = openPool();
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query(`SELECT FROM ${schema}.tenon_values WHERE key = 'a' FOR UPDATE`);
    await expect(stores.values.put('a', {})).rejects.toEqual(isUnavailable);
    expect(await stores.values.put('b', {})).toBe(2);
    await vi.waitFor(async () => {
      const { rows } = await pool.query("SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
      expect(rows).toEqual([{ n: '0' }]);
    });
    await client.query('ROLLBACK');
    client.release();
    expect(await stores.values.put('a', {}, { version: 1 })).toBe(2);
  });

  it('wait for a free connection of a pool, and report when none is free', async () => {
    const pool = openPool({ max: 1 });
    const stores = open({ timeout: 1000, pollInterval: 20 }, pool);
    await stores.values.put('a', {});
    const client = await pool.connect();
    await expect(stores.values.get('a')).rejects.toMatchObject({
      code: 'store/unavailable',
      message: expect.stringContaining('Raise `max` of the pool'),
    });
    client.release();
    expect(await vi.waitFor(() => stores.values.get('a'))).toMatchObject({ version: 1 });
    // A pool of one connection is left to others between two looks for messages.
    const received: unknown[] = [];
    stores.bus.subscribe('a', ({ n }) => received.push(n));
    await stores.values.get('a');
    await open().bus.publish('a', { n: 1 });
    await vi.waitFor(() => expect(received).toEqual([1]));
    await stores.close();
    expect([pool.totalCount - pool.idleCount, (await pool.query('SELECT 1 AS one')).rows]).toEqual([0, [{ one: 1 }]]);
  });

  it('fail while no server is reachable, and can be closed', async () => {
    const stores = open({ timeout: 200 }, 'postgres://user:secret-word@127.0.0.1:9/db');
    stores.bus.subscribe('a', () => {});
    await expect(stores.values.get('a')).rejects.toMatchObject({
      code: 'store/unavailable',
      message: expect.stringMatching(/^Postgres at 127\.0\.0\.1:9: not available(?!.*secret-word)/),
    });
    await stores.close();
    await expect(stores.values.get('a')).rejects.toMatchObject({ code: 'store/closed' });
  });

  it('name what the server refuses', async () => {
    const pool = openPool();
    await pool.query('CREATE USER reader');
    const url = server.url.replace('tenon@', 'reader@');
    await expect(open({}, url).values.get('a')).rejects.toMatchObject({
      code: 'store/failed',
      message: expect.stringContaining('SQLSTATE 42501'),
    });
    // Who may use the tables need not be able to create them.
    await open().values.put('a', {});
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO reader`);
    await pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO reader`);
    expect(await open({}, url).values.put('a', {})).toBe(2);
    await pool.query(`UPDATE ${schema}.tenon_schema SET version = 99`);
    await expect(open().values.get('a')).rejects.toMatchObject({ code: 'store/schema' });
  });

  it('connect with TLS as the URL states', async () => {
    const options = { schema: 'tls', timeout: 10_000 };
    const verified = `${server.url}?sslmode=verify-full&application_name=verified`;
    await expect(open(options, verified).values.get('a')).rejects.toEqual(isUnavailable);
    await open(options, `${verified}&sslrootcert=${certificate?.file}`).values.put('a', {});
    const { rows } = await openPool().query(
      "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'verified'",
    );
    expect(rows).toEqual([{ ssl: true }]);
  });

  it('lose no increment of eight processes', async () => {
    const processes = Array.from({ length: 8 }, () => start('count', '20'));
    expect(await Promise.all(processes.map(({ ended }) => ended))).toEqual(Array.from({ length: 8 }, () => 0));
    expect(await open().values.get('counter')).toEqual({ key: 'counter', value: { n: 160 }, version: 160 });
  });

  it('create the tables once when several processes start together', async () => {
    for (let round = 0; round < 5; round++) {
      const all = Array.from({ length: 8 }, () => open({ schema: `race_${round}`, timeout: 10_000 }));
      expect(await Promise.all(all.map(({ values }, n) => values.put(`k${n}`, {})))).toEqual(all.map(() => 1));
      await Promise.all(all.map(({ close }) => close()));
    }
  });

  it('contain every acknowledged write of a killed process', async () => {
    const { child, ended, lines } = start('write');
    let acknowledged = 0;
    for await (const line of lines) {
      acknowledged = Number(line);
      if (acknowledged === 50) setTimeout(() => child.kill('SIGKILL'), 1);
    }
    expect(await ended).toBe('SIGKILL');
    const { values } = open();
    const stored = (await values.list('k/')).map(({ value }) => value.n);
    expect(stored).toEqual(Array.from({ length: stored.length }, (_, n) => n + 1));
    expect(stored.length).toBeGreaterThanOrEqual(acknowledged);
  });

  it('carry messages between processes, and keep no process alive', async () => {
    const stores = open();
    const answers: unknown[] = [];
    stores.bus.subscribe('answer', ({ n }) => answers.push(n));
    const { ended, lines } = start('answer');
    await new Promise(resolve => lines.once('line', resolve));
    for (let n = 0; n < 50; n++) await stores.bus.publish('question', { n });
    await vi.waitFor(() => expect(answers).toEqual(Array.from({ length: 50 }, (_, n) => n)), { timeout: 10_000 });
    await stores.bus.publish('question', { n: 'end' });
    // Then nothing but its listening is left.
    expect(await ended).toBe(0);
    expect(await start('listen').ended).toBe(0);
    expect(await stores.values.list('')).toMatchObject([{ key: 'listened', version: 1 }]);
  });
});

describe('options of stores in Postgres', () => {
  it.each(['', 'a b', '"a"', 'Upper', '1a', 'pg_stores', 'x'.repeat(41)])('refuse the schema "%s"', schema => {
    expect(() => postgresStores('postgres://127.0.0.1:1', { schema })).toThrow(
      expect.objectContaining({ code: 'store/option' }) as Error,
    );
  });

  it.each<[string, unknown]>([
    ['no pool', {}],
    ['no URL', 'not a url with a secret-word'],
    ['a URL of another database', 'mysql://user:secret-word@127.0.0.1/'],
    ['nothing', undefined],
  ])('refuse %s', (_, target) => {
    const refused = expect.objectContaining({
      code: 'store/option',
      message: expect.not.stringContaining('secret-word'),
    });
    expect(() => postgresStores(target as string)).toThrow(refused as Error);
  });
});
