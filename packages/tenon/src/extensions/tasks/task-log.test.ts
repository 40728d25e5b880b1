import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../handler/context.js';
import { answerAll, job, start, statusOf, textOf } from './fixtures/jobs.js';
import { gate, input, type Site, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient, type TaskTestClient } from './fixtures/task-client.js';

/** A process whose clock stands still: it is taken for dead. */
const frozen = (site: Site) => siteOf(() => site.stores);
const listKeys = async (site: Site, prefix: string) => (await site.stores.values.list(prefix)).map(({ key }) => key);
const isOver = (caller: TaskTestClient, id: string) => async () => (await statusOf(caller, id)) === 'completed';

/** Takes steps, then waits, then takes some more. */
const steps =
  (count: number, seen: string[], where: string, wait: Promise<void> = Promise.resolve()) =>
  async (ctx: Context) => {
    for (let n = 0; n < count; n++) await ctx.step(`step ${n}`, () => void seen.push(`${n} ${where}`));
    await wait;
    for (let n = 0; n < count; n++) await ctx.step(`more ${n}`, () => void seen.push(`more ${n} ${where}`));
    return where;
  };

describe('the log of a task', () => {
  it('contains the steps, which the record does not', async () => {
    const site = siteOf();
    const caller = await connectTaskClient(site.serve(job(steps(40, [], 'here', gate().opened))));
    const id = await start(caller);
    await until(async () => (await site.journal(id)).length === 40);
    expect(await site.record(id)).toMatchObject({ journal: [] });
    expect(await listKeys(site, 'task-log/')).toHaveLength(40);
  });

  it('is empty after the task has ended', async () => {
    const site = siteOf();
    const caller = await connectTaskClient(site.serve(job(steps(600, [], 'here'))));
    const id = await start(caller);
    await until(isOver(caller, id));
    await until(async () => (await listKeys(site, 'task-open/')).length === 0);
    expect(await listKeys(site, 'task-log/')).toEqual([]);
  });

  it('keeps only its final mark after the task was cancelled elsewhere, and accepts no step', async () => {
    const site = siteOf();
    const held = gate();
    const seen: string[] = [];
    const lost = frozen(site);
    const caller = await connectTaskClient(lost.serve(job(steps(3, seen, 'there', held.opened))));
    const id = await start(caller);
    await until(() => seen.length === 3);
    const other = await connectTaskClient(site.serve(job(() => 'here')));
    await other.call('tasks/cancel', { taskId: id });
    await until(async () => (await listKeys(site, 'task-open/')).length === 0);
    expect(await listKeys(site, 'task-log/')).toEqual([`task-log/${id}/000000003`]);
    held.open();
    await settle();
    expect(seen).toHaveLength(3);
  });

  it('refuses the step of a process that was suspended during it', async () => {
    const site = siteOf();
    const lost = frozen(site);
    const middle = gate();
    const seen: string[] = [];
    const slow = async (ctx: Context) => {
      await ctx.step('one', () => 1);
      await ctx.step('two', () => middle.opened.then(() => 'there'));
      seen.push('continued there');
      return 'there';
    };
    const caller = await connectTaskClient(lost.serve(job(slow)));
    const id = await start(caller);
    await settle();
    const work = gate();
    const other = await connectTaskClient(
      site.serve(
        job(async ctx => {
          await ctx.step('one', () => seen.push('one again'));
          await work.opened;
          return ctx.step('two', () => 'here');
        }),
      ),
    );
    site.clock.advance(16_000);
    await until(() => site.events.some(({ type }) => type === 'taken-over'));
    await settle();
    middle.open();
    await settle();
    expect(seen).toEqual([]);
    work.open();
    await until(isOver(other, id));
    expect([await textOf(other, id), seen]).toEqual(['here', []]);
  });

  it('continues from a record of an earlier version, which contains the steps itself', async () => {
    const site = siteOf();
    const lost = frozen(site);
    const caller = await connectTaskClient(lost.serve(job(() => gate().opened)));
    const id = await start(caller);
    await settle();
    const { value } = (await site.stores.values.get(`task/${id}`)) ?? {};
    const journal = Array.from({ length: 20 }, (_, n) => ({ step: `step ${n}` }));
    await site.stores.values.put(`task/${id}`, { ...value, journal });
    const seen: string[] = [];
    const other = await connectTaskClient(site.serve(job(steps(20, seen, 'here'))));
    site.clock.advance(16_000);
    await until(isOver(other, id));
    expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => `more ${n} here`));
  });

  it('keeps responses beyond the size of the record, and sends no input request again', async () => {
    const site = siteOf();
    const lost = frozen(site);
    const held = gate();
    const requests: string[] = [];
    const run = (wait?: Promise<void>) => async (ctx: Context) => {
      const answers: unknown[] = [];
      for (let n = 0; n < 40; n++) answers.push((await ctx.elicit({ message: `${n}?`, input })).content?.a);
      await wait;
      return answers.join(' ');
    };
    const caller = await connectTaskClient(lost.serve(job(run(held.opened))));
    const id = await start(caller);
    let largest = 0;
    for (let n = 0; n < 40; n++) {
      await until(async () => (await statusOf(caller, id)) === 'input_required');
      const { result } = await caller.call('tasks/get', { taskId: id });
      const questions = Object.values(result?.inputRequests as Record<string, { params: JsonObject }>);
      requests.push(...questions.map(({ params }) => String(params.message)));
      await answerAll(caller, id, `a${n}`);
      await until(async () => (await statusOf(caller, id)) !== 'input_required' || n < 39);
      largest = Math.max(largest, (await site.record(id))?.journal.length ?? 0);
    }
    expect(requests).toEqual(Array.from({ length: 40 }, (_, n) => `${n}?`));
    expect(largest).toBeLessThanOrEqual(17);
    const other = await connectTaskClient(site.serve(job(run())));
    site.clock.advance(16_000);
    await until(isOver(other, id));
    expect(await textOf(other, id)).toBe(Array.from({ length: 40 }, (_, n) => `a${n}`).join(' '));
  });

  it('fails the step whose value exceeds the total size', async () => {
    const site = siteOf();
    const seen: unknown[] = [];
    const run = async (ctx: Context) => {
      for (let n = 0; n < 100; n++) await ctx.step(`step ${n}`, () => 'x'.repeat(1000));
    };
    const tools = job(ctx => run(ctx).catch(error => void seen.push(error)));
    const caller = await connectTaskClient(site.serve(tools, { maxRecordSize: 50_000 }));
    const id = await start(caller);
    await until(isOver(caller, id));
    expect(seen).toMatchObject([{ code: 'store/value-too-large', expected: 'at most 50000 characters of JSON' }]);
  });
});
