import { connectPair, fakeClock, protocolVersions } from '@tenon/testing';
import { describe, expect, it, vi } from 'vitest';
import { tasks } from '../../../../tenon/src/extensions/tasks/tasks.js';
import type { ElicitFormParams, ElicitResult } from '../../../../tenon/src/protocol/input-requests.js';
import { prompt } from '../../../../tenon/src/server/definitions/prompt.js';
import { resource } from '../../../../tenon/src/server/definitions/resource.js';
import { tool } from '../../../../tenon/src/server/definitions/tool.js';
import { createServer } from '../../../../tenon/src/server/server.js';
import { memoryStores } from '../../../../tenon/src/stores/memory-stores.js';
import { createApprovals } from '../approvals/approvals.js';
import { createElicitationApprover, formatApprovalPrompt } from '../approvals/elicitation-approver.js';
import type { ActionRequest } from './action-request.js';
import { createPolicy } from './policy.js';
import { type PolicyMiddlewareOptions, policyMiddleware } from './policy-middleware.js';
import { createQuotas } from './quotas.js';
import { allow, ask, deny, type Rule } from './rules.js';

const PATH = { type: 'object', properties: { path: { type: 'string' } } } as const;

const QUESTION = { kind: 'tool', server: 's', name: 't', arguments: {}, trusted: false, principal: undefined } as const;

/** A server under a policy, and what of it has run. */
function setUp(rules: readonly Rule[], more: Partial<PolicyMiddlewareOptions> = {}, inputRequests = {}) {
  const ran: string[] = [];
  const run = (name: string) => () => {
    ran.push(name);
    return name;
  };
  const server = createServer({
    name: 'notes',
    version: '1.0.0',
    use: [policyMiddleware({ policy: createPolicy(rules), ...more })],
    inputRequests,
    extensions: [tasks()],
    tools: {
      read: tool({ annotations: { readOnlyHint: true }, input: PATH, run: run('read') }),
      write: tool({ input: PATH, run: run('write') }),
      long: tool({ task: 'optional', input: PATH, run: run('long') }),
      talk: tool({
        input: PATH,
        async run(_, ctx) {
          const answer = await ctx.elicit({ message: 'Really?', input: { type: 'object', properties: {} } });
          ran.push(`talk ${answer.action}`);
          return answer.action;
        },
      }),
    },
    resources: { 'file:///a': resource({ name: 'a', read: () => 'a' }) },
    prompts: { hello: prompt({ run: () => 'hello' }) },
    methods: {
      'admin/reset': {
        run() {
          ran.push('reset');
          return { done: true };
        },
      },
    },
  });
  return { server, ran };
}

const yes = (decision: string) =>
  vi.fn((_: ElicitFormParams): ElicitResult => ({ action: 'accept', content: { decision } }));

const hello = (client: { call(method: string, params: object): Promise<unknown> }) =>
  client.call('prompts/get', { name: 'hello' });

describe('a policy for a custom method of a server', () => {
  const reset = { all: true };
  const outcome = async (rules: readonly Rule[], more: Partial<PolicyMiddlewareOptions> = {}) => {
    const { server, ran } = setUp(rules, more);
    const client = await connectPair(server, {});
    const result = await client.call('admin/reset', reset).catch((error: { rpcCode?: number }) => error.rpcCode);
    return { ran, result };
  };

  it.each([
    ['a rule about all of the server', deny('server/*')],
    ['its name', deny('server/admin*')],
    ['its name as a method', deny({ method: 'ADMIN/*' })],
    ['its params', deny({ method: '*', arguments: { all: { in: [true] } } })],
  ])('denies it by %s', async (_, rule) => {
    expect(await outcome([rule, allow()])).toEqual({ ran: [], result: -1 });
  });

  it('denies it when a rule asks and no one can be asked', async () => {
    expect(await outcome([ask({ method: 'admin/reset' })])).toEqual({ ran: [], result: -1 });
  });

  it('asks an operator about it', async () => {
    const approve = vi.fn((_: ActionRequest) => true);
    const approvals = createApprovals({ values: memoryStores().values, approve });
    const { ran } = await outcome([ask()], { approvals });
    expect(ran).toHaveLength(1);
    expect(approve.mock.calls[0]?.[0]).toMatchObject({ kind: 'method', name: 'admin/reset', arguments: reset });
  });

  it('allows it by its name, and not by rules about tools, prompts or resources', async () => {
    expect((await outcome([allow({ method: 'admin/*' }), deny()])).ran).toHaveLength(1);
    const others = [allow({ tool: '*' }), allow({ prompt: '*' }), allow({ resource: '*' }), deny()];
    expect((await outcome(others)).ran).toEqual([]);
  });

  it('counts it in quotas', async () => {
    const quotas = createQuotas([{ per: ['tool'], calls: 1, window: 60_000 }], { clock: fakeClock() });
    await outcome([allow()], { quotas });
    expect(await outcome([allow()], { quotas })).toEqual({ ran: [], result: 429 });
  });
});

describe('policyMiddleware', () => {
  it.each(protocolVersions)('refuses a denied operation, and names the rule, on %s', async protocolVersion => {
    const { server, ran } = setUp([
      deny({ tool: 'write', because: 'look, do not touch' }),
      deny({ resource: '*' }),
      deny({ prompt: '*' }),
      allow(),
    ]);
    const client = await connectPair(server, { protocolVersion });
    expect(await client.callTool('write', {})).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'Not done: denied by rule 1: look, do not touch' }],
    });
    const denied = (rule: number) => ({ rpcCode: -1, data: { policy: 'denied', rule } });
    await expect(client.readResource('file:///a')).rejects.toMatchObject(denied(2));
    await expect(hello(client)).rejects.toMatchObject(denied(3));
    expect(ran).toEqual([]);
    expect((await client.callTool('read', {})).isError).toBeUndefined();
    expect(ran).toEqual(['read']);
    await client.close();
  });

  it('matches the annotations of tools and the name of its server', async () => {
    const { server, ran } = setUp([allow('mine/*', { readOnly: true }), deny()], {
      server: 'mine',
      annotations: name =>
        server.tools.find(name, { client: undefined, capabilities: {}, auth: undefined })?.annotations,
    });
    const client = await connectPair(server);
    expect((await client.callTool('read', {})).isError).toBeUndefined();
    expect((await client.callTool('write', {})).isError).toBe(true);
    expect(ran).toEqual(['read']);
    await client.close();
  });

  it.each([[async () => ({ destructiveHint: true })], [() => 'destructive'], [() => null]])(
    'runs no tool if `annotations` is %s',
    async annotations => {
      const { server, ran } = setUp([deny({ destructive: true }), allow()], { annotations: annotations as never });
      const client = await connectPair(server);
      await expect(client.callTool('write', {})).rejects.toThrow('Internal error');
      expect(ran).toEqual([]);
      await client.close();
    },
  );

  it('matches the principal and the arguments', async () => {
    const layer = policyMiddleware({
      policy: createPolicy([allow({ principal: 'ann', arguments: { path: { under: '/work' } } }), deny()]),
    });
    const through = (principal: string | undefined, path: string) => {
      const context = { auth: principal === undefined ? undefined : { principal } } as never;
      const params = { name: 'read', arguments: { path } };
      return layer({ method: 'tools/call', name: 'read', params, context }, async () => ({ content: [] }));
    };
    expect(await through('ann', '/work/a')).toEqual({ content: [] });
    for (const [who, path] of [
      ['bob', '/work/a'],
      [undefined, '/work/a'],
      ['ann', '/work/../etc'],
    ] as const)
      expect(await through(who, path)).toMatchObject({ isError: true });
  });

  it('passes no arguments for a resource', async () => {
    const layer = policyMiddleware({ policy: createPolicy([allow({ arguments: { pass: true } }), deny()]) });
    const params = { uri: 'file:///a', arguments: { pass: true } };
    const operation = { method: 'resources/read', name: 'file:///a', params, context: {} as never };
    await expect(async () => layer(operation, async () => ({}))).rejects.toMatchObject({ rpcCode: -1 });
  });

  it('refuses to complete, watch and subscribe to denied names', async () => {
    const layer = policyMiddleware({
      policy: createPolicy([deny({ resource: 'file:///secret*' }), deny({ prompt: 'secret' })]),
    });
    const through = async (method: string, params: object) =>
      layer({ method, name: undefined, params: params as never, context: {} as never }, async () => ({}));
    const secret = 'file:///secret/a';
    for (const [method, params] of [
      ['resources/subscribe', { uri: secret }],
      ['subscriptions/listen', { notifications: { resourceSubscriptions: ['file:///a', secret] } }],
      ['completion/complete', { ref: { type: 'ref/resource', uri: secret } }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'secret' } }],
    ] as const)
      await expect(through(method, params)).rejects.toMatchObject({ rpcCode: -1 });
    for (const [method, params] of [
      ['resources/subscribe', { uri: 'file:///a' }],
      ['subscriptions/listen', { notifications: {} }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'hello' } }],
      ['tools/list', {}],
    ] as const)
      expect(await through(method, params)).toEqual({});
  });

  it('refuses a denied tool as a task too', async () => {
    const { server, ran } = setUp([deny('*/long'), allow()]);
    for (const protocolVersion of protocolVersions) {
      const client = await connectPair(server, { protocolVersion });
      expect((await client.callTool('long', {})).isError).toBe(true);
      await client.close();
    }
    const client = await connectPair(server, { protocolVersion: '2025-11-25' });
    const params = { name: 'long', arguments: {}, task: {} };
    expect(await client.call('tools/call', params as never, { resolveInputRequests: false })).toMatchObject({
      isError: true,
    });
    expect(ran).toEqual([]);
    await client.close();
  });
});

describe('a call that needs approval', () => {
  it('is refused where no one can be asked', async () => {
    const { server, ran } = setUp([ask()]);
    const client = await connectPair(server, { elicit: yes('once') });
    const text = 'Not done: approval required by rule 1: no user can be asked for approval';
    expect(await client.callTool('write', {})).toMatchObject({ isError: true, content: [{ text }] });
    await expect(client.readResource('file:///a')).rejects.toMatchObject({ rpcCode: -1 });
    expect(ran).toEqual([]);
    await client.close();
  });

  const requests = protocolVersions.filter(version => version >= '2025-06-18');
  const holding = requests.flatMap(
    version =>
      [
        [version, 100],
        [version, 0],
      ] as const,
  );

  it.each(holding)(
    'is shown to the user of the client on %s (%i handlers held) [tools.host.human-in-loop]',
    async (protocolVersion, maxSuspended) => {
      const approvals = () => createApprovals({ ...memoryStores() });
      for (const [decision, count] of [
        ['once', 2],
        ['deny', 2],
        ['always', 1],
      ] as const) {
        const { server, ran } = setUp([ask()], { approvals: approvals() }, { maxSuspended });
        const elicit = yes(decision);
        const client = await connectPair(server, { protocolVersion, elicit });
        const allowed = decision === 'once' || decision === 'always';
        const outcome = (path: string) =>
          client.callTool('write', { path }).then(
            ({ isError }) => isError !== true,
            () => false,
          );
        expect(await outcome('/a\u202e')).toBe(allowed);
        expect(await outcome('/b')).toBe(allowed);
        expect(ran).toHaveLength(allowed ? 2 : 0);
        expect(elicit).toHaveBeenCalledTimes(count);
        const message = elicit.mock.calls[0]?.[0].message;
        expect(message).toBe(
          'Allow to call the tool write of server?\n{"path":"/a\\u{202E}"}\n(approval required by rule 1)',
        );
        await client.close();
      }
    },
  );

  it.each(holding)(
    'may request input itself when it is approved on %s (%i handlers held)',
    async (protocolVersion, maxSuspended) => {
      const approvals = createApprovals({ ...memoryStores() });
      const quotas = createQuotas([{ per: [], calls: 1, window: 1000 }], { clock: fakeClock() });
      const { server, ran } = setUp([ask()], { approvals, quotas }, { maxSuspended });
      const elicit = yes('always');
      const client = await connectPair(server, { protocolVersion, elicit });
      expect((await client.callTool('talk', {})).isError).toBeUndefined();
      expect(ran).toEqual(['talk accept']);
      expect(elicit).toHaveBeenCalledTimes(2);
      expect(await approvals.listStored()).toHaveLength(1);
      await client.close();
    },
  );

  it('is refused when the user closes the request', async () => {
    const { server, ran } = setUp([ask()], { approvals: createApprovals({ ...memoryStores() }) });
    for (const action of ['decline', 'cancel'] as const) {
      const client = await connectPair(server, { elicit: () => ({ action }) });
      expect((await client.callTool('write', {})).isError).toBe(true);
      await expect(client.readResource('file:///a')).rejects.toMatchObject({ rpcCode: -1 });
      await client.close();
    }
    expect(ran).toEqual([]);
  });

  it.each(holding)(
    'waits for an operator, who is asked once on %s (%i handlers held)',
    async (protocolVersion, maxSuspended) => {
      const stores = memoryStores();
      const operator = createApprovals({ ...stores });
      const { server, ran } = setUp([ask()], { approvals: createApprovals({ ...stores }) }, { maxSuspended });
      const client = await connectPair(server, { protocolVersion });
      const called = client.callTool('write', { path: '/a' });
      await vi.waitFor(async () => expect(await operator.listPending()).toHaveLength(1));
      const [approval] = await operator.listPending();
      expect(ran).toEqual([]);
      await operator.answer(approval?.id ?? '', 'allow');
      expect((await called).isError).toBeUndefined();
      expect(ran).toEqual(['write']);
      expect(await stores.values.list('policy/')).toEqual([]);
      await client.close();
    },
  );

  it('is withdrawn when the client cancels the call', async () => {
    const stores = memoryStores();
    const operator = createApprovals({ ...stores });
    const { server, ran } = setUp([ask()], { approvals: createApprovals({ ...stores }) });
    const client = await connectPair(server);
    const going = new AbortController();
    const called = client.callTool('write', {}, { signal: going.signal }).catch(() => 'given up');
    await vi.waitFor(async () => expect(await operator.listPending()).toHaveLength(1));
    going.abort();
    expect(await called).toBe('given up');
    await vi.waitFor(async () => expect(await operator.listPending()).toEqual([]));
    expect(ran).toEqual([]);
    await client.close();
  });
});

describe('the approval request to a user', () => {
  it('counts as denied unless it is explicitly allowed', async () => {
    const decided = (answer: object) =>
      createElicitationApprover({ elicit: async () => answer } as never)(QUESTION, {
        signal: new AbortController().signal,
      });
    expect(await decided({ action: 'accept', content: { decision: 'once' } })).toBe('once');
    expect(await decided({ action: 'accept', content: { decision: 'nonsense' } })).toBe('deny');
    expect(await decided({ action: 'accept', content: {} })).toBe('deny');
    expect(await decided({ action: 'decline', content: { decision: 'once' } })).toBe('deny');
  });

  it('shows no secrets', () => {
    const text = formatApprovalPrompt({
      ...QUESTION,
      arguments: { password: 'hunter2', to: 'https://me:hunter2@host/' },
    });
    expect(text).toBe('Allow to call the tool t of s?\n{"password":"…","to":"https://…@host/"}');
  });
});

describe('quotas of a server', () => {
  it('refuse calls above the rate, before a user is asked [tools.security.rate-limited]', async () => {
    const clock = fakeClock();
    const quotas = createQuotas([{ per: ['tool'], calls: 1, window: 1000 }], { clock });
    const elicit = yes('once');
    const { server, ran } = setUp([ask()], { quotas, approvals: createApprovals({ ...memoryStores() }) });
    const client = await connectPair(server, { elicit });
    await client.callTool('write', {});
    const refused = { rpcCode: 429, data: { retryAfterMs: 1000 } };
    await expect(client.callTool('write', {})).rejects.toMatchObject(refused);
    expect(elicit).toHaveBeenCalledTimes(1);
    clock.advance(1000);
    await client.callTool('write', {});
    expect(ran).toEqual(['write', 'write']);
    await client.close();
  });
});
