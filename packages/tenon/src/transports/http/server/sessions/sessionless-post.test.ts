import { echoServer } from '@tenon/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { tasks } from '../../../../extensions/tasks/tasks.js';
import { createHandler } from '../../../../http.js';
import type { Transport } from '../../../../jsonrpc/transport.js';
import type { RequestHandler } from '../../../../protocol/request-handler.js';
import { serveHttp } from '../../../../runtimes/node/http/http-server.js';
import type { ServerOptions } from '../../../../server/definitions/server-definition.js';
import { tool } from '../../../../server/definitions/tool.js';
import { createServer } from '../../../../server/server.js';
import { allEvents, alone, JSON_HEADERS, openSession, runtimes, type Site } from '../../fixtures/sites.js';

const VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;
const NO_SESSION = /requires a session, and the server runs without sessions/;

const form = { message: 'Name?', input: { type: 'object', properties: { name: { type: 'string' } } } };

/** A server without sessions, and what its tools do meanwhile. */
function createSessionless(options: Partial<ServerOptions> = {}) {
  let finish = (): void => {};
  const held = new Promise<void>(resolve => {
    finish = resolve;
  });
  const server = createServer({
    name: 'alone',
    version: '1.0.0',
    tools: {
      plain: tool({ run: () => 'done' }),
      reports: tool({
        run: (_, ctx) => {
          ctx.log('info', 'noted');
          ctx.progress(1, 2);
          return 'done';
        },
      }),
      elicits: tool({ run: async (_, ctx) => JSON.stringify(await ctx.elicit(form)) }),
      samples: tool({ run: async (_, ctx) => JSON.stringify(await ctx.sample({ messages: [], maxTokens: 1 })) }),
      roots: tool({ run: async (_, ctx) => JSON.stringify(await ctx.roots()) }),
      needs: tool({ requiredCapabilities: { roots: {} }, run: () => 'done' }),
      waits: tool({
        run: async () => {
          await held;
          return 'done';
        },
      }),
    },
    resources: { 'note://a': { name: 'a', read: () => 'text' } },
    prompts: { greet: { run: () => 'Hello' } },
    onError: () => {},
    ...options,
  });
  return { server, finish: () => finish() };
}

const call = (name: string, id: string | number = 1, meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {}, ...(meta ? { _meta: meta } : {}) },
});

describe.each(runtimes)('a server without sessions, over $name', ({ open }) => {
  let site: Site;
  afterEach(() => site?.close({ timeout: 0 }));
  const serve = async (options: Partial<ServerOptions> = {}) => {
    const made = createSessionless(options);
    site = await open(made.server, { sessions: false });
    return made;
  };
  const post = (message: unknown, version?: string, headers: Record<string, string> = {}) =>
    site.send('/mcp', {
      method: 'POST',
      headers: { ...JSON_HEADERS, ...headers, ...(version === undefined ? {} : { 'mcp-protocol-version': version }) },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    });
  const textOf = async (response: Response): Promise<string> => {
    const { result } = (await response.json()) as { result: { content: { text: string }[] } };
    return result.content[0]?.text ?? '';
  };

  it.each(VERSIONS)('responds to each POST of %s by itself', async version => {
    await serve();
    const { response } = await openSession(site, version);
    expect(response.status).toBe(200);
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, version)).status).toBe(202);
    expect(await textOf(await post(call('plain'), version))).toBe('done');
    expect(await textOf(await post(call('plain'), version, { 'mcp-session-id': 'of another server' }))).toBe('done');
    expect(await (await post({ jsonrpc: '2.0', id: 2, method: 'ping' }, version)).json()).toMatchObject({ result: {} });
  });

  it.each(VERSIONS)(
    'sends log messages and progress on the stream of a call of %s, without event ids',
    async version => {
      await serve();
      const events = await allEvents(await post(call('reports', 1, { progressToken: 'p' }), version));
      expect(events.map(({ data }) => JSON.parse(data ?? 'null'))).toMatchObject([
        { method: 'notifications/message', params: { data: 'noted' } },
        { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2 } },
        { id: 1, result: {} },
      ]);
      expect(events.every(({ id, retry }) => id === undefined && retry === undefined)).toBe(true);
    },
  );

  it.each(['samples', 'roots', 'needs'])('fails a tool that %s with the reason', async name => {
    await serve();
    for (const version of VERSIONS) {
      const answer = (await (await post(call(name), version)).json()) as { result?: { isError?: boolean } };
      expect(answer.result?.isError).toBe(true);
      expect(JSON.stringify(answer)).toMatch(NO_SESSION);
    }
  });

  it('fails a tool that elicits with the reason', async () => {
    await serve();
    expect(await textOf(await post(call('elicits'), '2025-06-18'))).toMatch(NO_SESSION);
    expect(await textOf(await post(call('elicits'), '2025-11-25'))).toMatch(NO_SESSION);
  });

  it.each(['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel', 'tasks/get', 'tasks/list'])(
    'returns -32601 with the reason for %s',
    async method => {
      await serve({ extensions: [tasks()] });
      const response = await post({ jsonrpc: '2.0', id: 7, method, params: { uri: 'note://a' } }, '2025-11-25');
      expect(await response.json()).toMatchObject({
        id: 7,
        error: { code: -32601, message: expect.stringMatching(NO_SESSION) },
      });
    },
  );

  it('declares nothing that it refuses, and still declares logging', async () => {
    await serve({ extensions: [tasks()] });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const { result } = (await (await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })).json()) as {
      result: { capabilities: unknown };
    };
    expect(result.capabilities).toEqual({ tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} });
  });

  it.each(['GET', 'DELETE'])('refuses %s with 405 [http.get.sse-or-405 http.session.delete-405]', async method => {
    await serve();
    const response = await site.send('/mcp', {
      method,
      headers: { accept: 'text/event-stream', 'mcp-session-id': 'x' },
    });
    expect(response.status).toBe(405);
    expect(await response.text()).toMatch(NO_SESSION);
  });

  it('reads a POST without version header as 2025-03-26, with batches', async () => {
    await serve();
    expect(await (await post([call('plain', 1), call('plain', 2)])).json()).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect((await post([call('plain')], '2025-11-25')).status).toBe(400);
    const events = await allEvents(await post([call('plain', 'a'), call('reports', 'b')]));
    const ids = events.map(({ data }) => (JSON.parse(data ?? '{}') as { id?: string }).id);
    expect(ids.filter(id => id !== undefined).sort()).toEqual(['a', 'b']);
  });

  it('refuses a version that it does not serve, named or assumed', async () => {
    await serve({ protocolVersions: ['2025-11-25', '2026-07-28'] });
    expect(await textOf(await post(call('plain'), '2025-11-25'))).toBe('done');
    for (const version of [undefined, '2025-06-18']) {
      const response = await post(call('plain'), version);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ id: 1, error: { code: -32600 } });
    }
  });

  it('responds to text that is no JSON with the id of the version', async () => {
    await serve();
    expect(await (await post('{', '2025-06-18')).json()).toMatchObject({ id: null, error: { code: -32700 } });
    expect(await (await post('{', '2025-11-25')).json()).not.toHaveProperty('id');
  });

  it('accepts responses and notifications that belong to no request', async () => {
    await serve();
    expect((await post({ jsonrpc: '2.0', id: 5, result: {} }, '2025-11-25')).status).toBe(202);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect((await post(cancelled, '2025-11-25')).status).toBe(202);
  });

  it('requests input from a client of 2026-07-28 as usual', async () => {
    await serve();
    const init = alone('tools/call', { name: 'elicits', arguments: {} });
    const body = (init.body as string).replace('clientCapabilities":{}', 'clientCapabilities":{"elicitation":{}}');
    const answer = await (await site.send('/mcp', { ...init, body })).json();
    expect(answer).toMatchObject({ result: { resultType: 'input_required' } });
  });

  it('responds 503 to an open call when it closes before the call ends', async () => {
    const { finish } = await serve();
    const answer = post(call('waits'), '2025-11-25');
    await post(call('plain'), '2025-11-25');
    await site.close({ timeout: 0 });
    expect((await answer).status).toBe(503);
    finish();
  });

  it('serves nothing at the paths of HTTP+SSE', async () => {
    await serve();
    expect((await site.send('/sse', { headers: { accept: 'text/event-stream' } })).status).toBe(404);
    expect((await site.send('/messages', { method: 'POST', headers: JSON_HEADERS, body: '{}' })).status).toBe(404);
  });

  it('ends the channel of each POST with the last response', async () => {
    const { server } = createSessionless();
    const channels: Transport[] = [];
    const record = (service: RequestHandler): RequestHandler => ({
      ...service,
      connect: (channel, options) => {
        channels.push(channel);
        return service.connect(channel, options);
      },
    });
    site = await open(
      { ...server, withoutSessions: () => record(server.withoutSessions?.() ?? server) },
      { sessions: false },
    );
    await openSession(site, '2025-11-25');
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, '2025-11-25');
    await post(call('plain'), '2025-11-25');
    await allEvents(await post(call('reports'), '2025-11-25'));
    await post([call('plain', 1), call('unknown', 2)]);
    await post({ jsonrpc: '2.0', id: 1, result: {} });
    expect(channels).toHaveLength(6);
    const receiver = { onMessage() {}, onParseError() {}, onResponseLost() {}, onClose() {} };
    for (const channel of channels) expect(() => channel.open(receiver)).toThrow(/closed|ended|over/);
  });
});

describe('the option `sessions: false`', () => {
  it('omits the URL of HTTP+SSE', async () => {
    const http = await serveHttp(createSessionless().server, { port: 0, sessions: false });
    expect(http.sseUrl).toBeUndefined();
    await http.close({ timeout: 0 });
  });

  it.each([
    [{ sessions: false, ssePath: '/sse' }, /HTTP\+SSE needs sessions/],
    [{ sessions: 'none' as never }, /`sessions` is not a boolean.*none/s],
  ])('refuses %j with serve/options', async (options, message) => {
    const { server } = createSessionless();
    expect(() => createHandler(server, options)).toThrow(message);
    await expect(serveHttp(server, { port: 0, ...options })).rejects.toMatchObject({ code: 'serve/options' });
  });

  it('refuses a service that needs sessions', () => {
    expect(() => createHandler(echoServer, { sessions: false })).toThrow(
      /`sessions: false` is not supported by this server/,
    );
  });
});
