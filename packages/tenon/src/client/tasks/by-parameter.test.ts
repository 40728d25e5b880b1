import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import {
  content,
  EXTENSION,
  ending,
  failing,
  PARAMETER,
  plain,
  type Script,
  scripted,
  soon,
} from './fixtures/scripted.js';

const made = (more: JsonObject = {}) => ({ task: plain('working', more) });
const related = { 'io.modelcontextprotocol/related-task': { taskId: 't1' } };

/** A server that makes a task of each call that says so, and tells of it in this order; the last for ever. */
const telling = (states: JsonObject[], more: Script = {}): Script => ({
  'tools/call': ({ task }) => (task ? made() : content('at once')),
  'tasks/get': (_, nth) => states[Math.min(nth, states.length - 1)],
  'tasks/result': () => ({ ...content('done'), _meta: related }),
  'tasks/cancel': () => plain('cancelled'),
  ...more,
});
const withoutMeta = (all: JsonObject[]) => all.map(({ _meta, ...rest }) => rest);

describe('a tool that runs as a task', () => {
  it('creates the task, polls it, and resolves to the result of the call [tasks.tool.required-used tasks.create.by-task-param schema.request.tools-call.task tasks.poll.until-terminal tasks.poll.interval-respected tasks.notification.not-relied-on schema.request.tasks-get schema.request.tasks-result tasks.related-task.not-in-requests]', async () => {
    const { client, sent, advance } = await scripted(PARAMETER, telling([plain('working'), plain('completed')]));
    const result = client.callTool('x', { a: 1 });
    await advance(99);
    expect(sent('tasks/get')).toEqual([]);
    await advance(1);
    await advance(100);
    expect(await result).toEqual(content('done'));
    await advance(10_000);
    expect(withoutMeta(sent('tools/call'))).toEqual([{ name: 'x', arguments: { a: 1 }, task: {} }]);
    expect(withoutMeta(sent('tasks/get'))).toEqual([{ taskId: 't1' }, { taskId: 't1' }]);
    expect(withoutMeta(sent('tasks/result'))).toEqual([{ taskId: 't1' }]);
    expect(JSON.stringify([sent('tasks/get'), sent('tasks/result')])).not.toContain('related-task');
    await client.close();
  });

  const capabilities = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
  it.each([
    ['is called as a task', 'required', capabilities, {}, true, true],
    ['is called as a task where the caller wishes', 'optional', capabilities, {}, false, true],
    ['never is called as a task [tasks.tool.forbidden-not-used]', 'forbidden', capabilities, {}, false, false],
    ['never is called as a task [tasks.tool.forbidden-not-used]', null, capabilities, {}, false, false],
    [
      'never is called as a task of a server without tasks [tasks.tool.needs-server-capability tasks.capability.absent-no-tasks]',
      'required',
      { tools: {} },
      {},
      false,
      false,
    ],
    [
      'never is called as a task of a server with tasks of other kinds [tasks.capability.exhaustive tasks.capability.checked-by-requestor]',
      'required',
      { tools: {}, tasks: { list: {}, cancel: {}, requests: {} } },
      {},
      false,
      false,
    ],
    ['never is called as a task by who has none', 'required', capabilities, { tasks: false }, false, false],
    [
      'is found out also by who does not judge results',
      'required',
      capabilities,
      { validate: 'off' as const },
      true,
      true,
    ],
  ])('%s (%s)', async (_, taskSupport, offered, options, plainly, wished) => {
    const session = await scripted(PARAMETER, telling([plain('completed')]), options, {
      capabilities: offered,
      taskSupport,
    });
    const called = session.client.callTool('x');
    await session.advance(100);
    await called;
    await session.client.tasks.start('x', {}, { ttl: 5000 });
    const raw = session.client.call('tools/call', { name: 'x', task: { ttl: 7 } });
    await session.advance(100);
    await raw;
    const task = session.sent('tools/call').map(params => params.task);
    expect(task).toEqual([
      plainly ? {} : undefined,
      wished ? { ttl: 5000 } : undefined,
      wished ? { ttl: 7 } : undefined,
    ]);
    await session.client.close();
  });

  it('rejects with a refusal, and rejects a task that it did not request', async () => {
    const first = await scripted(PARAMETER, { 'tools/call': () => failing(-32601, 'no tasks') });
    await expect(first.client.callTool('x')).rejects.toMatchObject({ code: 'peer/error', rpcCode: -32601 });
    const second = await scripted(PARAMETER, { 'tools/call': () => made() }, {}, { taskSupport: null });
    expect(await ending(second.client.callTool('x'))).toBe('peer/invalid-result');
    await first.client.close();
    await second.client.close();
  });

  it('reports its progress until it has ended [progress.task-token-outlives-create progress.task-same-token progress.task-stops-at-terminal]', async () => {
    const { client, sent, advance, sendNotification } = await scripted(
      PARAMETER,
      telling([plain('working'), plain('completed')]),
    );
    const received: number[] = [];
    const result = client.callTool('x', {}, { onProgress: ({ progress }) => received.push(progress) });
    await advance(50);
    const [{ _meta } = {}] = sent('tools/call');
    const { progressToken } = _meta as JsonObject;
    const report = (progress: number) =>
      sendNotification({ method: 'notifications/progress', params: { progressToken, progress } });
    await report(1);
    await advance(100);
    await report(2);
    await advance(100);
    await result;
    await report(3);
    expect(received).toEqual([1, 2]);
    await client.close();
  });

  it('reports no progress after the caller has cancelled or the task has ended', async () => {
    const script = telling([plain('working'), plain('completed')]);
    const { client, sent, advance, sendNotification } = await scripted(PARAMETER, script);
    const received: string[] = [];
    const controller = new AbortController();
    const hears = (name: string) => ({ onProgress: () => received.push(name) });
    const given = ending(client.callTool('x', {}, { signal: controller.signal, ...hears('given up') }));
    const handle = await client.tasks.start('x', {}, hears('started'));
    const report = async () => {
      for (const { _meta } of sent('tools/call')) {
        const { progressToken } = _meta as JsonObject;
        await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
      }
    };
    await report();
    controller.abort();
    await given;
    await report();
    const result = handle.result();
    for (let n = 0; n < 2; n++) await advance(100);
    await result;
    await report();
    expect(received).toEqual(['given up', 'started', 'started']);
    await client.close();
  });

  it.each([
    ['its own error, whatever its code', plain('failed'), failing(-32602, 'no such city'), 'peer/error', -32602],
    ['that it is unknown, since its result is gone', plain('completed'), failing(-32602), 'task/unknown', -32602],
    ['that it was cancelled', plain('cancelled'), failing(-32602), 'task/cancelled', undefined],
    ['that it is unknown', failing(-32602), failing(-32602), 'task/unknown', -32602],
  ])('ends with %s [tasks.result.exact-error tasks.error.unknown-task]', async (_, response, result, code, rpcCode) => {
    const { client, advance } = await scripted(PARAMETER, telling([response], { 'tasks/result': () => result }));
    const error = client.callTool('x').catch(each => each);
    await advance(100);
    expect(await error).toMatchObject({ code, rpcCode });
    await client.close();
  });

  it('returns the text of the tool when the task failed, as a call does [tasks.result.exact-result]', async () => {
    const result = { ...content('oh'), isError: true };
    const { client, advance } = await scripted(PARAMETER, telling([plain('failed')], { 'tasks/result': () => result }));
    const called = client.callTool('x');
    const failed = ending(client.tools.x());
    await advance(100);
    expect([await called, await failed]).toEqual([result, 'tool/failed']);
    await client.close();
  });

  it('reads the result at once after a status notification [tasks.notification.not-relied-on schema.notification.tasks-status]', async () => {
    const { client, sent, advance, sendNotification } = await scripted(PARAMETER, telling([plain('working')]));
    const result = client.callTool('x');
    await advance(10);
    await sendNotification({ method: 'notifications/tasks/status', params: plain('completed') });
    expect(await result).toEqual(content('done'));
    expect(sent('tasks/get')).toEqual([]);
    await client.close();
  });
});

describe('a task with input requests by JSON-RPC requests', () => {
  const form = { message: 'm', requestedSchema: { type: 'object', properties: {} }, _meta: related };

  it('requests input from the client that waits for its result, as long as that takes [tasks.input-required.requestor-calls-result tasks.poll.continues-beside-result tasks.related-task.on-all-messages tasks.related-task.nested-same-id]', async () => {
    let decide: (answer: object) => void = () => {};
    const elicit = () => new Promise<never>(resolve => (decide = resolve as never));
    const script = telling([plain('working'), plain('input_required')], { 'tasks/result': () => undefined });
    const { client, messages, sent, advance, sendNotification } = await scripted(PARAMETER, script, { elicit });
    const states: string[] = [];
    const result = client.callTool('x', {}, { totalTimeout: 600_000, onTask: ({ status }) => states.push(status) });
    for (let n = 0; n < 2; n++) await advance(100);
    expect(sent('tasks/result')).toHaveLength(1);
    await sendNotification({ id: 'q', method: 'elicitation/create', params: form });
    await advance(29 * 60_000);
    decide({ action: 'accept', content: {} });
    await soon();
    expect(messages).toContainEqual({
      jsonrpc: '2.0',
      id: 'q',
      result: { action: 'accept', content: {}, _meta: related },
    });
    await advance(599_000);
    const { id } = messages.find(({ method }) => method === 'tasks/result') as JsonObject;
    await sendNotification({ id, result: { ...content('done'), _meta: { ...related, 'com.example/a': 1 } } });
    expect(await result).toEqual({ ...content('done'), _meta: { 'com.example/a': 1 } });
    expect(sent('tasks/get')).toHaveLength(2);
    expect(states).toEqual(
      ['working', 'working', 'input_required', 'completed'].filter((each, at, all) => each !== all[at - 1]),
    );
    await client.close();
  });

  it('rejects when the task is cancelled or fails while its result is pending', async () => {
    for (const [end, code] of [
      [plain('cancelled'), 'task/cancelled'],
      [plain('failed'), 'peer/error'],
      [failing(-32602), 'task/unknown'],
    ] as const) {
      const states = [plain('input_required'), end];
      const { client, advance } = await scripted(PARAMETER, telling(states, { 'tasks/result': () => failing(-32603) }));
      const result = ending(client.callTool('x'));
      await advance(100);
      expect(await result).toBe(code);
      await client.close();
    }
  });

  it('sends no cancellation of tasks/result when the caller cancels [cancellation.not-for-tasks tasks.http.disconnect-allowed]', async () => {
    const states = [plain('input_required')];
    const script = telling(states, { 'tasks/result': () => undefined });
    const { client, messages, sent, advance, sendNotification, errors } = await scripted(PARAMETER, script);
    const controller = new AbortController();
    const result = ending(client.callTool('x', {}, { signal: controller.signal }));
    await advance(100);
    controller.abort();
    expect(await result).toBe('call/aborted');
    await soon();
    expect(sent('tasks/cancel')).toHaveLength(1);
    const { id } = messages.find(({ method }) => method === 'tasks/result') as JsonObject;
    await sendNotification({ id, error: { code: -32602, message: 'cancelled' } });
    expect(messages.map(({ method }) => method)).not.toContain('notifications/cancelled');
    expect(errors).toEqual([]);
    await client.close();
  });
});

describe('cancelling a call that will become a task', () => {
  it('cancels the task as soon as its id is known [cancellation.not-for-tasks]', async () => {
    const { client, messages, sent, sendNotification, advance } = await scripted(
      PARAMETER,
      telling([], { 'tools/call': () => undefined }),
    );
    const controller = new AbortController();
    const result = ending(client.callTool('x', {}, { signal: controller.signal }));
    await advance(0);
    controller.abort();
    expect(await result).toBe('call/aborted');
    const { id } = messages.find(({ method }) => method === 'tools/call') as JsonObject;
    await sendNotification({ id, result: made() });
    expect(withoutMeta(sent('tasks/cancel'))).toEqual([{ taskId: 't1' }]);
    expect(messages.map(({ method }) => method)).not.toContain('notifications/cancelled');
    await client.close();
  });

  it('sends no notifications/cancelled, also after a timeout [cancellation.not-for-tasks]', async () => {
    const { client, messages, advance } = await scripted(PARAMETER, telling([], { 'tools/call': () => undefined }));
    const result = ending(client.callTool('x', {}, { idleTimeout: 100 }));
    await advance(100);
    expect(await result).toBe('call/timeout');
    expect(messages.map(({ method }) => method)).not.toContain('notifications/cancelled');
    await client.close();
  });

  it('sends no tasks/cancel to a server that cannot cancel tasks [tasks.capability.cancel-flag]', async () => {
    const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
    const session = await scripted(PARAMETER, telling([plain('working')]), {}, { capabilities });
    const { client, sent, advance } = session;
    const result = ending(client.callTool('x', {}, { totalTimeout: 500 }));
    for (let n = 0; n < 6; n++) await advance(100);
    expect(await result).toBe('call/timeout');
    expect(sent('tasks/cancel')).toEqual([]);
    expect(await ending(client.tasks.cancel('t1'))).toBe('call/not-offered');
    expect(await ending(client.tasks.list()[Symbol.asyncIterator]().next())).toBe('call/not-offered');
    await client.close();
  });
});

describe('a client that gets an input request with a task parameter', () => {
  it('responds with a plain result, because it declares no tasks [tasks.undeclared-ignored schema.capability.client.tasks]', async () => {
    const elicit = () => ({ action: 'accept' as const, content: {} });
    const sample = () => ({ role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'x' } });
    const { client, messages, sendNotification, sent } = await scripted(PARAMETER, {}, { elicit, sample });
    expect((sent('initialize')[0] as JsonObject).capabilities).not.toHaveProperty('tasks');
    expect((sent('initialize')[0] as JsonObject).capabilities).not.toHaveProperty('extensions');
    const requestedSchema = { type: 'object', properties: {} };
    const task = { ttl: 1000 };
    await sendNotification({ id: 1, method: 'elicitation/create', params: { message: 'm', requestedSchema, task } });
    await sendNotification({ id: 2, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1, task } });
    await sendNotification({ id: 3, method: 'tasks/get', params: { taskId: 't1' } });
    await soon();
    const answers = messages.filter(({ method }) => method === undefined);
    expect(answers).toMatchObject(
      [
        { id: 3, error: { code: -32601 } },
        { id: 1, result: { action: 'accept', content: {} } },
        { id: 2, result: { role: 'assistant' } },
      ].sort((a, b) => answers.findIndex(each => each.id === a.id) - answers.findIndex(each => each.id === b.id)),
    );
    expect(answers).toHaveLength(3);
    await client.close();
  });
});

describe('tasks that the version or the server does not have', () => {
  it.each([
    ['2025-06-18', { tools: {} }, 'call/not-in-version', 'call/not-in-version'],
    [PARAMETER, { tools: {} }, 'call/not-offered', 'call/not-offered'],
    [EXTENSION, { tools: {} }, 'call/not-offered', 'call/not-in-version'],
  ])('sends no request: %s %j', async (version, capabilities, code, listing) => {
    const { client, messages } = await scripted(version, {}, {}, { capabilities });
    const before = messages.length;
    expect(await ending(client.tasks.get('t1'))).toBe(code);
    expect(await ending(client.tasks.cancel('t1'))).toBe(code);
    expect(await ending(client.tasks.resume('t1').result())).toBe(code);
    expect(await ending(client.tasks.list()[Symbol.asyncIterator]().next())).toBe(listing);
    expect(messages.length).toBe(before);
    await client.close();
  });
});
