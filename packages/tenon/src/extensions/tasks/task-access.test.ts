import type { AuthInfo, JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { tool } from '../../server/definitions/tool.js';
import { gate, settle, siteOf, until } from './fixtures/site.js';
import { connectTaskClient, getTaskId, type TaskTestClient } from './fixtures/task-client.js';

const editor: AuthInfo = { principal: 'ada', issuer: 'https://a', clientId: 'editor', scopes: ['write'] };
const statesIn = (caller: TaskTestClient, method: string) =>
  caller.listNotifications(method).map(({ status }) => status);

/** A server with a tool that waits, and a task of it. */
async function createTask(auth: AuthInfo, version = '2026-07-28') {
  const site = siteOf();
  const work = gate<string>();
  const job = (scopes: string[]) => tool({ task: 'optional', scopes, run: () => work.opened });
  const server = site.serve({ job: job(['write']) });
  const caller = await connectTaskClient(server, { auth, version });
  const task = version === '2025-11-25' ? { task: {} } : {};
  const taskId = getTaskId(await caller.call('tools/call', { name: 'job', ...task }));
  return { site, server, caller, taskId, work, setScopes: (scopes: string[]) => server.tools.set('job', job(scopes)) };
}

describe('access to a task', () => {
  it('requires the user, the client and the issuer that made it', async () => {
    const { server, site, taskId } = await createTask(editor);
    const others: AuthInfo[] = [
      { ...editor, clientId: 'reader' },
      { ...editor, issuer: 'https://b' },
      { principal: 'ada', scopes: ['write'] },
      { ...editor, principal: 'eve' },
    ];
    for (const auth of others) {
      const other = await connectTaskClient(server, { auth });
      expect((await other.call('tasks/get', { taskId })).error?.code).toBe(-32602);
    }
    expect(
      site.events.filter(({ type }) => type === 'not-found').map(({ principal, clientId }) => [principal, clientId]),
    ).toEqual([
      ['ada', 'reader'],
      ['ada', 'editor'],
      ['ada', undefined],
      ['eve', 'editor'],
    ]);
    const own = await connectTaskClient(server, { auth: { ...editor, claims: { jti: 'another token' } } });
    expect((await own.call('tasks/get', { taskId })).result?.status).toBe('working');
  });

  it('to a record that names no client requires a caller without a client', async () => {
    const { server, site, taskId } = await createTask(editor);
    const { value } = (await site.stores.values.get(`task/${taskId}`)) ?? {};
    const stored = (auth: JsonObject) =>
      site.stores.values.put(`task/${taskId}`, { ...value, caller: { capabilities: {}, auth } });
    const codeFor = async (auth: AuthInfo) =>
      (await (await connectTaskClient(server, { auth })).call('tasks/get', { taskId })).error?.code;
    const plain: AuthInfo = { principal: 'ada', scopes: ['write'] };
    await stored({ principal: 'ada' });
    expect([await codeFor(editor), await codeFor(plain)]).toEqual([-32602, undefined]);
    // A record of an earlier version has the claims of the token only.
    await stored({ principal: 'ada', claims: { iss: 'https://a', client_id: 'editor' } });
    expect([await codeFor(editor), await codeFor({ ...editor, clientId: 'reader' }), await codeFor(plain)]).toEqual([
      undefined,
      -32602,
      -32602,
    ]);
  });

  it('ends for a session and a listener when the tool requires a scope that they lack', async () => {
    const inSession = await createTask(editor, '2025-11-25');
    inSession.setScopes(['write', 'admin']);
    inSession.work.open('done');
    await until(async () => (await inSession.site.record(inSession.taskId))?.status === 'completed');
    await settle();
    expect(statesIn(inSession.caller, 'notifications/tasks/status')).toEqual([]);
    expect((await inSession.caller.call('tasks/result', { taskId: inSession.taskId })).error?.code).toBe(403);

    const alone = await createTask(editor);
    alone.caller.send('subscriptions/listen', { notifications: { taskIds: [alone.taskId] } });
    await until(() => statesIn(alone.caller, 'notifications/tasks').length === 1);
    alone.setScopes(['write', 'admin']);
    alone.work.open('done');
    await until(async () => (await alone.site.record(alone.taskId))?.status === 'completed');
    await settle();
    expect(statesIn(alone.caller, 'notifications/tasks')).toEqual(['working']);
  });

  it('is refused to a caller for whom the tool is invisible', async () => {
    const { server, taskId, work, caller } = await createTask(editor);
    server.tools.set('job', tool({ task: 'optional', visible: () => false, run: () => work.opened }));
    expect((await caller.call('tasks/get', { taskId })).error?.code).toBe(-32602);
  });
});
