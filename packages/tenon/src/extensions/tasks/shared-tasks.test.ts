import { type Clock, type Stores, systemClock } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { takeCover } from '../../../../../test/support/extent.js';
import type { ServerDefinition } from '../../server/definitions/server-definition.js';
import { createServer, type Server } from '../../server/server.js';
import { sharedStoreKinds } from '../../transports/http/fixtures/shared-stores.js';
import { answerAll, ask, job, start, statusOf, textOf } from './fixtures/jobs.js';
import { gate, until } from './fixtures/site.js';
import { connectTaskClient, type TaskTestClient } from './fixtures/task-client.js';
import type { TasksOptions } from './options.js';
import { tasks } from './tasks.js';

const HOUR = 3_600_000;
const LEASE = 500;
const isRemote = ({ name }: { readonly name: string }) => name === 'Redis' || name === 'Postgres';

/** A clock that differs from the clock of the machine. */
const shiftClock = (offset: number): Clock => ({ ...systemClock, now: () => systemClock.now() + offset });

describe.each(takeCover(sharedStoreKinds.filter(isRemote), ({ name }) => name === 'Redis'))(
  'a task in $name, at two processes',
  ({ isInstalled, start: startDatabase }) => {
    if (!isInstalled) return it.skip('not installed');
    let database: Awaited<ReturnType<typeof startDatabase>>;
    let openNext: () => Stores;
    const closing: (() => unknown)[] = [];
    beforeAll(async () => {
      database = await startDatabase();
    });
    afterAll(() => database.close());
    afterEach(async () => {
      for (const close of closing.splice(0).toReversed()) await close();
    });

    const open = () => {
      openNext = database.openStores();
      return openStores();
    };
    const openStores = (): Stores => {
      const stores = openNext();
      closing.push(() => stores.close());
      return stores;
    };
    /** Starts a process with the tool `job`. */
    const connect = async (
      stores: Stores,
      tools: NonNullable<ServerDefinition['tools']>,
      { clock = systemClock, ...options }: TasksOptions & { readonly clock?: Clock } = {},
    ): Promise<TaskTestClient> => {
      const server = createServer({
        name: 'shared',
        version: '1',
        clock,
        stores,
        onError: () => {},
        inputRequests: { keys: [{ id: 'k', key: new Uint8Array(32).fill(1) }] },
        tools,
        extensions: [tasks(options)],
      }) as unknown as Server;
      const client = await connectTaskClient(server);
      closing.push(async () => {
        await client.close();
        server.close();
      });
      return client;
    };

    it.each([HOUR, -HOUR])(
      'expires after its ttl by the clock of the store, and leaves no record, at a process whose clock differs by %i ms [so.task-ttl] [so.clock]',
      async offset => {
        const stores = open();
        const tools = job(async ctx => {
          await ctx.step('one', () => 1);
          return `Hello ${await ask(ctx)}`;
        });
        const cancelInTime = async (ttl: number): Promise<void> => {
          const one = await connect(stores, tools, { ttl });
          const two = await connect(openStores(), tools, { ttl, clock: shiftClock(offset) });
          const begun = Date.now();
          const id = await start(one);
          await until(async () => ['input_required', undefined].includes(await statusOf(two, id)));
          // The last write is that of the other process.
          await two.call('tasks/cancel', { taskId: id });
          for (let isSeen = false; ; isSeen = true) {
            const status = await statusOf(one, id);
            // A busy machine may answer after the lifetime. It begins again with a longer one.
            if (Date.now() >= begun + ttl - 100) return isSeen ? expireOf(one, id) : cancelInTime(2 * ttl);
            expect(status).toBe('cancelled');
          }
        };
        // A record that expired by the clock of the other process would outlive the test.
        const expireOf = (one: TaskTestClient, id: string) =>
          until(async () => (await statusOf(one, id)) === undefined);
        await cancelInTime(1500);
        await until(async () => (await stores.values.list('task')).length === 0);
        expect(await stores.values.list('task')).toEqual([]);
      },
    );

    it('belongs to the process with the lease: writes of a suspended one are refused, and steps are not repeated [so.task-lease] [so.task-steps]', async () => {
      const middle = gate();
      const seen: string[] = [];
      // Its clock stands still, as that of a suspended process, so it does not renew its lease.
      const one = await connect(
        open(),
        job(async ctx => {
          await ctx.step('one', () => seen.push('one'));
          await ctx.step('two', () => middle.opened);
          seen.push('continued');
          return 'from the former';
        }),
        { clock: fakeClock(Date.now()), leaseTtl: LEASE },
      );
      const id = await start(one);
      await until(() => seen.length === 1);
      const stores = openStores();
      await until(async () => (await stores.values.list(`task-log/${id}/`)).length > 0);
      const work = gate();
      const two = await connect(
        stores,
        job(async ctx => {
          await ctx.step('one', () => seen.push('one again'));
          await ctx.step('two', () => seen.push('two'));
          await work.opened;
          return 'from the later';
        }),
        { leaseTtl: LEASE },
      );
      await until(() => seen.includes('two'));
      middle.open();
      await until(async () => (await statusOf(one, id)) === 'working');
      work.open();
      await until(async () => (await statusOf(two, id)) === 'completed');
      expect([await textOf(one, id), await textOf(two, id)]).toEqual(['from the later', 'from the later']);
      expect(seen).toEqual(['one', 'two']);
    });

    it('ends in one final state when it is cancelled at one process while it ends at the other [so.task-terminal]', async () => {
      const gates = new Map<string, ReturnType<typeof gate>>();
      const tools = job(async (_, { name }) => {
        await gates.get(String(name))?.opened;
        return 'done';
      });
      const one = await connect(open(), tools);
      const two = await connect(openStores(), tools);
      const ends: string[] = [];
      for (let n = 0; n < 20; n++) {
        const ending = gate();
        gates.set(`${n}`, ending);
        const id = await start(one, { name: `${n}` });
        const cancelled = two.call('tasks/cancel', { taskId: id });
        if (n % 4 > 0) await new Promise(resolve => setTimeout(resolve, n % 4));
        ending.open();
        await cancelled;
        await until(async () => (await statusOf(one, id)) !== 'working');
        const status = await statusOf(one, id);
        // A state that can change would change by these.
        await one.call('tasks/cancel', { taskId: id });
        await two.call('tasks/cancel', { taskId: id });
        expect([await statusOf(one, id), await statusOf(two, id)]).toEqual([status, status]);
        expect([await textOf(two, id)]).toEqual([status === 'completed' ? 'done' : undefined]);
        ends.push(status);
      }
      expect(ends.filter(status => status !== 'completed' && status !== 'cancelled')).toEqual([]);
      expect(ends).toContain('cancelled');
    });

    it('waits for input in the store, and continues when any process gets the response [so.task-input]', async () => {
      const tools = job(async ctx => `Hello ${await ask(ctx)}`);
      const one = await connect(open(), tools);
      const two = await connect(openStores(), tools);
      const id = await start(one);
      await until(async () => (await statusOf(one, id)) === 'input_required');
      expect((await two.call('tasks/get', { taskId: id })).result?.inputRequests).toMatchObject({
        [Object.keys(((await one.call('tasks/get', { taskId: id })).result?.inputRequests as object) ?? {})[0] ?? '']: {
          method: 'elicitation/create',
        },
      });
      await answerAll(two, id, 'Ada');
      await until(async () => (await statusOf(one, id)) === 'completed');
      expect([await textOf(one, id), await textOf(two, id)]).toEqual(['Hello Ada', 'Hello Ada']);
    });
  },
);
