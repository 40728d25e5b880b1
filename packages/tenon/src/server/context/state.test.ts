import { connectPair, protocolVersions } from '@tenon/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { settle, until } from '../../extensions/tasks/fixtures/site.js';
import { connectTaskClient } from '../../extensions/tasks/fixtures/task-client.js';
import { tasks } from '../../extensions/tasks/tasks.js';
import type { Context, StateContext } from '../../handler/context.js';
import type { Middleware } from '../../handler/operation.js';
import { connect } from '../../index.node.js';
import { serveHttp } from '../../node.js';
import { memoryStores } from '../../stores/memory-stores.js';
import type { CompletionContext } from '../definitions/completers.js';
import { prompt } from '../definitions/prompt.js';
import { resource } from '../definitions/resource.js';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';

interface State {
  readonly tenant: string;
  user?: string;
}

let made = 0;

const signIn: Middleware<State> = (operation, next) => {
  operation.context.state.user = 'Ada';
  return next(operation);
};

function describeState({ state, request }: Context<State>): string {
  return [state.tenant, state.user ?? 'nobody', request?.header('X-Trace') ?? 'no header'].join(', ');
}

function createTestServer() {
  made = 0;
  return createServer({
    name: 's',
    version: '1',
    extensions: [tasks()],
    onError: () => {},
    state: (context: StateContext): State => {
      made++;
      return { tenant: context.request?.header('x-tenant') ?? 'none' };
    },
    use: [signIn],
    tools: {
      show: tool({ run: (_, ctx: Context<State>) => describeState(ctx) }),
      same: tool({
        run(_, ctx: Context<State>) {
          const { state, request } = ctx;
          return ctx.state === state && ctx.request === request;
        },
      }),
      secrets: tool({
        run: (_, { request }: Context<State>) =>
          ['authorization', 'Authorization', 'proxy-authorization', 'DPoP', 'cookie'].map(
            name => request?.header(name) ?? null,
          ),
      }),
      ask: tool({
        async run(_, ctx: Context<State>) {
          await ctx.elicit({ message: 'Sure?', input: { type: 'object', properties: {} } });
          return describeState(ctx);
        },
      }),
      later: tool({ task: 'optional', run: (_, ctx: Context<State>) => describeState(ctx) }),
    },
    prompts: {
      show: prompt({
        input: { type: 'object', properties: { a: { type: 'string' } } },
        complete: { a: (_typed, { context }: CompletionContext<State>) => [describeState(context)] },
        run: (_, ctx: Context<State>) => describeState(ctx),
      }),
    },
    resources: { 'a://b': resource({ read: (_, ctx: Context<State>) => describeState(ctx) }) },
  });
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const HEADERS = { 'x-tenant': 'acme', 'x-trace': 't1', cookie: 'a=b', 'proxy-authorization': 'Basic eA==', dpop: 'x' };

async function open(protocolVersion: string, legacySse = false) {
  const { url, sseUrl = '', close } = await serveHttp(createTestServer(), { port: 0 });
  closers.push(close);
  const client = await connect(
    { url: legacySse ? sseUrl : url, headers: { ...HEADERS, authorization: 'Bearer x' } },
    { protocolVersion, elicit: () => ({ action: 'accept', content: {} }) },
  );
  closers.push(() => client.close());
  return client;
}

describe.each(protocolVersions)('state and headers over HTTP, on %s', version => {
  it('reach tools, prompts, resources and completers, with one state for each request', async () => {
    const client = await open(version);
    const expected = 'acme, Ada, t1';
    expect(await client.callTool('show', {})).toMatchObject({ content: [{ text: expected }] });
    expect(await client.call('prompts/get', { name: 'show' })).toMatchObject({
      messages: [{ content: { text: expected } }],
    });
    expect(await client.call('resources/read', { uri: 'a://b' })).toMatchObject({ contents: [{ text: expected }] });
    expect(
      await client.complete({ ref: { type: 'ref/prompt', name: 'show' }, argument: { name: 'a', value: '' } }),
    ).toMatchObject({ values: [expected] });
    const before = made;
    expect(await client.callTool('same', {})).toMatchObject({ content: [{ text: 'true' }] });
    expect(made).toBe(before + 1);
  });

  it('omit headers that carry credentials', async () => {
    const client = await open(version);
    const { content } = await client.callTool('secrets', {});
    expect(JSON.stringify(content)).not.toMatch(/Bearer|Basic|a=b/);
    expect(JSON.stringify(content)).toContain('null');
  });

  it('belong to the retried request after an input request', async () => {
    if (version < '2025-06-18') return;
    const client = await open(version);
    expect(await client.callTool('ask', {})).toMatchObject({ content: [{ text: 'acme, Ada, t1' }] });
  });
});

describe('state without headers', () => {
  it.each(protocolVersions)('passes no headers in memory, on %s', async protocolVersion => {
    const client = await connectPair(createTestServer(), { protocolVersion });
    expect(await client.callTool('show', {})).toMatchObject({ content: [{ text: 'none, Ada, no header' }] });
    await client.close();
  });

  it('calls `state` only when a handler reads it, and defaults to an empty object', async () => {
    const server = createServer({
      name: 's',
      version: '1',
      state: () => void made++,
      tools: { plain: tool({ run: () => 1 }) },
    });
    made = 0;
    const client = await connectPair(server);
    await client.callTool('plain', {});
    expect(made).toBe(0);
    await client.close();

    const bare = createServer({ name: 's', version: '1', tools: { t: tool({ run: (_, { state }) => ({ state }) }) } });
    const other = await connectPair(bare);
    expect(await other.callTool('t', {})).toMatchObject({ content: [{ text: '{"state":{}}' }] });
    await other.close();
  });
});

describe('state over HTTP+SSE', () => {
  it('passes the headers of the POST that carried the request', async () => {
    const client = await open('2024-11-05', true);
    expect(await client.callTool('show', {})).toMatchObject({ content: [{ text: 'acme, Ada, t1' }] });
  });
});

describe('state in a task', () => {
  it('calls `state` again, without headers and without what middleware added', async () => {
    const stores = memoryStores();
    const shared = { state: () => ({ tenant: 'of the task' }), use: [signIn] };
    const later = tool({ task: 'required', run: (_, ctx: Context<State>) => describeState(ctx) });
    const caller = await connectTaskClient(
      createServer({ name: 's', version: '1', ...shared, stores, extensions: [tasks()], tools: { later } }),
    );
    const { result } = await caller.call('tools/call', { name: 'later' });
    expect(result).toMatchObject({ resultType: 'task' });
    await settle();
    const read = async () => (await caller.call('tasks/get', { taskId: result?.taskId })).result;
    await until(async () => (await read())?.status === 'completed');
    expect((await read())?.result).toMatchObject({ content: [{ text: 'of the task, nobody, no header' }] });
  });
});
