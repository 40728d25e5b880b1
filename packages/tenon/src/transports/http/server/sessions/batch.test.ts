import { afterEach, describe, expect, it } from 'vitest';
import { createNotification, createRequest } from '../../../../jsonrpc/message.js';
import { type Behaviour, createFakeService } from '../../fixtures/fake-service.js';
import { allEvents, openSession, runtimes, type Site } from '../../fixtures/sites.js';
import type { HandlerOptions } from '../options.js';

const call = (id: number | string, name = 'echo') => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });

describe.each(runtimes)('batches, over $name', ({ open }) => {
  let site: Site;
  const serve = async (behaviour: Behaviour = {}, options: HandlerOptions = {}) => {
    const service = createFakeService(behaviour);
    site = await open(service, options);
    return service;
  };
  afterEach(() => site.close({ timeout: 0 }));

  const batch = [call(1), createNotification('notifications/progress'), call(2)];

  it('get one response [http.post.body-single-or-batch]', async () => {
    await serve();
    const session = await openSession(site, '2025-03-26');
    const response = await session.post(batch);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject([{ id: 1 }, { id: 2 }]);
    const silent = await session.post([createNotification('a'), { jsonrpc: '2.0', id: 9, result: {} }]);
    expect([silent.status, await silent.text()]).toEqual([202, '']);
  });

  it('get a stream when a message precedes the response [http.sse.response-delivered]', async () => {
    await serve({
      session: ({ channel, request: { id } }) => {
        if (id === 2) channel.send(createNotification('notifications/progress'), { relatedTo: 2 });
        return false;
      },
    });
    const session = await openSession(site, '2025-03-26');
    const response = await session.post([call(2), call(1)]);
    const messages = (await allEvents(response)).flatMap(({ data }) => (data ? [JSON.parse(data)] : []));
    expect(messages).toMatchObject([{ method: 'notifications/progress' }, { id: 2 }, { id: 1 }]);
  });

  it.each([
    ['log', 'notifications/message'],
    ['progress', 'notifications/progress'],
    ['a request of the server', 'sampling/createMessage'],
  ])('get responses that were ready before %s turned the response into a stream', async (_, method) => {
    await serve({
      session: ({ channel, request: { id } }) => {
        const message = method.startsWith('notifications') ? createNotification(method) : createRequest('s1', method);
        if (id === 3) void channel.send(message, { relatedTo: 3 });
        return false;
      },
    });
    const session = await openSession(site, '2025-03-26');
    const response = await session.post([call(1), call(2, 'unknown'), call(3)]);
    const messages = (await allEvents(response)).flatMap(({ data }) => (data ? [JSON.parse(data)] : []));
    expect(messages).toMatchObject([{ id: 1 }, { id: 2 }, { method }, { id: 3 }]);
  });

  it.each([
    ['empty', []],
    ['with one id twice', [call(1), call(1)]],
    ['that opens a session [lifecycle.initialize-not-batched]', [call(1), createRequest(2, 'initialize')]],
    ['longer than the bound', Array.from({ length: 51 }, () => createNotification('x'))],
  ])('are refused as a whole when %s', async (_what, messages) => {
    const service = await serve();
    const session = await openSession(site, '2025-03-26');
    const response = await session.post(messages);
    expect(response.status).toBe(400);
    const ids = messages.flatMap(message => ('id' in message ? [message.id] : []));
    const refused = [(await response.json()) as { id: unknown; error: { code: number } }].flat();
    expect(refused.map(({ id, error }) => [id, error.code])).toEqual(
      (ids.length === 0 ? [null] : ids).map(id => [id, -32600]),
    );
    expect(service.peers[0]?.received).toHaveLength(1);
  });

  it('get an error for each malformed element, and the other elements run', async () => {
    const service = await serve();
    const session = await openSession(site, '2025-03-26');
    const broken = { jsonrpc: '2.0', id: 8, method: 7 };
    const response = await session.post([call(1), 7, broken, createNotification('notifications/progress')]);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject([
      { id: null, error: { code: -32600 } },
      { id: 8, error: { code: -32600 } },
      { id: 1, result: {} },
    ]);
    expect(service.peers[0]?.received).toHaveLength(3);
    const nothing = await session.post([7, broken]);
    expect(nothing.status).toBe(400);
    expect(await nothing.json()).toMatchObject([{ id: null }, { id: 8 }]);
  });

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('are refused on %s [base.batch.not-allowed]', async version => {
    await serve();
    const session = await openSession(site, version);
    const response = await session.post(batch);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: 2, error: { code: -32600 } },
    ]);
  });
});
