import { once } from 'node:events';
import {
  createServer,
  get,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fastify from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHandler } from '../../../http.js';
import { createNotification, createSuccess } from '../../../jsonrpc/message.js';
import { type Call, createFakeService, type FakeService } from '../../../transports/http/fixtures/fake-service.js';
import {
  alone,
  eventsOf,
  JSON_HEADERS,
  nextMessages,
  openSession,
  type Site,
} from '../../../transports/http/fixtures/sites.js';
import { toNode } from './http-mount.js';
import { serveHttp } from './http-server.js';

/** What of Express is used here: it brings no types of its own. */
interface Express {
  (): ExpressApp;
  json(): unknown;
  text(options: { type: string }): unknown;
  raw(options: { type: string }): unknown;
}
type ExpressApp = RequestListener & { use(...parts: unknown[]): void; all(...parts: unknown[]): void };
const express = ((await import('express' as string)) as { default: Express }).default;

const closing: (() => unknown)[] = [];
const afterwards = <T extends { close(): unknown }>(thing: T): T => {
  closing.push(() => thing.close());
  return thing;
};
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const send = (url: string, init = alone('tools/list')) => fetch(url, init as RequestInit);

describe('serveHttp', () => {
  it('listens on loopback and returns the URL [http.bind-localhost] [sse-legacy.bind-localhost]', async () => {
    const server = afterwards(await serveHttp(createFakeService(), { port: 0 }));
    expect(server.url).toBe(`http://127.0.0.1:${server.port}/mcp`);
    expect(server.sseUrl).toBe(`http://127.0.0.1:${server.port}/sse`);
    expect((await send(server.url)).status).toBe(200);
    const other = afterwards(
      await serveHttp(createFakeService(), { port: 0, host: '::1', path: '/x', ssePath: false }),
    );
    expect([other.url, other.sseUrl]).toEqual([`http://[::1]:${other.port}/x`, undefined]);
    expect((await send(other.url)).status).toBe(200);
  });

  it('names the next step when the port is taken', async () => {
    const { port } = afterwards(await serveHttp(createFakeService(), { port: 0 }));
    await expect(serveHttp(createFakeService(), { port })).rejects.toMatchObject({
      code: 'serve/port-taken',
      message: expect.stringContaining(`127.0.0.1:${port} is already in use`),
      hint: expect.stringContaining(`another port, such as ${port + 1}`),
    });
    await expect(serveHttp(createFakeService(), { port: 0, host: '203.0.113.1' })).rejects.toMatchObject({
      code: 'serve/listen',
    });
  });

  it('frees its port when it is closed, also twice', async () => {
    const server = await serveHttp(createFakeService(), { port: 0 });
    await (await send(server.url)).text();
    await Promise.all([server.close(), server.close()]);
    const again = afterwards(await serveHttp(createFakeService(), { port: server.port }));
    expect(again.port).toBe(server.port);
  });

  it('refuses a foreign host name [http.origin.validated]', async () => {
    const { port } = afterwards(await serveHttp(createFakeService(), { port: 0 }));
    const ask = (headers: Record<string, string>) =>
      new Promise<number | undefined>(resolve => {
        get({ port, host: '127.0.0.1', path: '/sse', headers }, (response: IncomingMessage) => {
          response.destroy();
          resolve(response.statusCode);
        });
      });
    expect(await ask({ host: 'evil.example.com', origin: 'http://evil.example.com' })).toBe(403);
    expect(await ask({ host: `evil.example.com:${port}` })).toBe(403);
    expect(await ask({ host: `localhost:${port}`, origin: `http://localhost:${port}` })).toBe(200);
  });

  it('keeps a connection open for the next request', async () => {
    const { port } = afterwards(await serveHttp(createFakeService(), { port: 0 }));
    const socket = connect(port, '127.0.0.1');
    closing.push(() => socket.destroy());
    const { headers, body } = alone('tools/list');
    const head = Object.entries({ ...headers, host: 'localhost', 'content-length': String(body).length });
    const text = `POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`;
    let answers = '';
    socket.on('data', chunk => {
      answers += chunk;
    });
    socket.write(text + text);
    await expect.poll(() => answers.match(/HTTP\/1\.1 200 OK/g)?.length).toBe(2);
    expect(answers).not.toContain('chunked');
  });

  it('survives clients that disconnect at any point', async () => {
    const { port, url } = afterwards(await serveHttp(createFakeService(), { port: 0 }));
    for (const text of [
      '',
      'POST /mcp HTTP/1.1\r\nhost: localhost\r\n',
      'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"jsonrpc"',
      'GET /sse HTTP/1.1\r\nhost: localhost\r\n\r\n',
      'no http at all\r\n\r\n',
    ]) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      await new Promise(resolve => socket.write(text, resolve));
      socket.destroy();
    }
    expect((await send(url)).status).toBe(200);
  });
});

describe('a server that closes', () => {
  const start = async (service: FakeService) => {
    const server = await serveHttp(service, { port: 0 });
    const origin = new URL(server.url).origin;
    const site: Site = { origin, send: (path, init) => fetch(origin + path, init as RequestInit), close: server.close };
    return { server, site };
  };

  it('completes running calls, and accepts no new ones', async () => {
    let finish = (): void => {};
    const service = createFakeService({
      alone: request =>
        new Promise(resolve => {
          finish = () => resolve(createSuccess(request.id, { resultType: 'complete' }));
        }),
    });
    const { server, site } = await start(service);
    const session = await openSession(site);
    const listening = eventsOf(await session.get());
    await listening.next();
    const running = send(server.url);
    await expect.poll(() => service.alone.length).toBe(1);
    const closed = server.close({ timeout: 60_000 });
    while (!(await listening.next()).done);
    finish();
    expect((await running).status).toBe(200);
    await closed;
    await expect(send(server.url)).rejects.toThrow();
    expect(service.peers[0]).toMatchObject({ closed: 1, ended: 1 });
  });

  it('responds 503 on open connections, but accepts responses', async () => {
    const calls: Call[] = [];
    const handler = createHandler(createFakeService({ session: call => calls.push(call) > 0 }));
    const ask = (init: object) => handler(new Request('http://localhost/mcp', init as RequestInit));
    const opened = await ask({
      method: 'POST',
      headers: JSON_HEADERS,
      body: '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}',
    });
    const headers = { ...JSON_HEADERS, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const post = (body: string) => ask({ method: 'POST', headers, body });
    const running = post('{"jsonrpc":"2.0","id":1,"method":"hold"}');
    await expect.poll(() => calls.length).toBe(1);
    const closed = handler.close({ timeout: 60_000 });
    expect((await ask(alone('tools/list'))).status).toBe(503);
    expect((await ask({ headers })).status).toBe(503);
    expect((await post('{"jsonrpc":"2.0","id":2,"method":"ping"}')).status).toBe(503);
    expect((await post('{"jsonrpc":"2.0","id":"s","result":{}}')).status).toBe(202);
    calls[0]?.answer();
    expect((await running).status).toBe(200);
    await closed;
  });

  it('closes connections at the deadline', async () => {
    const service = createFakeService({
      alone(_request, io) {
        io.send(createNotification('notifications/subscriptions/acknowledged'));
        return new Promise(() => {});
      },
    });
    const { server } = await start(service);
    const events = eventsOf(await send(server.url, alone('subscriptions/listen')));
    await nextMessages(events, 1);
    await server.close({ timeout: 10 });
    await expect(events.next()).rejects.toThrow();
    await expect.poll(() => service.alone[0]?.isClosed).toBe(true);
  });

  it('ends subscriptions [subscriptions.graceful-close-result]', async () => {
    const service = createFakeService({
      alone(request, io) {
        io.send(createNotification('notifications/subscriptions/acknowledged'));
        return new Promise(resolve => {
          io.onShutdown?.(() => resolve(createSuccess(request.id, {})));
        });
      },
    });
    const { server } = await start(service);
    const events = eventsOf(await send(server.url, alone('subscriptions/listen', {}, 5)));
    await nextMessages(events, 1);
    const closed = server.close({ timeout: 60_000 });
    expect(await nextMessages(events, 9)).toMatchObject([{ id: 5, result: {} }]);
    await closed;
  });
});

describe('toNode', () => {
  const listen = async (server: Server) => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.closeAllConnections());
    closing.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  };

  it('returns a listener of node:http', async () => {
    const handler = createHandler(createFakeService());
    const origin = await listen(createServer(toNode(handler)));
    expect((await send(`${origin}/mcp`)).status).toBe(200);
    expect((await send(`${origin}/x`)).status).toBe(404);
  });

  it.each([
    ['with parsed bodies', express.json()],
    ['with text bodies', express.text({ type: '*/*' })],
    ['with raw bodies', express.raw({ type: '*/*' })],
    ['with bodies left alone', undefined],
  ])('returns a middleware of Express, %s', async (_how, parser) => {
    const service = createFakeService();
    const app = express();
    if (parser !== undefined) app.use(parser);
    app.use('/api', toNode(createHandler(service)));
    app.all('/mcp', toNode(createHandler(service)));
    app.use('/api', (_request: IncomingMessage, response: ServerResponse) => void response.writeHead(418).end());
    const origin = await listen(createServer(app));
    for (const path of ['/mcp', '/api/mcp']) {
      const response = await send(origin + path, alone('tools/list', { text: 'ä' }));
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ result: { echo: { text: 'ä' } } });
    }
    expect((await send(`${origin}/api/other`)).status).toBe(418);
    const events = eventsOf(await fetch(`${origin}/api/sse`));
    const { pathname } = new URL((await events.next()).value?.data ?? '', `${origin}/api/sse`);
    expect(pathname).toBe('/api/messages');
    await events.return(undefined);
  });

  it('uses the caller that a middleware of Express has authenticated', async () => {
    const service = createFakeService();
    const app = express();
    app.use((request: IncomingMessage, _response: ServerResponse, next: () => void) => {
      Object.assign(request, { auth: { principal: 'ann' } });
      next();
    });
    app.all('/mcp', toNode(createHandler(service)));
    await send(`${await listen(createServer(app))}/mcp`);
    expect(service.alone[0]?.io.auth).toEqual({ principal: 'ann' });
  });

  it('works as a route handler of Fastify', async () => {
    const service = createFakeService({
      alone: async (request, io) => {
        await io.send(createNotification('notifications/message'));
        return createSuccess(request.id, { echo: request.params });
      },
    });
    const app = fastify();
    app.all('/mcp', toNode(createHandler(service)));
    closing.push(() => app.close());
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const response = await send(`${origin}/mcp`, alone('tools/list', { text: 'ä' }));
    expect(await nextMessages(eventsOf(response), 2)).toMatchObject([{}, { result: { echo: { text: 'ä' } } }]);
  });

  it('reports a body that another middleware has read', async () => {
    const reported: unknown[] = [];
    const listener = toNode(createHandler(createFakeService(), { onError: error => void reported.push(error) }));
    const server = createServer((request, response) => {
      request.resume().on('end', () => setImmediate(() => listener(request, response)));
    });
    expect((await send(`${await listen(server)}/mcp`)).status).toBe(500);
    expect(reported).toMatchObject([{ code: 'serve/body-consumed' }]);
  });
});

describe('Content-Length', () => {
  it('is checked before the body is read', async () => {
    const { port } = afterwards(await serveHttp(createFakeService(), { port: 0 }));
    const headers = { ...JSON_HEADERS, 'content-length': String(100 * 1024 * 1024) };
    const status = await new Promise(resolve => {
      const request = httpRequest({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers });
      request.on('response', response => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', () => {});
      request.write('{');
    });
    expect(status).toBe(413);
  });
});

describe('serveHttp on an address that other machines reach', () => {
  const warnings = async (options: Parameters<typeof serveHttp>[1]) => {
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    afterwards(await serveHttp(createFakeService(), { port: 0, ...options }));
    const codes = emit.mock.calls.map(([text, details]) => [String(text), details]);
    emit.mockRestore();
    return codes;
  };

  it.each(['0.0.0.0', '::'])('warns once that %s needs no authorization', async host => {
    expect(await warnings({ host })).toEqual([
      [expect.stringContaining(host), { type: 'TenonWarning', code: 'TENON_UNAUTHENTICATED' }],
    ]);
  });

  it.each([
    ['it authorizes', { host: '0.0.0.0', authorize: () => ({ auth: undefined }) }],
    ['it listens on loopback', { host: '::1' }],
    ['it listens on loopback by name', { host: 'localhost' }],
    ['it is told that this is meant', { host: '0.0.0.0', allowUnauthenticated: true }],
  ])('does not warn when %s', async (_, options) => {
    expect(await warnings(options)).toEqual([]);
  });
});

describe('unread responses', () => {
  it('are limited over all connections, while other clients are served', async () => {
    const size = 16 * 1024 * 1024;
    const big = 'x'.repeat(size);
    const service: FakeService = createFakeService({
      alone: async ({ id }) =>
        createSuccess(id, { resultType: 'complete', text: service.alone.length > 4 ? 'small' : big }),
    });
    const handler = createHandler(service, { limits: { maxTotalBufferedBytes: size } });
    const server = createServer(toNode(handler)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { headers, body } = alone('tools/list');
    const head = Object.entries({ ...headers, host: 'localhost', 'content-length': String(body).length });
    const text = `POST /mcp HTTP/1.1\r\n${head.map(pair => pair.join(': ')).join('\r\n')}\r\n\r\n${body}`;
    const sockets = Array.from({ length: 4 }, () => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text)).pause();
      return socket.on('error', () => {});
    });
    afterwards({
      close() {
        for (const socket of sockets) socket.destroy();
        server.closeAllConnections();
        server.close();
      },
    });
    const count = () => new Promise<number>(resolve => server.getConnections((_, open) => resolve(open)));
    await expect.poll(() => service.alone.length).toBe(4);
    await expect.poll(count).toBeLessThan(4);
    expect(handler.endpoint.unread.total).toBeLessThanOrEqual(size);
    const answer = await send(`http://127.0.0.1:${port}/mcp`);
    expect(await answer.json()).toMatchObject({ result: { text: 'small' } });
  });
});

/** Writes to a socket, and gives all that comes back until the other end closes it. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.on('data', chunk => {
      received += chunk;
    });
    socket.on('close', () => resolve(received)).on('error', reject);
  });
}

describe('a late request', () => {
  it.each([
    ['whose head does not end', 'POST /mcp HTTP/1.1\r\nHost: localhost\r\n', { headersTimeout: 100 }],
    ['of which nothing comes', '', { headersTimeout: 100 }],
    [
      'whose body does not end',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5\r\nAccept: application/json, text/event-stream\r\n\r\n{',
      { requestTimeout: 100 },
    ],
  ])('%s loses its connection within a second of the limit', async (_, text, limits) => {
    const { port } = afterwards(await serveHttp(createFakeService(), { port: 0, ...limits }));
    expect(await exchange(port, text)).toMatch(/^HTTP\/1.1 408 /);
  });
});

describe('a duplicate header', () => {
  it.each([
    ['Host: localhost', 'Host: evil.example.com', 400],
    ['Host: evil.example.com', 'host: localhost', 400],
    ['Host: localhost', 'Host: localhost', 400],
    ['Host: localhost', 'Content-Type: text/plain', 415],
    ['Host: localhost', 'Authorization: Bearer another', 401],
  ])('%s, %s gets %i', async (first, second, status) => {
    const { port } = afterwards(
      await serveHttp(createFakeService(), {
        port: 0,
        allowedHosts: '*',
        authorize: facts => (facts.header('authorization') === 'Bearer one' ? { auth: undefined } : { status: 401 }),
      }),
    );
    const { headers, body } = alone('tools/list');
    const fields = { ...headers, authorization: 'Bearer one', connection: 'close' };
    const lines = Object.entries({ ...fields, 'content-length': String(body).length }).map(pair => pair.join(': '));
    const answer = await exchange(port, ['POST /mcp HTTP/1.1', first, ...lines, second, '', String(body)].join('\r\n'));
    expect(answer.split('\r\n')[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

describe('the limit of connections', () => {
  it('leaves connections to other addresses while one address opens as many as it can', async () => {
    const { port } = afterwards(await serveHttp(createFakeService(), { port: 0, maxConnections: 8 }));
    const open = (localAddress: string) =>
      new Promise<boolean>(resolve => {
        const socket = connect({ port, host: '127.0.0.1', localAddress });
        closing.push(() => socket.destroy());
        // A connection that was let in answers; one that was not is closed without an answer.
        socket.once('data', () => resolve(true)).once('close', () => resolve(false));
        socket.on('error', () => {});
        socket.write('GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n');
      });
    const held: boolean[] = [];
    for (let n = 0; n < 8; n += 1) held.push(await open('127.0.0.2'));
    expect(held).toEqual([true, true, true, true, false, false, false, false]);
    expect(await open('127.0.0.3')).toBe(true);
  });
});
