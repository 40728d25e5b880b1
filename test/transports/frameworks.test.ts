import { once } from 'node:events';
import { createServer as createNodeServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createIssuer } from '@tenon/issuer';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { createServer, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { createHandler } from 'tenon/http';
import { serveHttp, toNode } from 'tenon/node';
import { serveStdio } from 'tenon/stdio';
import { afterEach, describe, expect, it, vi } from 'vitest';

const server = createServer({ name: 'notes', version: '1.0.0', tools: { hello: tool({ run: () => 'hello' }) } });
const auth = protect({ resource: 'http://127.0.0.1:3000/mcp', issuers: ['http://127.0.0.1:3001'] });
const code = (expected: string) => expect.objectContaining({ code: expected });
const ping = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }),
} as const;

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;
type Application = ReturnType<typeof express>;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) await close();
});

/** Listens with an application, and returns its origin. */
async function listen(application: unknown): Promise<string> {
  const listening = createNodeServer(application as Listener).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  closing.push(() => listening.closeAllConnections());
  closing.push(() => listening.close());
  return `http://127.0.0.1:${(listening.address() as { port: number }).port}`;
}

/** Records what the library and the framework write to the console. */
function recordLog(): string[] {
  const lines: string[] = [];
  vi.spyOn(console, 'error').mockImplementation((...parts) => void lines.push(parts.map(String).join(' ')));
  return lines;
}

const post = (url: string) => fetch(url, ping);

describe('adapters with invalid arguments', () => {
  it.each<[string, () => unknown, string, string]>([
    ['toNode of a server', () => toNode(server as never), 'serve/handler', 'toNode(createHandler(server))'],
    ['toNode of nothing', () => toNode(undefined as never), 'serve/handler', 'createHandler'],
    ['toNode of a function', () => toNode((() => {}) as never), 'serve/handler', 'createHandler'],
    [
      'createHandler of a handler',
      () => createHandler(createHandler(server) as never),
      'serve/service',
      'not the handler',
    ],
    [
      'createHandler of a definition',
      () => createHandler({ name: 'a', version: '1' } as never),
      'serve/service',
      'createServer',
    ],
    ['createHandler of a promise', () => createHandler(Promise.resolve(server) as never), 'serve/service', 'await'],
    ['an unknown option', () => createHandler(server, { allowedHost: [] } as never), 'serve/options', 'allowedHosts'],
    ['an option of another type', () => createHandler(server, { path: 5 } as never), 'serve/options', 'a number'],
    [
      'an unknown limit',
      () => createHandler(server, { limits: { maxBodyByte: 1 } } as never),
      'serve/options',
      'maxBodyBytes',
    ],
    ['options that are no object', () => createHandler(server, '/mcp' as never), 'serve/options', 'a string'],
    ['authorization without a path', () => createHandler(server, { auth }), 'serve/options', "path: '/mcp'"],
    ['options of serveHttp', () => serveHttp(server, { prot: 1 } as never), 'serve/options', 'port'],
    ['serveHttp of a handler', () => serveHttp(createHandler(server) as never), 'serve/service', 'not the handler'],
    ['options of serveStdio', () => serveStdio(server, { drainTimeouts: 1 } as never), 'stdio/options', 'drainTimeout'],
    [
      'toNode with the arguments of a Worker',
      () => toNode(createHandler(server))(new Request('http://127.0.0.1/mcp') as never, {} as never),
      'serve/request',
      'Call the result of `createHandler` itself with a web `Request`',
    ],
    ['a handler without an event', () => createHandler(server)(undefined as never), 'serve/request', 'web `Request`'],
    [
      'a handler with the event of another platform',
      () => createHandler(server)({ request: {}, waitUntil() {} } as never),
      'serve/request',
      '`event => handler(event.request)`',
    ],
    ['options of close', () => createHandler(server).close({ time: 1 } as never), 'serve/options', 'timeout'],
  ])('refuse %s', async (_, run, expected, text) => {
    const error = await Promise.resolve()
      .then(run)
      .catch((reason: unknown) => reason);
    expect(error).toEqual(code(expected));
    expect((error as Error).message).toContain(text);
  });
});

describe('a handler without its adapter', () => {
  it('reports toNode as the fix in Express, and ends the request', async () => {
    const log = recordLog();
    const response = await post(`${await listen(express().use(createHandler(server) as never))}/mcp`);
    expect(response.status).toBe(500);
    expect(log.join('\n')).toContain('toNode(handler)');
  });

  it.each([
    ['a handler', createHandler(server)],
    ['an issuer', createIssuer({ url: 'http://127.0.0.1:3001' })],
  ])('responds with the fix when node:http calls %s', async (_, handler) => {
    const log = recordLog();
    const response = await post(`${await listen(handler as never)}/mcp`);
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('toNode(handler)')]);
    expect(log).toEqual([expect.stringContaining('serve/request')]);
  });

  it('reports the fix in Fastify', async () => {
    const log = recordLog();
    const app = fastify();
    app.all('/mcp', createHandler(server) as never);
    closing.push(() => app.close());
    const response = await post(`${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`);
    expect(response.status).toBe(500);
    expect(log).toEqual([expect.stringContaining('toNode(handler)')]);
  });

  it('reports the fix in Hono, which passes its context', async () => {
    const log = recordLog();
    const response = await new Hono().all('/mcp', createHandler(server) as never).request('/mcp', ping);
    expect(response.status).toBe(500);
    expect(log[0]).toContain('c.req.raw');
  });

  it.each([undefined, 'text', {}, { request: new Request('http://localhost/mcp') }])('rejects %j', async value => {
    recordLog();
    await expect(createHandler(server)(value as never)).rejects.toEqual(code('serve/request'));
  });

  it('names the fix for a context of Koa, and serves it with the fix', async () => {
    const listener = toNode(createHandler(server));
    const app = (request: IncomingMessage, response: ServerResponse, fixed: boolean, body?: unknown) => {
      const context = { req: request, res: response, request: { body }, response: {} };
      if (fixed) listener({ raw: context.req, body: context.request.body }, context.res);
      else listener(context as never, (() => {}) as never);
    };
    expect(() => app({} as never, {} as never, false)).toThrow(/ctx\.respond = false/);
    expect(
      (await post(`${await listen((one: IncomingMessage, two: ServerResponse) => app(one, two, true))}/mcp`)).status,
    ).toBe(200);
  });
});

describe('the path of a framework', () => {
  it.each<[string, (app: Application, listener: ReturnType<typeof toNode>) => unknown, string, number]>([
    ['app.use of the whole path', (app, listener) => app.use('/rpc', listener), '/rpc', 200],
    ['app.use of a prefix', (app, listener) => app.use('/api', listener), '/api/mcp', 200],
    ['app.use of the prefix itself', (app, listener) => app.use('/api/tools', listener), '/api/tools/', 200],
    ['app.all', (app, listener) => app.all('/rpc', listener), '/rpc', 200],
    [
      'a call in app.all',
      (app, listener) => app.all('/rpc', (one: IncomingMessage, two: ServerResponse) => listener(one, two)),
      '/rpc',
      200,
    ],
    ['app.use', (app, listener) => app.use(listener), '/mcp', 200],
    ['app.use for other paths', (app, listener) => app.use(listener), '/rpc', 404],
    [
      'app.use after a route of others',
      (app, listener) => app.all('/{*all}', skip as never).use(listener),
      '/rpc',
      404,
    ],
    ['metadata below app.use', (app, listener) => app.use(listener), '/.well-known/oauth-protected-resource', 404],
  ])('is served in Express: %s', async (_, mount, path, status) => {
    const app = express();
    mount(app, toNode(createHandler(server)));
    expect((await post((await listen(app)) + path)).status).toBe(status);
  });

  const skip = (_request: unknown, _response: unknown, next: () => void) => next();

  it('is served in Fastify, also under a prefix', async () => {
    const app = fastify();
    const listener = toNode(createHandler(server));
    app.all('/rpc', listener).register(async api => void api.all('/tools', listener), { prefix: '/api' });
    closing.push(() => app.close());
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    expect([(await post(`${origin}/rpc`)).status, (await post(`${origin}/api/tools`)).status]).toEqual([200, 200]);
  });

  it('is served in Hono, also under a prefix', async () => {
    const handler = createHandler(server);
    const app = new Hono().all('/rpc', c => handler(c.req.raw));
    app.route(
      '/api',
      new Hono().all('/tools', c => handler(c.req.raw)),
    );
    expect((await app.request('http://localhost/rpc', ping)).status).toBe(200);
    expect((await app.request('http://localhost/api/tools', ping)).status).toBe(200);
  });

  it('is served by a route handler, which Next.js calls with a Request', async () => {
    const handler = createHandler(server, { sessions: false });
    const route = (given: Request) => handler(given);
    expect((await route(new Request('http://localhost/api/tools', ping))).status).toBe(200);
  });

  it('must equal a configured path, with the prefix or without it', async () => {
    const app = express().use('/api', toNode(createHandler(server, { path: '/api/tools' })));
    const origin = await listen(app);
    expect((await post(`${origin}/api/tools`)).status).toBe(200);
    expect((await post(`${origin}/api/mcp`)).status).toBe(404);
    const refused = await createHandler(server, { path: '/tools' })(new Request('http://localhost/mcp', ping));
    expect([refused.status, await refused.text()]).toEqual([404, expect.stringContaining('/tools. The option `path`')]);
  });

  it('never changes the metadata URL of a refused request', async () => {
    const handler = createHandler(server, { auth, path: '*', allowedHosts: '*' });
    for (const url of ['http://127.0.0.1:3000/mcp', 'http://evil.example/other', 'http://127.0.0.1:3000/a/../mcp']) {
      const { status, headers } = await handler(new Request(url, ping));
      expect([status, headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining('"http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp"'),
      ]);
    }
  });
});

describe('a body that other code has read', () => {
  const fixed = { status: 500, body: expect.stringContaining('already read the request body') };

  async function callWith(application: unknown) {
    const log = recordLog();
    const response = await post(`${await listen(application)}/mcp`);
    return { status: response.status, body: await response.text(), log: log.join('\n') };
  }

  it.each([
    ['json', express.json()],
    ['text', express.text({ type: '*/*' })],
    ['raw', express.raw({ type: '*/*' })],
    ['urlencoded', express.urlencoded({ extended: true })],
  ])('is used after express.%s', async (_, parser) => {
    expect(
      await callWith(
        express()
          .use(parser)
          .use(toNode(createHandler(server))),
      ),
    ).toMatchObject({ status: 200 });
  });

  it('is read if a parser of Express 4 has only set a placeholder', async () => {
    const listener = toNode(createHandler(server));
    const run = (one: IncomingMessage, two: ServerResponse) => listener(Object.assign(one, { body: {} }), two);
    expect(await callWith(run)).toMatchObject({ status: 200 });
  });

  it.each<[string, (one: IncomingMessage, next: () => void) => unknown]>([
    ['has ended', (one, next) => one.resume().on('end', () => setImmediate(next))],
    ['is ending', (one, next) => one.resume().on('end', next)],
    ['has been read in part', (one, next) => one.once('data', () => one.pause() && next())],
  ])('is reported with the fix when it %s', async (_, read) => {
    const listener = toNode(createHandler(server));
    const outcome = await callWith((one: IncomingMessage, two: ServerResponse) => read(one, () => listener(one, two)));
    expect(outcome).toMatchObject({
      ...fixed,
      log: expect.stringContaining('Store the parsed body in `request.body`'),
    });
  });

  it('is reported with the fix if a route of Fastify passes its raw objects', async () => {
    const log = recordLog();
    const app = fastify();
    const listener = toNode(createHandler(server));
    app.all('/mcp', (one, two) => listener(one.raw, two.hijack().raw));
    app.all('/fixed', listener);
    closing.push(() => app.close());
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const response = await post(`${origin}/mcp`);
    expect([response.status, log.join()]).toEqual([500, expect.stringContaining('request and reply of Fastify')]);
    expect((await post(`${origin}/fixed`)).status).toBe(200);
  });

  it('is reported with the fix if a Request was read, and used if it is passed', async () => {
    const log = recordLog();
    const handler = createHandler(server);
    const app = new Hono();
    app.all('/mcp', async c => {
      await c.req.json();
      return handler(c.req.raw);
    });
    app.all('/value', async c => handler(c.req.raw, { body: await c.req.json() }));
    app.all('/text', async c => handler(c.req.raw, { body: await c.req.text() }));
    app.all('/clone', async c => {
      await c.req.raw.clone().json();
      return handler(c.req.raw);
    });
    const statuses = [];
    for (const path of ['/mcp', '/value', '/text', '/clone'])
      statuses.push((await app.request(`http://localhost${path}`, ping)).status);
    expect(statuses).toEqual([500, 200, 200, 200]);
    expect(log).toEqual([expect.stringContaining('handler(request, { body })')]);
  });

  it('ends the connection if the client disconnects before the body is complete', async () => {
    const handled = vi.fn();
    const origin = await listen((one: IncomingMessage, two: ServerResponse) => {
      toNode(createHandler(server, { onError: handled }))(one, two);
      one.once('data', () => sender.destroy());
    });
    const sender = request(`${origin}/mcp`, { method: 'POST', headers: { ...ping.headers, 'content-length': '100' } });
    const closed = new Promise(resolve => sender.on('error', resolve).on('close', resolve));
    sender.write('{');
    await closed;
    expect(handled).not.toHaveBeenCalled();
  });
});
