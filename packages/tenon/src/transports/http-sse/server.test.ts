import { afterEach, describe, expect, it } from 'vitest';
import { createNotification } from '../../jsonrpc/message.js';
import { type Behaviour, type Call, createFakeService } from '../http/fixtures/fake-service.js';
import { byName, eventsOf, JSON_HEADERS, nextMessages, runtimes, type Site } from '../http/fixtures/sites.js';
import type { HandlerOptions } from '../http/server/options.js';

describe.each(runtimes)('the HTTP+SSE endpoints, over $name', ({ open }) => {
  let site: Site;
  const serve = async (behaviour: Behaviour = {}, options: HandlerOptions = {}) => {
    const service = createFakeService(behaviour);
    site = await open(service, options);
    return service;
  };
  afterEach(() => site.close({ timeout: 0 }));

  const connect = async (headers: Record<string, string> = {}) => {
    const response = await site.send('/sse', { headers: { accept: 'text/event-stream', ...headers } });
    const events = eventsOf(response);
    const first = (await events.next()).value;
    const address = new URL(first?.data ?? '', site.origin);
    const post = (message: unknown, extra: Record<string, string> = {}) =>
      site.send(address.pathname + address.search, {
        method: 'POST',
        headers: { ...JSON_HEADERS, ...headers, ...extra },
        body: typeof message === 'string' ? message : JSON.stringify(message),
      });
    return { response, events, first, address, post };
  };
  const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2024-11-05' } };

  it('announce where to POST, and send responses on the stream [sse-legacy.two-endpoints] [sse-legacy.endpoint-event] [sse-legacy.message-events] [sse-legacy.compat.server-hosts-both]', async () => {
    await serve();
    const { response, events, first, address, post } = await connect();
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(first?.event).toBe('endpoint');
    expect(address.origin).toBe(site.origin);
    expect(address.pathname).toBe('/messages');
    const accepted = await post(initialize);
    expect([accepted.status, await accepted.text()]).toEqual([202, '']);
    const answer = (await events.next()).value;
    expect(answer).toEqual({ event: 'message', data: expect.any(String) });
    expect(JSON.parse(answer?.data ?? '')).toMatchObject({ id: 0, result: { protocolVersion: '2024-11-05' } });
    expect((await post(createNotification('notifications/initialized'))).status).toBe(202);
  });

  it('serve several clients, each on its own stream [sse-legacy.multi-client]', async () => {
    const service = await serve();
    const [one, two] = [await connect(), await connect()];
    await Promise.all([one.post(initialize), two.post({ ...initialize, id: 'two' })]);
    expect(await nextMessages(one.events, 1)).toMatchObject([{ id: 0 }]);
    expect(await nextMessages(two.events, 1)).toMatchObject([{ id: 'two' }]);
    service.peers[1]?.channel.send(createNotification('only/two'));
    service.peers[0]?.channel.send(createNotification('only/one'));
    expect(await nextMessages(one.events, 1)).toMatchObject([{ method: 'only/one' }]);
    expect(await nextMessages(two.events, 1)).toMatchObject([{ method: 'only/two' }]);
  });

  it('end a session with its stream', async () => {
    const service = await serve();
    const { events, post } = await connect();
    await events.return(undefined);
    await expect.poll(() => service.peers[0]?.closed).toBe(1);
    expect((await post(initialize)).status).toBe(404);
    await expect(service.peers[0]?.channel.send(createNotification('x'))).rejects.toMatchObject({
      code: 'connection/closed',
    });
  });

  it('end a stream with its session', async () => {
    const service = await serve();
    const { events } = await connect();
    service.peers[0]?.channel.close();
    service.peers[0]?.channel.close();
    expect((await events.next()).done).toBe(true);
    expect(service.peers[0]?.closed).toBe(1);
  });

  it('refuse malformed messages, and continue', async () => {
    await serve();
    const { events, post } = await connect();
    expect((await post('{')).status).toBe(400);
    expect((await post(7)).status).toBe(400);
    expect((await post({ ...initialize, jsonrpc: '1' })).status).toBe(400);
    expect((await post(initialize, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(initialize)).status).toBe(202);
    expect(await nextMessages(events, 1)).toMatchObject([{ id: 0 }]);
  });

  it('accept one method each', async () => {
    await serve();
    expect((await site.send('/sse', { method: 'POST', headers: JSON_HEADERS, body: '{}' })).status).toBe(405);
    expect((await site.send('/messages')).status).toBe(405);
    const nobody = { method: 'POST', headers: JSON_HEADERS, body: '{}' };
    expect((await site.send('/messages', nobody)).status).toBe(400);
    expect((await site.send('/messages?sessionId=x', nobody)).status).toBe(404);
  });

  it('accept only the user who opened the stream [security.session.bound-to-user]', async () => {
    const service = await serve({}, { authorize: byName });
    const { post } = await connect({ 'x-user': 'ann' });
    expect((await post(initialize, { 'x-user': 'bob' })).status).toBe(404);
    expect((await post(initialize)).status).toBe(202);
    expect(service.peers[0]?.envelopes.map(envelope => envelope?.auth)).toEqual([{ principal: 'ann' }]);
  });

  it('limit streams and requests [streams] [requests]', async () => {
    const calls: Call[] = [];
    await serve({ session: call => calls.push(call) > 0 }, { limits: { maxStreams: 1, maxRequestsPerSession: 1 } });
    const { post } = await connect();
    expect((await site.send('/sse')).status).toBe(503);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
    expect((await post(call)).status).toBe(202);
    expect((await post({ ...call, id: 2 })).status).toBe(503);
    calls[0]?.answer();
    expect((await post({ ...call, id: 2 })).status).toBe(202);
  });

  it('can be disabled', async () => {
    await serve({}, { ssePath: false });
    expect((await site.send('/sse')).status).toBe(404);
    expect((await site.send('/messages?sessionId=x', { method: 'POST' })).status).toBe(404);
  });
});
