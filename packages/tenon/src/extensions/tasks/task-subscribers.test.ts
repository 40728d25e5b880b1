import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../handler/context.js';
import { RELATED_TASK, SUBSCRIPTION_ID } from '../../protocol/meta.js';
import { tool } from '../../server/definitions/tool.js';
import { accept, gate, input, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient, getTaskId, type TaskTestClient } from './fixtures/task-client.js';

const job = (run: (ctx: Context) => unknown) => ({
  job: tool({ task: 'optional', run: (_, ctx) => run(ctx) as Promise<string> }),
});
const version = '2025-11-25';
const statesIn = (caller: TaskTestClient, method: string) =>
  caller.listNotifications(method).map(({ status }) => status);

describe('a session that created a task', () => {
  const made = async (run: (ctx: Context) => unknown, params: JsonObject = {}) => {
    const site = siteOf();
    const server = site.serve(job(run), { suspendTimeout: 1000 });
    const caller = await connectTaskClient(server, { version });
    const taskId = getTaskId(await caller.call('tools/call', { name: 'job', task: {}, ...params }));
    return { site, server, caller, taskId };
  };

  it('gets a notification when the task changes [tasks.notification.optional tasks.notification.no-related-task schema.notification.tasks-status]', async () => {
    const { caller, taskId } = await made(async ctx => (await ctx.elicit({ message: 'one?', input })).action);
    await until(() => statesIn(caller, 'notifications/tasks/status').includes('input_required'));
    const id = caller.send('tasks/result', { taskId });
    await until(() => caller.requested.length === 1);
    caller.requested[0]?.answer(accept('x'));
    await until(() => caller.answers.has(id));
    await settle();
    expect(statesIn(caller, 'notifications/tasks/status')).toEqual(['input_required', 'working', 'completed']);
    for (const status of caller.listNotifications('notifications/tasks/status')) {
      expect(status).toMatchObject({ taskId, ttl: 86_400_000, pollInterval: 20 });
      for (const name of ['_meta', 'result', 'inputRequests', 'ttlMs']) expect(status).not.toHaveProperty(name);
    }
  });

  it('gets progress by the token of its call, until the end [progress.task-token-outlives-create progress.task-same-token progress.task-stops-at-terminal tasks.related-task.on-all-messages]', async () => {
    const work = [gate(), gate(), gate()];
    const { site, caller, taskId } = await made(
      async ctx => {
        ctx.signal.addEventListener('abort', () => ctx.progress(9, 9));
        for (const [n, { opened }] of work.entries()) {
          await opened;
          ctx.progress(n + 1, 3);
          ctx.progress(n + 1, 3);
        }
      },
      { _meta: { progressToken: 'mine' } },
    );
    for (const n of [1, 2]) {
      work[n - 1]?.open();
      await until(() => caller.listNotifications('notifications/progress').length === n);
    }
    const createReport = (n: number) => ({
      ...{ progressToken: 'mine', progress: n, total: 3 },
      _meta: { [RELATED_TASK]: { taskId } },
    });
    expect(caller.listNotifications('notifications/progress')).toEqual([createReport(1), createReport(2)]);
    await caller.call('tasks/cancel', { taskId });
    work[2]?.open();
    await settle();
    expect(caller.listNotifications('notifications/progress')).toHaveLength(2);
    site.clock.advance(5000);
    await settle();
    expect(statesIn(caller, 'notifications/tasks/status').at(-1)).toBe('cancelled');
  });

  it('gets no progress without a token, and none twice when the handler runs again', async () => {
    const run = async (ctx: Context) => {
      ctx.progress(1);
      ctx.progress(2);
      return (await ctx.elicit({ message: 'one?', input })).action;
    };
    for (const [_meta, expected] of [
      [{}, []],
      [{ progressToken: 7 }, [1, 2]],
    ] as const) {
      const { site, caller, taskId } = await made(run, { _meta });
      await until(() => statesIn(caller, 'notifications/tasks/status').includes('input_required'));
      await settle();
      site.clock.advance(1000);
      await settle();
      const id = caller.send('tasks/result', { taskId });
      await until(() => caller.requested.length === 1);
      caller.requested[0]?.answer(accept('x'));
      await until(() => caller.answers.has(id));
      expect(caller.listNotifications('notifications/progress').map(({ progress }) => progress)).toEqual(expected);
    }
  });

  it('gets nothing after it has ended, while other sessions do', async () => {
    const work = gate();
    const { server, caller, taskId } = await made(() => work.opened);
    await caller.close();
    await settle();
    work.open();
    await settle();
    expect(statesIn(caller, 'notifications/tasks/status')).toEqual([]);
    const other = await connectTaskClient(server, { version });
    expect((await other.call('tasks/get', { taskId })).result).toMatchObject({ status: 'completed' });
    expect(other.listNotifications('notifications/tasks/status')).toEqual([]);
  });
});

describe('progress of a handler', () => {
  it('becomes the status message of its task, stored at intervals', async () => {
    const site = siteOf();
    const steps = [gate(), gate(), gate()];
    const server = site.serve(
      job(async ctx => {
        ctx.progress(1, 9);
        ctx.progress(2, 9, 'two');
        ctx.progress(3);
        await steps[0]?.opened;
        ctx.progress(4, 9);
        await steps[1]?.opened;
      }),
    );
    const caller = await connectTaskClient(server);
    const { result } = await caller.call('tools/call', { name: 'job' });
    const { taskId } = result ?? {};
    const message = async () => {
      await settle();
      return (await caller.call('tasks/get', { taskId })).result?.statusMessage;
    };
    const { lastUpdatedAt } = result ?? {};
    expect(await message()).toBe('1 of 9');
    site.clock.advance(999);
    expect(await message()).toBe('1 of 9');
    site.clock.advance(1);
    expect(await message()).toBe('3');
    expect((await caller.call('tasks/get', { taskId })).result?.lastUpdatedAt).not.toBe(lastUpdatedAt);
    steps[0]?.open();
    expect(await message()).toBe('3');
    site.clock.advance(1000);
    expect(await message()).toBe('4 of 9');
    steps[1]?.open();
    await until(async () => (await caller.call('tasks/get', { taskId })).result?.status === 'completed');
    expect(await message()).toBeUndefined();
  });
});

describe('a subscription to tasks', () => {
  const listening = async (run: (ctx: Context) => unknown) => {
    const site = siteOf();
    const server = site.serve(job(run));
    const caller = await connectTaskClient(server, { principal: 'ann' });
    const { result } = await caller.call('tools/call', { name: 'job', _meta: { progressToken: 'mine' } });
    return { site, server, caller, taskId: String(result?.taskId) };
  };

  it('notifies of its own tasks, with their complete state, now and when they change [ext-tasks.subscribe-ack-task-ids ext-tasks.notification-shape ext-tasks.notification-complete-state ext-tasks.notifications-optional ext-tasks.no-progress-or-log]', async () => {
    const work = gate();
    const { site, server, caller, taskId } = await listening(async ctx => {
      await work.opened;
      ctx.progress(1, 2);
      ctx.log('error', 'said');
      return (await ctx.elicit({ message: 'one?', input })).action;
    });
    const bob = await connectTaskClient(server, { principal: 'bob' });
    const foreign = (await bob.call('tools/call', { name: 'job' })).result?.taskId;
    const id = caller.send('subscriptions/listen', {
      notifications: { taskIds: [taskId, foreign, 'unknown', taskId] },
    });
    await until(() => caller.listNotifications('notifications/tasks').length === 1);
    expect(caller.listNotifications('notifications/subscriptions/acknowledged')).toMatchObject([
      { notifications: { taskIds: [taskId] } },
    ]);
    work.open();
    const last = () => statesIn(caller, 'notifications/tasks').at(-1);
    await until(() => last() === 'input_required');
    await settle();
    const same = async () => {
      const { resultType: _, ...state } = (await caller.call('tasks/get', { taskId })).result ?? {};
      const _meta = { [SUBSCRIPTION_ID]: id };
      expect(caller.listNotifications('notifications/tasks').at(-1)).toEqual({ ...state, _meta });
    };
    await same();
    await caller.call('tasks/update', { taskId, inputResponses: { 'ask-0': accept('x') } });
    await until(() => last() === 'completed');
    await same();
    site.clock.advance(3000);
    await settle();
    expect(caller.listNotifications('notifications/progress')).toEqual([]);
    expect(caller.listNotifications('notifications/message')).toEqual([]);
    expect(JSON.stringify(caller.inbox)).not.toContain(String(foreign));
    expect(caller.answers.has(id)).toBe(false);
  });

  it('notifies of changes in another process', async () => {
    const work = gate<string>();
    const { site, caller, taskId } = await listening(() => work.opened);
    const elsewhere = await connectTaskClient(site.serve(job(() => 'never')), { principal: 'ann' });
    elsewhere.send('subscriptions/listen', { notifications: { taskIds: [taskId] } });
    await until(() => elsewhere.listNotifications('notifications/tasks').length === 1);
    work.open('done');
    await until(() => statesIn(elsewhere, 'notifications/tasks').includes('completed'));
    expect(caller.listNotifications('notifications/tasks')).toEqual([]);
  });

  it('notifies no more after it has ended', async () => {
    const work = gate<string>();
    const { caller, taskId } = await listening(() => work.opened);
    const id = caller.send('subscriptions/listen', { notifications: { taskIds: [taskId] } });
    await until(() => caller.listNotifications('notifications/tasks').length === 1);
    caller.notify('notifications/cancelled', { requestId: id });
    await settle();
    work.open('done');
    await settle();
    expect(statesIn(caller, 'notifications/tasks')).toEqual(['working']);
  });

  it('requires the extension [ext-tasks.subscribe-missing-capability]', async () => {
    const { server, taskId } = await listening(() => 'done');
    for (const capabilities of [{}, { tasks: { list: {} } }]) {
      const other = await connectTaskClient(server, { capabilities, principal: 'ann' });
      const { error } = await other.call('subscriptions/listen', { notifications: { taskIds: [taskId] } });
      const requiredCapabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
      expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities } });
      const id = other.send('subscriptions/listen', { notifications: { toolsListChanged: true } });
      await settle();
      expect(other.answers.has(id)).toBe(false);
    }
  });

  it('ignores ids beyond its limit', async () => {
    const { caller, taskId } = await listening(() => 'done');
    const ids = [...Array.from({ length: 1000 }, (_, n) => `none-${n}`), taskId];
    caller.send('subscriptions/listen', { notifications: { taskIds: ids } });
    await until(() => caller.listNotifications('notifications/subscriptions/acknowledged').length === 1);
    expect(caller.listNotifications('notifications/subscriptions/acknowledged')).toMatchObject([
      { notifications: { taskIds: [] } },
    ]);
  });
});
