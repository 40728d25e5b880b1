import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TenonError, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Json, meta, newest, post, postAlone, session, site } from './site.js';

const tools = { t: tool({ run: () => 'x' }) };
const both = () => createServer({ name: 'both', version: '1', tools });
const only = () => createServer({ name: 'only', version: '1', tools, protocolVersions: [newest] });
const clientInfo = { name: 'c', version: '1' };
const initialize = {
  jsonrpc: '2.0',
  id: 7,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
};

describe('a server without a handshake', () => {
  it('refuses initialize with 400, and names its versions [compat.legacy-client-modern-server-http, compat.modern-only-server-names-versions]', async () => {
    const url = await site(only());
    for (const headers of [{}, { 'mcp-protocol-version': '2025-11-25' }]) {
      const { status, messages, headers: answered } = await post(url, initialize, headers);
      expect(status).toBe(400);
      expect(messages).toMatchObject([{ id: 7, error: { data: { supported: [newest] } } }]);
      expect(answered).not.toHaveProperty('mcp-session-id');
    }
  });

  it.each<[string, Json]>([
    ['initialize', initialize],
    ['a call without any facts', { jsonrpc: '2.0', id: 7, method: 'tools/list' }],
    ['a call with all facts', { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: meta() } }],
    [
      'a call of a version that is not served',
      { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: meta({}, '2099-01-01') } },
    ],
  ])(
    'refuses requests without MCP-Protocol-Version: %s [compat.version-header-absent-rejected, http.header-mismatch-echoes-id]',
    async (_, body) => {
      const url = await site(only());
      const { status, messages } = await post(url, body, { 'mcp-method': String(body.method) });
      expect([status, messages]).toMatchObject([400, [{ id: 7, error: { code: -32020 } }]]);
    },
  );

  it('refuses requests with the header and without metadata [meta.missing-required-field-error]', async () => {
    const url = await site(only());
    const headers = { 'mcp-protocol-version': newest, 'mcp-method': 'tools/list' };
    const { status, messages } = await post(url, { jsonrpc: '2.0', id: 7, method: 'tools/list' }, headers);
    expect([status, messages]).toMatchObject([400, [{ id: 7, error: { code: -32602 } }]]);
  });

  it('has no sessions, standalone streams or resumption [compat.get-delete-405, compat.session-id-ignored, compat.last-event-id-ignored]', async () => {
    const url = await site(only());
    for (const method of ['GET', 'DELETE'])
      for (const headers of [{}, { 'mcp-session-id': 'x' }, { 'mcp-session-id': 'x', 'last-event-id': '1' }])
        expect((await post(url, undefined, { accept: 'text/event-stream', ...headers }, method)).status).toBe(405);
    const headers = { 'mcp-session-id': 'x', 'last-event-id': '1' };
    const listed = await postAlone(url, 'tools/list', {}, { headers });
    expect([listed.status, listed.messages]).toMatchObject([200, [{ result: { tools: [{ name: 't' }] } }]]);
    expect(listed.headers).not.toHaveProperty('mcp-session-id');
    const notice = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect((await post(url, notice, { ...headers, 'mcp-protocol-version': newest })).status).toBe(202);
  });

  it('differs from a server with both, which treats a request without the header as one of a session [compat.legacy-client-dual-era-server]', async () => {
    const url = await site(both());
    const { own, say } = await session(url, '2025-03-26');
    const { 'mcp-protocol-version': _, ...rest } = own;
    expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, rest)).messages).toMatchObject([
      { result: { tools: [{ name: 't' }] } },
    ]);
    expect((await say({ id: 2, method: 'tools/list' })).status).toBe(200);
    expect((await post(url, undefined, { accept: 'text/event-stream', 'mcp-session-id': 'x' }, 'GET')).status).toBe(
      404,
    );
  });
});

type Reply = readonly [status: number, body?: unknown];

/** An HTTP server that answers by method, and the methods that came. */
async function scripted(answer: (message: Json, before: number) => Reply) {
  const methods: string[] = [];
  const server = createHttpServer((request, response) => {
    let text = '';
    request.on('data', chunk => {
      text += chunk;
    });
    request.on('end', () => {
      const message: Json = text === '' ? { method: request.method } : JSON.parse(text);
      const before = methods.filter(each => each === message.method).length;
      methods.push(String(message.method));
      const [status, body] = 'id' in message ? answer(message, before) : ([202] as Reply);
      response.writeHead(status, body === undefined ? {} : { 'content-type': 'application/json' });
      response.end(
        body === undefined ? undefined : JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(body as Json) }),
      );
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, methods };
}

const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const discovered = {
  result: { ...complete, supportedVersions: [newest], capabilities: { tools: {}, completions: {} } },
};
const opened = {
  result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
};
const error = (code: number, data?: Json) => ({ error: { code, message: 'm', ...(data ? { data } : {}) } });

async function connected(url: string) {
  const client = await connect(url);
  onTestFinished(() => client.close());
  return client;
}

describe('a client over HTTP', () => {
  it.each<[string, Reply]>([
    ['-32020', [400, error(-32020)]],
    ['-32021', [400, error(-32021, { requiredCapabilities: {} })]],
    ['-32022 with a version of ours', [400, error(-32022, { supported: [newest], requested: 'x' })]],
  ])(
    'sends its probe again, and no handshake, after a 400 with %s [compat.http-modern-error-no-fallback, compat.http-inspect-400-body]',
    async (_, refusal) => {
      const { url, methods } = await scripted(({ method }, before) =>
        method === 'server/discover' && before > 0 ? [200, discovered] : refusal,
      );
      const client = await connected(url);
      expect(client.server.protocolVersion).toBe(newest);
      expect(methods).toEqual(['server/discover', 'server/discover']);
    },
  );

  it('does not fall back when the server shares no version, and reports it [compat.http-modern-error-no-fallback]', async () => {
    const { url, methods } = await scripted(() => [
      400,
      error(-32022, { supported: ['2099-01-01'], requested: newest }),
    ]);
    expect(await connect(url).catch(({ code }) => code)).toBe('connect/no-shared-version');
    expect(methods).toEqual(['server/discover']);
  });

  it('sends a handshake after a 404 without a body [compat.http-404-with-method-not-found]', async () => {
    const { url, methods } = await scripted(({ method }) => (method === 'initialize' ? [200, opened] : [404]));
    const client = await connected(url);
    expect(client.server.protocolVersion).toBe('2025-11-25');
    expect(methods.slice(0, 2)).toEqual(['server/discover', 'initialize']);
  });

  it('treats a 404 with -32601 as a missing method, and keeps its version [compat.http-404-with-method-not-found, compat.era-is-server-property]', async () => {
    const { url, methods } = await scripted(({ method }) => {
      if (method === 'server/discover') return [200, discovered];
      return method === 'tools/list' ? [200, { result: { ...complete, tools: [] } }] : [404, error(-32601)];
    });
    const client = await connected(url);
    const ask = client.complete({ ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } });
    expect(await ask.catch((thrown: TenonError) => [thrown.status, thrown.rpcCode])).toEqual([404, -32601]);
    await client.call('tools/list');
    expect(methods).toEqual(['server/discover', 'completion/complete', 'tools/list']);
  });

  it('keeps its version for any error of one request [compat.era-is-server-property, compat.client-era-cached]', async () => {
    const answers: Reply[] = [[400], [400, error(-32600)], [404], [405], [200, error(-32601)], [400, error(-32602)]];
    const { url, methods } = await scripted(({ method }, before) => {
      if (method === 'server/discover') return [200, discovered];
      return answers[before] ?? [200, { result: { ...complete, tools: [] } }];
    });
    const client = await connected(url);
    for (const _ of answers) expect(await client.call('tools/list').catch(() => 'failed')).toBe('failed');
    expect(await client.call('tools/list')).toMatchObject({ tools: [] });
    expect(new Set(methods)).toEqual(new Set(['server/discover', 'tools/list']));
    expect(client.server.protocolVersion).toBe(newest);
  });

  it('caches a server with a handshake, and sends it no more probes [compat.era-is-server-property, compat.client-era-cached]', async () => {
    const { url, methods } = await scripted(({ method }) => (method === 'initialize' ? [200, opened] : [400]));
    await connected(url);
    await connected(url);
    expect(methods.filter(method => method === 'server/discover').length).toBe(1);
    expect(methods.filter(method => method === 'initialize').length).toBe(2);
  });
});

describe('the endpoint', () => {
  it('accepts every POST, and no other path does [http.single-endpoint-post]', async () => {
    const url = await site(both());
    for (const [method, params] of [
      ['server/discover', {}],
      ['tools/list', {}],
      ['tools/call', { name: 't' }],
    ] as const)
      expect((await postAlone(url, method, params)).status).toBe(200);
    expect((await session(url)).opened.status).toBe(200);
    const other = new URL('/other', url).href;
    expect((await postAlone(other, 'tools/list')).status).toBe(404);
    expect((await post(other, initialize)).status).toBe(404);
  });

  const notice = (method: unknown, params?: unknown) => ({
    jsonrpc: '2.0',
    method,
    ...(params === undefined ? {} : { params }),
  });

  it('refuses unacceptable notifications and responses with a fitting status [http.post.rejected-4xx]', async () => {
    const url = await site(both());
    for (const version of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      const { say, own } = await session(url, version);
      const refused = async (given: unknown, headers: Json, status: number) =>
        expect((await post(url, given, { ...own, ...headers })).status, `${version} ${JSON.stringify(given)}`).toBe(
          status,
        );
      await refused(notice('notifications/cancelled', [1]), {}, 400);
      await refused(notice(7), {}, 400);
      await refused({ jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'm' } }, {}, 400);
      await refused({ jsonrpc: '2.0', id: 1, result: 7 }, {}, 400);
      await refused('{"jsonrpc":"2.0","method":"notifications/initi', {}, 400);
      await refused(notice('notifications/initialized'), { 'mcp-session-id': 'another' }, 404);
      await refused({ jsonrpc: '2.0', id: 1, result: {} }, { 'mcp-session-id': 'another' }, 404);
      await refused(notice('notifications/initialized'), { 'content-type': 'text/plain' }, 415);
      expect((await say(notice('notifications/cancelled', { requestId: 99 }))).status).toBe(202);
    }
    expect((await post(url, notice('notifications/initialized'))).status).toBe(400);
    expect((await post(url, { jsonrpc: '2.0', id: 1, result: {} })).status).toBe(400);
  });

  it('refuses unacceptable notifications on a stateless version [http.post.notification-rejected-4xx]', async () => {
    const url = await site(both());
    const own = { 'mcp-protocol-version': newest };
    const status = async (given: unknown, headers: Json = {}) =>
      (await post(url, given, { ...own, ...headers })).status;
    expect(await status(notice('notifications/cancelled', [1]))).toBe(400);
    expect(await status(notice(7))).toBe(400);
    expect(await status({ method: 'notifications/cancelled' })).toBe(400);
    expect(await status([notice('notifications/cancelled', { requestId: 1 })])).toBe(400);
    expect(await status('{')).toBe(400);
    expect(await status(notice('notifications/cancelled'), { 'content-type': 'text/plain' })).toBe(415);
    expect(await status(notice('notifications/cancelled'), { accept: 'text/html' })).toBe(406);
    expect(await status(notice('notifications/cancelled', { requestId: 1 }))).toBe(202);
  });
});
