import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../handler/context.js';
import { tool } from '../../server/definitions/tool.js';
import { accept, gate, input, type Site, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient, type TaskTestClient } from './fixtures/task-client.js';

const AFTER = 100;
const promoted = (run: (ctx: Context) => Promise<unknown>) => ({
  job: tool({ task: { after: AFTER }, run: (_, ctx) => run(ctx) as Promise<string> }),
});

async function begun(site: Site, run: (ctx: Context) => Promise<unknown>, settings = {}): Promise<TaskTestClient> {
  return connectTaskClient(site.serve(promoted(run), settings));
}

/** Sends the call, and lets the time pass after which it is a task. */
async function called(site: Site, caller: TaskTestClient, params: JsonObject = {}): Promise<number> {
  const { timers } = site.clock;
  const id = caller.send('tools/call', { name: 'job', ...params });
  // Opening a request state is work of the system, which takes real time.
  await until(() => site.clock.timers > timers, 'the timer of the call');
  await settle();
  site.clock.advance(AFTER);
  await settle();
  return id;
}

const stateOf = async (caller: TaskTestClient, taskId: unknown) => (await caller.call('tasks/get', { taskId })).result;
const tasksIn = async ({ stores }: Site) => (await stores.values.list('task')).length;

describe('a call that may become a task later', () => {
  it('returns the result directly when it ends before the delay', async () => {
    const site = siteOf();
    const caller = await begun(site, async () => 'quick');
    const { result } = await caller.call('tools/call', { name: 'job' });
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'quick' }] });
    expect(site.clock.timers).toBe(1);
    site.clock.advance(AFTER);
    await settle();
    expect(await tasksIn(site)).toBe(0);
    expect(site.events).toEqual([]);
  });

  it('becomes a task when it takes longer, and runs once', async () => {
    const site = siteOf();
    const work = gate<string>();
    let entries = 0;
    const caller = await begun(site, () => {
      entries++;
      return work.opened;
    });
    const id = await called(site, caller);
    const { result } = caller.answers.get(id) ?? {};
    expect(result).toMatchObject({ resultType: 'task', status: 'working' });
    work.open('slow');
    await until(async () => (await stateOf(caller, result?.taskId))?.status === 'completed');
    expect((await stateOf(caller, result?.taskId))?.result).toMatchObject({ content: [{ text: 'slow' }] });
    expect(entries).toBe(1);
    const types = site.events.map(({ type }) => type);
    expect(types.filter(type => type !== 'read')).toEqual(['created', 'completed']);
  });

  it('requests input before it becomes a task, with separate keys [ext-tasks.create-after-mrtr ext-tasks.input-keys-separate-from-mrtr ext-tasks.not-via-retry]', async () => {
    const site = siteOf();
    const steps: string[] = [];
    const work = gate();
    const caller = await begun(site, async ctx => {
      await ctx.step('first', () => void steps.push('first'));
      const one = await ctx.elicit({ message: 'one?', input });
      await ctx.step('second', () => void steps.push('second'));
      await work.opened;
      const other = await ctx.elicit({ message: 'other?', input });
      return `${one.content?.a} ${other.content?.a}`;
    });
    const { result: round } = await caller.call('tools/call', { name: 'job' });
    expect(round?.resultType).toBe('input_required');
    site.clock.advance(AFTER);
    await settle();
    expect(await tasksIn(site)).toBe(0);
    const [before = ''] = Object.keys(round?.inputRequests as JsonObject);
    const id = await called(site, caller, {
      requestState: round?.requestState,
      inputResponses: { [before]: accept('x') },
    });
    const { result: task } = caller.answers.get(id) ?? {};
    expect(task).toMatchObject({ resultType: 'task' });
    expect(task).not.toHaveProperty('requestState');
    work.open();
    await until(async () => (await stateOf(caller, task?.taskId))?.status === 'input_required');
    const asking = await stateOf(caller, task?.taskId);
    const [key = ''] = Object.keys(asking?.inputRequests as JsonObject);
    expect(key).not.toBe(before);
    expect(asking).not.toHaveProperty('requestState');
    await caller.call('tasks/update', { taskId: task?.taskId, inputResponses: { [key]: accept('y') } });
    await until(async () => (await stateOf(caller, task?.taskId))?.status === 'completed');
    expect((await stateOf(caller, task?.taskId))?.result).toMatchObject({ content: [{ text: 'x y' }] });
    expect(steps).toEqual(['first', 'second']);
  });

  it('continues after its process has stopped, with the steps that it completed before it became a task', async () => {
    const site = siteOf();
    const steps: string[] = [];
    const never = gate();
    const run = (where: string, end: Promise<void> | undefined) => async (ctx: Context) => {
      await ctx.step('before', () => void steps.push(`before ${where}`));
      const { content } = await ctx.elicit({ message: 'one?', input });
      await ctx.step('between', () => void steps.push(`between ${where}`));
      await end;
      return content?.a;
    };
    const caller = await begun(site, run('here', never.opened));
    const { result: round } = await caller.call('tools/call', { name: 'job' });
    const [key = ''] = Object.keys(round?.inputRequests as JsonObject);
    const retry = { requestState: round?.requestState, inputResponses: { [key]: accept('x') } };
    const id = await called(site, caller, retry);
    const taskId = caller.answers.get(id)?.result?.taskId;
    // The store deletes the lease of a process that does not renew it.
    for (const { key: lease } of await site.stores.values.list('lease/')) await site.stores.values.delete(lease);
    const other = siteOf(() => site.stores);
    const elsewhere = await connectTaskClient(other.serve(promoted(run('there', undefined))));
    other.clock.advance(0);
    await until(async () => (await stateOf(elsewhere, taskId))?.status === 'completed');
    expect((await stateOf(elsewhere, taskId))?.result).toMatchObject({ content: [{ text: 'x' }] });
    expect(steps).toEqual(['before here', 'between here']);
  });

  it('reaches the client as a task after all its steps are stored, a running one included', async () => {
    const site = siteOf();
    const step = gate();
    const steps: string[] = [];
    const caller = await begun(site, async ctx => {
      await ctx.step('one', () => void steps.push('one'));
      await ctx.step('two', () => step.opened.then(() => void steps.push('two')));
      await ctx.step('three', () => void steps.push('three'));
      return 'done';
    });
    const id = await called(site, caller);
    const taskId = String(caller.answers.get(id)?.result?.taskId);
    expect(await site.journal(taskId)).toEqual([{ step: 'one' }]);
    step.open();
    await until(async () => (await stateOf(caller, taskId))?.status === 'completed');
    expect(steps).toEqual(['one', 'two', 'three']);
  });

  it('becomes a task before it has repeated its earlier steps, when it runs again', async () => {
    const site = siteOf();
    const slow = gate();
    let entries = 0;
    const run = async (ctx: Context) => {
      if (entries++ > 0) await slow.opened;
      return (await ctx.elicit({ message: 'one?', input })).content?.a;
    };
    const caller = await connectTaskClient(site.serve(promoted(run), {}, { inputRequests: { maxSuspended: 0 } }));
    const { result: round } = await caller.call('tools/call', { name: 'job' });
    const [key = ''] = Object.keys(round?.inputRequests as JsonObject);
    const retry = { requestState: round?.requestState, inputResponses: { [key]: accept('x') } };
    const id = await called(site, caller, retry);
    await until(() => caller.answers.has(id));
    const taskId = caller.answers.get(id)?.result?.taskId;
    slow.open();
    await until(async () => (await stateOf(caller, taskId))?.status === 'completed');
    expect((await stateOf(caller, taskId))?.result).toMatchObject({ content: [{ text: 'x' }] });
    expect(entries).toBe(2);
  });

  it('is offered to no worker or client before all steps are stored that ran meanwhile', async () => {
    const [made, written] = [gate(), gate()];
    let puts = 0;
    const site = siteOf(({ values }) => ({
      values: {
        ...values,
        async put(...args) {
          if (/^task(-log)?\//.test(args[0]) && puts < 2) await [made, written][puts++]?.opened;
          return values.put(...args);
        },
      },
    }));
    const work = gate();
    const caller = await begun(site, async ctx => {
      await work.opened;
      await ctx.step('meanwhile', () => 1);
      await gate().opened;
    });
    const id = await called(site, caller);
    work.open();
    await settle();
    made.open();
    await settle();
    expect(caller.answers.has(id)).toBe(false);
    expect((await site.stores.values.list('task-o')).length).toBe(0);
    written.open();
    await until(() => caller.answers.has(id));
    const { taskId } = caller.answers.get(id)?.result ?? {};
    expect(await site.journal(String(taskId))).toEqual([{ step: 'meanwhile', value: 1 }]);
    expect((await site.stores.values.list('task-o')).length).toBe(2);
  });

  it.each([0, 1, 2, 3, 5, 8, 13, 21])(
    'ends in one way when it completes %i turns after it began to become a task',
    async turns => {
      const site = siteOf();
      const work = gate<string>();
      const caller = await begun(site, () => work.opened);
      const id = caller.send('tools/call', { name: 'job' });
      await settle();
      site.clock.advance(AFTER);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      work.open('done');
      await until(() => caller.answers.has(id), 'the answer');
      await settle();
      const { result } = caller.answers.get(id) ?? {};
      if (result?.resultType === 'task') {
        expect(await stateOf(caller, result.taskId)).toMatchObject({ status: 'completed' });
      } else {
        expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] });
        expect(await tasksIn(site)).toBe(0);
        expect(site.events).toEqual([]);
      }
      expect(site.errors).toEqual([]);
    },
  );

  it.each([0, 1, 2, 3, 5, 8, 13, 21, 'later'])(
    'requests input in one way when it does so %s turns after it began to become a task',
    async turns => {
      const site = siteOf();
      const work = gate();
      const making = gate();
      const held = siteOf(() => ({
        ...site.stores,
        values: {
          ...site.stores.values,
          async put(...args) {
            if (turns === 'later' && args[0].startsWith('task/')) await making.opened;
            return site.stores.values.put(...args);
          },
        },
      }));
      const caller = await begun(held, async ctx => {
        await work.opened;
        const { content } = await ctx.elicit({ message: 'one?', input });
        return content?.a;
      });
      const id = caller.send('tools/call', { name: 'job' });
      await settle();
      held.clock.advance(AFTER);
      for (let turn = 0; turn < Number(turns); turn++) await Promise.resolve();
      work.open();
      await settle();
      making.open();
      await until(() => caller.answers.has(id), 'the answer');
      await settle();
      const { result } = caller.answers.get(id) ?? {};
      if (result?.resultType === 'task') {
        const state = await stateOf(caller, result.taskId);
        const [key = ''] = Object.keys(state?.inputRequests as JsonObject);
        await caller.call('tasks/update', { taskId: result.taskId, inputResponses: { [key]: accept('x') } });
        await until(async () => (await stateOf(caller, result.taskId))?.status === 'completed');
      } else {
        expect(result?.resultType).toBe('input_required');
        expect(await tasksIn(held)).toBe(0);
        const [key = ''] = Object.keys(result?.inputRequests as JsonObject);
        const retry = { requestState: result?.requestState, inputResponses: { [key]: accept('x') } };
        const last = await caller.call('tools/call', { name: 'job', ...retry });
        expect(last.result).toMatchObject({ resultType: 'complete', content: [{ text: 'x' }] });
      }
      expect(held.errors).toEqual([]);
    },
  );

  it('stops by its original signal when the task is cancelled [tasks.cancel.work-stopped]', async () => {
    const site = siteOf();
    const signals: AbortSignal[] = [];
    const caller = await begun(site, async ctx => {
      signals.push(ctx.signal);
      await ctx.elicit({ message: 'one?', input });
      await new Promise((_, reject) => signals[0]?.addEventListener('abort', () => reject(new Error('stopped'))));
    });
    const { result: round } = await caller.call('tools/call', { name: 'job' });
    const [key = ''] = Object.keys(round?.inputRequests as JsonObject);
    const retry = { requestState: round?.requestState, inputResponses: { [key]: accept('x') } };
    const id = await called(site, caller, retry);
    const taskId = caller.answers.get(id)?.result?.taskId;
    expect(signals[0]?.aborted).toBe(false);
    await caller.call('tasks/cancel', { taskId });
    expect(signals).toHaveLength(1);
    expect(signals[0]?.aborted).toBe(true);
  });

  it('stays a call if the client has no tasks, or has to request them', async () => {
    const site = siteOf();
    const server = site.serve(promoted(async ({ protocolVersion }) => protocolVersion));
    const plain = await connectTaskClient(server, { capabilities: {} });
    expect((await plain.call('tools/call', { name: 'job' })).result?.resultType).toBe('complete');
    const asking = await connectTaskClient(server, { version: '2025-11-25' });
    expect((await asking.call('tools/call', { name: 'job' })).result?.content).toMatchObject([{ text: '2025-11-25' }]);
    expect((await asking.call('tools/call', { name: 'job', task: {} })).result?.task).toMatchObject({
      status: 'working',
    });
  });

  it('stays a call when the limit of tasks is reached', async () => {
    const site = siteOf();
    const work = gate<string>();
    const caller = await begun(site, () => work.opened, { maxOpen: 0 });
    const id = await called(site, caller);
    expect(caller.answers.has(id)).toBe(false);
    work.open('done');
    await until(() => caller.answers.has(id));
    expect(caller.answers.get(id)?.result).toMatchObject({ resultType: 'complete' });
    expect(site.errors.map(({ message }) => message)).toEqual([expect.stringContaining('Too many open tasks')]);
  });

  it('stays a task when its client disconnects [ext-tasks.creation-stream-close-not-cancel]', async () => {
    const site = siteOf();
    const work = gate<string>();
    const server = site.serve(promoted(() => work.opened));
    const caller = await connectTaskClient(server);
    const id = await called(site, caller);
    const taskId = caller.answers.get(id)?.result?.taskId;
    caller.notify('notifications/cancelled', { requestId: id });
    await caller.close();
    await settle();
    work.open('done');
    const other = await connectTaskClient(server);
    await until(async () => (await stateOf(other, taskId))?.status === 'completed');
  });
});
