import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMetaKey, isReservedKey, MODEL_IMMEDIATE_RESPONSE, RELATED_TASK } from './meta.js';
import { methods, notifications } from './methods.js';
import { canBecome, checkDetailedTask, isTerminal, TASKS, type TaskStatus, taskParams } from './tasks.js';

const statuses = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const satisfies TaskStatus[];
const ends = statuses.slice(2);

const task = {
  taskId: 'a',
  status: 'working',
  createdAt: '2026-07-28T10:00:00Z',
  lastUpdatedAt: '2026-07-28T10:00:00Z',
  ttlMs: null,
};

describe('canBecome', () => {
  it('allows exactly the transitions of the specification [tasks.status.transitions ext-tasks.status-transitions]', () => {
    const modes = statuses.flatMap(from => statuses.filter(to => canBecome(from, to)).map(to => `${from} → ${to}`));
    expect(modes).toEqual([
      'working → input_required',
      'working → completed',
      'working → failed',
      'working → cancelled',
      'input_required → working',
      'input_required → completed',
      'input_required → failed',
      'input_required → cancelled',
    ]);
  });

  it('allows no transition from a final status [ext-tasks.terminal-immutable tasks.status.terminal-final]', () => {
    expect(statuses.filter(isTerminal)).toEqual(ends);
    for (const end of ends) for (const to of statuses) expect(canBecome(end, to)).toBe(false);
  });

  it('reaches no other status after the first final one', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...statuses)), wishes => {
        const walk: TaskStatus[] = ['working'];
        for (const to of wishes) if (canBecome(walk.at(-1) as TaskStatus, to)) walk.push(to);
        expect(walk.slice(0, -1).some(isTerminal)).toBe(false);
      }),
    );
  });
});

describe('the checks of a task', () => {
  const { result } = methods['tasks/get'];

  it('require its members [ext-tasks.task-shape ext-tasks.ttl-null-unlimited]', () => {
    expect(result(task)).toBeUndefined();
    expect(result({ ...task, ttlMs: 5, pollIntervalMs: 1, statusMessage: 'x' })).toBeUndefined();
    for (const name of Object.keys(task)) expect(result({ ...task, [name]: undefined })).toContain(`at /${name}:`);
    for (const [name, value] of Object.entries({
      taskId: 1,
      status: 'done',
      createdAt: 1,
      lastUpdatedAt: null,
      ttlMs: 1.5,
      pollIntervalMs: 'x',
      statusMessage: 1,
    })) {
      expect(result({ ...task, [name]: value })).toContain(`at /${name}:`);
    }
  });

  it('accept only known statuses [ext-tasks.status-values]', () => {
    for (const status of statuses) expect(result({ ...task, status })).toBeUndefined();
    for (const status of ['', 'submitted', 'constructor', 5]) expect(result({ ...task, status })).toContain('/status');
  });

  it('require the payload of its status [ext-tasks.get.input-required ext-tasks.get.completed ext-tasks.get.failed]', () => {
    const { params } = notifications['notifications/tasks'];
    for (const check of [checkDetailedTask, params]) {
      expect(check(task)).toBeUndefined();
      expect(check({ ...task, status: 'input_required' })).toContain('at /inputRequests:');
      expect(check({ ...task, status: 'completed' })).toContain('at /result:');
      expect(check({ ...task, status: 'failed' })).toContain('at /error:');
      expect(check({ ...task, status: 'failed', error: { code: 1 } })).toContain('at /error/message:');
      expect(check({ ...task, status: 'cancelled' })).toBeUndefined();
      expect(check({ ...task, status: 'failed', error: { code: 1, message: 'x' } })).toBeUndefined();
      expect(check({ ...task, status: 'completed', result: {} })).toBeUndefined();
      expect(check({ ...task, status: 'input_required', inputRequests: {} })).toBeUndefined();
      expect(check(null)).toBe('at /: expected an object, got null');
    }
  });

  it('accept a flat task as the result of a call [ext-tasks.create-result-shape]', () => {
    const called = methods['tools/call'].result;
    expect(called({ ...task, resultType: 'task' })).toBeUndefined();
    expect(called({ resultType: 'task', task })).toContain('at /taskId:');
    expect(called(task)).toContain('at /content:');
    expect(called({ resultType: 'task', content: [] })).toContain('at /taskId:');
  });
});

describe('the methods of tasks', () => {
  it('name the extension, and no others do', () => {
    const extended = Object.entries(methods).filter(([, { extension }]) => extension !== undefined);
    expect(extended.map(([name, { extension }]) => [name, extension]).sort()).toEqual(
      ['tasks/cancel', 'tasks/get', 'tasks/list', 'tasks/result', 'tasks/update'].map(name => [name, TASKS]),
    );
  });

  it('check their params [ext-tasks.get.request-shape ext-tasks.cancel.request-shape ext-tasks.update.request-shape]', () => {
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/result'] as const) {
      expect(methods[method].params({ taskId: 'a' })).toBeUndefined();
      expect(methods[method].params({ taskId: 1 })).toContain('at /taskId:');
      expect(methods[method].params({})).toContain('at /taskId:');
    }
    const { params } = methods['tasks/update'];
    expect(params({ taskId: 'a', inputResponses: { k: { action: 'cancel' } } })).toBeUndefined();
    expect(params({ taskId: 'a' })).toContain('at /inputResponses:');
    expect(params({ inputResponses: {} })).toContain('at /taskId:');
    expect(params({ taskId: 'a', inputResponses: { k: 1 } })).toContain('at /inputResponses/k:');
  });

  it('check their results [ext-tasks.cancel.result-shape ext-tasks.update.result-shape]', () => {
    const complete = { resultType: 'complete' };
    expect(methods['tasks/cancel'].result(complete)).toBeUndefined();
    expect(methods['tasks/cancel'].result(task)).toBeUndefined();
    expect(methods['tasks/cancel'].result({ taskId: 'a' })).toContain('at /status:');
    expect(methods['tasks/update'].result(complete)).toBeUndefined();
    expect(methods['tasks/list'].result({ tasks: [task], nextCursor: 'x' })).toBeUndefined();
    expect(methods['tasks/list'].result({ tasks: [{}] })).toContain('at /tasks/0/taskId:');
    expect(methods['tasks/result'].result({ content: [] })).toBeUndefined();
    expect(methods['tasks/result'].result({})).toContain('at /content:');
  });

  it('check the task ids of a subscription [ext-tasks.subscribe-task-ids]', () => {
    const { params } = methods['subscriptions/listen'];
    expect(params({ notifications: { taskIds: ['a'] } })).toBeUndefined();
    expect(params({ notifications: { taskIds: [1] } })).toContain('at /notifications/taskIds/0:');
  });

  it('use reserved keys of the protocol', () => {
    for (const key of [TASKS, RELATED_TASK, MODEL_IMMEDIATE_RESPONSE])
      expect([key, isMetaKey(key), isReservedKey(key)]).toEqual([key, true, true]);
  });
});

describe('the task parameter', () => {
  it('accepts an optional lifetime [schema.type.task-metadata]', () => {
    for (const good of [{}, { ttl: 0 }, { ttl: 60_000, more: 1 }]) expect(taskParams(good)).toBeUndefined();
    for (const bad of [null, [], { ttl: 'x' }, { ttl: 1.5 }, { ttl: -1 }, { ttl: null }])
      expect(taskParams(bad)).toBeDefined();
  });
});
