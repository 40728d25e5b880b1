import type { JsonObject } from '@tenon/base';
import { protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { TASKS } from '../../protocol/tasks.js';
import { tool } from '../../server/definitions/tool.js';
import { gate, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient, FULL_CAPABILITIES, getTaskId } from './fixtures/task-client.js';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const tools = {
  optional: tool({ task: 'optional', run: () => 'done' }),
  required: tool({ task: 'required', run: () => 'done' }),
  forbidden: tool({ task: 'forbidden', run: () => 'done' }),
  silent: tool({ run: () => 'done' }),
};

/** What comes of a call: `task`, `done`, or the code of the error. */
async function outcomes(version: string, capabilities: JsonObject, task?: JsonObject) {
  const caller = await connectTaskClient(siteOf().serve(tools), { version, capabilities });
  const all: { [name: string]: unknown } = {};
  for (const name of Object.keys(tools)) {
    const { result, error } = await caller.call('tools/call', { name, ...(task ? { task } : {}) });
    const kind = result?.task || result?.resultType === 'task' ? 'task' : 'done';
    all[name] = error ? error.code : kind;
  }
  return all;
}

const direct = { optional: 'done', forbidden: 'done', silent: 'done' };
const legacy = { tasks: { requests: { sampling: { createMessage: {} } } } };

describe('tools/call', () => {
  it('creates a task for a client with the extension as the tool decides, whatever the request states [ext-tasks.server-decides ext-tasks.task-parameter-ignored ext-tasks.client-declares-per-request]', async () => {
    const all = { optional: 'task', required: 'task', forbidden: 'done', silent: 'done' };
    expect(await outcomes('2026-07-28', FULL_CAPABILITIES)).toEqual(all);
    expect(await outcomes('2026-07-28', FULL_CAPABILITIES, { ttl: 5 })).toEqual(all);
  });

  it('creates no task for a client without the extension, or with only the tasks capability of another protocol version [ext-tasks.create-not-without-capability ext-tasks.required-capability-error ext-tasks.legacy-capability-non-declaring]', async () => {
    for (const capabilities of [{}, legacy]) {
      for (const task of [undefined, { ttl: 5 }]) {
        expect(await outcomes('2026-07-28', capabilities, task)).toEqual({ ...direct, required: -32021 });
      }
    }
    const caller = await connectTaskClient(siteOf().serve(tools), { capabilities: {} });
    const { error } = await caller.call('tools/call', { name: 'required' });
    expect(error?.data).toEqual({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
  });

  it('checks the extension in each request separately [ext-tasks.create-not-without-capability]', async () => {
    const caller = await connectTaskClient(siteOf().serve(tools));
    expect((await caller.call('tools/call', { name: 'optional' })).result?.resultType).toBe('task');
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': {} };
    const without = await connectTaskClient(siteOf().serve(tools), { capabilities: {} });
    expect((await without.call('tools/call', { name: 'optional', _meta })).result?.resultType).toBe('complete');
  });

  it('creates a task for the task parameter, on the protocol version that has it [tasks.create.by-task-param tasks.create.result tasks.tool.optional-either tasks.tool.required-error tasks.tool.forbidden-error ext-tasks.extension-not-in-2025-11-25]', async () => {
    for (const capabilities of [{}, FULL_CAPABILITIES, legacy]) {
      expect(await outcomes('2025-11-25', capabilities)).toEqual({ ...direct, required: -32601 });
      expect(await outcomes('2025-11-25', capabilities, {})).toEqual({
        ...{ optional: 'task', required: 'task', forbidden: -32601, silent: -32601 },
      });
    }
  });

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('creates no task on %s', async version => {
    const none = { ...direct, required: -32601 };
    expect(await outcomes(version, FULL_CAPABILITIES)).toEqual(none);
    expect(await outcomes(version, FULL_CAPABILITIES, { ttl: 5 })).toEqual(none);
  });

  it('creates no task on a server without tasks [tasks.undeclared-ignored ext-tasks.never-creating-conformant ext-tasks.methods-not-offered]', async () => {
    const { forbidden } = tools;
    for (const version of protocolVersions) {
      const server = siteOf().serve({ forbidden }, {}, { extensions: [] });
      const caller = await connectTaskClient(server, { version });
      const { result } = await caller.call('tools/call', { name: 'forbidden', task: { ttl: 5 } });
      expect(result?.content).toEqual([{ type: 'text', text: 'done' }]);
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        const { error } = await caller.call(method, { taskId: 'a', inputResponses: {} });
        expect(error?.code).toBe(-32601);
      }
    }
  });

  it('explains an invalid task parameter [tasks.error.informative]', async () => {
    const caller = await connectTaskClient(siteOf().serve(tools), { version: '2025-11-25' });
    for (const task of [5, null, { ttl: 'long' }]) {
      const { error } = await caller.call('tools/call', { name: 'optional', task });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('/task') });
    }
    expect((await caller.call('tools/call', { name: 'forbidden', task: {} })).error?.message).toContain('forbidden');
    expect((await caller.call('tools/call', { name: 'required' })).error?.message).toContain('required');
  });

  it('creates no task for a client without a required capability, or for invalid arguments', async () => {
    const input = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
    const picky = tool({ task: 'required', requiredCapabilities: { sampling: {} }, input, run: () => 'done' });
    const site = siteOf();
    const caller = await connectTaskClient(site.serve({ picky }), { capabilities: { extensions: { [TASKS]: {} } } });
    const unfit = await caller.call('tools/call', { name: 'picky', arguments: {} });
    expect(unfit.result).toMatchObject({ resultType: 'complete', isError: true });
    const { error } = await caller.call('tools/call', { name: 'picky', arguments: { n: 1 } });
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { sampling: {} } } });
    expect(site.events).toEqual([]);
  });
});

describe('the capabilities of a server with tasks', () => {
  it('contain the extension on its protocol version, and never the capability of the other version [ext-tasks.server-advertises ext-tasks.legacy-capability-not-advertised ext-tasks.extension-id]', async () => {
    const caller = await connectTaskClient(siteOf().serve(tools), { principal: 'ann' });
    const { capabilities } = (await caller.call('server/discover')).result as JsonObject;
    expect(capabilities).toMatchObject({ extensions: { [TASKS]: {} } });
    expect(capabilities).not.toHaveProperty('tasks');
    const { tools: listed } = (await caller.call('tools/list')).result as JsonObject;
    expect(JSON.stringify(listed)).not.toContain('taskSupport');
  });

  it('contain the capability on 2025-11-25, with the list only for authenticated callers [tasks.capability-declared tasks.capability.exhaustive tasks.capability.list-flag tasks.capability.cancel-flag tasks.security.no-list-when-anonymous]', async () => {
    const readTasksCapability = async (principal: string | undefined, list?: boolean) => {
      const server = siteOf().serve(tools, list === undefined ? {} : { list });
      const caller = await connectTaskClient(server, { version: '2025-11-25', ...(principal ? { principal } : {}) });
      const { capabilities } = (caller.inbox[0] as { result: unknown }).result as { capabilities: JsonObject };
      expect(capabilities).not.toHaveProperty('extensions');
      const { error } = await caller.call('tasks/list');
      expect(error?.code).toBe((capabilities.tasks as JsonObject).list === undefined ? -32601 : undefined);
      return capabilities.tasks;
    };
    const requests = { tools: { call: {} } };
    expect(await readTasksCapability(undefined)).toEqual({ cancel: {}, requests });
    expect(await readTasksCapability(undefined, true)).toEqual({ list: {}, cancel: {}, requests });
    expect(await readTasksCapability('ann')).toEqual({ list: {}, cancel: {}, requests });
    expect(await readTasksCapability('ann', false)).toEqual({ cancel: {}, requests });
  });

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('contain nothing about tasks on %s', async version => {
    const caller = await connectTaskClient(siteOf().serve(tools), { version });
    expect(JSON.stringify(caller.inbox)).not.toContain('tasks');
    const listed = (await caller.call('tools/list')).result;
    expect(JSON.stringify(listed)).not.toContain('taskSupport');
    for (const method of ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel', 'tasks/update']) {
      expect((await caller.call(method, { taskId: 'a', inputResponses: {} })).error?.code).toBe(-32601);
    }
  });
});

describe('a new task', () => {
  it('exists in the store before its client gets the id [ext-tasks.create-durable ext-tasks.create-waits-consistency tasks.create.prompt]', async () => {
    const written = gate();
    let puts = 0;
    const site = siteOf(({ values }) => ({
      values: {
        ...values,
        async put(...args) {
          if (args[0].startsWith('task') && puts++ < 3) await written.opened;
          return values.put(...args);
        },
      },
    }));
    const run = gate();
    const caller = await connectTaskClient(site.serve({ slow: tool({ task: 'required', run: () => run.opened }) }));
    const id = caller.send('tools/call', { name: 'slow' });
    await settle();
    expect(caller.answers.has(id)).toBe(false);
    written.open();
    await until(() => caller.answers.has(id), 'the answer');
    const { result } = caller.answers.get(id) ?? {};
    expect(await site.record(String(result?.taskId))).toMatchObject({ status: 'working' });
    expect((await caller.call('tasks/get', { taskId: result?.taskId })).result).toMatchObject({ status: 'working' });
  });

  it('is returned as a flat result with all its members [ext-tasks.create-result-shape ext-tasks.result-type-task ext-tasks.task-shape ext-tasks.create-no-request-state ext-tasks.ttl-null-unlimited tasks.status.starts-working tasks.id.string tasks.id.receiver-generated tasks.timestamps.created-at tasks.timestamps.last-updated-at tasks.poll-interval.offered]', async () => {
    const caller = await connectTaskClient(siteOf().serve(tools, { pollInterval: 7 }));
    const { result } = await caller.call('tools/call', { name: 'optional' });
    expect(result).toEqual({
      ...{ resultType: 'task', taskId: expect.stringMatching(/^[\da-f-]{36}$/), status: 'working' },
      ...{ createdAt: expect.stringMatching(ISO), lastUpdatedAt: expect.stringMatching(ISO) },
      ...{ ttlMs: 86_400_000, pollIntervalMs: 7 },
    });
  });

  it('has an unguessable id [ext-tasks.id-unguessable tasks.id.unique tasks.security.unguessable-ids]', async () => {
    const caller = await connectTaskClient(siteOf().serve(tools));
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => (await caller.call('tools/call', { name: 'optional' })).result?.taskId),
    );
    expect(new Set(ids).size).toBe(50);
    const heads = new Set(ids.map(id => String(id).slice(0, 8)));
    expect(heads.size).toBeGreaterThan(45);
  });

  it('has the requested lifetime, up to a maximum [tasks.ttl.overridable tasks.ttl.actual-reported tasks.resources.max-ttl]', async () => {
    const own = tool({ task: { ttl: 3000, pollInterval: 9 }, run: () => 'done' });
    const server = siteOf().serve({ ...tools, own }, { ttl: 2000, maxTtl: 4000 });
    const asking = await connectTaskClient(server, { version: '2025-11-25' });
    const life = async (name: string, task: JsonObject) => {
      const { result } = await asking.call('tools/call', { name, task });
      const { result: seen } = await asking.call('tasks/get', { taskId: getTaskId({ result }) });
      return seen?.ttl;
    };
    expect(await life('optional', {})).toBe(2000);
    expect(await life('optional', { ttl: 1500 })).toBe(1500);
    expect(await life('optional', { ttl: 9_999_999 })).toBe(4000);
    for (const ttl of [-1, 1.5, null, '5'])
      expect(await asking.call('tools/call', { name: 'optional', task: { ttl } })).toMatchObject({
        error: { code: -32602, message: expect.stringContaining('/task/ttl') },
      });
    expect(await life('own', {})).toBe(3000);
    expect(await life('own', { ttl: 1 })).toBe(1);
    const caller = await connectTaskClient(server);
    const { result } = await caller.call('tools/call', { name: 'own' });
    expect(result).toMatchObject({ ttlMs: 3000, pollIntervalMs: 9 });
  });

  it('leaves no record and no reserved place when it cannot be stored', async () => {
    const site = siteOf(({ values }) => ({
      values: {
        ...values,
        put: (key, ...rest) =>
          key.startsWith(failing) ? Promise.reject(new Error('secret')) : values.put(key, ...rest),
      },
    }));
    let failing = 'task/';
    let runs = 0;
    const counted = tool({ task: 'required', run: () => void runs++ });
    const caller = await connectTaskClient(site.serve({ counted }, { maxOpen: 1 }));
    for (failing of ['task/', 'task-open/', 'task-of/']) {
      const { error } = await caller.call('tools/call', { name: 'counted' });
      expect(error).toEqual({ code: -32603, message: 'Internal error' });
    }
    expect(runs).toBe(0);
    expect((await site.stores.values.list('task')).length).toBe(0);
    failing = 'none';
    expect((await caller.call('tools/call', { name: 'counted' })).result?.resultType).toBe('task');
  });
});
