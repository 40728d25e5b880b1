import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isFull } from '../../../../../test/support/extent.js';
import { createServer, tool } from '../../../../tenon/src/index.js';
import { openSharedSession } from '../../../../tenon/src/transports/http/fixtures/replicas.js';
import { sharedStoreKinds } from '../../../../tenon/src/transports/http/fixtures/shared-stores.js';
import { eventsOf, nextMessages, type Site } from '../../../../tenon/src/transports/http/fixtures/sites.js';
import { type GatewayReplica, openGateways, openUpstream } from '../../fixtures/gateway-replicas.js';

const kinds = sharedStoreKinds.filter(({ name }) => isFull || name === 'memory');

/** A server whose sessions have state: a counter, and what the client set. */
async function openStatefulServer() {
  const counters = new Map<string, number>();
  const requests: { readonly method: string; readonly session: string }[] = [];
  let onAborted = () => {};
  const aborted = new Promise<void>(resolve => {
    onAborted = resolve;
  });
  const server = createServer({
    name: 'stateful',
    version: '1.0.0',
    protocolVersions: ['2025-11-25'],
    rateLimits: false,
    resources: { 'note://a': { read: () => 'a' } },
    tools: {
      count: tool({
        run: (_, ctx) => {
          const session = ctx.request?.header('mcp-session-id') ?? '';
          const next = (counters.get(session) ?? 0) + 1;
          counters.set(session, next);
          return String(next);
        },
      }),
      ask: tool({
        async run(_, ctx) {
          const answer = await ctx.elicit({ message: 'Name?', input: z.object({ name: z.string() }) });
          return answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action;
        },
      }),
      debug: tool({
        run(_, ctx) {
          ctx.log('debug', 'detail');
          return 'logged';
        },
      }),
      wait: tool({
        async run(_, ctx) {
          ctx.progress(1, 2);
          await new Promise<void>(resolve => ctx.signal.addEventListener('abort', () => resolve()));
          onAborted();
          return 'cancelled';
        },
      }),
    },
  });
  const site = await openUpstream(server, {
    authorize(request) {
      requests.push({ method: request.method, session: request.header('mcp-session-id') ?? '' });
      return { auth: undefined };
    },
  });
  const listSessions = () => [...counters.keys()];
  return { ...site, server, counters, requests, aborted, listSessions };
}

describe.each(kinds)('two gateways with the same stores ($name), without stickiness,', ({ isInstalled, start }) => {
  if (!isInstalled) return it.skip('not installed');
  let database: Awaited<ReturnType<typeof start>>;
  let upstream: Awaited<ReturnType<typeof openStatefulServer>>;
  let gateways: GatewayReplica[] = [];
  beforeAll(async () => {
    database = await start();
  });
  afterAll(() => database.close());
  const open = async () => {
    upstream = await openStatefulServer();
    gateways = await openGateways(
      { notes: { url: upstream.url } },
      { prefix: 'never' },
      { openStores: database.openStores },
    );
    return gateways as [GatewayReplica, GatewayReplica];
  };
  afterEach(async () => {
    await Promise.all(gateways.map(each => each.close({ timeout: 0 })));
    await upstream.close({ timeout: 0 });
  });
  const callTool = async (session: Awaited<ReturnType<typeof openSharedSession>>, site: Site, name: string, id = 1) => {
    const response = await session.request(site, 'tools/call', { name, arguments: {} }, id);
    return (await response.json()) as { result?: { content: [{ text: string }] }; error?: { code: number } };
  };
  const getText = async (...args: Parameters<typeof callTool>) => (await callTool(...args)).result?.content[0].text;

  it('serve a session together, and use one session at the server', async () => {
    const [one, two] = await open();
    const session = await openSharedSession(one);
    await session.notify(one, 'notifications/initialized');
    const counts = [];
    for (const site of [one, two, two, one]) counts.push(await getText(session, site, 'count'));
    expect(counts).toEqual(['1', '2', '3', '4']);
    expect(upstream.listSessions()).toHaveLength(1);
    // Another session of a caller has another session at the server.
    const other = await openSharedSession(two);
    expect([await getText(other, one, 'count'), await getText(other, two, 'count')]).toEqual(['1', '2']);
  });

  it('agree on one session at the server when both open one at the same time', async () => {
    const [one, two] = await open();
    const session = await openSharedSession(one);
    const counts = await Promise.all([one, two, one, two].map((site, index) => getText(session, site, 'count', index)));
    expect(counts.sort()).toEqual(['1', '2', '3', '4']);
  });

  it('open another session when the server has lost theirs', async () => {
    const [one, two] = await open();
    const session = await openSharedSession(one);
    await getText(session, one, 'count');
    await getText(session, two, 'count');
    const [lost = ''] = upstream.listSessions();
    await upstream.send('/mcp', { method: 'DELETE', headers: { 'mcp-session-id': lost } });
    const counts = [];
    for (const site of [one, two, one]) counts.push(await getText(session, site, 'count'));
    expect(counts).toEqual(['1', '2', '3']);
    expect(upstream.listSessions()).toHaveLength(2);
  });

  it('end the session at the server when the caller ends its own, and keep it when one gateway stops', async () => {
    const [one, two] = await open();
    const session = await openSharedSession(one);
    await getText(session, one, 'count');
    await getText(session, two, 'count');
    await one.close({ timeout: 0 });
    gateways = [two];
    expect(await getText(session, two, 'count')).toBe('3');
    const [id] = upstream.listSessions();
    const listDeleted = () => upstream.requests.filter(({ method }) => method === 'DELETE').map(each => each.session);
    expect(listDeleted()).toEqual([]);
    await session.end(two);
    await expect.poll(listDeleted).toEqual([id]);
  });

  it('pass an input request of the server to the caller, whose response either of them accepts', async () => {
    const [one, two] = await open();
    const session = await openSharedSession(one, { capabilities: { elicitation: {} } });
    await session.notify(one, 'notifications/initialized');
    const stream = eventsOf(await session.request(one, 'tools/call', { name: 'ask', arguments: {} }, 7));
    const [inputRequest] = (await nextMessages(stream, 1)) as [{ id: string; method: string }];
    expect(inputRequest.method).toBe('elicitation/create');
    const result = { action: 'accept', content: { name: 'Ada' } };
    expect((await session.post(two, { jsonrpc: '2.0', id: inputRequest.id, result })).status).toBe(202);
    expect(await nextMessages(stream, 1)).toMatchObject([{ id: 7, result: { content: [{ text: 'Hello Ada' }] } }]);
  });

  it('cancel a call that runs at the other one', async () => {
    const [one, two] = await open();
    const session = await openSharedSession(one);
    const params = { name: 'wait', arguments: {}, _meta: { progressToken: 1 } };
    const stream = eventsOf(await session.request(one, 'tools/call', params, 8));
    await nextMessages(stream, 1);
    await session.notify(two, 'notifications/cancelled', { requestId: 8 });
    await upstream.aborted;
    await stream.return(undefined);
  });

  it('use a log level that the other one has received', async () => {
    const [one, two] = await open();
    const session = await openSharedSession(one);
    await getText(session, two, 'count');
    await (await session.request(one, 'logging/setLevel', { level: 'debug' })).text();
    const response = await session.request(two, 'tools/call', { name: 'debug', arguments: {} }, 9);
    expect(await nextMessages(eventsOf(response), 1)).toMatchObject([
      { method: 'notifications/message', params: { level: 'debug', data: 'detail' } },
    ]);
  });

  it('pass on updates of a resource, whichever the caller has subscribed at and listens to [so.sub-fanout]', async () => {
    const [one, two] = await open();
    const session = await openSharedSession(one);
    await session.notify(one, 'notifications/initialized');
    await getText(session, two, 'count');
    expect((await session.request(one, 'resources/subscribe', { uri: 'note://a' })).status).toBe(200);
    for (const site of [two, one]) {
      const stream = eventsOf(await session.get(site));
      const message = nextMessages(stream, 1);
      let isOver = false;
      void message.then(() => {
        isOver = true;
      });
      // The gateway subscribes at the server after it has opened the stream.
      while (!isOver) {
        upstream.server.notifyResourceUpdated('note://a');
        await new Promise(resolve => setTimeout(resolve, 50));
      }
      expect(await message).toMatchObject([{ method: 'notifications/resources/updated', params: { uri: 'note://a' } }]);
      await stream.return(undefined);
    }
    await (await session.request(two, 'resources/unsubscribe', { uri: 'note://a' })).text();
  });

  it('list the current tools of a server, although only one of them gets notifications [so.sub-list-changed]', async () => {
    const [one, two] = await open();
    const session = await openSharedSession(one);
    await session.notify(one, 'notifications/initialized');
    const listTools = async (site: Site) => {
      const response = await session.request(site, 'tools/list');
      const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
      return result.tools.map(({ name }) => name);
    };
    for (const site of [one, two]) expect(await listTools(site)).not.toContain('added');
    upstream.server.tools.set('added', tool({ run: () => 'added' }));
    for (const site of [one, two]) await expect.poll(() => listTools(site)).toContain('added');
  });

  it('respond 404 when the other one has ended the session [so.session-delete]', async () => {
    const [one, two] = await open();
    const session = await openSharedSession(one);
    await getText(session, two, 'count');
    await session.end(two);
    for (const site of [one, two]) expect((await session.request(site, 'tools/list')).status).toBe(404);
  });
});
