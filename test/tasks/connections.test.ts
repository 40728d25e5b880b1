import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import { accept, until } from '../../packages/tenon/src/extensions/tasks/fixtures/site.js';
import { getTaskId, type TaskTestClient } from '../../packages/tenon/src/extensions/tasks/fixtures/task-client.js';
import { checkDetailedTask } from '../../packages/tenon/src/protocol/tasks.js';
import { bundle } from '../support/bundle.js';
import { openConnection, type TaskConnection, transportKinds } from './connections.js';

let program = '';
let connection: TaskConnection;
beforeAll(async () => {
  program = bundle('test/tasks/task-server-stdio.ts');
});
afterEach(async () => {
  await connection.close();
  expect(connection.wire.issues).toEqual([]);
});

const reply = { role: 'assistant', model: 'm', content: { type: 'text', text: 'y' } };
const answers: { readonly [method: string]: JsonObject } = {
  'elicitation/create': accept('x'),
  'sampling/createMessage': reply,
};
const ended = ['completed', 'failed', 'cancelled'];
const begin = (caller: TaskTestClient, name: string, params: JsonObject = {}) =>
  caller.call('tools/call', { name, ...params });

async function endOf(caller: TaskTestClient, taskId: string): Promise<JsonObject> {
  let state: JsonObject | undefined;
  await until(async () => {
    state = (await caller.call('tasks/get', { taskId })).result;
    return ended.includes(String(state?.status));
  }, `the end of ${taskId}`);
  return state as JsonObject;
}

describe.each(transportKinds)('tasks of 2025-11-25 over %s', kind => {
  const open = async () => {
    connection = await openConnection(kind, '2025-11-25', program);
    return connection.caller;
  };

  it('request input on the stream of tasks/result, and return the result there [tasks.input-required.related-task tasks.http.transport-rules-hold tasks.http.get-not-upgraded schema.type.task schema.type.related-task-metadata schema.result.create-task schema.request.tasks-result schema.result.tasks-result]', async () => {
    const caller = await open();
    const taskId = getTaskId(await begin(caller, 'asks', { task: {}, _meta: { progressToken: 'p' } }));
    await until(async () => (await caller.call('tasks/get', { taskId })).result?.status === 'input_required');
    const id = caller.send('tasks/result', { taskId });
    await until(() => caller.requested.length === 2);
    for (const { method, params, answer } of caller.requested) {
      expect(params._meta).toMatchObject({ 'io.modelcontextprotocol/related-task': { taskId } });
      answer(answers[method] as JsonObject);
    }
    await until(() => caller.answers.has(id));
    expect(caller.answers.get(id)?.result).toMatchObject({
      content: [{ text: 'x y' }],
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    });
    await until(() =>
      caller.listNotifications('notifications/tasks/status').some(({ status }) => status === 'completed'),
    );
    for (const progress of caller.listNotifications('notifications/progress')) {
      expect(progress).toMatchObject({ progressToken: 'p' });
    }
    const gets = connection.wire.exchanges.filter(
      ({ body }) => (body as JsonObject | undefined)?.method === 'tasks/get',
    );
    for (const { contentType } of gets) expect(contentType).toContain('application/json');
    expect((await caller.call('tasks/list')).result?.tasks).toMatchObject([{ taskId, status: 'completed' }]);
  });

  it('end with the outcome of the call, and reveal nothing else [tasks.result.exact-result tasks.result.exact-error]', async () => {
    const caller = await open();
    const outcomes: { [name: string]: unknown } = {};
    for (const name of ['structured', 'fails', 'breaks', 'throws']) {
      const taskId = getTaskId(await begin(caller, name, { task: { ttl: 60_000 } }));
      const { result, error } = await caller.call('tasks/result', { taskId });
      const { status } = await endOf(caller, taskId);
      outcomes[name] = [status, error?.code ?? (result?.isError === true ? 'tool error' : 'result')];
    }
    expect(outcomes).toEqual({
      ...{ structured: ['completed', 'result'], fails: ['failed', 'tool error'] },
      ...{ breaks: ['failed', -32005], throws: ['failed', 'tool error'] },
    });
    expect(JSON.stringify(caller.inbox)).not.toContain('secret');
  });

  it('are cancelled, listed and unknown as the specification requires [schema.request.tasks-cancel schema.result.tasks-cancel schema.request.tasks-list schema.result.tasks-list schema.request.tasks-get schema.result.tasks-get schema.type.task-status]', async () => {
    const caller = await open();
    const taskId = getTaskId(await begin(caller, 'slow', { task: {} }));
    expect((await caller.call('tasks/cancel', { taskId })).result).toMatchObject({ status: 'cancelled' });
    expect((await caller.call('tasks/cancel', { taskId })).error?.code).toBe(-32602);
    expect((await caller.call('tasks/get', { taskId: 'none' })).error?.code).toBe(-32602);
    expect((await caller.call('tasks/result', { taskId })).error?.code).toBe(-32602);
    expect((await begin(caller, 'plain', { task: {} })).error?.code).toBe(-32601);
    expect((await begin(caller, 'structured')).error?.code).toBe(-32601);
    expect((await caller.call('tasks/list', { cursor: 'x' })).error?.code).toBe(-32602);
    const { result } = await caller.call('tools/list');
    const tools = (result?.tools ?? []) as { name: string; execution?: JsonObject }[];
    const support = Object.fromEntries(tools.map(({ name, execution }) => [name, execution?.taskSupport]));
    expect(support).toMatchObject({ plain: undefined, asks: 'optional', structured: 'required' });
  });
});

describe.each(transportKinds)('tasks of the extension over %s', kind => {
  const open = async () => {
    connection = await openConnection(kind, '2026-07-28', program);
    return connection.caller;
  };

  it('notify subscribers, and get responses to their input requests [ext-tasks.result-type-task ext-tasks.notification-shape ext-tasks.get.result-type-complete ext-tasks.update.result-shape]', async () => {
    const caller = await open();
    const made = await begin(caller, 'asks');
    expect(made.result).toMatchObject({ resultType: 'task', status: 'working' });
    const taskId = getTaskId(made);
    caller.send('subscriptions/listen', { notifications: { taskIds: [taskId] } });
    const report = () => caller.listNotifications('notifications/tasks');
    await until(() => Object.keys((report().at(-1)?.inputRequests as JsonObject | undefined) ?? {}).length === 2);
    const requests = report().at(-1)?.inputRequests as { [key: string]: { method: string } };
    const inputResponses = Object.fromEntries(
      Object.entries(requests).map(([key, { method }]) => [key, answers[method]]),
    );
    const { result } = await caller.call('tasks/update', { taskId, inputResponses });
    expect(result?.resultType).toBe('complete');
    await until(() => report().at(-1)?.status === 'completed');
    expect(report().at(-1)?.result).toMatchObject({ content: [{ text: 'x y' }] });
    for (const state of report()) expect(checkDetailedTask(state)).toBeUndefined();
    expect(caller.listNotifications('notifications/progress')).toEqual([]);
  });

  it('end with the outcome of the call, and reveal nothing else [ext-tasks.get.completed ext-tasks.get.failed ext-tasks.failed-only-protocol-error]', async () => {
    const caller = await open();
    const outcomes: { [name: string]: unknown } = {};
    for (const name of ['structured', 'fails', 'breaks', 'throws', 'later']) {
      const state = await endOf(caller, getTaskId(await begin(caller, name)));
      expect(checkDetailedTask(state)).toBeUndefined();
      const { result, error } = state as { result?: JsonObject; error?: JsonObject };
      outcomes[name] = [state.status, error?.code ?? (result?.isError === true ? 'tool error' : 'result')];
    }
    expect(outcomes).toEqual({
      ...{ structured: ['completed', 'result'], fails: ['completed', 'tool error'] },
      ...{ breaks: ['failed', -32005], throws: ['completed', 'tool error'], later: ['completed', 'result'] },
    });
    expect(JSON.stringify(caller.inbox)).not.toContain('secret');
  });

  it('are cancelled, and unknown afterwards as the specification requires', async () => {
    const caller = await open();
    const taskId = getTaskId(await begin(caller, 'slow'));
    expect((await caller.call('tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
    expect(await endOf(caller, taskId)).toMatchObject({ status: 'cancelled' });
    expect((await caller.call('tasks/get', { taskId: 'none' })).error?.code).toBe(-32602);
    connection.wire.excuseClient();
    expect((await caller.call('tasks/result', { taskId })).error?.code).toBe(-32601);
    expect((await caller.call('tasks/list')).error?.code).toBe(-32601);
  });
});
