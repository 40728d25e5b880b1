import { type Stores, TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { tool } from '../../server/definitions/tool.js';
import { answerAll, ask, job, start, statusOf, textOf } from './fixtures/jobs.js';
import { accept, gate, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient, getTaskId } from './fixtures/task-client.js';

type Calls = 'get' | 'put' | 'publish';

/** Stores that fail as a test says. `late`: a write takes effect, and fails all the same. */
function createFaultySite() {
  const faults = { next: 0, until: 0, late: false, calls: ['get', 'put'] as Calls[] };
  const site = siteOf(({ values, bus }: Stores) => {
    const fails = (call: Calls) => {
      if (!faults.calls.includes(call)) return false;
      if (site.clock.now() < faults.until) return true;
      return faults.next > 0 && faults.next-- > 0;
    };
    const busy = () => new TenonError('store/busy', 'another process holds the file');
    return {
      values: {
        ...values,
        async get(key) {
          if (fails('get')) throw busy();
          return values.get(key);
        },
        async put(key, value, options) {
          const failing = fails('put');
          if (failing && !faults.late) throw busy();
          const version = await values.put(key, value, options);
          if (failing) throw busy();
          return version;
        },
      },
      bus: {
        ...bus,
        async publish(topic, message) {
          if (fails('publish')) throw busy();
          return bus.publish(topic, message);
        },
      },
    };
  });
  /** Lets time pass until it holds. */
  const advance = (holds: () => Promise<unknown>) =>
    until(async () => {
      site.clock.advance(100);
      await settle(2);
      return holds();
    });
  return { site, faults, advance };
}

/** Requests the result of a task with a failing store, on a version whose server then requests input on the same stream. */
async function requestResult() {
  const faulty = createFaultySite();
  const tools = { job: tool({ task: 'optional', run: (_, ctx) => ask(ctx) }) };
  const caller = await connectTaskClient(faulty.site.serve(tools), { version: '2025-11-25' });
  const taskId = getTaskId(await caller.call('tools/call', { name: 'job', task: {} }));
  const request = caller.send('tasks/result', { taskId });
  await until(() => caller.requested.length === 1);
  return { ...faulty, caller, taskId, request };
}

describe('a failing store', () => {
  it.each([false, true])(
    'makes the worker repeat the record of a step, not the step (written all the same: %s)',
    async late => {
      const { site, faults, advance } = createFaultySite();
      let runs = 0;
      const caller = await connectTaskClient(
        site.serve(
          job(async ctx => {
            const n = await ctx.step('pay', () => {
              Object.assign(faults, { next: 1, late, calls: ['put'] });
              return ++runs;
            });
            return `paid ${n}`;
          }),
        ),
      );
      const id = await start(caller);
      await advance(async () => (await statusOf(caller, id)) === 'completed');
      expect([await textOf(caller, id), runs]).toEqual(['paid 1', 1]);
      expect(site.errors.map(({ code }) => code)).toEqual(['store/busy']);
    },
  );

  it('ends none of ten tasks when it fails for 6.5 s', async () => {
    const { site, faults, advance } = createFaultySite();
    const work = gate();
    let runs = 0;
    const caller = await connectTaskClient(
      site.serve(
        job(async ctx => {
          await work.opened;
          for (const name of ['a', 'b']) await ctx.step(name, () => void runs++);
          return 'done';
        }),
      ),
    );
    const ids = await Promise.all(Array.from({ length: 10 }, () => start(caller)));
    faults.until = site.clock.now() + 6500;
    work.open();
    await advance(async () => site.clock.now() > faults.until);
    await advance(async () =>
      (await Promise.all(ids.map(id => statusOf(caller, id)))).every(each => each === 'completed'),
    );
    for (const id of ids) expect(await textOf(caller, id)).toBe('done');
    expect(runs).toBe(20);
  });

  it.each([false, true])(
    'loses no result when it fails while the result is written (written all the same: %s)',
    async late => {
      const { site, faults, advance } = createFaultySite();
      const work = gate<string>();
      let entries = 0;
      const caller = await connectTaskClient(
        site.serve(
          job(() => {
            entries++;
            return work.opened;
          }),
        ),
      );
      const id = await start(caller);
      await settle();
      Object.assign(faults, { next: 1, late, calls: ['put'] });
      work.open('done');
      await advance(async () => (await statusOf(caller, id)) === 'completed');
      expect([await textOf(caller, id), entries]).toEqual(['done', 1]);
      await advance(async () => site.events.some(({ type }) => type === 'completed'));
      await until(async () => (await site.stores.values.list('task-open/')).length === 0);
    },
  );

  it.each(['get', 'put', 'publish'] as const)(
    'loses neither input request nor response when `%s` fails',
    async call => {
      const { site, faults, advance } = createFaultySite();
      faults.calls = [call];
      const caller = await connectTaskClient(
        site.serve(
          job(async ctx => {
            faults.next = 1;
            return await ask(ctx);
          }),
        ),
      );
      const id = await start(caller);
      await advance(async () =>
        site
          .record(id)
          .then(record => record?.status === 'input_required')
          .catch(() => false),
      );
      await answerAll(caller, id, 'yes');
      faults.next = call === 'publish' ? 0 : 1;
      await advance(async () => (await statusOf(caller, id)) === 'completed');
      expect(await textOf(caller, id)).toBe('yes');
    },
  );

  it('continues a task whose response is stored, but not announced', async () => {
    const { site, faults, advance } = createFaultySite();
    const caller = await connectTaskClient(site.serve(job(ask)));
    const id = await start(caller);
    await until(async () => (await statusOf(caller, id)) === 'input_required');
    Object.assign(faults, { calls: ['publish'], until: Number.POSITIVE_INFINITY });
    await answerAll(caller, id, 'yes');
    const answeredAt = site.clock.now();
    await advance(async () => (await statusOf(caller, id)) === 'completed');
    expect(await textOf(caller, id)).toBe('yes');
    // A third of the lease.
    expect(site.clock.now() - answeredAt).toBeLessThan(6000);
  });

  it('delivers the response to an input request on the stream of tasks/result, which stays open', async () => {
    const { site, faults, advance, caller, request } = await requestResult();
    faults.until = site.clock.now() + 6500;
    caller.requested[0]?.answer(accept('yes'));
    await advance(async () => site.clock.now() > faults.until);
    await advance(async () => caller.answers.has(request));
    expect(caller.answers.get(request)?.result).toMatchObject({ content: [{ text: 'yes' }] });
    expect(caller.requested).toHaveLength(1);
  });

  it('keeps an input request that the client may still answer, when the task changes', async () => {
    const { site, faults, advance, caller, taskId, request } = await requestResult();
    Object.assign(faults, { calls: ['get'], until: site.clock.now() + 6500 });
    await site.stores.bus.publish('tasks', { id: taskId });
    await advance(async () => site.clock.now() > faults.until);
    caller.requested[0]?.answer(accept('yes'));
    await advance(async () => caller.answers.has(request));
    expect(caller.answers.get(request)?.result).toMatchObject({ content: [{ text: 'yes' }] });
    expect(caller.requested).toHaveLength(1);
  });

  it('leaves the task to another process that took it meanwhile', async () => {
    const { site, faults, advance } = createFaultySite();
    const healthy = siteOf(() => site.stores);
    const other = await connectTaskClient(healthy.serve(job(() => 'elsewhere')));
    const fail = () => {
      faults.until = Number.POSITIVE_INFINITY;
    };
    const caller = await connectTaskClient(site.serve(job(async ctx => ctx.step('a', fail))));
    const id = await start(caller);
    await settle();
    expect(other).toBeDefined();
    await advance(async () => site.errors.length > 0);
    expect(site.events.map(({ type }) => type)).toEqual(['created']);
    faults.until = 0;
    await advance(async () => (await statusOf(caller, id)) === 'completed');
  });
});
