import type { JsonObject } from '@tenon/base';
import { describe, expect, it, vi } from 'vitest';
import type { ServerRequestInfo } from '../options.js';
import { content, EXTENSION, ending, failing, type Script, scripted, soon, TASKS, task } from './fixtures/scripted.js';

const made = (more: JsonObject = {}) => ({ resultType: 'task', ...task('working', more) });
const form = {
  method: 'elicitation/create',
  params: { message: 'm', requestedSchema: { type: 'object', properties: {} } },
};
const accept = { elicit: () => ({ action: 'accept' as const, content: {} }) };

/** A server that makes a task of each call, and tells of it in this order; the last for ever. */
const telling = (states: JsonObject[], more: Script = {}): Script => ({
  'tools/call': () => made(),
  'tasks/get': (_, nth) => states[Math.min(nth, states.length - 1)],
  'tasks/update': () => ({}),
  'tasks/cancel': () => ({}),
  ...more,
});

describe('a call that the server runs as a task', () => {
  it('polls the task, and resolves to the result of the call [ext-tasks.client-handles-both ext-tasks.poll-until-terminal ext-tasks.get.request-shape ext-tasks.transparent-polling ext-tasks.client-declares-per-request ext-tasks.extension-id ext-tasks.no-task-parameter]', async () => {
    const { client, sent, advance } = await scripted(
      EXTENSION,
      telling([task('working'), task('completed', { result: content('done') })]),
    );
    const result = client.callTool('x', { a: 1 });
    await advance(100);
    await advance(100);
    expect(await result).toEqual(content('done'));
    await advance(10_000);
    expect(sent('tasks/get')).toHaveLength(2);
    const [call] = sent('tools/call');
    expect(Object.keys(call as object).sort()).toEqual(['_meta', 'arguments', 'name']);
    for (const params of [call, ...sent('tasks/get')]) {
      expect(params?._meta).toMatchObject({
        'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
      });
    }
    expect(sent('tasks/get')[0]).toMatchObject({ taskId: 't1' });
    await client.close();
  });

  it('returns the task to a caller that resolves input requests itself', async () => {
    const { client, sent, advance } = await scripted(EXTENSION, telling([task('working')]));
    expect(await client.call('tools/call', { name: 'x' }, { resolveInputRequests: false })).toMatchObject(made());
    await advance(10_000);
    expect(sent('tasks/get')).toEqual([]);
    await client.close();
  });

  it('declares no task parameter, even when the caller does [ext-tasks.no-task-parameter]', async () => {
    const { client, sent } = await scripted(EXTENSION, { 'tools/call': () => content('a') });
    await client.call('tools/call', { name: 'x', task: { ttl: 5 } });
    expect(sent('tools/call')[0]).not.toHaveProperty('task');
    await client.close();
  });

  it.each([
    ['its structured content', { ...content('5'), structuredContent: { sum: 5 } }, { sum: 5 }],
    ['an error when that does not fit', { ...content('5'), structuredContent: { sum: '5' } }, 'peer/invalid-result'],
    ['an error when there is none', content('5'), 'peer/invalid-result'],
    ['the words of a tool that failed', { ...content('oh'), isError: true }, 'tool/failed'],
    ['an error when it is no result', { content: 5 }, 'peer/invalid-result'],
  ])('resolves to %s', async (_, result, expected) => {
    const { client, advance } = await scripted(EXTENSION, telling([task('completed', { result })]));
    const value = ending(client.tools.sum({}));
    await advance(100);
    expect(await value).toEqual(expected);
    await client.close();
  });

  it('rejects with the error of the call', async () => {
    const error = { code: -32055, message: 'The rate limit', data: { after: 5 } };
    const { client, advance } = await scripted(EXTENSION, telling([task('failed', { error })]));
    const result = client.callTool('x').catch(each => each);
    await advance(100);
    expect(await result).toMatchObject({ code: 'peer/error', rpcCode: -32055, data: { after: 5 } });
    expect((await result).message).toContain('The rate limit');
    await client.close();
  });

  it.each([
    ['task/cancelled', task('cancelled', { statusMessage: 'enough' })],
    ['task/unknown', failing(-32602)],
    ['peer/error', failing(-32603)],
    ['peer/invalid-result', task('completed')],
    ['peer/invalid-result', task('failed')],
    ['peer/invalid-result', task('input_required')],
    ['peer/invalid-result', task('asleep')],
    ['peer/invalid-result', task('working', { taskId: 't2' })],
    ['peer/invalid-result', { status: 'working' }],
  ])('rejects with %s after %j', async (code, response) => {
    const { client, advance } = await scripted(EXTENSION, telling([response]));
    const result = ending(client.callTool('x'));
    await advance(100);
    expect(await result).toBe(code);
    await client.close();
  });

  it('rejects a task for other methods, and without the declared extension [ext-tasks.create-unsupported-method-invalid ext-tasks.supported-methods]', async () => {
    const script = { 'prompts/get': () => ({ ...made(), messages: [] }), 'tools/call': () => made() };
    const capabilities = { tools: {}, prompts: {} };
    const first = await scripted(EXTENSION, script, {}, { capabilities });
    expect(await ending(first.client.call('prompts/get', { name: 'x' }))).toBe('peer/invalid-result');
    const second = await scripted(EXTENSION, script, { tasks: false }, { capabilities });
    expect(await ending(second.client.callTool('x'))).toBe('peer/invalid-result');
    expect(second.sent('tools/call')[0]?._meta).toMatchObject({ 'io.modelcontextprotocol/clientCapabilities': {} });
    expect(JSON.stringify(second.messages)).not.toContain(TASKS);
    await first.client.close();
    await second.client.close();
  });

  it('resolves to the result of a task that is complete from the start', async () => {
    const ended = task('completed', { result: content('done') });
    const { client } = await scripted(
      EXTENSION,
      telling([ended], { 'tools/call': () => ({ resultType: 'task', ...task('completed') }) }),
    );
    expect(await client.callTool('x')).toEqual(content('done'));
    await client.close();
  });
});

describe('polling a task', () => {
  it('follows the latest poll interval of the server [ext-tasks.poll-interval-respected ext-tasks.poll-interval-may-change]', async () => {
    const { client, sent, advance } = await scripted(
      EXTENSION,
      telling([
        task('working', { pollIntervalMs: 5000 }),
        task('working', { pollIntervalMs: 0 }),
        task('working', { pollIntervalMs: undefined }),
        task('working', { pollIntervalMs: 1e12 }),
        task('completed', { result: content('done') }),
      ]),
    );
    const result = client.callTool('x');
    const looks = async (ms: number) => {
      await advance(ms);
      return sent('tasks/get').length;
    };
    expect([await looks(99), await looks(1)]).toEqual([0, 1]);
    expect([await looks(4999), await looks(1)]).toEqual([1, 2]);
    expect([await looks(19), await looks(1)]).toEqual([2, 3]);
    expect([await looks(999), await looks(1)]).toEqual([3, 4]);
    expect([await looks(60 * 60_000 - 1), await looks(1)]).toEqual([4, 5]);
    await result;
    await client.close();
  });

  it('ends with the lifetime of the task, counted from the first response [ext-tasks.ttl-backstop ext-tasks.ttl-null-unlimited ext-tasks.poll-interval-may-change]', async () => {
    const { client, sent, advance } = await scripted(
      EXTENSION,
      telling([task('working', { ttlMs: null }), task('working', { ttlMs: 250 })], {
        'tools/call': () => made({ ttlMs: 50 }),
      }),
    );
    await advance(5000);
    const result = client.callTool('x').catch(each => each);
    for (const ms of [50, 100, 50]) await advance(ms);
    expect(sent('tasks/get').length).toBe(2);
    await advance(100);
    expect(await result).toMatchObject({ code: 'task/expired', data: { taskId: 't1' } });
    await client.close();
  });

  it('continues on a new connection [ext-tasks.poll-until-terminal]', async () => {
    let unplugged = true;
    const session = await scripted(EXTENSION, {
      ...telling([]),
      'tasks/get': () => {
        if (!unplugged) return task('completed', { result: content('done') });
        void session.disconnect();
        return undefined;
      },
    });
    const { client, advance, errors, sent } = session;
    const result = client.callTool('x');
    await advance(100);
    await soon();
    expect(errors).toContain('connection/closed');
    const before = sent('tasks/get').length;
    await advance(999);
    expect(sent('tasks/get').length).toBe(before);
    unplugged = false;
    await advance(1);
    expect(await result).toEqual(content('done'));
    expect(session.connectionCount).toBeGreaterThan(1);
    await client.close();
  });

  it('rejects after repeated failures, and gives the id to resume with', async () => {
    const { client, advance, sent } = await scripted(EXTENSION, telling([], { 'tasks/get': () => undefined }), {
      idleTimeout: 10,
    });
    const result = client.callTool('x').catch(each => each);
    for (let n = 0; n < 60; n++) await advance(30_000);
    expect(await result).toMatchObject({ code: 'task/unreachable', data: { taskId: 't1' } });
    expect(sent('tasks/get')).toHaveLength(20);
    expect(sent('tasks/cancel')).toEqual([]);
    await client.close();
  });

  it('uses notifications of a subscription, and needs none [ext-tasks.client-may-poll-too tasks.notification.polling-goes-on]', async () => {
    const { client, advance, sendNotification, sent } = await scripted(EXTENSION, telling([task('working')]));
    const seen: string[] = [];
    const result = client.callTool(
      'x',
      {},
      { onTask: ({ status, statusMessage = '' }) => seen.push(status + statusMessage) },
    );
    await advance(0);
    const notify = (params: JsonObject) => sendNotification({ method: 'notifications/tasks', params });
    for (const ms of [60, 40]) {
      await notify(task('working', { statusMessage: String(ms) }));
      await advance(ms);
    }
    expect(sent('tasks/get')).toHaveLength(1);
    await notify(task('completed', { taskId: 't2', result: content('other') }));
    await notify(task('completed', { lastUpdatedAt: '2025-01-01T00:00:00Z', result: content('of before') }));
    await notify(task('completed', { result: content('done') }));
    await notify(task('working'));
    expect(await result).toEqual(content('done'));
    expect(seen).toEqual(['working', 'working60', 'working40', 'working', 'completed']);
    await advance(10_000);
    expect(sent('tasks/get')).toHaveLength(1);
    await client.close();
  });

  it('ignores a response that arrives after the final notification', async () => {
    const script = telling([], { 'tasks/get': () => undefined });
    const { client, messages, advance, sendNotification } = await scripted(EXTENSION, script);
    const seen: string[] = [];
    const result = client.callTool('x', {}, { onTask: ({ status }) => seen.push(status) });
    await advance(100);
    await sendNotification({ method: 'notifications/tasks', params: task('completed', { result: content('done') }) });
    const { id } = messages.find(({ method }) => method === 'tasks/get') as JsonObject;
    await sendNotification({ id, result: { resultType: 'complete', ...task('working') } });
    expect([await result, seen]).toEqual([content('done'), ['working', 'completed']]);
    await client.close();
  });

  it('ends when the client is closed', async () => {
    const { client, advance } = await scripted(EXTENSION, telling([task('working')]));
    const result = ending(client.callTool('x'));
    await advance(0);
    const handle = client.tasks.resume('t1');
    await client.close();
    expect(await result).toBe('connection/closed');
    expect(await ending(handle.result())).toBe('connection/closed');
  });
});

describe('cancelling a call that has become a task', () => {
  it('cancels the task by tasks/cancel [ext-tasks.cancel.request-shape ext-tasks.cancel.not-by-notification cancellation.not-for-tasks ext-tasks.cancel.client-may-forget]', async () => {
    const { client, messages, sent, advance } = await scripted(EXTENSION, telling([task('working')]));
    const controller = new AbortController();
    const result = client.callTool('x', {}, { signal: controller.signal }).catch(each => each);
    await advance(100);
    controller.abort('enough');
    expect(await result).toMatchObject({ code: 'call/aborted', cause: 'enough' });
    await advance(10_000);
    expect(sent('tasks/cancel')).toEqual([expect.objectContaining({ taskId: 't1' })]);
    expect(sent('tasks/get')).toHaveLength(1);
    expect(messages.map(({ method }) => method)).not.toContain('notifications/cancelled');
    await client.close();
  });

  it.each([
    [{}, { outcome: 'unknown', taskId: 't1' }, /Check the effect before you send the request again.*; then raise/],
    [{ idempotent: true }, { taskId: 't1' }, /Raise `totalTimeout`/],
  ])(
    'says to check the effect when a call that may not be repeated times out as a task: %o',
    async (options, data, advice) => {
      const { client, advance } = await scripted(EXTENSION, telling([task('working')]));
      const result = client.callTool('x', {}, { totalTimeout: 1000, ...options }).catch((error: unknown) => error);
      for (let n = 0; n < 10; n++) await advance(100);
      expect(await result).toMatchObject({
        code: 'call/timeout',
        message: expect.stringMatching(advice),
      });
      expect(await result).toHaveProperty('data', data);
      await client.close();
    },
  );

  it('cancels the task when the call times out', async () => {
    const { client, sent, advance } = await scripted(EXTENSION, telling([task('working')]));
    const result = ending(client.callTool('x', {}, { totalTimeout: 1000 }));
    for (let n = 0; n < 10; n++) await advance(100);
    expect(await result).toBe('call/timeout');
    await soon();
    expect(sent('tasks/cancel')).toHaveLength(1);
    await client.close();
  });
});

describe('input requests of a task', () => {
  const asking = (keys: string[]) =>
    task('input_required', { inputRequests: Object.fromEntries(keys.map(key => [key, form])) });
  const done = task('completed', { result: content('done') });

  it('responds to each request once, all in one update [ext-tasks.update.request-shape ext-tasks.update.client-fulfils ext-tasks.update.keys-outstanding ext-tasks.update.client-answers-once ext-tasks.input-requests-deduplicated ext-tasks.not-via-retry]', async () => {
    const states = [asking(['a', 'b']), asking(['a', 'b']), asking(['b', 'c']), task('working'), done];
    const requests: string[] = [];
    const signals: AbortSignal[] = [];
    const elicit = ({ message }: { message: string }, { signal }: ServerRequestInfo) => {
      requests.push(message);
      signals.push(signal);
      return { action: 'accept' as const, content: {} };
    };
    const { client, sent, advance } = await scripted(EXTENSION, telling(states), { elicit });
    const result = client.callTool('x');
    for (let n = 0; n < 5; n++) await advance(100);
    expect(await result).toEqual(content('done'));
    expect(requests).toEqual(['m', 'm', 'm']);
    expect(signals.some(({ aborted }) => aborted)).toBe(false);
    const answer = { action: 'accept', content: {} };
    expect(sent('tasks/update').map(({ _meta, ...rest }) => rest)).toEqual([
      { taskId: 't1', inputResponses: { a: answer, b: answer } },
      { taskId: 't1', inputResponses: { c: answer } },
    ]);
    expect(sent('tools/call')).toHaveLength(1);
    await client.close();
  });

  it('uses keys of its own, separate from earlier input requests of the call [ext-tasks.input-keys-separate-from-mrtr]', async () => {
    const { client, sent, advance } = await scripted(
      EXTENSION,
      telling([asking(['a']), done], {
        'tools/call': (_, nth) =>
          nth === 0 ? { resultType: 'input_required', inputRequests: { a: form }, requestState: 's' } : made(),
      }),
      accept,
    );
    const result = client.callTool('x');
    for (let n = 0; n < 2; n++) await advance(100);
    await result;
    expect(sent('tools/call')).toHaveLength(2);
    expect(sent('tasks/update')).toHaveLength(1);
    expect(sent('tasks/update')[0]).not.toHaveProperty('requestState');
    await client.close();
  });

  it('continues to poll while the user decides, and pauses the timeout of the call', async () => {
    let decide: (answer: object) => void = () => {};
    const elicit = () => new Promise<never>(resolve => (decide = resolve as never));
    const states = [asking(['a']), asking(['a']), asking(['a']), asking(['a']), done];
    const { client, sent, advance } = await scripted(EXTENSION, telling(states), { elicit });
    const result = client.callTool('x', {}, { totalTimeout: 250 });
    for (let n = 0; n < 4; n++) await advance(100);
    expect([sent('tasks/get').length, sent('tasks/update').length]).toEqual([4, 0]);
    decide({ action: 'decline' });
    await soon();
    expect(sent('tasks/update')).toHaveLength(1);
    await advance(100);
    expect(await result).toEqual(content('done'));
    await client.close();
  });

  it.each([
    ['working', { statusMessage: 'somebody else has answered' }],
    ['cancelled', {}],
  ])('aborts the handler when the task becomes %s meanwhile', async (status, more) => {
    const withdrawn: boolean[] = [];
    const elicit = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<never>(() => signal.addEventListener('abort', () => withdrawn.push(true)));
    const { client, sent, advance } = await scripted(EXTENSION, telling([asking(['a']), task(status, more), done]), {
      elicit,
    });
    const result = ending(client.callTool('x', {}, { totalTimeout: 300 }));
    for (let n = 0; n < 3; n++) await advance(100);
    expect(await result).toEqual(status === 'working' ? content('done') : 'task/cancelled');
    expect(withdrawn).toEqual([true]);
    expect(sent('tasks/update')).toEqual([]);
    await client.close();
  });

  it.each([
    ['has no handler', {}],
    ['has one that throws', { elicit: () => Promise.reject(new Error('no')) }],
    ['has one that takes too long', { elicit: () => new Promise<never>(() => {}), answerTimeout: 50 }],
  ])('rejects the call of a user who %s, and cancels the task', async (_, options) => {
    const { client, sent, advance } = await scripted(EXTENSION, telling([asking(['a'])]), options);
    const result = ending(client.callTool('x'));
    await advance(100);
    await advance(50);
    expect(await result).toBe('call/unanswered-request');
    await vi.waitFor(() => expect(sent('tasks/cancel')).toHaveLength(1));
    expect(sent('tasks/update')).toHaveLength(0);
    await client.close();
  });

  it('rejects after `maxRounds` rounds', async () => {
    const { client, sent, advance } = await scripted(
      EXTENSION,
      telling([], { 'tasks/get': (_, nth) => asking([`k${nth}`]) }),
      { ...accept, maxRounds: 3 },
    );
    const result = ending(client.callTool('x'));
    for (let n = 0; n < 5; n++) await advance(100);
    expect(await result).toBe('call/too-many-rounds');
    expect(sent('tasks/update')).toHaveLength(3);
    await client.close();
  });

  it('handles a server that refuses the response because the task has ended', async () => {
    for (const [states, code] of [
      [[asking(['a']), done], content('done')],
      [[asking(['a']), asking(['a'])], 'peer/error'],
      [[asking(['a']), failing(-32602)], 'task/unknown'],
    ] as const) {
      const script = telling([...states], { 'tasks/update': () => failing(-32602) });
      const { client, advance } = await scripted(EXTENSION, script, accept);
      const result = ending(client.callTool('x'));
      for (let n = 0; n < 3; n++) await advance(100);
      expect(await result).toEqual(code);
      await client.close();
    }
  });
});
