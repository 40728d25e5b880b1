import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStores, type Stores } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIRST_FORMAT, getRecordKind, RECORD_KINDS } from '../../packages/base/src/stores/record-kinds.js';
import { hasPostgres, startPostgres } from '../../packages/tenon/src/stores/postgres/fixtures/start-postgres.js';
import { hasRedis, startRedis } from '../../packages/tenon/src/stores/redis/fixtures/start-redis.js';
import { isFull } from '../support/extent.js';
import { hasRelease, loadRelease, loadThisRelease, type Release } from '../support/release.js';
import records from './fixtures/records-0.1.0.json' with { type: 'json' };
import {
  type Database,
  getStatus,
  getText,
  type Handler,
  INITIALIZE_PARAMS,
  isApproved,
  LEASE,
  postTo,
  readTokens,
  startProcess,
  until,
  writeSecrets,
} from './release-process.js';

let count = 0;
const databases = [
  {
    name: 'memory',
    canRun: true,
    async start(): Promise<Database> {
      const shared = memoryStores();
      return { open: () => ({ ...shared, durable: true, close: async () => {} }), close: shared.close };
    },
  },
  {
    name: 'encrypted memory',
    canRun: true,
    async start(): Promise<Database> {
      const shared = memoryStores();
      const open = () => ({ ...shared, durable: true, remote: true, prefix: 'tenon', close: async () => {} });
      return { open, close: shared.close };
    },
  },
  {
    name: 'SQLite',
    canRun: true,
    async start(): Promise<Database> {
      const folder = mkdtempSync(join(tmpdir(), 'tenon-releases-'));
      return {
        open: ({ sqlite }) => sqlite.sqliteStores(join(folder, 'state.db')),
        close: async () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
      };
    },
  },
  {
    name: 'Redis',
    canRun: hasRedis && isFull,
    async start(): Promise<Database> {
      const { url, close } = await startRedis();
      const prefix = `releases-${++count}`;
      return { open: ({ redis }) => redis.redisStores(url, { prefix, timeout: 20_000 }), close };
    },
  },
  {
    name: 'Postgres',
    canRun: hasPostgres && isFull,
    async start(): Promise<Database> {
      const { url, close } = await startPostgres();
      const schema = `releases_${++count}`;
      return { open: ({ postgres }) => postgres.postgresStores(url, { schema, timeout: 20_000 }), close };
    },
  },
];

const canLoad = hasRelease('0.1.0');
const skipReason = canLoad ? '' : ' (skipped: this clone lacks the commit of 0.1.0; run `git fetch --unshallow`)';

describe.skipIf(!canLoad)(`this release and 0.1.0 with the same stores${skipReason}`, () => {
  let releases: { readonly old: Release; readonly present: Release };
  beforeAll(async () => {
    releases = { old: await loadRelease('0.1.0'), present: await loadThisRelease() };
  });

  const directions = [
    { change: 'an upgrade', from: 'old', to: 'present' },
    { change: 'a rollback', from: 'present', to: 'old' },
  ] as const;

  for (const { name, canRun, start } of databases)
    describe.skipIf(!canRun)(`in ${name}`, () => {
      const closing: (() => Promise<void>)[] = [];
      let database: Database;
      let effects: string[] = [];
      beforeAll(async () => {
        database = await start();
      });
      afterAll(async () => {
        for (const close of closing.reverse()) await close();
        await database.close();
      });
      const startPair = (from: 'old' | 'present', to: 'old' | 'present', first: Handler = 'hang') => {
        effects = [];
        const pair = [
          startProcess(releases[from], database, effects, first),
          startProcess(releases[to], database, effects, 'finish'),
        ] as const;
        closing.push(...pair.map(each => each.close));
        return pair;
      };

      it.each(directions)(
        'continue the tasks of the other after $change without repeating a step',
        async ({ from, to }) => {
          const [before, after] = startPair(from, to);
          const client = await before.connect();
          const { result } = await client.call('tools/call', { name: 'job', arguments: {} });
          const taskId = String(result?.taskId);
          await until(async () => (await before.stores.values.list(`task-log/${taskId}/`)).length > 0);
          await before.kill();
          const later = await after.connect();
          await until(async () => {
            after.clock.advance(LEASE);
            return (await getStatus(later, taskId)) === 'completed';
          });
          expect(effects).toEqual(['charge', 'ship']);
        },
      );

      it.each(directions)(
        'continue the calls of the other after $change without repeating a step',
        async ({ from, to }) => {
          const [before, after] = startPair(from, to);
          const client = await before.connect({ elicitation: {} });
          const call = { name: 'order', arguments: {} };
          const { result } = await client.call('tools/call', call);
          const inputs = Object.keys(result?.inputRequests ?? {});
          const retry = {
            ...call,
            requestState: result?.requestState,
            inputResponses: Object.fromEntries(inputs.map(key => [key, { action: 'accept', content: { a: 'b' } }])),
          };
          // The first process records a step of the retry, and dies before it responds.
          client.send('tools/call', retry);
          await until(async () => {
            const leases = await before.stores.values.list('lease/');
            return effects.includes('charge') && leases.length > 0;
          });
          await until(async () => (await before.stores.values.list('retry/')).some(({ version }) => version > 1));
          await before.kill();
          const later = await after.connect({ elicitation: {} });
          expect(getText(await later.call('tools/call', retry))).toBe('ordered');
          expect(effects).toEqual(['reserve', 'charge']);
        },
      );

      it.each(directions)('read the tokens and approvals of the other after $change', async ({ from, to }) => {
        const [before, after] = startPair(from, to);
        await writeSecrets(releases[from], before.stores);
        expect(await readTokens(releases[to], after.stores)).toEqual({ access: 'secret' });
        expect(await isApproved(releases[to], after.stores)).toBe(true);
      });

      it('serve one session by turns during a rolling deployment', async () => {
        const [one, two] = startPair('old', 'present', 'finish');
        for (const opener of [one, two]) {
          const { session } = await postTo(opener, { id: 1, method: 'initialize', params: INITIALIZE_PARAMS });
          expect((await postTo(one, { method: 'notifications/initialized' }, session)).status).toBe(202);
          for (const [index, process] of [one, two, one, two].entries()) {
            const { status, text } = await postTo(process, { id: 2 + index, method: 'tools/list' }, session);
            expect([status, text]).toEqual([200, expect.stringContaining('"order"')]);
          }
        }
      });
    });
});

describe('records that 0.1.0 wrote', () => {
  let present: Release;
  beforeAll(async () => {
    present = await loadThisRelease();
  });

  it('have kinds of the first format, because 0.1.0 would misread another one under the same name', () => {
    const kinds = [...new Set(Object.keys(records.values).map(getRecordKind))];
    expect(kinds.length).toBeGreaterThan(5);
    for (const kind of kinds) expect(RECORD_KINDS[kind]?.format ?? FIRST_FORMAT, kind).toBe(FIRST_FORMAT);
  });

  it('are readable, and the work in them continues', async () => {
    const stored: Stores = { ...memoryStores(), durable: true };
    for (const [key, value] of Object.entries(records.values)) await stored.values.put(key, value);
    const effects: string[] = [];
    const database = { open: () => stored, close: async () => {} };
    const server = startProcess(present, database, effects, 'finish', records.time);
    expect(await readTokens(present, stored)).toEqual({ access: 'secret' });
    expect(await isApproved(present, stored)).toBe(true);
    expect((await postTo(server, { id: 2, method: 'tools/list' }, records.session)).status).toBe(200);
    const client = await server.connect({ elicitation: {} });
    expect(getText(await client.call('tools/call', records.retry))).toBe('ordered');
    const taskClient = await server.connect();
    await until(async () => {
      server.clock.advance(LEASE);
      return (await getStatus(taskClient, records.task)) === 'completed';
    });
    expect(effects).toEqual(['ship']);
    await server.close();
  });
});
