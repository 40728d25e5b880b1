import { describe, expect, it } from 'vitest';
import type { Context } from '../../handler/context.js';
import { RELATED_TASK } from '../../protocol/meta.js';
import { tool } from '../../server/definitions/tool.js';
import { accept, form, input, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient, getTaskId, type TaskTestClient } from './fixtures/task-client.js';

const version = '2025-11-25';
const ask = async (ctx: Context) => (await ctx.elicit({ message: 'one?', input })).content?.a;

async function started() {
  const site = siteOf();
  const server = site.serve({ job: tool({ task: 'optional', run: (_, ctx) => ask(ctx) }) }, { pollInterval: 800 });
  const caller = await connectTaskClient(server, { version });
  const taskId = getTaskId(await caller.call('tools/call', { name: 'job', task: {} }));
  await until(async () => (await stateOf(caller, taskId))?.status === 'input_required');
  await settle();
  return { site, server, caller, taskId };
}

const stateOf = async (caller: TaskTestClient, taskId: unknown) => (await caller.call('tasks/get', { taskId })).result;
const withdrawn = (caller: TaskTestClient) => caller.listNotifications('notifications/cancelled').length;

describe('an input request of a task whose client does not call tasks/result', () => {
  it('uses the stream of the session after a delay [tasks.http.any-stream tasks.input-required.related-task]', async () => {
    const { site, caller, taskId } = await started();
    site.clock.advance(1599);
    await settle();
    expect(caller.requested).toEqual([]);
    site.clock.advance(1);
    await until(() => caller.requested.length === 1);
    expect(caller.requested[0]).toMatchObject({
      method: 'elicitation/create',
      params: { ...form('one?'), _meta: { [RELATED_TASK]: { taskId } } },
    });
    site.clock.advance(10_000);
    await settle();
    expect(caller.requested).toHaveLength(1);
    caller.requested[0]?.answer(accept('x'));
    await until(async () => (await stateOf(caller, taskId))?.status === 'completed');
    expect(site.errors).toEqual([]);
  });

  it('is cancelled when the client calls tasks/result later, and sent on that stream', async () => {
    const { site, caller, taskId } = await started();
    site.clock.advance(1600);
    await until(() => caller.requested.length === 1);
    const id = caller.send('tasks/result', { taskId });
    await until(() => caller.requested.length === 2);
    expect(withdrawn(caller)).toBe(1);
    caller.requested[1]?.answer(accept('x'));
    await until(() => caller.answers.has(id));
    expect(caller.answers.get(id)?.result).toMatchObject({ content: [{ text: 'x' }] });
  });

  it('reaches the client once while a tasks/result request is open', async () => {
    const { site, caller, taskId } = await started();
    caller.send('tasks/result', { taskId });
    await until(() => caller.requested.length === 1);
    site.clock.advance(1600);
    await settle();
    expect(caller.requested).toHaveLength(1);
  });

  it('uses the session that polled last', async () => {
    const { site, server, caller, taskId } = await started();
    const other = await connectTaskClient(server, { version });
    await stateOf(other, taskId);
    site.clock.advance(1600);
    await until(() => other.requested.length === 1);
    expect(caller.requested).toEqual([]);
  });

  it('is cancelled when the task has ended', async () => {
    const { site, caller, taskId } = await started();
    site.clock.advance(1600);
    await until(() => caller.requested.length === 1);
    await caller.call('tasks/cancel', { taskId });
    await until(() => withdrawn(caller) === 1);
    expect(site.errors).toEqual([]);
  });

  it('stays open when the session ends, because that is no response', async () => {
    const { site, server, caller, taskId } = await started();
    site.clock.advance(1600);
    await until(() => caller.requested.length === 1);
    await caller.close();
    await settle();
    const other = await connectTaskClient(server, { version });
    expect(await stateOf(other, taskId)).toMatchObject({ status: 'input_required' });
    expect(site.errors).toEqual([]);
  });
});

describe('an input request that was sent by tasks/result', () => {
  it('is cancelled when the task has ended', async () => {
    const { caller, taskId } = await started();
    caller.send('tasks/result', { taskId });
    await until(() => caller.requested.length === 1);
    await caller.call('tasks/cancel', { taskId });
    await until(() => withdrawn(caller) === 1);
  });
});
