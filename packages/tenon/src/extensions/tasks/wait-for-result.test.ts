import { type JsonObject, rpcError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../handler/context.js';
import { toolError, toolResult } from '../../handler/tool-result.js';
import { RELATED_TASK } from '../../protocol/meta.js';
import { tool } from '../../server/definitions/tool.js';
import { accept, form, gate, input, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient, getTaskId, type TaskTestClient } from './fixtures/task-client.js';

/** The tasks of 2025-11-25, where `tasks/result` is how a client waits and is asked. */
const version = '2025-11-25';
const job = (run: (ctx: Context) => unknown) => ({
  job: tool({ task: 'optional', run: (_, ctx) => run(ctx) as Promise<string> }),
});
const stateOf = async (caller: TaskTestClient, taskId: unknown) => (await caller.call('tasks/get', { taskId })).result;

async function started(run: (ctx: Context) => unknown, settings = {}) {
  const site = siteOf();
  const server = site.serve(job(run), { list: true, ...settings });
  const caller = await connectTaskClient(server, { version });
  const taskId = getTaskId(await caller.call('tools/call', { name: 'job', task: {} }));
  return { site, server, caller, taskId };
}
const related = (taskId: string) => ({ [RELATED_TASK]: { taskId } });
const ask = async (ctx: Context) => (await ctx.elicit({ message: 'one?', input })).content?.a;

describe('tasks/result', () => {
  it('waits for the end, and returns exactly the result of the call [tasks.result.blocks-until-terminal tasks.result.exact-result tasks.related-task.result-response]', async () => {
    const work = gate<unknown>();
    const { caller, taskId } = await started(() => work.opened);
    const id = caller.send('tasks/result', { taskId });
    await settle();
    expect(caller.answers.has(id)).toBe(false);
    expect(await stateOf(caller, taskId)).toMatchObject({ status: 'working' });
    work.open(toolResult({ content: 'fine', structuredContent: { n: 1 }, _meta: { 'a.b/c': 1 } }));
    await until(() => caller.answers.has(id));
    const expected = {
      content: [{ type: 'text', text: 'fine' }],
      structuredContent: { n: 1 },
      _meta: { 'a.b/c': 1, ...related(taskId) },
    };
    expect(caller.answers.get(id)?.result).toEqual(expected);
    expect((await caller.call('tasks/result', { taskId })).result).toEqual(expected);
    expect(await stateOf(caller, taskId)).not.toHaveProperty('_meta');
    expect(await stateOf(caller, taskId)).not.toHaveProperty('result');
  });

  it('returns exactly the error [tasks.result.exact-error tasks.status.failed-on-error tasks.status.failure-message]', async () => {
    const { caller, taskId } = await started(() => {
      throw rpcError(-32005, 'used up', { left: 0 });
    });
    const { error } = await caller.call('tasks/result', { taskId });
    expect(error).toEqual({ code: -32005, message: 'used up', data: { left: 0 } });
    expect(await stateOf(caller, taskId)).toMatchObject({ status: 'failed', statusMessage: 'used up' });
  });

  it('returns the error of a tool as a result, though the task has failed [tasks.status.tool-is-error-failed]', async () => {
    const { caller, taskId } = await started(ctx => {
      ctx.progress(1, 2, 'on its way');
      throw toolError('no luck');
    });
    const { result } = await caller.call('tasks/result', { taskId });
    expect(result).toMatchObject({ isError: true, content: [{ text: 'no luck' }] });
    expect(await stateOf(caller, taskId)).toMatchObject({ status: 'failed', statusMessage: 'no luck' });
  });

  it('sends the input requests of its task on its own stream [tasks.input-required.entered tasks.input-required.related-task tasks.input-required.left tasks.related-task.nested-same-id]', async () => {
    const work = gate();
    const { caller, taskId } = await started(async ctx => {
      const first = await ask(ctx);
      await work.opened;
      const { content } = await ctx.elicit({ message: 'two?', input });
      return `${first} ${content?.a}`;
    });
    await until(async () => (await stateOf(caller, taskId))?.status === 'input_required');
    await settle();
    expect(caller.requested).toEqual([]);
    const id = caller.send('tasks/result', { taskId });
    await until(() => caller.requested.length === 1);
    expect(caller.requested[0]).toMatchObject({
      ...{ method: 'elicitation/create' },
      params: { ...form('one?'), _meta: related(taskId) },
    });
    caller.requested[0]?.answer(accept('x'));
    await until(async () => (await stateOf(caller, taskId))?.status === 'working');
    work.open();
    await until(() => caller.requested.length === 2);
    expect(caller.requested[1]?.params._meta).toMatchObject(related(taskId));
    caller.requested[1]?.answer(accept('y'));
    await until(() => caller.answers.has(id));
    expect(caller.answers.get(id)?.result).toMatchObject({ content: [{ text: 'x y' }] });
  });

  it('tells the handler that the client declined', async () => {
    const { caller, taskId } = await started(ask);
    const id = caller.send('tasks/result', { taskId });
    await until(() => caller.requested.length === 1);
    caller.requested[0]?.reject('the user is away');
    await until(() => caller.answers.has(id));
    expect(caller.answers.get(id)?.result).toMatchObject({ isError: true });
    expect(JSON.stringify(caller.answers.get(id))).toContain('did not answer');
  });

  it('may be aborted and repeated, also in another session, and sends the input request again [tasks.http.disconnect-allowed]', async () => {
    const { server, caller, taskId } = await started(ask);
    const id = caller.send('tasks/result', { taskId });
    await until(() => caller.requested.length === 1);
    caller.notify('notifications/cancelled', { requestId: id });
    await settle();
    expect(await stateOf(caller, taskId)).toMatchObject({ status: 'input_required' });
    caller.send('tasks/result', { taskId });
    await until(() => caller.requested.length === 2);
    await caller.close();
    const other = await connectTaskClient(server, { version });
    const last = other.send('tasks/result', { taskId });
    await until(() => other.requested.length === 1);
    other.requested[0]?.answer(accept('x'));
    await until(() => other.answers.has(last));
    expect(other.answers.get(last)?.result).toMatchObject({ content: [{ text: 'x' }] });
    expect(caller.answers.has(id)).toBe(false);
  });

  it('accepts the first of two responses to one input request', async () => {
    const { server, caller, taskId } = await started(ask);
    const other = await connectTaskClient(server, { version });
    const id = caller.send('tasks/result', { taskId });
    const same = other.send('tasks/result', { taskId });
    await until(() => caller.requested.length === 1 && other.requested.length === 1);
    other.requested[0]?.answer(accept('first'));
    await until(() => caller.answers.has(id) && other.answers.has(same));
    caller.requested[0]?.answer(accept('second'));
    await settle();
    expect(await stateOf(caller, taskId)).toMatchObject({ status: 'completed' });
    for (const each of [caller.answers.get(id), other.answers.get(same)]) {
      expect(each?.result).toMatchObject({ content: [{ text: 'first' }] });
    }
  });

  it('ends when the task is cancelled or expires [tasks.error.unknown-task]', async () => {
    const { site, caller, taskId } = await started(() => gate().opened);
    const id = caller.send('tasks/result', { taskId });
    await settle();
    await caller.call('tasks/cancel', { taskId });
    await until(() => caller.answers.has(id));
    expect(caller.answers.get(id)?.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('cancelled'),
    });
    const { result } = await caller.call('tools/call', { name: 'job', task: { ttl: 1000 } });
    const late = caller.send('tasks/result', { taskId: getTaskId({ result }) });
    await settle();
    site.clock.advance(6000);
    await until(() => caller.answers.has(late));
    expect(caller.answers.get(late)?.error?.code).toBe(-32602);
    expect((await caller.call('tasks/result', { taskId: 'none' })).error?.code).toBe(-32602);
  });

  it('polls the store when no message arrives', async () => {
    const site = siteOf(({ bus }) => ({ bus: { ...bus, publish: async () => {} } }));
    const work = gate<string>();
    const caller = await connectTaskClient(site.serve(job(() => work.opened)), { version });
    const { result } = await caller.call('tools/call', { name: 'job', task: {} });
    const id = caller.send('tasks/result', { taskId: getTaskId({ result }) });
    await settle();
    work.open('done');
    await settle();
    expect(caller.answers.has(id)).toBe(false);
    site.clock.advance(5000);
    await until(() => caller.answers.has(id));
  });

  it('survives a response that cannot be stored', async () => {
    let failing = false;
    const site = siteOf(({ values }) => ({
      values: {
        ...values,
        put: (...args) => (failing ? Promise.reject(new Error('disk')) : values.put(...args)),
      },
    }));
    const caller = await connectTaskClient(site.serve(job(ask)), { version });
    const { result } = await caller.call('tools/call', { name: 'job', task: {} });
    const taskId = getTaskId({ result });
    caller.send('tasks/result', { taskId });
    await until(() => caller.requested.length === 1);
    failing = true;
    caller.requested[0]?.answer(accept('x'));
    await until(() => site.errors.length > 0);
    expect(site.errors.map(({ message }) => message)).toEqual(['disk']);
    failing = false;
    expect(await stateOf(caller, taskId)).toMatchObject({ status: 'input_required' });
  });

  it('uses the id in its params, whatever the metadata states [tasks.related-task.param-wins]', async () => {
    const { caller, taskId } = await started(() => 'mine');
    const other = await caller.call('tools/call', { name: 'job', task: {} });
    const _meta = related(String(getTaskId(other)));
    for (const method of ['tasks/get', 'tasks/result']) {
      const { result } = await caller.call(method, { taskId, _meta });
      expect(JSON.stringify(result)).toContain(taskId);
    }
  });
});

describe('tasks/cancel', () => {
  it('returns the task, which is cancelled by then [ext-tasks.legacy-tasks-still-served tasks.cancel.status-before-response tasks.cancel.stays-cancelled schema.result.tasks-cancel]', async () => {
    const work = gate<string>();
    const { caller, taskId } = await started(() => work.opened);
    const { result } = await caller.call('tasks/cancel', { taskId });
    expect(result).toMatchObject({ taskId, status: 'cancelled' });
    expect(result).not.toHaveProperty('_meta');
    work.open('done');
    await settle();
    expect(await stateOf(caller, taskId)).toMatchObject({ status: 'cancelled' });
  });

  it('rejects a task that has ended [tasks.cancel.terminal-rejected tasks.status.terminal-final tasks.error.informative]', async () => {
    const { caller, taskId } = await started(() => 'done');
    await caller.call('tasks/result', { taskId });
    const { error } = await caller.call('tasks/cancel', { taskId });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('completed') });
    expect(await stateOf(caller, taskId)).toMatchObject({ status: 'completed' });
    expect((await caller.call('tasks/cancel', { taskId: 'none' })).error?.code).toBe(-32602);
  });
});

describe('tasks/list', () => {
  it('returns all tasks in pages, oldest first, and skips expired ones [tasks.list.paginated tasks.list.next-cursor tasks.list.complete tasks.related-task.not-in-results]', async () => {
    const { site, caller, taskId } = await started(() => 'done');
    const ids = [taskId];
    for (let n = 0; n < 220; n++) {
      site.clock.advance(1);
      const task = n % 20 === 5 ? { ttl: 1000 } : {};
      const { result } = await caller.call('tools/call', { name: 'job', task });
      if (n % 20 !== 5) ids.push(getTaskId({ result }));
    }
    const [missingId = ''] = ids.splice(50, 1);
    await site.stores.values.delete(`task/${missingId}`);
    site.clock.advance(1000);
    const found: string[] = [];
    let cursor: unknown;
    let pages = 0;
    do {
      const { result } = await caller.call('tasks/list', cursor === undefined ? {} : { cursor });
      const tasks = (result?.tasks ?? []) as JsonObject[];
      for (const task of tasks) {
        found.push(String(task.taskId));
        expect(task).not.toHaveProperty('_meta');
      }
      cursor = result?.nextCursor;
      pages++;
    } while (cursor !== undefined);
    expect(found).toEqual(ids);
    expect(pages).toBe(3);
  });

  it('rejects a cursor that it did not issue [tasks.list.invalid-cursor-error]', async () => {
    const { caller } = await started(() => 'done');
    for (const cursor of ['x', '', '000000001000000-../', 5]) {
      expect((await caller.call('tasks/list', { cursor })).error?.code).toBe(-32602);
    }
  });

  it('returns only the tasks of the caller, whichever session created them [tasks.security.list-filtered]', async () => {
    const site = siteOf();
    const server = site.serve(job(() => 'done'));
    const listed: { [name: string]: number } = {};
    for (const principal of ['ann', 'bob', 'ann']) {
      const caller = await connectTaskClient(server, { version, principal });
      await caller.call('tools/call', { name: 'job', task: {} });
      const { result } = await caller.call('tasks/list');
      const tasks = (result?.tasks ?? []) as unknown[];
      listed[principal] = tasks.length;
    }
    expect(listed).toEqual({ ann: 2, bob: 1 });
  });
});
