import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { createHandler } from 'tenon/http';
import { serveStdio } from 'tenon/stdio';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import { createMeta, sendRequest } from '../input-requests/wire.js';
import { notes, type Seen, seen, served, visitor } from './served.js';

const needs: [what: string, method: string, params: JsonObject, scope: string][] = [
  ['a tool', 'tools/call', { name: 'write', arguments: {} }, 'notes:read notes:write'],
  ['a prompt', 'prompts/get', { name: 'secret', arguments: { who: 'a' } }, 'notes:read notes:write'],
  ['a resource', 'resources/read', { uri: 'note://secret' }, 'notes:write'],
  ['a method that the server adds', 'notes/purge', {}, 'notes:read notes:write'],
  ['a resource of a template', 'resources/read', { uri: 'note://secret/a' }, 'notes:deep'],
  [
    'the completion of a prompt',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'secret' }, argument: { name: 'who', value: '' } },
    'notes:read notes:write',
  ],
];
const alone = [
  ...needs,
  [
    'what is listened to',
    'subscriptions/listen',
    { notifications: { resourceSubscriptions: ['note://open', 'note://secret', 'note://secret/a'] } },
    'notes:write notes:deep',
  ] as const,
];
const within = [
  ...needs,
  ['what is subscribed to', 'resources/subscribe', { uri: 'note://secret' }, 'notes:write'] as const,
];

function forbidden({ status, challenge, body, headers }: Seen, scope: string) {
  expect(status).toBe(403);
  expect(challenge).toMatchObject({
    scheme: 'bearer',
    params: {
      error: 'insufficient_scope',
      scope,
      resource_metadata: 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp',
    },
  });
  expect(headers.get('content-type')).toContain('application/json');
  expect(body).toMatchObject({ id: 1, error: { code: 403, data: { scopes: scope.split(' ') } } });
}

describe('a call without the needed scopes [auth.scope.insufficient-403 auth.scope.insufficient-names-needed auth.insufficient-scope-all-at-once auth.scope.user-experience auth.scope.server-consistent auth.status.403 auth.token.no-data-to-unauthorized]', () => {
  it.each(alone)(
    'is refused with all needed scopes before it runs: %s, stateless',
    async (_, method, params, scope) => {
      const { alone: ask, bearer, ran } = await served();
      forbidden(await ask(method, params, await bearer()), scope);
      expect(ran).toEqual([]);
    },
  );

  it.each(within)(
    'is refused with all needed scopes before it runs: %s, in a session',
    async (_, method, params, scope) => {
      const { within: ask, open, bearer, ran } = await served();
      const token = await bearer();
      forbidden(await ask(await open(token), method, params, token), scope);
      expect(ran).toEqual([]);
    },
  );

  it('is refused with the scopes that all requests need too', async () => {
    const { alone: ask, bearer } = await served({ scopes: ['notes:read'] });
    const { status, challenge } = await ask('resources/read', { uri: 'note://secret' }, await bearer());
    expect([status, challenge?.params.scope]).toEqual([403, 'notes:read notes:write']);
  });

  it('succeeds when the token of the request has all scopes, also in a session', async () => {
    const { alone: ask, within: askIn, open, bearer, ran } = await served();
    const more = await bearer({ scope: 'notes:read notes:write' });
    expect((await ask('tools/call', { name: 'write', arguments: {} }, more)).status).toBe(200);
    const less = await bearer();
    const session = await open(less);
    expect((await askIn(session, 'tools/call', { name: 'write', arguments: {} }, more)).status).toBe(200);
    expect((await askIn(session, 'tools/call', { name: 'write', arguments: {} }, less)).status).toBe(403);
    expect(ran).toEqual(['write', 'write']);
  });

  it('is refused by a handler, depending on the arguments', async () => {
    const { alone: ask, bearer } = await served();
    forbidden(await ask('tools/call', { name: 'some', arguments: { all: true } }, await bearer()), 'notes:all');
  });

  it('is dropped and reported as a custom notification', async () => {
    const errors: string[] = [];
    const on = await served({}, { onError: ({ rpcCode }) => errors.push(`${rpcCode}`) });
    const notify = async (scope: string) => {
      const fields = await on.bearer({ scope });
      const session = await on.open(fields);
      const message = { jsonrpc: '2.0', method: 'notifications/notes/touched' };
      const headers = { ...fields, 'mcp-session-id': session, 'content-type': 'application/json' };
      return on.send({
        method: 'POST',
        headers: { ...headers, accept: 'application/json, text/event-stream' },
        body: JSON.stringify(message),
      });
    };
    expect((await notify('notes:read')).status).toBe(202);
    expect([on.ran, errors]).toEqual([[], ['403']]);
    await notify('notes:read notes:write');
    expect(on.ran).toEqual(['touched']);
  });

  it('is refused before any middleware, and again after one that changed the request', async () => {
    const passed: string[] = [];
    const {
      alone: ask,
      bearer,
      ran,
    } = await served(
      {},
      {
        use: [
          (operation, next) => {
            passed.push(operation.method);
            return next({ ...operation, params: { ...operation.params, name: 'write' } });
          },
        ],
      },
    );
    const params = { name: 'write', arguments: {} };
    forbidden(await ask('tools/call', params, await bearer()), 'notes:read notes:write');
    expect(passed).toEqual([]);
    forbidden(await ask('tools/call', { ...params, name: 'read' }, await bearer()), 'notes:read notes:write');
    expect([passed, ran]).toEqual([['tools/call'], []]);
  });
});

describe('scopes on other transports', () => {
  const params = { name: 'read', arguments: {} };

  it('are missing for every caller of a server without authorization', async () => {
    const { server, ran } = notes();
    const handler = createHandler(server);
    const { alone: ask } = visitor(each => handler(each), 'http://127.0.0.1/mcp');
    const { status, challenge } = await ask('tools/call', params, {});
    expect([status, challenge?.params]).toEqual([403, { error: 'insufficient_scope', scope: 'notes:read' }]);
    expect(ran).toEqual([]);
  });

  it('cause a JSON-RPC error', async () => {
    const { server } = notes();
    expect(await sendRequest(server, 'tools/call', params)).toMatchObject({
      error: { code: 403, data: { scopes: ['notes:read'] } },
    });
  });

  it.each([
    [undefined, 403],
    [{ principal: 'me', scopes: ['notes:read'] }, undefined],
  ])('come on stdio from the process for %j', async (auth, code) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = await serveStdio(notes().server, { input, output, exit: false, ...(auth ? { auth } : {}) });
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: createMeta({}) } };
    input.write(`${JSON.stringify(message)}\n`);
    const [line] = (await once(output, 'data')) as [Buffer];
    expect(JSON.parse(String(line)).error?.code).toBe(code);
    await serving.close();
  });

  it('cause an error for one request of a batch', async () => {
    const { server } = notes();
    const handler = createHandler(server);
    const post = (body: object, headers = {}) =>
      handler(
        new Request('http://127.0.0.1/mcp', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        }),
      );
    const info = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: info });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') as string };
    const call = (id: number, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: {} },
    });
    const { status, text } = await seen(await post([call(1, 'whoami'), call(2, 'read')], session));
    expect(status).toBe(200);
    const answers = JSON.parse(text) as { id: number }[];
    expect(answers.sort((a, b) => a.id - b.id)).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: 403 } },
    ]);
  });
});

describe('lists of a server with scopes', () => {
  const lists = ['tools', 'prompts', 'resources', 'resources/templates'];
  const key = (list: string) => (list === 'resources/templates' ? 'resourceTemplates' : list);
  const names = ({ body }: Seen, list: string) =>
    Object(body.result)[key(list)].map(({ name }: { name: string }) => name) as string[];

  it('contain everything that is visible to the caller by default', async () => {
    const { alone: ask, bearer } = await served();
    const token = await bearer({ scope: '' });
    expect(names(await ask('tools/list', {}, token), 'tools')).toContain('write');
  });

  it("contain what the token allows with `listFilter: 'authorized'`, and are private then", async () => {
    const { alone: ask, bearer } = await served(
      {},
      { listFilter: 'authorized', cache: { ttlMs: 60_000, cacheScope: 'public' } },
    );
    const [all, some] = [
      await bearer({ scope: 'notes:read notes:write notes:deep' }),
      await bearer({ scope: 'notes:read' }),
    ];
    for (const list of lists) {
      const [complete, part] = [await ask(`${list}/list`, {}, all), await ask(`${list}/list`, {}, some)];
      expect(names(part, list).length).toBeLessThan(names(complete, list).length);
      expect([complete, part].map(({ body }) => body.result?.cacheScope)).toEqual(['private', 'private']);
    }
    expect(names(await ask('tools/list', {}, some), 'tools')).toEqual(['whoami', 'read', 'some', 'ask']);
    // What is not listed is still told by what it needs: a client may have heard of it elsewhere.
    forbidden(await ask('tools/call', { name: 'write', arguments: {} }, some), 'notes:read notes:write');
  });
});

it('refuses an invalid scope at definition', () => {
  expect(() => notes().server.tools.set('x', { scopes: ['a b'], run: () => 'x' })).toThrow(
    expect.objectContaining({ code: 'auth/scope' }),
  );
});
