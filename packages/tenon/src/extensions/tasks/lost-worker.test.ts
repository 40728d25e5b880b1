import { TenonError, toRecordValues, toTypedValues } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { job, start, statusOf, textOf } from './fixtures/jobs.js';
import { gate, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient } from './fixtures/task-client.js';
import type { TaskRecord } from './task-record.js';

const LEASE = 15_000;

/** Answer of the store to the write with which the suspended worker ends its task, once the worker continues. */
const faults = {
  'the write is late': [],
  'the write fails and is repeated': ['store/unavailable'],
  'several writes fail and are repeated': ['store/unavailable', 'store/busy', 'store/failed'],
} as const;

/**
 * Starts a task whose worker is suspended while it stores the end. Its clock stands still, and its lease expires. The
 * worker continues with `resume`.
 */
async function suspendAtEnd(codes: readonly string[]) {
  const site = siteOf();
  const resumed = gate();
  const reached = gate();
  const left = [...codes];
  const { values, bus } = site.stores;
  const suspended = siteOf(() => ({
    bus,
    values: {
      ...values,
      async put(key, value, options) {
        if (!key.startsWith('task/') || value.status !== 'completed') return values.put(key, value, options);
        reached.open();
        await resumed.opened;
        const code = left.shift();
        if (code !== undefined) throw new TenonError(code, 'the write failed');
        return values.put(key, value, options);
      },
    },
  }));
  const first = await connectTaskClient(
    suspended.serve(
      job(() => 'from the first'),
      { leaseTtl: LEASE },
    ),
  );
  const id = await start(first);
  await reached.opened;
  const resume = async () => {
    resumed.open();
    for (let turn = 0; turn < 20; turn++) {
      await settle(3);
      suspended.clock.advance(5000);
    }
  };
  const listEnds = () => suspended.events.map(({ type }) => type).filter(type => type !== 'created');
  return { site, id, resume, listEnds };
}

describe('a worker that was suspended for longer than its lease', () => {
  it.each(Object.entries(faults))('does not complete a task that another has taken over: %s', async (_, codes) => {
    const { site, id, resume, listEnds } = await suspendAtEnd(codes);
    const second = await connectTaskClient(
      site.serve(
        job(() => 'from the second'),
        { leaseTtl: LEASE },
      ),
    );
    site.clock.advance(LEASE);
    await until(async () => (await statusOf(second, id)) === 'completed');
    await resume();
    expect(await textOf(second, id)).toBe('from the second');
    expect(listEnds()).toEqual([]);
  });

  it.each(Object.entries(faults))('does not complete a task that another works on: %s', async (_, codes) => {
    const { site, id, resume, listEnds } = await suspendAtEnd(codes);
    const finish = gate<string>();
    const second = await connectTaskClient(
      site.serve(
        job(() => finish.opened),
        { leaseTtl: LEASE },
      ),
    );
    site.clock.advance(LEASE);
    await until(() => site.events.some(({ type }) => type === 'taken-over'));
    await resume();
    expect([await statusOf(second, id), listEnds()]).toEqual(['working', []]);
    finish.open('from the second');
    await until(async () => (await textOf(second, id)) === 'from the second');
    expect(listEnds()).toEqual([]);
  });

  it.each(Object.entries(faults))('does not complete a task that a client has cancelled: %s', async (_, codes) => {
    const { site, id, resume, listEnds } = await suspendAtEnd(codes);
    const second = await connectTaskClient(site.serve(job(() => 'from the second')));
    await second.call('tasks/cancel', { taskId: id });
    await resume();
    expect(await statusOf(second, id)).toBe('cancelled');
    expect(listEnds()).not.toContain('completed');
  });

  it('does not stop the worker that took over while it was taking over itself', async () => {
    const site = siteOf();
    const { values, bus } = site.stores;
    const effects: string[] = [];
    const never = new Promise<never>(() => {});
    const tool = (wait: Promise<unknown>) =>
      job(async ctx => {
        await ctx.step('one', () => void effects.push('one'));
        await wait;
        await ctx.step('two', () => void effects.push('two'));
        return 'done';
      });
    let isGone = false;
    const lost = siteOf(() => ({
      bus,
      values: { ...values, put: (...args) => (isGone ? never : values.put(...args)) },
    }));
    const client = await connectTaskClient(lost.serve(tool(never), { leaseTtl: LEASE }));
    const id = await start(client);
    await until(async () => (await site.journal(id)).length > 0);
    isGone = true;
    site.clock.advance(LEASE);

    // The second worker leases the task, and is suspended before it marks the log of steps.
    const reached = gate();
    const resumed = gate();
    const suspended = siteOf(() => ({
      bus,
      values: {
        ...values,
        async put(key, value, options) {
          if (key.startsWith('task-log/') && value.entries === undefined) {
            reached.open();
            await resumed.opened;
          }
          return values.put(key, value, options);
        },
      },
    }));
    suspended.serve(tool(never), { leaseTtl: LEASE });
    suspended.clock.advance(LEASE);
    await reached.opened;
    site.clock.advance(LEASE);

    const finish = gate();
    const third = await connectTaskClient(site.serve(tool(finish.opened), { leaseTtl: LEASE }));
    site.clock.advance(LEASE);
    await until(() => site.events.some(({ type }) => type === 'taken-over'));
    suspended.clock.advance(LEASE);
    resumed.open();
    await settle();
    finish.open();
    await until(async () => (await statusOf(third, id)) !== 'working');
    expect([await statusOf(third, id), await textOf(third, id), effects]).toEqual([
      'completed',
      'done',
      ['one', 'two'],
    ]);
    expect(suspended.events).toEqual([]);
  });

  it('keeps its task if it renews the lease while another process ends tasks without a tool', async () => {
    const site = siteOf();
    const { values, bus } = site.stores;
    const finish = gate<string>();
    const first = await connectTaskClient(
      site.serve(
        job(() => finish.opened),
        { leaseTtl: LEASE },
      ),
    );
    const id = await start(first);
    const records = toTypedValues<TaskRecord>(toRecordValues(values));
    let renewals = 0;
    const other = siteOf(() => ({
      bus,
      values: {
        ...values,
        async get(key) {
          const stored = await values.get(key);
          if (!key.startsWith('lease/')) return stored;
          // The lease has expired for this reader. The worker renews it before the reader writes.
          renewals += 1;
          const found = await records.get(`task/${id}`);
          if (found) await records.put(found.key, found.value, { version: found.version });
          return undefined;
        },
      },
    }));
    other.serve({}, { leaseTtl: LEASE, handoverTimeout: 0 });
    other.clock.advance(LEASE);
    await until(() => renewals > 1);
    await settle();
    expect(await statusOf(first, id)).toBe('working');
    finish.open('done');
    await until(async () => (await statusOf(first, id)) === 'completed');
  });
});
