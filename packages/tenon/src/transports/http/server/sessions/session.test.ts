import { afterEach, describe, expect, it } from 'vitest';
import { createFailure, createNotification, createRequest } from '../../../../jsonrpc/message.js';
import { createFakeClock } from '../../fixtures/fake-clock.js';
import { type Behaviour, type Call, createFakeService } from '../../fixtures/fake-service.js';
import {
  allEvents,
  byName,
  eventsOf,
  JSON_HEADERS,
  nextMessages,
  openSession,
  runtimes,
  type Site,
} from '../../fixtures/sites.js';
import { createStubExchange } from '../../fixtures/stub-exchange.js';
import { createHttpEndpoint } from '../endpoint.js';
import type { HandlerOptions } from '../options.js';

const SESSION_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const call = (id: number | string, name = 'echo') => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });

describe.each(runtimes)('sessions, over $name', ({ open }) => {
  let site: Site;
  const serve = async (behaviour: Behaviour = {}, options: HandlerOptions = {}) => {
    const service = createFakeService(behaviour);
    site = await open(service, options);
    return service;
  };
  /** Calls that the test answers itself. */
  const holding = () => {
    const calls: Call[] = [];
    const session = (held: Call) => {
      calls.push(held);
      return true;
    };
    return { calls, session };
  };
  afterEach(() => site.close({ timeout: 0 }));

  it.each(SESSION_VERSIONS)(
    'open, serve and end on %s [http.session.assigned] [http.session.id-visible-ascii] [http.session.terminated-404]',
    async version => {
      const service = await serve();
      const session = await openSession(site, version);
      expect(session.response.status).toBe(200);
      expect(session.id).toMatch(/^[\x21-\x7e]{32,}$/);
      const initialized = await session.post(createNotification('notifications/initialized'));
      expect([initialized.status, await initialized.text()]).toEqual([202, '']);
      const answer = await session.post(call(1));
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(await answer.json()).toMatchObject({ id: 1, result: { echo: { name: 'echo' } } });
      expect((await session.end()).status).toBe(204);
      expect(service.peers[0]).toMatchObject({ closed: 1, ended: 1 });
      for (const error of [
        session.post(call(2)),
        session.post(createNotification('x')),
        session.get(),
        session.end(),
      ]) {
        expect((await error).status).toBe(404);
      }
    },
  );

  it('have unguessable ids [http.session.id-secure] [security.session.non-deterministic-ids]', async () => {
    await serve();
    const sessions = await Promise.all(Array.from({ length: 20 }, () => openSession(site)));
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(20);
  });

  it('need their id in each request [http.session.missing-400] [http.get.sse-or-405]', async () => {
    await serve();
    const missing = await site.send('/mcp', { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(call(1)) });
    expect(missing.status).toBe(400);
    expect(await missing.json()).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining('Mcp-Session-Id') },
    });
    const headers = { ...JSON_HEADERS, 'mcp-protocol-version': '2025-06-18' };
    for (const body of ['{"jsonrpc":"2.0","method":"x"}', '{"jsonrpc":"2.0","id":1,"result":{}}', '[]']) {
      expect((await site.send('/mcp', { method: 'POST', headers, body })).status).toBe(400);
    }
    const unknown = await site.send('/mcp', {
      method: 'POST',
      headers: { ...JSON_HEADERS, 'mcp-session-id': 'x' },
      body: JSON.stringify(call(1)),
    });
    expect(unknown.status).toBe(404);
    for (const method of ['GET', 'DELETE']) {
      const response = await site.send('/mcp', { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    }
  });

  it('open by an initialize with the id of a lost session, which stays lost', async () => {
    const service = await serve({}, { authorize: byName });
    const lost = await openSession(site, '2025-11-25', { 'x-user': 'ann' });
    await lost.end();
    const reopened = await openSession(site, '2025-11-25', { 'x-user': 'ann', 'mcp-session-id': lost.id });
    expect(reopened.response.status).toBe(200);
    expect(reopened.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(reopened.id).not.toBe(lost.id);
    expect((await lost.post(call(1))).status).toBe(404);
    expect(service.peers).toHaveLength(2);
  });

  it('stay with their caller when another one sends initialize with their id', async () => {
    const service = await serve({}, { authorize: byName });
    const owned = await openSession(site, '2025-11-25', { 'x-user': 'ann' });
    const other = await openSession(site, '2025-11-25', { 'x-user': 'bob', 'mcp-session-id': owned.id });
    expect(other.id).not.toBe(owned.id);
    expect(service.peers.map(({ closed }) => closed)).toEqual([0, 0]);
    expect((await owned.get()).status).toBe(200);
    expect((await other.post(call(1), { headers: { 'mcp-session-id': owned.id } })).status).toBe(404);
  });

  it('do not open when initialize fails, or when its client has disconnected', async () => {
    const service = await serve();
    const failed = await openSession(site, 'v9');
    expect(failed.id).toBe('');
    expect(service.peers[0]?.closed).toBe(1);
    const lost = createStubExchange(
      'POST',
      JSON_HEADERS,
      JSON.stringify(createRequest(0, 'initialize', { protocolVersion: '2025-11-25' })),
    );
    const endpoint = createHttpEndpoint(service);
    endpoint.handle(lost);
    expect(endpoint.sessionCount).toBe(1);
    lost.leave();
    await expect.poll(() => service.peers[1]?.closed).toBe(1);
    expect(endpoint.sessionCount).toBe(0);
  });

  it('refuse other users [security.session.bound-to-user] [security.session.not-authentication] [security.session.inbound-verified]', async () => {
    const service = await serve({}, { authorize: byName });
    const session = await openSession(site, '2025-11-25', { 'x-user': 'ann' });
    for (const headers of [{ 'x-user': 'bob' }, { 'x-user': '' }]) {
      expect((await session.post(call(1), { headers })).status).toBe(404);
      expect((await session.get(headers)).status).toBe(404);
      expect((await session.end(headers)).status).toBe(404);
    }
    await session.post(call(1));
    expect(service.peers[0]?.envelopes.map(envelope => envelope?.auth)).toEqual([
      { principal: 'ann' },
      { principal: 'ann' },
    ]);
  });

  it.each(['2025-06-18', '2025-11-25'])(
    'refuse stateless versions, on %s [http.version-header.invalid-400] [http.version-header.missing-default]',
    async protocolVersion => {
      await serve();
      const session = await openSession(site, protocolVersion);
      expect((await session.post(call(0), { headers: { 'mcp-protocol-version': '2025-03-26' } })).status).toBe(200);
      for (const version of ['2026-07-28', 'v9', 'latest']) {
        const headers = { 'mcp-protocol-version': version };
        expect((await session.post(createNotification('x'), { headers })).status).toBe(400);
        const refused = await session.post(call(1), { headers });
        const message = `MCP-Protocol-Version must be ${protocolVersion} in this session`;
        expect([refused.status, await refused.json()]).toMatchObject([
          400,
          { id: 1, error: { code: -32600, message } },
        ]);
        const lost = await session.post(call(1), { headers: { ...headers, 'mcp-session-id': 'lost' } });
        expect([lost.status, await lost.json()]).toMatchObject([400, { id: 1, error: { code: -32602 } }]);
        const stateless = { ...call(1), params: { _meta: { 'io.modelcontextprotocol/protocolVersion': version } } };
        expect(await (await session.post(stateless, { headers })).json()).not.toMatchObject({ error: { message } });
        expect((await session.get(headers)).status).toBe(400);
        expect((await session.end(headers)).status).toBe(400);
      }
      const headers = { ...JSON_HEADERS, 'mcp-session-id': session.id };
      expect((await site.send('/mcp', { method: 'POST', headers, body: JSON.stringify(call(1)) })).status).toBe(200);
    },
  );

  it('respond to several requests at once, each on its own connection [http.endpoint.multi-client]', async () => {
    const { calls, session: hold } = holding();
    await serve({ session: hold });
    const [one, two] = await Promise.all([openSession(site), openSession(site)]);
    const pending = [one.post(call(1)), one.post(call('1')), two.post(call(1))];
    await expect.poll(() => calls.length).toBe(3);
    const names = ['c', 'b', 'a'];
    for (const held of [...calls].reverse()) held.answer({ name: `${typeof held.request.id} ${names.pop()}` });
    const results = (await Promise.all((await Promise.all(pending)).map(response => response.json()))) as {
      id: unknown;
      result: { name: string };
    }[];
    expect(new Set(results.map(({ result }) => result.name)).size).toBe(3);
    expect(results.map(({ id }) => id)).toEqual([1, '1', 1]);
  });

  it('refuse an id that is in use', async () => {
    const { calls, session: hold } = holding();
    await serve({ session: hold });
    const session = await openSession(site);
    const first = session.post(call(1));
    await expect.poll(() => calls.length).toBe(1);
    const second = await session.post(call(1));
    expect(second.status).toBe(400);
    expect(await second.json()).toMatchObject({ id: 1, error: { code: -32600 } });
    calls[0]?.answer();
    expect((await first).status).toBe(200);
    expect(calls).toHaveLength(1);
  });

  it('respond with a stream when messages precede the response [http.sse.messages-related] [http.sse.messages-before-response] [http.sse.closed-after-response]', async () => {
    const { calls, session: hold } = holding();
    const service = await serve({ session: hold });
    const session = await openSession(site, '2025-06-18');
    const pending = session.post(call(1));
    await expect.poll(() => calls.length).toBe(1);
    const { channel } = calls[0] as Call;
    channel.send(createNotification('notifications/progress', { progress: 1 }), { relatedTo: 1 });
    channel.send(createRequest('s1', 'sampling/createMessage'), { relatedTo: 1 });
    const response = await pending;
    const events = eventsOf(response);
    expect(await nextMessages(events, 2)).toMatchObject([{ method: 'notifications/progress' }, { id: 's1' }]);
    expect((await session.post({ jsonrpc: '2.0', id: 's1', result: {} })).status).toBe(202);
    expect(service.peers[0]?.received.at(-1)).toMatchObject({ id: 's1', result: {} });
    calls[0]?.answer();
    expect(await nextMessages(events, 9)).toMatchObject([{ id: 1, result: {} }]);
  });

  it('survive a lost connection, and so do running calls [http.sse.disconnect-is-not-cancel]', async () => {
    const { calls, session: hold } = holding();
    const service = await serve({ session: hold });
    const session = await openSession(site);
    const aborts = new AbortController();
    session.post(call(1), { signal: aborts.signal }).catch(() => {});
    await expect.poll(() => calls.length).toBe(1);
    aborts.abort();
    const next = session.post(call(2));
    await expect.poll(() => calls.length).toBe(2);
    calls[0]?.answer();
    calls[1]?.answer();
    expect((await next).status).toBe(200);
    expect(service.peers[0]).toMatchObject({ closed: 0, ended: 0 });
  });

  it('end running calls when they end', async () => {
    const { calls, session: hold } = holding();
    await serve({ session: hold });
    const session = await openSession(site);
    const [plain, streamed] = [session.post(call(1)), session.post(call(2))];
    await expect.poll(() => calls.length).toBe(2);
    const { channel } = calls[0] as Call;
    channel.send(createNotification('x'), { relatedTo: 2 });
    const stream = await streamed;
    expect((await session.end()).status).toBe(204);
    const ended = await plain;
    expect([ended.status, ended.headers.get('retry-after')]).toEqual([404, null]);
    // The handler runs, so nothing may make the client send the request again.
    expect(await ended.json()).toMatchObject({ error: { data: { outcome: 'unknown' } } });
    await allEvents(stream);
    await expect(channel.send(createNotification('late'))).rejects.toMatchObject({ code: 'connection/closed' });
  });

  it('close a request that gets no response', async () => {
    const { calls, session: hold } = holding();
    const clock = createFakeClock();
    const service = await serve({ session: hold }, { clock });
    const session = await openSession(site);
    const [error, untold] = [session.post(call(1)), session.post(call(2))];
    await expect.poll(() => calls.length).toBe(2);
    calls[0]?.channel.abandonResponse(1);
    expect(await (await error).text()).toBe('');
    service.peers[0]?.calls.clear();
    clock.advance(60_000);
    expect(await (await untold).text()).toBe('');
  });

  it('ignore an error response without an id', async () => {
    const service = await serve();
    const session = await openSession(site);
    service.peers[0]?.channel.send(createFailure(undefined, { code: -32700, message: 'x' }));
    expect((await session.post(call(1))).status).toBe(200);
  });

  it('return 500 without the reason when they cannot be connected', async () => {
    await serve({ connect: () => Promise.reject(new Error('secret')) });
    const { response, id } = await openSession(site);
    expect([response.status, id]).toEqual([500, '']);
  });
});
