import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { TaskState } from '../../protocol/tasks.js';
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
  task,
} from './fixtures/scripted.js';

const modes = [
  [EXTENSION, task, (state: JsonObject) => ({ resultType: 'task', ...state })],
  [PARAMETER, plain, (state: JsonObject) => ({ task: state })],
] as const;

describe.each(modes)('a handle on %s', (version, say, make) => {
  const byExtension = version === EXTENSION;
  const done = say('completed', byExtension ? { result: { ...content('5'), structuredContent: { sum: 5 } } } : {});
  const telling = (states: JsonObject[], more: Script = {}): Script => ({
    'tools/call': () => make(say('working')),
    'tasks/get': (_, nth) => states[Math.min(nth, states.length - 1)],
    'tasks/result': () => ({ ...content('5'), structuredContent: { sum: 5 } }),
    'tasks/cancel': () => (byExtension ? {} : say('cancelled')),
    ...more,
  });

  it('exists as soon as the task does, and resolves to the result of the tool', async () => {
    const { client, sent, advance } = await scripted(version, telling([say('working'), done]));
    const seen: string[] = [];
    const handle = await client.tasks.start('sum', { a: 1 }, { onTask: ({ status }) => seen.push(status) });
    expect([handle.id, handle.state?.status, seen]).toEqual(['t1', 'working', ['working']]);
    await advance(10_000);
    expect(sent('tasks/get')).toEqual([]);
    const results = [handle.result(), handle.result()];
    for (let n = 0; n < 2; n++) await advance(100);
    expect(await Promise.all(results)).toEqual([{ sum: 5 }, { sum: 5 }]);
    expect([sent('tasks/get').length, handle.state?.status, seen.at(-1)]).toEqual([2, 'completed', 'completed']);
    expect(await handle.result()).toEqual({ sum: 5 });
    await handle.cancel();
    expect([sent('tasks/get').length, sent('tasks/cancel').length]).toEqual([2, 0]);
    await client.close();
  });

  it('is complete at once when the server responds without a task', async () => {
    const { client } = await scripted(version, {
      'tools/call': () => ({ ...content('5'), structuredContent: { sum: 5 } }),
    });
    const handle = await client.tasks.start('sum', {});
    expect([handle.id, handle.state, await handle.result()]).toEqual([undefined, undefined, { sum: 5 }]);
    for await (const state of handle) expect(state).toBeUndefined();
    await handle.cancel();
    await client.close();
  });

  it('resumes from an id in any process, without a request [ext-tasks.task-ids-persisted]', async () => {
    const { client, sent, messages, advance } = await scripted(version, telling([say('working'), done]));
    const before = messages.length;
    const handle = client.tasks.resume('t1', { tool: 'sum' });
    await advance(1000);
    expect([handle.id, handle.state, messages.length]).toEqual(['t1', undefined, before]);
    const result = handle.result();
    await advance(0);
    expect(sent('tasks/get')).toHaveLength(1);
    await advance(100);
    expect(await result).toEqual({ sum: 5 });
    expect(sent('tools/call')).toEqual([]);
    await client.close();
  });

  it('validates the result against the output schema of a known tool', async () => {
    const result = { ...content('5'), structuredContent: { sum: 'five' } };
    const states = [byExtension ? say('completed', { result }) : done];
    const { client } = await scripted(version, telling(states, { 'tasks/result': () => result }));
    expect(await ending(client.tasks.resume('t1', { tool: 'sum' }).result())).toBe('peer/invalid-result');
    expect(await client.tasks.resume('t1').result()).toEqual({ sum: 'five' });
    await client.close();
  });

  it('yields each state, and stops polling when no caller listens', async () => {
    const states = ['a', 'a', 'b', 'c'].map(statusMessage => say('working', { statusMessage }));
    const { client, sent, advance } = await scripted(version, telling([...states, done]));
    const handle = await client.tasks.start('sum', {});
    const all: (string | undefined)[] = [];
    const reading = (async () => {
      for await (const { status, statusMessage } of handle) all.push(statusMessage ?? status);
    })();
    const few: TaskState[] = [];
    for await (const state of handle.states()) {
      few.push(state);
      if (few.length === 2) break;
      await advance(100);
    }
    expect(few.map(({ statusMessage }) => statusMessage)).toEqual([undefined, 'a']);
    for (let n = 0; n < 5; n++) await advance(100);
    await reading;
    expect(all).toEqual(['working', 'a', 'b', 'c', 'completed']);
    const requestCount = sent('tasks/get').length;
    const left = client.tasks.resume('t1').states()[Symbol.asyncIterator]();
    expect((await left.next()).value?.status).toBe('completed');
    expect((await left.next()).done).toBe(true);
    expect(sent('tasks/get').length).toBe(requestCount + 1);
    await client.close();
  });

  it('ends its loop without cancelling the task', async () => {
    const { client, sent, advance } = await scripted(version, telling([say('working')]));
    const handle = await client.tasks.start('x');
    const controller = new AbortController();
    const waits = [handle.result({ signal: controller.signal }), handle.result({ totalTimeout: 150 })].map(ending);
    const states = ending(
      (async () => {
        for await (const _ of handle.states({ signal: controller.signal }));
      })(),
    );
    await advance(100);
    controller.abort();
    await advance(50);
    expect(await Promise.all(waits)).toEqual(['call/aborted', 'call/timeout']);
    expect(await states).toBeUndefined();
    await advance(10_000);
    expect([sent('tasks/get').length, sent('tasks/cancel').length]).toEqual([1, 0]);
    const again = ending(handle.result({ totalTimeout: 150 }));
    await advance(100);
    await advance(50);
    expect([await again, sent('tasks/get').length]).toEqual(['call/timeout', 2]);
    await client.close();
  });

  it('cancels the task on request, and returns its final state [tasks.cancel.retention-not-assumed ext-tasks.cancel.request-shape]', async () => {
    const { client, sent, advance } = await scripted(
      version,
      telling([say('cancelled', { statusMessage: 'done with' })]),
    );
    const handle = await client.tasks.start('x');
    const result = ending(handle.result());
    await handle.cancel();
    await advance(100);
    expect([await result, handle.state?.status, sent('tasks/cancel').length]).toEqual([
      'task/cancelled',
      'cancelled',
      1,
    ]);
    await client.close();
  });

  it('reports that a task has ended already, or is unknown [tasks.cancel.terminal-rejected]', async () => {
    const refusing = { 'tasks/cancel': () => failing(-32602) };
    const ended = await scripted(version, telling([done], refusing));
    const handle = await ended.client.tasks.start('sum', {});
    await handle.cancel();
    expect(handle.state?.status).toBe('completed');
    await ended.client.tasks.cancel('t1');
    const none = await scripted(version, telling([failing(-32602)], refusing));
    expect(await ending(none.client.tasks.cancel('t1'))).toBe('task/unknown');
    expect(await ending(none.client.tasks.get('t1'))).toBe('task/unknown');
    const going = await scripted(version, telling([say('working')], refusing));
    expect(await ending(going.client.tasks.cancel('t1'))).toBe('peer/error');
    for (const { client } of [ended, none, going]) await client.close();
  });

  it('leaves input requests without a handler to other clients', async () => {
    if (!byExtension) return;
    const question = { method: 'roots/list' };
    const states = [say('input_required', { inputRequests: { a: question } }), done];
    const { client, sent } = await scripted(version, telling(states));
    expect(await ending(client.tasks.resume('t1').result())).toBe('call/unanswered-request');
    await soon();
    expect(sent('tasks/cancel')).toEqual([]);
    await client.close();
  });

  it('survives listeners that throw', async () => {
    const { client, advance, errors } = await scripted(version, telling([done]));
    const onTask = () => {
      throw new Error('mine');
    };
    const result = client.callTool('sum', {}, { onTask });
    await advance(100);
    expect(await result).toMatchObject({ structuredContent: { sum: 5 } });
    expect(errors).toEqual(['listener/threw', 'listener/threw']);
    await client.close();
  });
});

describe('the tasks of a server', () => {
  it('lists tasks in pages, in the form of the newest version [tasks.list.cursor-opaque schema.request.tasks-list schema.result.tasks-list]', async () => {
    const { client, sent } = await scripted(PARAMETER, {
      'tasks/list': ({ cursor }) =>
        cursor === undefined
          ? { tasks: [plain('working'), plain('completed', { taskId: 't2' })], nextCursor: ' ?' }
          : { tasks: [plain('failed', { taskId: 't3' })] },
    });
    const all: TaskState[] = [];
    for await (const each of client.tasks.list()) all.push(each);
    expect(all.map(({ taskId, ttlMs, pollIntervalMs }) => [taskId, ttlMs, pollIntervalMs])).toEqual(
      ['t1', 't2', 't3'].map(id => [id, null, 100]),
    );
    expect(sent('tasks/list')[1]).toMatchObject({ cursor: ' ?' });
    await client.close();
  });

  it('returns a task unchanged', async () => {
    const state = task('input_required', { inputRequests: { a: { method: 'roots/list' } } });
    const { client } = await scripted(EXTENSION, { 'tasks/get': () => ({ ...state, _meta: { a: 1 }, other: 5 }) });
    expect(await client.tasks.get('t1')).toEqual(state);
    await client.close();
  });
});

describe.each(modes)('a call that became a task with an unknown outcome on %s', (version, say, make) => {
  const byExtension = version === EXTENSION;
  const error = { code: -32603, message: 'the process has stopped', data: { outcome: 'unknown' } };
  /** Answers as a server whose first task was lost, and whose second one completes. */
  const script: Script = {
    'tools/call': () => make(say('working')),
    'tasks/get': (_, nth) =>
      nth === 0
        ? say('failed', byExtension ? { error } : {})
        : say('completed', byExtension ? { result: content('5') } : {}),
    'tasks/result': (_, nth) => (nth < 2 ? { error } : content('5')),
  };

  it.each([
    [true, { content: [{ text: '5' }] }, 2],
    [false, { code: 'call/outcome-unknown' }, 1],
  ])('repeats only an idempotent call: %s', async (idempotent, expected, count) => {
    const { client, sent, advance } = await scripted(version, script);
    const call = client.callTool('x', {}, { idempotent }).catch((thrown: unknown) => thrown);
    for (let n = 0; n < 6; n++) await advance(1000);
    expect(await call).toMatchObject(expected);
    expect(sent('tools/call')).toHaveLength(count);
    await client.close();
  });
});

describe('a task without an ID', () => {
  it('is refused before a request is sent', async () => {
    const { client, sent } = await scripted(EXTENSION, {});
    const { id } = JSON.parse('{}');
    const refusal = { code: 'options/invalid', message: expect.stringContaining('a string, got nothing') };
    await expect(client.tasks.get(id)).rejects.toMatchObject(refusal);
    await expect(client.tasks.cancel(id)).rejects.toMatchObject(refusal);
    expect(() => client.tasks.resume(id)).toThrow(expect.objectContaining(refusal));
    expect([...sent('tasks/get'), ...sent('tasks/cancel')]).toEqual([]);
    await client.close();
  });
});

describe('the lifetime of a task', () => {
  it('rejects before the call is sent when only the server chooses it', async () => {
    const { client, sent } = await scripted(EXTENSION, {});
    await expect(client.tasks.start('x', {}, { ttl: 5000 })).rejects.toMatchObject({ code: 'task/ttl' });
    expect(sent('tools/call')).toEqual([]);
    await client.close();
  });
});
