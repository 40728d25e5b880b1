import { fakeClock } from '@tenon/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryStores, tool } from '../../index.js';
import { openReplicas, type Replica } from '../http/fixtures/replicas.js';
import { byName, eventsOf, JSON_HEADERS, nextMessages } from '../http/fixtures/sites.js';
import type { HandlerOptions } from '../http/server/options.js';

describe('HTTP+SSE at two processes', () => {
  let replicas: Replica[] = [];
  const user = tool({ run: (_, ctx) => `for ${ctx.auth?.principal}` });
  const open = async (options: HandlerOptions = {}) => {
    replicas = await openReplicas(2, { tools: { user } }, options);
    return replicas as [Replica, Replica];
  };
  afterEach(() => Promise.all(replicas.map(replica => replica.close({ timeout: 0 }))));

  const connect = async (site: Replica, headers: Record<string, string> = {}) => {
    const events = eventsOf(await site.send('/sse', { headers: { accept: 'text/event-stream', ...headers } }));
    const { pathname, search } = new URL((await events.next()).value?.data ?? '', 'http://any/sse');
    const address = pathname + search;
    const post = (to: Replica, message: unknown, extra: Record<string, string> = {}) =>
      to.send(address, {
        method: 'POST',
        headers: { ...JSON_HEADERS, ...headers, ...extra },
        body: JSON.stringify(message),
      });
    return { events, post };
  };
  const initialize = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
  };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'user' } };

  it('passes a POST to the process that holds the stream, with the user', async () => {
    const [one, two] = await open({ authorize: byName });
    const { events, post } = await connect(one, { 'x-user': 'ada' });
    expect((await post(two, initialize)).status).toBe(202);
    expect(await nextMessages(events, 1)).toMatchObject([{ id: 0, result: { protocolVersion: '2024-11-05' } }]);
    expect((await post(two, { jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
    expect((await post(two, call)).status).toBe(202);
    expect(await nextMessages(events, 1)).toMatchObject([{ id: 1, result: { content: [{ text: 'for ada' }] } }]);
    expect((await post(two, { id: 7 })).status).toBe(400);
    await expect.poll(() => two.stores.values.list('mail/')).toEqual([]);
  });

  it('refuses another user, and every POST after the stream has ended', async () => {
    const [one, two] = await open({ authorize: byName });
    const { events, post } = await connect(one, { 'x-user': 'ada' });
    expect((await post(two, initialize, { 'x-user': 'bob' })).status).toBe(404);
    await events.return(undefined);
    await expect.poll(async () => (await post(two, initialize)).status).toBe(404);
    expect(
      (
        await two.send('/messages?sessionId=none', {
          method: 'POST',
          headers: JSON_HEADERS,
          body: '{"jsonrpc":"2.0","method":"x"}',
        })
      ).status,
    ).toBe(404);
  });

  it('refuses requests beyond the limit on the stream, and all while the store does not respond', async () => {
    const [one, two] = await open({ limits: { maxRequestsPerSession: 0 } });
    const { events, post } = await connect(one);
    expect((await post(two, initialize)).status).toBe(202);
    expect(await nextMessages(events, 1)).toMatchObject([{ id: 0, error: { code: -32603 } }]);
    two.stores.fault = new Error('no connection');
    const response = await post(two, initialize);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    two.stores.fault = undefined;
  });

  it('reports a closed store once for a stream', async () => {
    const clock = fakeClock();
    const shared = memoryStores({ clock });
    const errors: unknown[] = [];
    const options = { clock, onError: (error: unknown) => errors.push(error) };
    replicas = await openReplicas(1, {}, options, () => () => shared);
    await connect(replicas[0] as Replica);
    await shared.close();
    for (let step = 0; step < 100; step++) {
      clock.advance(600_000);
      await new Promise(setImmediate);
    }
    // One is of the lease of the process.
    expect(errors).toHaveLength(2);
  });
});
