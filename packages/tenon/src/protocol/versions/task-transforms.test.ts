import type { JsonObject } from '@tenon/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { judge, schemasPresent } from '../../../../../test/support/official-schema.js';
import { methods, notifications } from '../methods.js';
import { checkDetailedTask, TASKS } from '../tasks.js';
import type { Dialect, TransformContext } from './dialect.js';
import { called } from './fixtures/arbitraries.js';
import { extended, introduced, presented, taskCalls, taskResults, tooled } from './fixtures/tasks.js';
import { dialects, getDialect, getNewestDialect } from './index.js';

const runs = { numRuns: takeRuns(100) };
const withParameter = getDialect('2025-11-25') as Dialect;
const handshakes = dialects.filter(({ opening }) => opening === 'handshake');
const none = dialects.filter(({ tasks }) => tasks === undefined);

type Side = 'params' | 'result';
const down = (
  dialect: Dialect,
  side: Side,
  method: string,
  value: JsonObject,
  about: TransformContext = {},
): JsonObject => dialect.transforms.encode[side]?.(method)?.(value, about) ?? value;
const up = (
  dialect: Dialect,
  side: Side,
  method: string,
  value: JsonObject,
  about: TransformContext = {},
): JsonObject => dialect.transforms.decode[side]?.(method)?.(value, about) ?? value;

/** The check of the table: what a peer sends must pass it when it is in our words. */
function issue(side: Side, method: string, value: JsonObject): string | undefined {
  const entry = { ...methods, ...notifications }[method as keyof typeof methods];
  return entry[side](value);
}

describe('tasks', () => {
  it('use a parameter on one protocol version, and an extension on another', () => {
    expect(Object.fromEntries(dialects.map(({ protocolVersion, tasks }) => [protocolVersion, tasks]))).toEqual({
      '2026-07-28': 'by-extension',
      '2025-11-25': 'by-parameter',
      '2025-06-18': undefined,
      '2025-03-26': undefined,
      '2024-11-05': undefined,
    });
  });

  it('have no methods on other protocol versions [ext-tasks.result-removed ext-tasks.list-removed]', () => {
    const words = (dialect: Dialect) =>
      [...dialect.methods.client, ...dialect.methods.server].filter(name => name.includes('tasks'));
    for (const dialect of none) expect(words(dialect)).toEqual([]);
    expect(words(getNewestDialect()).sort()).toEqual([
      'notifications/tasks',
      'tasks/cancel',
      'tasks/get',
      'tasks/update',
    ]);
  });

  it('use a member that versions without tasks ignore [tasks.undeclared-ignored]', () => {
    for (const task of [{ ttl: 5 }, {}, 'x']) {
      for (const dialect of dialects) {
        const calling = up(dialect, 'params', 'tools/call', { name: 'a', task });
        expect(methods['tools/call'].params(calling)).toBeUndefined();
        const sampling = up(dialect, 'params', 'sampling/createMessage', { messages: [], maxTokens: 1, task });
        expect(methods['sampling/createMessage'].params(sampling)).toBeUndefined();
        const form = { message: 'm', requestedSchema: { type: 'object', properties: {} }, task };
        expect(methods['elicitation/create'].params(up(dialect, 'params', 'elicitation/create', form))).toBeUndefined();
      }
    }
  });
});

describe.skipIf(!schemasPresent)('transforms of tasks by parameter', () => {
  const official = schemasPresent ? judge('2025-11-25', { exact: true }) : undefined;
  const faults = (type: string, value: JsonObject) => official?.type(type, JSON.parse(JSON.stringify(value)));

  it.each(Object.keys(taskResults))(
    'fit the schema in both directions as the result of %s [schema.type.task schema.type.task-status schema.result.create-task schema.result.tasks-get schema.result.tasks-cancel schema.result.tasks-list schema.result.tasks-result]',
    method => {
      const [type, value] = taskResults[method] as (typeof taskResults)[string];
      fc.assert(
        fc.property(value, result => {
          expect(issue('result', method, result)).toBeUndefined();
          const response = down(withParameter, 'result', method, result);
          expect(faults(type, response)).toEqual([]);
          const received = up(withParameter, 'result', method, response);
          expect(issue('result', method, received)).toBeUndefined();
          expect(down(withParameter, 'result', method, received)).toEqual(response);
        }),
        runs,
      );
    },
  );

  it.each(Object.keys(taskCalls))(
    'fit the schema in both directions as %s [schema.request.tools-call.task schema.type.task-metadata schema.request.tasks-get schema.request.tasks-result schema.request.tasks-cancel schema.request.tasks-list schema.notification.tasks-status]',
    method => {
      const [type, value] = taskCalls[method] as (typeof taskCalls)[string];
      const id = method.startsWith('notifications/') ? {} : { id: 1 };
      fc.assert(
        fc.property(value, params => {
          expect(issue('params', method, params)).toBeUndefined();
          const response = down(withParameter, 'params', method, params);
          expect(faults(type, { jsonrpc: '2.0', ...id, method, params: response })).toEqual([]);
          const received = up(withParameter, 'params', method, response);
          expect(issue('params', method, received)).toBeUndefined();
          expect(down(withParameter, 'params', method, received)).toEqual(response);
        }),
        runs,
      );
    },
  );

  it('keep the task capabilities of both sides and the task support of tools [schema.capability.server.tasks schema.capability.client.tasks schema.type.tool.execution]', () => {
    fc.assert(
      fc.property(presented, introduced, tooled, (result, params, listed) => {
        expect(down(withParameter, 'result', 'initialize', result)).toEqual(result);
        expect(faults('InitializeResult', result)).toEqual([]);
        expect(down(withParameter, 'params', 'initialize', params)).toEqual(params);
        expect(faults('InitializeRequest', { jsonrpc: '2.0', id: 1, method: 'initialize', params })).toEqual([]);
        const response = down(withParameter, 'result', 'tools/list', listed);
        expect(response.tools).toMatchObject((listed.tools as JsonObject[]).map(({ execution }) => ({ execution })));
        expect(faults('ListToolsResult', response)).toEqual([]);
      }),
      runs,
    );
  });

  it('rely on a schema that rejects members of the newest version', () => {
    const task = { taskId: 'a', status: 'working', createdAt: '', lastUpdatedAt: '', ttl: null };
    expect(faults('GetTaskResult', task)).toEqual([]);
    for (const more of [{ ttlMs: 1 }, { pollIntervalMs: 1 }, { result: {} }]) {
      expect(faults('GetTaskResult', { ...task, ...more })).not.toEqual([]);
      expect(faults('CreateTaskResult', { task: { ...task, ...more } })).not.toEqual([]);
      const status = { jsonrpc: '2.0', method: 'notifications/tasks/status', params: { ...task, ...more } };
      expect(faults('TaskStatusNotification', status)).not.toEqual([]);
    }
  });
});

describe('a task by parameter', () => {
  const task = {
    taskId: 'a',
    status: 'working',
    createdAt: '2025-11-25T10:30:00Z',
    lastUpdatedAt: '2025-11-25T10:30:00Z',
    ttlMs: 60_000,
    pollIntervalMs: 500,
  };
  const { ttlMs: ttl, pollIntervalMs: pollInterval, ...rest } = task;
  const response = { ...rest, ttl, pollInterval };
  const encodeStatus = (more: JsonObject) => down(withParameter, 'result', 'tasks/get', { ...task, ...more });

  it('moves into a member when it is created, and back to a flat result [ext-tasks.create-result-shape ext-tasks.result-type-task]', () => {
    const _meta = { 'com.example/a': 1 };
    const info = { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } };
    const made = { ...task, resultType: 'task' };
    const nested = down(withParameter, 'result', 'tools/call', { ...made, _meta: { ..._meta, ...info } });
    expect(nested).toEqual({ task: response, _meta });
    expect(up(withParameter, 'result', 'tools/call', nested)).toEqual({ ...made, _meta });
    expect(down(withParameter, 'result', 'tools/call', { ...made, _meta: info })).toEqual({ task: response });
    expect(up(withParameter, 'result', 'tools/call', { task: response })).toEqual(made);
  });

  it('differs from a tool result with such a member', () => {
    const result = { content: [], task: response };
    expect(up(withParameter, 'result', 'tools/call', result)).toEqual(result);
    const own = { content: [], taskId: 'a', status: 'working' };
    expect(down(withParameter, 'result', 'tools/call', own)).toEqual(own);
  });

  it('becomes a task of the newest version, without its payload', () => {
    for (const method of ['tasks/get', 'tasks/cancel']) {
      const value = { ...task, resultType: 'complete', status: 'completed', result: { content: [] } };
      const received = up(withParameter, 'result', method, down(withParameter, 'result', method, value));
      expect(received).toEqual({ ...task, status: 'completed' });
    }
    expect(up(withParameter, 'result', 'tasks/list', { tasks: [response], nextCursor: 'x' })).toEqual({
      tasks: [task],
      nextCursor: 'x',
    });
    expect(down(withParameter, 'params', 'notifications/tasks/status', task)).toEqual(response);
    expect(up(withParameter, 'params', 'notifications/tasks/status', response)).toEqual(task);
  });

  it('becomes failed with the text of its tool when the tool failed [tasks.status.tool-is-error-failed tasks.status.failure-message]', () => {
    const result = { content: [{ type: 'image' }, { type: 'text', text: 'no disk' }], isError: true };
    const failed = { ...response, status: 'failed' };
    expect(encodeStatus({ status: 'completed', result })).toEqual({ ...failed, statusMessage: 'no disk' });
    expect(encodeStatus({ status: 'completed', result, statusMessage: 'mine' })).toEqual({
      ...failed,
      statusMessage: 'mine',
    });
    expect(encodeStatus({ status: 'completed', result: { content: [], isError: true } }).statusMessage).toBe(
      'The tool failed',
    );
    expect(encodeStatus({ status: 'failed', error: { code: -32603, message: 'Internal error' } })).toEqual({
      ...failed,
      statusMessage: 'Internal error',
    });
    expect(encodeStatus({ status: 'completed', result: { content: [], isError: false } }).status).toBe('completed');
    const long = { content: [{ type: 'text', text: 'x'.repeat(5000) }], isError: true };
    expect((encodeStatus({ status: 'completed', result: long }).statusMessage as string).length).toBe(1000);
    const emoji = { isError: true, content: [{ type: 'text', text: `x${'😀'.repeat(500)}` }] };
    expect(encodeStatus({ status: 'completed', result: emoji }).statusMessage).toBe(`x${'😀'.repeat(499)}`);
  });

  it('allows an empty result of tasks/cancel', () => {
    expect(down(withParameter, 'result', 'tasks/cancel', { resultType: 'complete' })).toEqual({});
  });

  it('has the result of its call [tasks.result.exact-result tasks.related-task.result-response]', () => {
    const _meta = { 'io.modelcontextprotocol/related-task': { taskId: 'a' } };
    fc.assert(
      fc.property(called, ({ tool, result }) => {
        const { outputSchema } = tool as TransformContext;
        const plain = down(withParameter, 'result', 'tools/call', { ...result, _meta }, { outputSchema });
        const payload = down(withParameter, 'result', 'tasks/result', { ...result, _meta }, { outputSchema });
        expect(payload).toEqual(plain);
        expect(payload._meta).toEqual(_meta);
        expect(up(withParameter, 'result', 'tasks/result', payload, { outputSchema })).toEqual(
          up(withParameter, 'result', 'tools/call', plain, { outputSchema }),
        );
      }),
      runs,
    );
  });
});

describe('the tasks extension', () => {
  it('leaves tasks with their payload unchanged [ext-tasks.get.result-shape ext-tasks.notification-shape]', () => {
    for (const [method, value] of Object.entries(extended)) {
      const side = method.startsWith('notifications/') ? 'params' : 'result';
      fc.assert(
        fc.property(value, task => {
          expect(checkDetailedTask(task)).toBeUndefined();
          expect(issue(side, method, task)).toBeUndefined();
          expect(down(getNewestDialect(), side, method, task)).toBe(task);
        }),
        runs,
      );
    }
  });

  it.each(handshakes.map(dialect => [dialect.protocolVersion, dialect] as const))(
    'is removed from messages of %s, and others are kept [ext-tasks.extension-not-in-2025-11-25]',
    (_, dialect) => {
      const other = { 'com.example/notes': { a: 1 } };
      for (const speak of [down, up]) {
        for (const side of ['params', 'result'] as const) {
          const without = (extensions: JsonObject | undefined) =>
            speak(dialect, side, 'initialize', { capabilities: extensions ? { extensions } : {} }).capabilities;
          expect(without({ [TASKS]: {}, ...other })).toEqual({ extensions: other });
          expect(without({ [TASKS]: {} })).toEqual({});
          expect(without(other)).toEqual({ extensions: other });
          expect(without({})).toEqual({ extensions: {} });
          expect(without(undefined)).toEqual({});
        }
      }
    },
  );
});

describe.each(none.map(dialect => [dialect.protocolVersion, dialect] as const))('transforms of %s', (_, dialect) => {
  it('remove all task members', () => {
    fc.assert(
      fc.property(presented, introduced, tooled, (result, params, { tools }) => {
        expect(down(dialect, 'result', 'initialize', result).capabilities).not.toHaveProperty('tasks');
        expect(down(dialect, 'params', 'initialize', params).capabilities).not.toHaveProperty('tasks');
        for (const tool of down(dialect, 'result', 'tools/list', { tools }).tools as JsonObject[])
          expect(tool).not.toHaveProperty('execution');
      }),
      runs,
    );
    expect(down(dialect, 'params', 'tools/call', { name: 'a', task: {} })).toEqual({ name: 'a' });
  });
});
