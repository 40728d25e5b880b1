import { type JsonObject, rpcError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../handler/context.js';
import { inputRequired, toolError, toolResult } from '../../handler/tool-result.js';
import { tool } from '../../server/definitions/tool.js';
import { gate, input, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient, getTaskId, type TaskTestClient } from './fixtures/task-client.js';

const job = (run: (ctx: Context) => unknown) => ({
  job: tool({ task: 'optional', run: (_, ctx) => run(ctx) as Promise<string> }),
});

const stateOf = async (caller: TaskTestClient, taskId: unknown) => (await caller.call('tasks/get', { taskId })).result;
const statusOf = async (caller: TaskTestClient, taskId: unknown) => (await stateOf(caller, taskId))?.status;
const update = (caller: TaskTestClient, taskId: unknown, inputResponses: JsonObject) =>
  caller.call('tasks/update', { taskId, inputResponses });

/** A server with one tool, a client of it, and a task. */
async function started(run: (ctx: Context) => unknown, settings = {}, more = {}) {
  const site = siteOf();
  const server = site.serve(job(run), settings, more);
  const caller = await connectTaskClient(server);
  const { result } = await caller.call('tools/call', { name: 'job' });
  return { site, server, caller, taskId: result?.taskId };
}

async function ended(run: (ctx: Context) => unknown) {
  const all = await started(run);
  await until(async () => !['working', 'input_required'].includes(String(await statusOf(all.caller, all.taskId))));
  return { ...all, state: await stateOf(all.caller, all.taskId) };
}

describe('tasks/get', () => {
  it('returns a working task, and changes nothing [ext-tasks.get.working ext-tasks.get.result-shape ext-tasks.get.result-type-complete ext-tasks.get.idempotent ext-tasks.result-type-task-only-create]', async () => {
    const { caller, taskId, site } = await started(() => gate().opened);
    const state = await stateOf(caller, taskId);
    expect(state).toEqual({
      ...{ resultType: 'complete', taskId, status: 'working', ttlMs: 86_400_000, pollIntervalMs: 20 },
      ...{ createdAt: expect.any(String), lastUpdatedAt: state?.createdAt, _meta: expect.anything() },
    });
    const { value, version } = (await site.stores.values.get(`task/${taskId}`)) ?? {};
    for (let n = 0; n < 5; n++) expect(await stateOf(caller, taskId)).toEqual(state);
    expect(await site.stores.values.get(`task/${taskId}`)).toMatchObject({ value, version });
  });

  it('suggests to poll a new task soon, and later as often as its age doubles [ext-tasks.poll-interval-may-change]', async () => {
    const { caller, taskId, site } = await started(() => gate().opened);
    const intervals: unknown[] = [];
    for (let interval = 0; intervals.at(-1) !== 1000; site.clock.advance(interval)) {
      interval = Number((await stateOf(caller, taskId))?.pollIntervalMs);
      intervals.push(interval);
    }
    expect(intervals).toEqual([20, 20, 40, 80, 160, 320, 640, 1000]);
  });

  it('returns the result of a completed task, also that of a tool error [ext-tasks.get.completed ext-tasks.tool-error-is-completed ext-tasks.failed-only-protocol-error]', async () => {
    const meta = { 'a.b/c': 1 };
    const { state } = await ended(() => toolResult({ content: 'fine', structuredContent: { n: 1 }, _meta: meta }));
    expect(state).toMatchObject({
      resultType: 'complete',
      status: 'completed',
      result: { content: [{ type: 'text', text: 'fine' }], structuredContent: { n: 1 }, _meta: meta },
    });
    const failed = await ended(() => {
      throw toolError('no luck');
    });
    expect(failed.state).toMatchObject({
      status: 'completed',
      result: { isError: true, content: [{ type: 'text', text: 'no luck' }] },
    });
    expect(failed.site.errors).toEqual([]);
  });

  it('returns the error of a failed task, with its reason [ext-tasks.get.failed ext-tasks.failed-status-message]', async () => {
    const { state, site } = await ended(() => {
      throw rpcError(-32005, 'The quota is used up', { left: 0 });
    });
    expect(state).toMatchObject({
      ...{ resultType: 'complete', status: 'failed', statusMessage: 'The quota is used up' },
      error: { code: -32005, message: 'The quota is used up', data: { left: 0 } },
    });
    expect(state).not.toHaveProperty('result');
    expect(site.errors).toEqual([]);
  });

  it('hides the internal error of a handler, and reports it', async () => {
    const { state, site } = await ended(() => {
      throw new Error('the secret');
    });
    expect(state).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(JSON.stringify(state)).not.toContain('secret');
    expect(site.errors).toMatchObject([{ code: 'tool/threw', cause: { message: 'the secret' } }]);
    const wrong = await ended(() => inputRequired({ inputRequests: {} }));
    expect(wrong.state).toMatchObject({ status: 'failed', error: { code: -32603, message: 'Internal error' } });
    expect(wrong.site.errors).toMatchObject([{ code: 'handler/too-many-rounds' }]);
  });

  it('hides the error of a store that fails [ext-tasks.internal-error tasks.error.internal]', async () => {
    let failing = false;
    const site = siteOf(({ values }) => ({
      values: { ...values, get: key => (failing ? Promise.reject(new Error('secret')) : values.get(key)) },
    }));
    const caller = await connectTaskClient(site.serve(job(() => gate().opened)));
    const { result } = await caller.call('tools/call', { name: 'job' });
    const params = { taskId: result?.taskId, inputResponses: {} };
    failing = true;
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      expect((await caller.call(method, params)).error).toEqual({ code: -32603, message: 'Internal error' });
    }
    expect(site.errors.map(({ message }) => message)).toContainEqual(expect.stringContaining('secret'));
  });

  it('returns a result, and continues from steps, that are larger than one value of the store', async () => {
    const { state, site, taskId } = await ended(async ctx => {
      for (const name of ['a', 'b']) await ctx.step(name, () => name.repeat(2 ** 20));
      return 'x'.repeat(3 * 2 ** 20);
    });
    const { content = [] } = (state?.result ?? {}) as { content?: { text: string }[] };
    expect([state?.status, content[0]?.text.length, site.errors]).toEqual(['completed', 3 * 2 ** 20, []]);
    expect((await site.stores.values.list('chunk/')).length).toBeGreaterThan(20);
    // Those of the steps, which are over, are gone.
    expect((await site.stores.values.list('chunk/')).length).toBeLessThan(30);
    const other = await connectTaskClient(site.serve({}));
    expect(JSON.stringify(await stateOf(other, taskId))).toContain('x'.repeat(1000));
  });

  it('fails a task whose result is larger than `maxRecordSize`, with that reason', async () => {
    const { caller, taskId, site } = await started(() => 'x'.repeat(200_000), { maxRecordSize: 1000 });
    // Results that fit into one value of the store are not held back.
    await until(async () => (await statusOf(caller, taskId)) === 'completed');
    const large = await started(() => 'x'.repeat(2 ** 20), { maxRecordSize: 1000 });
    await until(async () => (await statusOf(large.caller, large.taskId)) === 'failed');
    const { error } = (await stateOf(large.caller, large.taskId)) as { error: { code: number; message: string } };
    expect(error.code).toBe(-32603);
    expect(error.message).toMatch(
      /^The result of tool job is too large to be kept\. Expected at most 1000 characters of JSON, got 1048\d{3}$/,
    );
    expect([site.errors, large.site.errors]).toMatchObject([[], [{ code: 'store/value-too-large' }]]);
  });

  it('refuses arguments that are too large before the handler runs', async () => {
    let runs = 0;
    const { caller } = await started(() => ++runs, { maxRecordSize: 1000 });
    await until(() => runs === 1);
    const { error } = await caller.call('tools/call', { name: 'job', arguments: { a: 'x'.repeat(2 ** 20) } });
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Invalid params: the arguments are too large for a task\. Expected at most 1000/),
    });
    expect(runs).toBe(1);
  });

  it('rejects an unknown, expired or foreign task alike [ext-tasks.get.unknown-task-error ext-tasks.ttl-expiry ext-tasks.expired-may-be-purged ext-tasks.update.unknown-task-error ext-tasks.cancel.unknown-task-error tasks.ttl.deletion tasks.resources.expired-cleaned ext-tasks.informative-errors]', async () => {
    const { caller, taskId, site } = await started(() => 'done', { ttl: 5000 });
    const codes = async (id: unknown) => [
      (await caller.call('tasks/get', { taskId: id })).error?.code,
      (await update(caller, id, {})).error?.code,
      (await caller.call('tasks/cancel', { taskId: id })).error?.code,
    ];
    const unknown = [-32602, -32602, -32602];
    for (const id of ['nothing', '', '../task', 'a'.repeat(500), 'é', taskId?.toString().toUpperCase()]) {
      expect(await codes(id)).toEqual(unknown);
    }
    const { error } = await caller.call('tasks/get', { taskId: 'nothing' });
    expect(error?.message).toContain('task not found: nothing');
    expect(await codes(taskId)).toEqual([undefined, undefined, undefined]);
    site.clock.advance(5000);
    expect(await codes(taskId)).toEqual(unknown);
    expect((await site.stores.values.list('task')).length).toBe(0);
    expect((await caller.call('tasks/get', {})).error?.code).toBe(-32602);
  });

  it('requires the extension; tasks/result and tasks/list do not exist [ext-tasks.result-removed ext-tasks.list-removed ext-tasks.methods-missing-capability]', async () => {
    const { caller, server, taskId } = await started(() => 'done');
    for (const method of ['tasks/result', 'tasks/list']) {
      expect((await caller.call(method, { taskId })).error?.code).toBe(-32601);
    }
    const legacy = { tasks: { list: {}, cancel: {} } };
    for (const capabilities of [{}, legacy]) {
      const other = await connectTaskClient(server, { capabilities });
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        const { error } = await other.call(method, { taskId, inputResponses: {} });
        const requiredCapabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
        expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities } });
      }
    }
  });
});

const both = async (ctx: Context) => {
  const [one, other] = await Promise.all([
    ctx.elicit({ message: 'one?', input }),
    ctx.elicit({ message: 'other?', input }),
  ]);
  const last = await ctx.elicit({ message: 'last?', input });
  return `${one.content?.a} ${other.content?.a} ${last.content?.a}`;
};

async function asking(run: (ctx: Context) => unknown) {
  const all = await started(run);
  const { caller, taskId } = all;
  await until(async () => (await statusOf(caller, taskId)) === 'input_required');
  await settle();
  const requests = async () => (await stateOf(caller, taskId))?.inputRequests as JsonObject | undefined;
  return { ...all, requests, keys: Object.keys((await requests()) ?? {}) };
}

describe('tasks/cancel', () => {
  it('acknowledges, and stops the handler for good [ext-tasks.cancel.result-shape ext-tasks.cancel.acknowledged ext-tasks.get.cancelled ext-tasks.terminal-immutable tasks.cancel.stays-cancelled tasks.cancel.work-stopped]', async () => {
    const work = gate<string>();
    let signal: AbortSignal | undefined;
    const steps: string[] = [];
    const { caller, taskId, site } = await started(async ctx => {
      signal = ctx.signal;
      const text = await work.opened;
      await ctx.step('late', () => void steps.push('late'));
      return text;
    });
    await until(() => signal);
    const { result } = await caller.call('tasks/cancel', { taskId });
    expect(result).toEqual({ resultType: 'complete', _meta: expect.anything() });
    expect(signal?.aborted).toBe(true);
    const state = await stateOf(caller, taskId);
    expect(state).toMatchObject({ status: 'cancelled' });
    work.open('done');
    await settle();
    expect(await stateOf(caller, taskId)).toEqual(state);
    expect((await caller.call('tasks/cancel', { taskId })).result).toEqual(result);
    expect(await stateOf(caller, taskId)).toEqual(state);
    expect(steps).toEqual([]);
    expect(site.errors).toEqual([]);
    expect(site.events.filter(({ type }) => type === 'cancelled')).toHaveLength(1);
  });

  it('ends a handler that waits for input', async () => {
    const caught: unknown[] = [];
    const { caller, taskId } = await asking(ctx =>
      ctx
        .elicit({ message: 'one?', input })
        .catch((error: Error) => void caught.push((error as { code?: string }).code)),
    );
    await caller.call('tasks/cancel', { taskId });
    await settle();
    expect(await stateOf(caller, taskId)).not.toHaveProperty('inputRequests');
    expect(caught).toEqual(['task/over']);
  });

  it('differs from notifications/cancelled and from closing the connection [cancellation.not-for-tasks ext-tasks.creation-stream-close-not-cancel ext-tasks.cancel.not-by-notification]', async () => {
    const work = gate<string>();
    const { site, server, caller, taskId } = await started(() => work.opened);
    caller.notify('notifications/cancelled', { requestId: 1 });
    await caller.close();
    await settle();
    const other = await connectTaskClient(server);
    expect(await statusOf(other, taskId)).toBe('working');
    work.open('done');
    await until(async () => (await statusOf(other, taskId)) === 'completed');
    expect(site.events.some(({ type }) => type === 'cancelled')).toBe(false);
  });

  it('has no effect on a task that has ended', async () => {
    const { caller, taskId, state } = await ended(() => 'done');
    expect((await caller.call('tasks/cancel', { taskId })).result).toBeDefined();
    expect(await stateOf(caller, taskId)).toEqual(state);
  });
});

describe('tasks of different callers', () => {
  it('are invisible to each other [ext-tasks.auth-per-request tasks.security.bound-to-authorization tasks.security.foreign-task-rejected tasks.security.list-filtered]', async () => {
    const site = siteOf();
    const work = gate();
    const server = site.serve(
      job(() => work.opened),
      { list: true },
    );
    for (const version of ['2026-07-28', '2025-11-25']) {
      const who = { ann: { principal: 'ann' }, bob: { principal: 'bob' }, nobody: {} };
      const ann = await connectTaskClient(server, { version, ...who.ann });
      const { result } = await ann.call('tools/call', { name: 'job', task: {} });
      const taskId = getTaskId({ result });
      for (const other of [who.bob, who.nobody]) {
        const caller = await connectTaskClient(server, { version, ...other });
        const methods = ['get', 'cancel', version === '2026-07-28' ? 'update' : 'result'];
        for (const name of methods) {
          const known = await caller.call(`tasks/${name}`, { taskId, inputResponses: {} });
          const none = await caller.call(`tasks/${name}`, { taskId: 'none', inputResponses: {} });
          expect(known.error?.code).toBe(-32602);
          expect(known.error?.message.replace(String(taskId), 'none')).toBe(none.error?.message);
        }
        if (version === '2026-07-28') continue;
        expect((await caller.call('tasks/list')).result?.tasks).toEqual([]);
      }
      expect(await statusOf(ann, taskId)).toBe('working');
    }
    const lookups = site.events.filter(({ type }) => type === 'not-found');
    expect(lookups.filter(({ principal }) => principal === 'bob')).toHaveLength(12);
  });
});

describe('events of a task', () => {
  it('name what happens to the task and the caller [tasks.audit.receiver-logs tasks.audit.suspicious-patterns]', async () => {
    const site = siteOf();
    const caller = await connectTaskClient(site.serve(job(both)), { principal: 'ann' });
    const { result } = await caller.call('tools/call', { name: 'job' });
    const taskId = String(result?.taskId);
    await settle();
    await caller.call('tasks/get', { taskId });
    await caller.call('tasks/get', { taskId: 'guess' });
    await caller.call('tasks/cancel', { taskId });
    const about = { taskId, tool: 'job', principal: 'ann' };
    expect(site.events).toEqual([
      { ...about, type: 'created' },
      { ...about, type: 'input-required' },
      { ...about, type: 'input-required' },
      { ...about, type: 'read' },
      { type: 'not-found', taskId: 'guess', tool: undefined, principal: 'ann' },
      { ...about, type: 'cancelled' },
    ]);
  });
});
