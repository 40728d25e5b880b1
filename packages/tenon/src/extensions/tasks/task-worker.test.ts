import { describe, expect, it } from 'vitest';
import { answerAll, ask, job, start, statusOf, textOf } from './fixtures/jobs.js';
import { accept, type Gate, gate, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient } from './fixtures/task-client.js';

describe('the limit of running tasks', () => {
  it('delays further tasks, in their order', async () => {
    const site = siteOf();
    const gates = new Map<unknown, Gate<void>>();
    const begun: unknown[] = [];
    const server = site.serve(
      job((_, { n }) => {
        begun.push(n);
        const own = gate();
        gates.set(n, own);
        return own.opened;
      }),
      { maxRunning: 2 },
    );
    const caller = await connectTaskClient(server);
    const ids = await Promise.all([1, 2, 3, 4, 5].map(n => start(caller, { n })));
    await settle();
    expect(begun).toEqual([1, 2]);
    expect(await Promise.all(ids.map(id => statusOf(caller, id)))).toEqual(Array(5).fill('working'));
    for (const [done, next] of [
      [2, 3],
      [1, 4],
      [4, 5],
    ]) {
      gates.get(done)?.open();
      await until(() => begun.includes(next), `${next}`);
      await settle();
      expect(begun.at(-1)).toBe(next);
      expect(begun).toHaveLength(Number(next));
    }
    for (const each of gates.values()) each.open();
    await until(async () =>
      (await Promise.all(ids.map(id => statusOf(caller, id)))).every(each => each === 'completed'),
    );
    expect(begun).toHaveLength(5);
    expect(site.events.some(({ type }) => type === 'taken-over')).toBe(false);
  });

  it('starts the next task, however slowly the store releases a waiting one', async () => {
    const laid = gate();
    const first = gate();
    const site = siteOf(({ values }) => ({
      values: {
        ...values,
        async put(...args) {
          if (args[1].status === 'working' && args[1].lease === undefined) await laid.opened;
          return values.put(...args);
        },
      },
    }));
    let entries = 0;
    const wait = job(() => (entries++ === 0 ? first.opened : 'done'));
    const caller = await connectTaskClient(site.serve(wait, { maxRunning: 1 }));
    const [one, two] = [await start(caller), await start(caller)];
    first.open();
    await until(async () => (await statusOf(caller, one)) === 'completed');
    await settle();
    laid.open();
    await until(async () => (await statusOf(caller, two)) === 'completed');
  });

  it('does not count tasks that wait for input', async () => {
    const site = siteOf();
    const caller = await connectTaskClient(site.serve(job(ask), { maxRunning: 1 }));
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.push(await start(caller));
      await until(async () => (await statusOf(caller, ids.at(-1))) === 'input_required', `question ${n}`);
    }
    for (const id of ids) {
      await answerAll(caller, id);
      await until(async () => (await statusOf(caller, id)) === 'completed');
    }
  });

  it('starts the next task when a waiting one is cancelled', async () => {
    const site = siteOf();
    const first = gate();
    let entries = 0;
    const server = site.serve(
      job(() => {
        entries++;
        return first.opened;
      }),
      { maxRunning: 1, maxOpen: 2 },
    );
    const caller = await connectTaskClient(server);
    const one = await start(caller);
    const two = await start(caller);
    expect(await start(caller)).toBe('429');
    await caller.call('tasks/cancel', { taskId: two });
    expect(site.events.filter(({ type }) => type === 'cancelled')).toHaveLength(1);
    first.open();
    await until(async () => (await statusOf(caller, one)) === 'completed');
    await settle();
    expect(await statusOf(caller, two)).toBe('cancelled');
    expect(entries).toBe(1);
    expect((await site.stores.values.list('task-open/')).length).toBe(0);
  });
});

describe('the limit of open tasks', () => {
  it('refuses further tasks, in total and for each user, until some end [tasks.resources.concurrency-limit tasks.security.rate-limited]', async () => {
    const site = siteOf();
    const gates: Gate<void>[] = [];
    const wait = job(() => {
      gates.push(gate());
      return gates.at(-1)?.opened;
    });
    const server = site.serve(wait, { maxOpen: 3, maxOpenPerUser: 2, maxShare: 1, ttl: 10_000 });
    const ann = await connectTaskClient(server, { principal: 'ann' });
    const bob = await connectTaskClient(server, { principal: 'bob' });
    const ids = [await start(ann), await start(ann)];
    const { error } = await ann.call('tools/call', { name: 'job' });
    expect(error).toMatchObject({ code: 429, message: expect.stringContaining('Too many open tasks') });
    expect((await start(bob)).length).toBe(36);
    expect(await start(bob)).toBe('429');
    gates[0]?.open();
    await until(async () => (await statusOf(ann, ids[0])) === 'completed');
    expect((await start(bob)).length).toBe(36);
    await ann.call('tasks/cancel', { taskId: ids[1] });
    expect((await start(ann)).length).toBe(36);
    expect(await start(bob)).toBe('429');
    site.clock.advance(10_000);
    expect((await start(bob)).length).toBe(36);
  });

  it('leaves room for others while one user, or one address, opens as many as it can', async () => {
    const site = siteOf();
    const server = site.serve(
      job(() => gate().opened),
      { maxOpen: 6 },
    );
    for (const callers of [
      { eve: { principal: 'eve' }, ada: { principal: 'ada' } },
      { eve: { address: '192.0.2.1' }, ada: { address: '192.0.2.2' } },
    ]) {
      const [eve, ada] = [await connectTaskClient(server, callers.eve), await connectTaskClient(server, callers.ada)];
      let opened = 0;
      while ((await start(eve)) !== '429') opened += 1;
      expect(opened).toBeGreaterThan(0);
      expect((await start(ada)).length).toBe(36);
    }
  });

  it('runs tasks of others while the tasks of one user wait to run', async () => {
    const site = siteOf();
    const working: (string | undefined)[] = [];
    const gates: Gate<void>[] = [];
    const wait = job(({ auth }) => {
      working.push(auth?.principal);
      gates.push(gate());
      return gates.at(-1)?.opened;
    });
    const server = site.serve(wait, { maxRunning: 4 });
    const eve = await connectTaskClient(server, { principal: 'eve' });
    const ada = await connectTaskClient(server, { principal: 'ada' });
    for (let n = 0; n < 8; n += 1) await start(eve);
    await start(ada);
    await until(async () => working.includes('ada'));
    expect(working).toEqual(['eve', 'eve', 'ada']);
    for (let n = 0; n < 9; n += 1) {
      await until(async () => gates[n] !== undefined);
      gates[n]?.open();
    }
    await until(async () => (await site.stores.values.list('task-open/')).length === 0);
    expect(working.filter(principal => principal === 'eve')).toHaveLength(8);
  });

  it('counts down when tasks end in another process', async () => {
    const site = siteOf();
    const one = await connectTaskClient(site.serve(job(ask), { maxOpen: 1, suspendTimeout: 1000 }));
    const other = await connectTaskClient(site.serve(job(ask), {}));
    const id = await start(one);
    await settle();
    site.clock.advance(1000);
    await settle();
    await answerAll(other, id);
    await until(async () => (await statusOf(other, id)) === 'completed');
    await settle();
    expect((await start(one)).length).toBe(36);
    const second = await start(other);
    await one.call('tasks/cancel', { taskId: second });
    expect(site.events.filter(({ type }) => type === 'cancelled')).toHaveLength(1);
  });
});

describe('a task that waits for input', () => {
  it('leaves memory, and runs again after the response without repeating a step', async () => {
    const site = siteOf();
    const seen: string[] = [];
    const server = site.serve(
      job(async ctx => {
        seen.push('entered');
        await ctx.step('one', () => void seen.push('one'));
        return ask(ctx);
      }),
      { suspendTimeout: 1000 },
    );
    const caller = await connectTaskClient(server);
    const id = await start(caller);
    await until(async () => (await statusOf(caller, id)) === 'input_required');
    await settle();
    const before = (await caller.call('tasks/get', { taskId: id })).result?.inputRequests;
    expect((await site.stores.values.get(`task/${id}`))?.value).toHaveProperty('lease');
    site.clock.advance(1000);
    await settle();
    expect((await site.stores.values.get(`task/${id}`))?.value).not.toHaveProperty('lease');
    expect((await caller.call('tasks/get', { taskId: id })).result?.inputRequests).toEqual(before);
    await answerAll(caller, id);
    await until(async () => (await statusOf(caller, id)) === 'completed');
    expect(await textOf(caller, id)).toBe('x');
    expect(seen).toEqual(['entered', 'one', 'entered']);
    expect(site.events.some(({ type }) => type === 'taken-over')).toBe(false);
  });

  it('continues when the response arrives as it leaves memory', async () => {
    for (const turns of [0, 1, 2, 3, 4, 6, 8]) {
      const site = siteOf();
      const caller = await connectTaskClient(site.serve(job(ask), { suspendTimeout: 1000 }));
      const id = await start(caller);
      await until(async () => (await statusOf(caller, id)) === 'input_required');
      await settle();
      caller.send('tasks/update', { taskId: id, inputResponses: { 'ask-0': accept('x') } });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      site.clock.advance(1000);
      await until(async () => (await statusOf(caller, id)) === 'completed', `${turns}`);
    }
  });
});
