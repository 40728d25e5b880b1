import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createHandler, type FetchRequestInfo } from '../../http.js';
import { createNotification, createSuccess } from '../../jsonrpc/message.js';
import { createFakeService } from '../../transports/http/fixtures/fake-service.js';
import { alone, eventsOf, nextMessages } from '../../transports/http/fixtures/sites.js';
import { answerFetch } from './fetch-handler.js';

const ask = (init = alone('tools/list')) => new Request('http://localhost/mcp', init as RequestInit);

describe('createHandler', () => {
  it('returns a route of Hono', async () => {
    const handler = createHandler(createFakeService());
    const app = new Hono();
    app.all('/mcp', c => handler(c.req.raw));
    expect((await app.request(ask())).status).toBe(200);
  });

  it('accepts the caller from its options, and from nothing else that runtimes pass', async () => {
    const service = createFakeService();
    const handler = createHandler(service);
    await handler(ask(), { auth: { principal: 'ann' }, remote: '192.0.2.1' });
    await handler(ask(), { auth: {}, remote: 7, ASSETS: {} } as unknown as FetchRequestInfo);
    await handler(ask(), undefined);
    expect(service.alone.map(({ io }) => io.auth)).toEqual([{ principal: 'ann' }, undefined, undefined]);
  });

  it('refuses a request with 500 if the caller from its options is invalid', async () => {
    const reported: unknown[] = [];
    const handler = createHandler(createFakeService(), { onError: error => void reported.push(error) });
    for (const auth of [{ principal: 'ann', scopes: 'admin' }, { principal: 5 }, { principal: '' }])
      expect((await handler(ask(), { auth } as unknown as FetchRequestInfo)).status).toBe(500);
    const error = expect.objectContaining({
      code: 'auth/caller',
      message: expect.stringContaining('`auth` of the request'),
    });
    expect(reported).toEqual([error, error, error]);
  });

  it('responds with 500 if the response of the endpoint cannot be built', async () => {
    const reported: unknown[] = [];
    const authorize = () => ({ status: 204, body: 'x' });
    const handler = createHandler(createFakeService(), { authorize, onError: error => void reported.push(error) });
    expect((await handler(ask())).status).toBe(500);
    expect(reported).toEqual([expect.any(TypeError)]);
  });

  it('can still respond after a status or a header that the runtime refuses', async () => {
    const responses = [99, 200].map(status =>
      answerFetch(exchange => {
        expect(() => exchange.reply(status, 'x', { 'x-text': '☕' })).toThrow();
        expect(() => exchange.stream(status, { 'x-text': '☕' })).toThrow();
        exchange.reply(500);
      }, ask()),
    );
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([500, 500]);
  });

  it('makes a server wait that sends faster than the client reads', async () => {
    const waits: unknown[] = [];
    const big = createNotification('n', { text: 'x'.repeat(50_000) });
    const service = createFakeService({
      async alone(request, io) {
        for (let n = 0; n < 4; n++) {
          const room = io.send(big);
          waits.push(room);
          await room;
        }
        return createSuccess(request.id, {});
      },
    });
    const events = eventsOf(await createHandler(service)(ask()));
    await new Promise(resolve => setImmediate(resolve));
    expect(waits.map(room => room instanceof Promise)).toEqual([false, true]);
    expect(await nextMessages(events, 9)).toHaveLength(5);
    expect(waits).toHaveLength(4);
  });

  it('ends an aborted request, before it arrived or while it ran', async () => {
    const service = createFakeService({ alone: () => new Promise(() => {}) });
    const handler = createHandler(service);
    expect((await handler(ask({ ...alone('tools/list'), signal: AbortSignal.abort() }))).status).toBe(499);
    expect(service.alone[0]?.isClosed).toBe(true);
    const aborts = new AbortController();
    const running = handler(ask({ ...alone('tools/list'), signal: aborts.signal }));
    await expect.poll(() => service.alone.length).toBe(2);
    aborts.abort();
    expect((await running).status).toBe(499);
    expect(service.alone[1]?.isClosed).toBe(true);
  });

  it('ends exactly the aborted one of many waiting requests', async () => {
    const service = createFakeService({ alone: () => new Promise(() => {}) });
    const handler = createHandler(service);
    const clients = Array.from({ length: 3 }, () => new AbortController());
    const running = clients.map(({ signal }) => handler(ask({ ...alone('tools/list'), signal })));
    await expect.poll(() => service.alone.length).toBe(3);
    clients[1]?.abort();
    expect((await running[1])?.status).toBe(499);
    expect(service.alone.map(({ isClosed }) => isClosed)).toEqual([false, true, false]);
    clients[0]?.abort();
    clients[2]?.abort();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([499, 499, 499]);
  });
});
