import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../handler/context.js';
import { inputRequired } from '../../handler/tool-result.js';
import { tool } from '../../server/definitions/tool.js';
import { accept, form, input, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient, type TaskTestClient } from './fixtures/task-client.js';

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

const both = async (ctx: Context) => {
  const [one, other] = await Promise.all([
    ctx.elicit({ message: 'one?', input }),
    ctx.elicit({ message: 'other?', input }),
  ]);
  const last = await ctx.elicit({ message: 'last?', input });
  return `${one.content?.a} ${other.content?.a} ${last.content?.a}`;
};

async function asking(run: (ctx: Context) => unknown, options = {}) {
  const all = await started(run, {}, options);
  const { caller, taskId } = all;
  await until(async () => (await statusOf(caller, taskId)) === 'input_required');
  await settle();
  const requests = async () => (await stateOf(caller, taskId))?.inputRequests as JsonObject | undefined;
  return { ...all, requests, keys: Object.keys((await requests()) ?? {}) };
}

describe('tasks/update', () => {
  it('reads null for optional members as absent', async () => {
    const { caller, taskId, requests } = await asking(async ctx =>
      JSON.stringify(await ctx.elicit({ message: 'a?', input })),
    );
    const [key = ''] = Object.keys((await requests()) ?? {});
    expect((await update(caller, taskId, { [key]: { action: 'decline', content: null } })).result).toBeDefined();
    await until(async () => (await statusOf(caller, taskId)) === 'completed');
    expect((await stateOf(caller, taskId))?.result).toMatchObject({ content: [{ text: '{"action":"decline"}' }] });
  });

  it('refuses null for optional members with `strict`', async () => {
    const run = async (ctx: Context) => JSON.stringify(await ctx.elicit({ message: 'a?', input }));
    const { caller, taskId, requests } = await asking(run, { strict: true });
    const [key = ''] = Object.keys((await requests()) ?? {});
    const { error } = await update(caller, taskId, { [key]: { action: 'decline', content: null } });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(`/inputResponses/${key}/content`) });
  });

  it('accepts responses one by one; an input request is listed until then, with separate keys [ext-tasks.get.input-required ext-tasks.input-requests-snapshot ext-tasks.update.result-shape ext-tasks.update.partial-accepted ext-tasks.input-keys-unique-lifetime]', async () => {
    const { caller, taskId, requests, keys } = await asking(both);
    const [one = '', other = ''] = keys;
    expect(await requests()).toEqual(await requests());
    expect(await requests()).toMatchObject({
      [one]: { method: 'elicitation/create', params: { message: 'one?' } },
      [other]: { method: 'elicitation/create', params: { message: 'other?' } },
    });
    const { result } = await update(caller, taskId, { [one]: accept('x') });
    expect(result).toEqual({ resultType: 'complete', _meta: expect.anything() });
    expect(await stateOf(caller, taskId)).toMatchObject({ status: 'input_required' });
    expect(Object.keys((await requests()) ?? {})).toEqual([other]);
    await update(caller, taskId, { [other]: accept('y') });
    await until(async () => (await statusOf(caller, taskId)) === 'input_required');
    const [last = ''] = Object.keys((await requests()) ?? {});
    expect(keys).not.toContain(last);
    await update(caller, taskId, { [last]: accept('z') });
    await until(async () => (await statusOf(caller, taskId)) === 'completed');
    expect((await stateOf(caller, taskId))?.result).toMatchObject({ content: [{ text: 'x y z' }] });
  });

  it('ignores responses to unknown or closed input requests [ext-tasks.update.stale-keys-ignored]', async () => {
    const { caller, taskId, requests, keys } = await asking(both);
    const [one = '', other = ''] = keys;
    const nonsense = { 'ask-99': accept('n'), constructor: accept('n'), other: 5 } as JsonObject;
    const before = await requests();
    expect((await update(caller, taskId, nonsense)).error?.code).toBe(-32602);
    expect((await update(caller, taskId, { 'ask-99': accept('n'), constructor: accept('n') })).result).toBeDefined();
    expect(await requests()).toEqual(before);
    await update(caller, taskId, { [one]: accept('x') });
    await update(caller, taskId, { [one]: accept('again'), [other]: accept('y'), 'ask-99': accept('n') });
    await until(async () => (await statusOf(caller, taskId)) === 'input_required');
    const [last = ''] = Object.keys((await requests()) ?? {});
    await update(caller, taskId, { [last]: accept('z') });
    await until(async () => (await statusOf(caller, taskId)) === 'completed');
    await update(caller, taskId, { [last]: accept('late') });
    expect((await stateOf(caller, taskId))?.result).toMatchObject({ content: [{ text: 'x y z' }] });
  });

  it('refuses an invalid response, and all that is sent with it', async () => {
    const { caller, taskId, requests, keys } = await asking(both);
    const [one = '', other = ''] = keys;
    for (const wrong of [{ action: 'perhaps' }, {}, { role: 'user', content: [] }]) {
      const { error } = await update(caller, taskId, { [one]: accept('x'), [other]: wrong });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(other) });
    }
    expect((await caller.call('tasks/update', { taskId, inputResponses: [] })).error?.code).toBe(-32602);
    expect((await caller.call('tasks/update', { taskId })).error?.code).toBe(-32602);
    expect(Object.keys((await requests()) ?? {})).toEqual(keys);
  });

  it('continues the handler after a declined request', async () => {
    const { caller, taskId, keys } = await asking(async ctx => (await ctx.elicit({ message: 'one?', input })).action);
    await update(caller, taskId, { [keys[0] ?? '']: { action: 'decline' } });
    await until(async () => (await statusOf(caller, taskId)) === 'completed');
    expect((await stateOf(caller, taskId))?.result).toMatchObject({ content: [{ text: 'decline' }] });
  });

  it('accepts responses to input requests that a handler returns', async () => {
    let entries = 0;
    const { caller, taskId, requests, keys } = await asking(({ inputs }) => {
      entries++;
      const given = inputs.inputResponses?.mine as { content?: JsonObject } | undefined;
      if (inputs.requestState === 'done') return `so ${given?.content?.a}`;
      const params = form('mine?') as never;
      return inputRequired({
        inputRequests: { mine: { method: 'elicitation/create', params } },
        requestState: 'done',
      } as never);
    });
    expect(Object.values((await requests()) ?? {})).toMatchObject([{ params: { message: 'mine?' } }]);
    await update(caller, taskId, { [keys[0] ?? '']: accept('x') });
    await until(async () => (await statusOf(caller, taskId)) === 'completed');
    expect((await stateOf(caller, taskId))?.result).toMatchObject({ content: [{ text: 'so x' }] });
    expect(entries).toBe(2);
  });

  it('requests only input that the client declared [ext-tasks.input-requests-respect-capabilities]', async () => {
    const site = siteOf();
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: {} };
    const caller = await connectTaskClient(site.serve(job(ctx => ctx.sample({ messages: [], maxTokens: 1 }))), {
      capabilities,
    });
    const { result } = await caller.call('tools/call', { name: 'job' });
    await until(async () => (await statusOf(caller, result?.taskId)) === 'failed');
    const requiredCapabilities = { sampling: {} };
    expect(await stateOf(caller, result?.taskId)).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities } },
    });
  });
});
