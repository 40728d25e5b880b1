import { describe, expect, it } from 'vitest';
import type { Context } from '../../handler/context.js';
import { tool } from '../../server/definitions/tool.js';
import { answerAll, ask, job, start, statusOf, textOf } from './fixtures/jobs.js';
import { gate, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient, type TaskTestClient } from './fixtures/task-client.js';

describe('a worker that searches for tasks', () => {
  /** Tasks of a process that is gone. */
  async function leave(count: number, site: ReturnType<typeof siteOf>) {
    const lost = siteOf(() => site.stores);
    const caller = await connectTaskClient(lost.serve(job(() => gate().opened)));
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.push(await start(caller));
    return ids;
  }
  const edit = async (site: ReturnType<typeof siteOf>, id: string, change: object) => {
    const { value } = (await site.stores.values.get(`task/${id}`)) ?? {};
    await site.stores.values.put(`task/${id}`, { ...value, ...change });
  };

  it('skips a record that it cannot serve, leaves it to others, and takes those behind it', async () => {
    const site = siteOf();
    const ids = (await leave(5, site)).toSorted();
    const [unknown = '', broken = '', ...rest] = ids;
    await edit(site, unknown, { revision: '2099-01-01' });
    await edit(site, broken, { version: undefined, params: 7, journal: 'none' });
    const caller = await connectTaskClient(
      site.serve(
        job(() => 'done'),
        { leaseTtl: 15_000 },
      ),
    );
    site.clock.advance(15_000);
    await until(async () =>
      (await Promise.all(rest.map(id => statusOf(caller, id)))).every(each => each === 'completed'),
    );
    site.clock.advance(15_000);
    await settle();
    expect(await site.record(unknown)).toMatchObject({ status: 'working', lease: { fence: expect.any(String) } });
    expect((await site.stores.values.list('task-open/')).map(({ key }) => key)).toContain(`task-open/${unknown}`);
  });

  it('continues with the tasks behind one that the store cannot read', async () => {
    const site = siteOf(({ values }) => ({
      values: {
        ...values,
        get: key => (key === `task/${damaged}` ? Promise.reject(new Error('damaged')) : values.get(key)),
      },
    }));
    let damaged = '';
    const [first = '', ...rest] = (await leave(3, site)).toSorted();
    damaged = first;
    const caller = await connectTaskClient(
      site.serve(
        job(() => 'done'),
        { leaseTtl: 15_000 },
      ),
    );
    site.clock.advance(15_000);
    await until(async () =>
      (await Promise.all(rest.map(id => statusOf(caller, id)))).every(each => each === 'completed'),
    );
    expect(new Set(site.errors.map(({ message }) => message))).toEqual(new Set(['damaged']));
  });

  it('takes a task at once that has no lease in the store, whatever time its record names', async () => {
    const site = siteOf();
    const [id = ''] = await leave(1, site);
    await edit(site, id, { lease: { until: site.clock.now() + 3_600_000, fence: 'gone', length: 15_000 } });
    const caller = await connectTaskClient(
      site.serve(
        job(() => 'done'),
        { leaseTtl: 15_000 },
      ),
    );
    site.clock.advance(0);
    await until(async () => (await statusOf(caller, id)) === 'completed');
  });
});

describe('a task of a tool that this process does not have', () => {
  const versioned = (version: string | undefined, run: (ctx: Context) => unknown) => ({
    job: tool({
      task: { support: 'required', ...(version === undefined ? {} : { version }) },
      run: (_, ctx) => run(ctx) as Promise<string>,
    }),
  });

  async function leave(version?: string) {
    const site = siteOf();
    const lost = siteOf(() => site.stores);
    const caller = await connectTaskClient(lost.serve(versioned(version, () => gate().opened)));
    const id = await start(caller);
    await settle();
    return { site, id };
  }

  it('stays for a process that has the tool', async () => {
    const { site, id } = await leave();
    const without = await connectTaskClient(site.serve({}, { handoverTimeout: 60_000 }));
    for (let n = 0; n < 4; n++) {
      site.clock.advance(15_000);
      await settle();
    }
    expect(await statusOf(without, id)).toBe('working');
    expect(site.errors).toMatchObject([{ code: 'task/unserved' }]);
    await connectTaskClient(site.serve(versioned(undefined, () => 'done')));
    site.clock.advance(0);
    await until(async () => (await statusOf(without, id)) === 'completed');
  });

  it('fails when no process has the tool for the time of `handoverTimeout`', async () => {
    const { site, id } = await leave();
    const without = await connectTaskClient(site.serve({}, { handoverTimeout: 60_000 }));
    await until(async () => {
      site.clock.advance(15_000);
      await settle(2);
      return (await statusOf(without, id)) !== 'working';
    });
    const { result } = await without.call('tasks/get', { taskId: id });
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: -32602, message: 'Unknown tool: job. Choose a name from tools/list' },
    });
    expect(site.clock.now()).toBeGreaterThanOrEqual(1_000_000 + 60_000);
    const endedAt = Date.parse(String(result?.lastUpdatedAt));
    expect(endedAt).toBeGreaterThanOrEqual(1_000_000 + 60_000);
    expect(endedAt).toBeLessThanOrEqual(site.clock.now());
    await until(async () => (await site.stores.values.list('task-open/')).length === 0);
    expect(site.events.map(({ type }) => type)).toContain('failed');
  });

  it.each([
    ['1', '2'],
    ['1', undefined],
    [undefined, '1'],
  ])('stays for its own version of the handler, not version %s -> %s', async (before, after) => {
    const { site, id } = await leave(before);
    const ran: string[] = [];
    const run = (where: string) => () => void ran.push(where);
    const other = await connectTaskClient(site.serve(versioned(after, run('other'))));
    for (let n = 0; n < 3; n++) {
      site.clock.advance(15_000);
      await settle();
    }
    expect([ran, await statusOf(other, id)]).toEqual([[], 'working']);
    await connectTaskClient(site.serve(versioned(before, run('same'))));
    site.clock.advance(0);
    await until(async () => (await statusOf(other, id)) === 'completed');
    expect(ran).toEqual(['same']);
  });

  it('fails at once where no other process shares the store', async () => {
    const site = siteOf(() => ({ durable: false }));
    const server = site.serve(job(ask), { suspendTimeout: 1000 });
    const caller = await connectTaskClient(server);
    const id = await start(caller);
    await until(async () => (await statusOf(caller, id)) === 'input_required');
    site.clock.advance(1000);
    await settle();
    server.tools.delete('job');
    await answerAll(caller, id);
    await until(async () => (await statusOf(caller, id)) === 'failed');
  });
});

describe('a task whose process has stopped', () => {
  /** A process whose clock stands still: nothing of it is heard any more. */
  const frozen = (site: ReturnType<typeof siteOf>) => siteOf(() => site.stores);

  it('moves to another process after its lease has expired, and not before [ext-tasks.terminal-immutable]', async () => {
    const site = siteOf();
    const lost = frozen(site);
    const never = gate();
    const seen: string[] = [];
    const run = (where: string, end?: Promise<void>) =>
      job(async ctx => {
        await ctx.step('one', () => void seen.push(`one ${where}`));
        await end;
        await ctx.step('two', () => void seen.push(`two ${where}`));
        return where;
      });
    const caller = await connectTaskClient(lost.serve(run('there', never.opened)));
    const id = await start(caller);
    await settle();
    const other = await connectTaskClient(site.serve(run('here'), { leaseTtl: 15_000 }));
    site.clock.advance(14_999);
    await settle();
    expect(seen).toEqual(['one there']);
    site.clock.advance(15_000);
    await until(async () => (await statusOf(other, id)) === 'completed');
    expect(await textOf(other, id)).toBe('here');
    expect(seen).toEqual(['one there', 'two here']);
    expect(site.events.map(({ type }) => type)).toContain('taken-over');
    // The former one comes back: what it does is not accepted, and no step begins.
    never.open();
    lost.clock.advance(14_000);
    await settle();
    expect(seen).toEqual(['one there', 'two here']);
    expect(await textOf(caller, id)).toBe('here');
    expect(lost.errors).toEqual([]);
  });

  it('begins no step at the old process when it continues after its lease', async () => {
    const site = siteOf();
    const held = gate();
    const seen: string[] = [];
    const caller = await connectTaskClient(
      site.serve(
        job(async ctx => {
          await held.opened;
          await ctx.step('one', () => void seen.push('one'));
        }),
      ),
    );
    const id = await start(caller);
    await settle();
    // Another has it now, and no timer has told this process so.
    const { value } = (await site.stores.values.get(`task/${id}`)) ?? { value: {} };
    const lease = { until: site.clock.now() + 60_000, fence: 'other' };
    await site.stores.values.put(`task/${id}`, { ...value, lease });
    const late = site.clock.now() + 16_000;
    Object.defineProperty(site.clock, 'now', { value: () => late });
    held.open();
    await settle();
    expect(seen).toEqual([]);
    expect(site.errors).toEqual([]);
  });

  it('runs at one of two processes that want it', async () => {
    const site = siteOf();
    const lost = frozen(site);
    const seen: string[] = [];
    const caller = await connectTaskClient(lost.serve(job(() => gate().opened)));
    const ids = await Promise.all(Array.from({ length: 10 }, () => start(caller)));
    await settle();
    const work = job(async ctx => ctx.step('one', () => void seen.push('one')));
    const others = await Promise.all([1, 2, 3].map(async () => connectTaskClient(site.serve(work))));
    site.clock.advance(40_000);
    const [other] = others as [TaskTestClient];
    await until(async () =>
      (await Promise.all(ids.map(id => statusOf(other, id)))).every(each => each === 'completed'),
    );
    expect(seen).toHaveLength(10);
    expect(site.events.filter(({ type }) => type === 'completed')).toHaveLength(10);
  });

  it('stays with a process that works on it for longer than a lease', async () => {
    const site = siteOf();
    const work = gate<string>();
    let entries = 0;
    const tools = job(() => {
      entries++;
      return work.opened;
    });
    const caller = await connectTaskClient(site.serve(tools));
    await connectTaskClient(site.serve(tools));
    const id = await start(caller);
    for (let n = 0; n < 40; n++) {
      site.clock.advance(2000);
      await settle(2);
    }
    work.open('done');
    await until(async () => (await statusOf(caller, id)) === 'completed');
    expect(entries).toBe(1);
  });
});

describe('a task that is cancelled at another process as it completes', () => {
  it('stays cancelled', async () => {
    const last = gate();
    let isCutOff = false;
    const site = siteOf(({ values }) => ({
      values: {
        ...values,
        async put(...args) {
          if (args[1].status === 'completed' && !isCutOff) {
            isCutOff = true;
            await last.opened;
          }
          return values.put(...args);
        },
      },
    }));
    const caller = await connectTaskClient(site.serve(job(() => 'done')));
    const other = await connectTaskClient(site.serve(job(() => 'done')));
    const id = await start(caller);
    await until(() => isCutOff);
    await other.call('tasks/cancel', { taskId: id });
    last.open();
    await settle();
    expect(await statusOf(caller, id)).toBe('cancelled');
    expect((await site.stores.values.get(`task/${id}`))?.value).not.toHaveProperty('result');
    const types = site.events.map(({ type }) => type);
    expect(types.filter(type => type === 'cancelled' || type === 'completed')).toEqual(['cancelled']);
    expect(site.errors).toEqual([]);
  });
});

describe('a server that closes', () => {
  it('releases its tasks: another process continues them, and no step begins here', async () => {
    const site = siteOf();
    const step = gate();
    const seen: string[] = [];
    const run = (where: string, during?: Promise<void>) =>
      job(async ctx => {
        await ctx.step('one', () => void seen.push(`one ${where}`));
        await during;
        await ctx.step('two', () => void seen.push(`two ${where}`));
        return where;
      });
    const server = site.serve(run('there', step.opened));
    const caller = await connectTaskClient(server);
    const id = await start(caller);
    await settle();
    server.close();
    await settle();
    expect(await statusOf(caller, id)).toBe('working');
    const other = await connectTaskClient(site.serve(run('here')));
    site.clock.advance(0);
    await until(async () => (await statusOf(other, id)) === 'completed');
    step.open();
    await settle();
    expect(seen).toEqual(['one there', 'two here']);
    expect(await textOf(caller, id)).toBe('here');
    expect(site.errors).toEqual([]);
  });

  it('completes tasks that end in time', async () => {
    const last = gate();
    const site = siteOf(({ values }) => ({
      values: {
        ...values,
        async put(...args) {
          if (args[1].status === 'completed') await last.opened;
          return values.put(...args);
        },
      },
    }));
    const server = site.serve(job(() => 'done'));
    const caller = await connectTaskClient(server);
    const id = await start(caller);
    await settle();
    server.close();
    await settle();
    last.open();
    await until(async () => (await statusOf(caller, id)) === 'completed');
    expect(site.events.filter(({ type }) => type === 'completed')).toHaveLength(1);
    expect((await site.stores.values.list('task-open/')).length).toBe(0);
  });

  it('leaves no timer and no listener', async () => {
    const site = siteOf();
    const server = site.serve(job(ask));
    const caller = await connectTaskClient(server);
    await start(caller);
    await settle();
    server.close();
    await settle();
    site.clock.advance(60_000);
    await settle();
    expect(site.clock.timers).toBe(0);
  });

  it('begins no new task, and other processes do', async () => {
    const site = siteOf();
    const server = site.serve(job(() => 'there'));
    const caller = await connectTaskClient(server);
    server.close();
    const id = await start(caller);
    await settle();
    expect(await statusOf(caller, id)).toBe('working');
    await connectTaskClient(site.serve(job(() => 'here')));
    site.clock.advance(0);
    await until(async () => (await textOf(caller, id)) === 'here');
  });
});

describe('a task that expires while it runs', () => {
  it('is stopped and deleted', async () => {
    const site = siteOf();
    const seen: string[] = [];
    let signal: AbortSignal | undefined;
    const work = gate();
    const server = site.serve(
      job(async ctx => {
        signal = ctx.signal;
        await work.opened;
        await ctx.step('late', () => void seen.push('late'));
      }),
      { ttl: 20_000 },
    );
    const caller = await connectTaskClient(server);
    const id = await start(caller);
    await settle();
    for (let n = 0; n < 6; n++) {
      site.clock.advance(5000);
      await settle();
    }
    expect((await caller.call('tasks/get', { taskId: id })).error?.code).toBe(-32602);
    expect(signal?.aborted).toBe(true);
    work.open();
    await settle();
    expect(seen).toEqual([]);
    expect((await site.stores.values.list('task')).length).toBe(0);
    expect(site.errors).toEqual([]);
  });
});

describe('a task of a protocol version that is no longer supported', () => {
  it('stays unchanged, and is reported', async () => {
    const site = siteOf();
    const lost = siteOf(() => site.stores);
    const caller = await connectTaskClient(lost.serve(job(() => gate().opened)));
    const id = await start(caller);
    await settle();
    const { value } = (await site.stores.values.get(`task/${id}`)) ?? { value: {} };
    await site.stores.values.put(`task/${id}`, { ...value, revision: '1999-01-01' });
    const other = await connectTaskClient(site.serve(job(() => 'here')));
    site.clock.advance(30_000);
    await settle();
    expect(site.errors.map(({ code }) => code)).toContain('task/protocol-version');
    expect(await statusOf(other, id)).toBe('working');
  });
});
