import {
  type ActionRequest,
  allow,
  ask,
  createApprovals,
  createPolicy,
  type Decision,
  policyMiddleware,
} from '@tenon/host';
import { caching, rateLimit, tasks, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../packages/tenon/src/stores/memory-stores.js';
import { retryUntilPasses } from '../interop/retry.js';
import { served } from './served.js';

const ALL = 'notes:read notes:write notes:deep';

/** One user, and two OAuth clients that act for that user. */
async function createTwoClients(...options: Parameters<typeof served>) {
  const on = await served(...options);
  const editor = await on.bearer({ scope: ALL, client_id: 'editor' });
  const reader = await on.bearer({ scope: ALL, client_id: 'reader' });
  const unnamed = await on.bearer({ scope: ALL });
  return { ...on, editor, reader, unnamed };
}

const call = (name: string, more = {}) => ({ name, arguments: {}, ...more });
const TASK_METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'];

describe('an OAuth client and another client of the same user', () => {
  it('gets 404 for a session of the other client', async () => {
    const { open, within, send, editor, reader, unnamed } = await createTwoClients();
    const session = await open(editor);
    for (const other of [reader, unnamed]) {
      expect((await within(session, 'ping', {}, other)).status).toBe(404);
      const headers = { ...other, 'mcp-session-id': session, accept: 'text/event-stream' };
      expect((await send({ headers })).status).toBe(404);
      expect((await send({ method: 'DELETE', headers })).status).toBe(404);
    }
    expect((await within(session, 'ping', {}, editor)).status).toBe(200);
  });

  it('reads the client from azp where the token has no client_id', async () => {
    const { open, within, bearer } = await createTwoClients();
    const session = await open(await bearer({ azp: 'editor' }));
    expect((await within(session, 'ping', {}, await bearer({ azp: 'reader' }))).status).toBe(404);
    expect((await within(session, 'ping', {}, await bearer({ azp: 'editor' }))).status).toBe(200);
  });

  it('refuses a requestState that was given to another client', async () => {
    const { alone, editor, reader, unnamed } = await createTwoClients();
    const { body } = await alone('tools/call', call('ask'), editor);
    const { requestState, inputRequests = {} } = body.result as { requestState: string; inputRequests?: object };
    const answer = { action: 'accept', content: { yes: true } };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map(key => [key, answer]));
    const retry = call('ask', { requestState, inputResponses });
    for (const other of [reader, unnamed])
      expect((await alone('tools/call', retry, other)).body.error?.code).toBe(-32602);
    expect((await alone('tools/call', retry, editor)).text).toContain('accept');
  });

  it('gets the errors of an unknown task, and no task of the other client in lists', async () => {
    const { alone, within, open, server, editor, reader, unnamed } = await createTwoClients(
      {},
      { extensions: [tasks()] },
    );
    server.tools.set('slow', tool({ task: 'required', run: () => 'secret result' }));
    const { body } = await alone('tools/call', call('slow'), editor);
    const taskId = String(body.result?.taskId);
    for (const other of [reader, unnamed]) {
      for (const method of TASK_METHODS) {
        const unknown = (await alone(method, { taskId: 'made-up', inputResponses: {} }, other)).body.error;
        const { error } = (await alone(method, { taskId, inputResponses: {} }, other)).body;
        expect(error?.code).toBe(unknown?.code);
      }
      const session = await open(other, '2025-11-25');
      expect((await within(session, 'tasks/list', {}, other, '2025-11-25')).body.result?.tasks).toEqual([]);
      expect((await within(session, 'tasks/result', { taskId }, other, '2025-11-25')).body.error?.code).toBe(-32602);
    }
    expect((await alone('tasks/get', { taskId }, editor)).text).toContain('secret result');
    server.close();
  });

  it('gives a cached result to the client that asked for it only', async () => {
    const { alone, server, editor, reader } = await createTwoClients(
      {},
      { use: [caching({ ttl: 60_000, tools: ['n'] })] },
    );
    let n = 0;
    server.tools.set('n', tool({ run: () => `call ${++n}` }));
    const callAs = async (as: typeof editor) => /call \d/.exec((await alone('tools/call', call('n'), as)).text)?.[0];
    expect([await callAs(editor), await callAs(editor), await callAs(reader)]).toEqual(['call 1', 'call 1', 'call 2']);
  });

  it('counts the calls of each client by itself in a rate limit', async () => {
    const { alone, editor, reader } = await createTwoClients({}, { use: [rateLimit({ burst: 1, perSecond: 0.001 })] });
    const callAs = async (as: typeof editor) => (await alone('tools/call', call('whoami'), as)).body.error?.code;
    expect([await callAs(editor), await callAs(editor), await callAs(reader)]).toEqual([undefined, 429, undefined]);
  });

  it('counts the open tasks of each client by itself', async () => {
    const extensions = [tasks({ maxOpenPerUser: 1 })];
    const { alone, server, editor, reader } = await createTwoClients({}, { extensions });
    server.tools.set('slow', tool({ task: 'required', run: () => new Promise<string>(() => {}) }));
    const callAs = async (as: typeof editor) => (await alone('tools/call', call('slow'), as)).body.error?.code;
    expect([await callAs(editor), await callAs(editor), await callAs(reader)]).toEqual([undefined, 429, undefined]);
    server.close();
  });

  it('is asked again when it makes the call that was remembered for the other client', async () => {
    const requests: (string | undefined)[] = [];
    const approve = ({ clientId }: ActionRequest): Decision => {
      requests.push(clientId);
      return clientId === 'editor' ? 'always' : 'deny';
    };
    const approvals = createApprovals({ ...memoryStores(), approve });
    const policy = createPolicy([ask('*/write'), allow()]);
    const { alone, ran, editor, reader } = await createTwoClients(
      {},
      { use: [policyMiddleware({ policy, approvals })] },
    );
    const callAs = async (as: typeof editor) => (await alone('tools/call', call('write'), as)).body.result?.isError;
    expect([await callAs(editor), await callAs(editor), await callAs(reader)]).toEqual([undefined, undefined, true]);
    expect([requests, ran]).toEqual([
      ['editor', 'reader'],
      ['write', 'write'],
    ]);
    expect(await approvals.listStored()).toMatchObject([
      { principal: expect.stringContaining('ada'), clientId: 'editor' },
    ]);
  });

  it('appears in an approval request in the store', async () => {
    const approvals = createApprovals({ ...memoryStores() });
    const about = { kind: 'tool', server: 's', name: 'write', arguments: {}, trusted: true } as const;
    const left = new AbortController();
    const waiting = approvals.request({ ...about, principal: 'ada', clientId: 'editor' }, { signal: left.signal });
    await retryUntilPasses(async () =>
      expect(await approvals.listPending()).toMatchObject([{ principal: 'ada', clientId: 'editor' }]),
    );
    left.abort();
    expect((await waiting).granted).toBe(false);
  });
});

describe('a token without the scope of the tool', () => {
  async function createTask() {
    const on = await createTwoClients({}, { extensions: [tasks()] });
    on.server.tools.set('slow', tool({ task: 'required', scopes: ['notes:write'], run: () => 'secret result' }));
    const { body } = await on.alone('tools/call', call('slow'), on.editor);
    const narrow = await on.bearer({ scope: 'notes:read', client_id: 'editor' });
    return { ...on, taskId: String(body.result?.taskId), narrow };
  }

  it('gets 403 with the scope for each operation on a task of a broader token', async () => {
    const { alone, within, open, server, taskId, narrow } = await createTask();
    for (const method of TASK_METHODS) {
      const { status, challenge, text } = await alone(method, { taskId, inputResponses: {} }, narrow);
      expect([status, challenge?.params.error, challenge?.params.scope]).toEqual([
        403,
        'insufficient_scope',
        'notes:write',
      ]);
      expect(text).not.toContain('secret result');
    }
    const session = await open(narrow, '2025-11-25');
    const { status, challenge } = await within(session, 'tasks/result', { taskId }, narrow, '2025-11-25');
    expect([status, challenge?.params.scope]).toEqual([403, 'notes:write']);
    expect((await within(session, 'tasks/list', {}, narrow, '2025-11-25')).body.result?.tasks).toEqual([]);
    server.close();
  });

  it('cannot subscribe to the task', async () => {
    const { alone, server, taskId, narrow } = await createTask();
    const listen = await alone('subscriptions/listen', { notifications: { taskIds: [taskId] } }, narrow);
    expect([listen.status, listen.challenge?.params.scope]).toEqual([403, 'notes:write']);
    server.close();
  });

  it('needs the scopes with which the task was created where the tool no longer exists', async () => {
    const { alone, server, taskId, narrow, editor } = await createTask();
    server.tools.delete('slow');
    expect((await alone('tasks/get', { taskId }, narrow)).status).toBe(403);
    expect((await alone('tasks/get', { taskId }, editor)).status).toBe(200);
    server.close();
  });
});
