import { type ChangeEvent, connect, createServer, createTransportPair, memoryStores, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterEach, describe, expect, it } from 'vitest';
import { connectTo } from '../../packages/tenon/src/client/connect.js';
import { createClientEndpoint } from '../../packages/tenon/src/client/connection/http-endpoint.js';
import { createNodeRequester } from '../../packages/tenon/src/runtimes/node/http/http-requester.js';
import { createExample } from './server.js';
import { createWire, type Json, recordRequester, type Wire } from './wire.js';

const protocolVersion = '2026-07-28';
const subscriptionId = 'io.modelcontextprotocol/subscriptionId';
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server at hand, and a client of it that listens. */
async function listening(transport: 'memory' | 'http') {
  const server = createExample();
  const wire = createWire(protocolVersion);
  const client = transport === 'memory' ? await inMemory(server, wire) : await overHttp(server, wire);
  closing.push(() => client.close());
  const seen: ChangeEvent[] = [];
  const stop = new AbortController();
  closing.push(async () => stop.abort());
  void (async () => {
    for await (const change of client.watch({ tools: true, uris: ['note://all'] }, { signal: stop.signal }))
      seen.push(change);
  })();
  const acknowledged = () => wire.sent('server', 'notifications/subscriptions/acknowledged').length > 0;
  await expect.poll(acknowledged, { interval: 5 }).toBe(true);
  const messages = () => wire.crossings.map(({ from, value }): Json => ({ ...(value as Json), from }));
  const listen = messages().find(({ method }) => method === 'subscriptions/listen') as Json;
  return { server, wire, client, seen, stop, messages, listen };
}

function inMemory(server: Pick<ReturnType<typeof createExample>, 'connect'>, wire: Wire) {
  return connect(async () => {
    const pair = createTransportPair((from, message) => wire.crosses(from, message));
    await server.connect(pair.server);
    return pair.client;
  });
}

async function overHttp(server: ReturnType<typeof createExample>, wire: Wire) {
  const { url, close } = await serveHttp(server, { port: 0 });
  closing.push(() => close({ timeout: 0 }));
  return connectTo(createClientEndpoint({ url, transport: 'http' }, recordRequester(createNodeRequester(), wire)), {
    protocolVersion,
  });
}

describe.each(['memory', 'http'] as const)('a subscription over %s', transport => {
  it('ends with a result of the server, and the client subscribes again [subscriptions.graceful-close-shape, subscriptions.graceful-close-understood, cancellation.server-listen-teardown, subscriptions.http-sse-response]', async () => {
    const { server, wire, client, messages, listen } = await listening(transport);
    const errors: unknown[] = [];
    client.on('error', error => errors.push(error));
    server.close();
    const result = () => messages().find(({ from, id, result }) => from === 'server' && id === listen.id && result);
    await expect
      .poll(result, { interval: 5 })
      .toMatchObject({ result: { resultType: 'complete', _meta: { [subscriptionId]: listen.id } } });
    const cancelled = wire.sent('server', 'notifications/cancelled');
    // It shares its road with others in memory; over HTTP the end of the stream says it.
    if (transport === 'memory')
      await expect.poll(() => wire.sent('server', 'notifications/cancelled').length, { interval: 5 }).toBe(1);
    else expect(cancelled).toEqual([]);
    await client.ping();
    expect(errors).toEqual([]);
    await expect.poll(() => wire.sent('client', 'subscriptions/listen').length).toBe(2);
    const stream = wire.exchanges.find(({ body }) => (body as Json | undefined)?.method === 'subscriptions/listen');
    if (transport === 'http')
      expect([stream?.status, stream?.contentType]).toEqual([200, expect.stringContaining('text/event-stream')]);
    expect(wire.issues).toEqual([]);
  });

  it('carries changes, and nothing that belongs to a request [subscriptions.no-request-scoped-notifications, logging.request-scoped-stream, meta.notification-meta-shape, meta.subscription-id-absent-elsewhere]', async () => {
    const { server, client, seen, messages, listen, wire } = await listening(transport);
    await client.setLogLevel('debug');
    await client.callTool('logs');
    await client.callTool('works', { steps: 2 });
    server.notifyResourceUpdated('note://all');
    server.tools.set('late', tool({ run: () => 'x' }));
    await expect.poll(() => seen.length, { interval: 5 }).toBe(2);
    const tagged = messages().filter(
      ({ params }) => ((params as Json | undefined)?._meta as Json | undefined)?.[subscriptionId] !== undefined,
    );
    expect(tagged.map(({ method }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ]);
    for (const { params } of tagged) expect(((params as Json)._meta as Json)[subscriptionId]).toBe(listen.id);
    expect(wire.sent('server', 'notifications/message').length).toBe(8);
    expect(wire.issues).toEqual([]);
  });

  it('leaves nothing behind when it has ended [subscriptions.stops-after-cancel, subscriptions.no-state-across-reconnect, base.listen-state-scoped-to-request]', async () => {
    const { server, client, stop, wire } = await listening(transport);
    let hooks = 0;
    server.resources.set('note://hooked', {
      name: 'hooked',
      read: () => 'x',
      subscribe: () => {
        hooks += 1;
        return () => {
          hooks -= 1;
        };
      },
    } as never);
    const other = new AbortController();
    const watch = (async () => {
      for await (const _ of client.watch('note://hooked', { signal: other.signal }));
    })();
    await expect.poll(() => hooks, { interval: 5 }).toBe(1);
    stop.abort();
    other.abort();
    await watch;
    await expect.poll(() => hooks, { interval: 5 }).toBe(0);
    wire.rewind();
    server.notifyResourceUpdated('note://all');
    server.notifyResourceUpdated('note://hooked');
    await client.ping();
    expect(wire.sent('server', 'notifications/resources/updated')).toEqual([]);
    expect(wire.issues).toEqual([]);
  });
});

describe('a subscription that the server cancels', () => {
  it('ends, and the client subscribes again [subscriptions.server-cancelled-understood, subscriptions.graceful-close-understood]', async () => {
    const pair = createTransportPair();
    const listens: unknown[] = [];
    pair.server.open({
      onMessage(value) {
        const { id, method } = value as { id: number; method: string };
        const facts = {
          supportedVersions: [protocolVersion],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: 'private',
          resultType: 'complete',
        };
        if (method === 'server/discover') pair.server.send({ jsonrpc: '2.0', id, result: facts });
        if (method !== 'subscriptions/listen') return;
        listens.push(id);
        pair.server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
      },
      onParseError() {},
      onResponseLost() {},
      onClose() {},
    });
    const client = await connect(pair.client);
    const errors: unknown[] = [];
    client.on('error', error => errors.push(error));
    const stop = new AbortController();
    const watch = (async () => {
      for await (const _ of client.watch({ tools: true }, { signal: stop.signal }));
    })();
    await expect.poll(() => listens.length).toBe(2);
    expect(errors).toEqual([]);
    stop.abort();
    await watch;
    await client.close();
  });
});

describe('cached results', () => {
  it('belong to each client [caching.private-not-shared]', async () => {
    let reads = 0;
    const server = createServer({
      name: 'own',
      version: '1',
      resources: { 'x://y': { cache: { ttlMs: 60_000, cacheScope: 'private' }, read: () => String(++reads) } } as never,
    });
    const [one, two] = [await connect(server), await connect(server)];
    const text = async (client: typeof one) =>
      ((await client.readResource('x://y')).contents[0] as { text: string }).text;
    expect([await text(one), await text(two), await text(one), await text(two)]).toEqual(['1', '2', '1', '2']);
    await one.close();
    await two.close();
  });
});

describe('a subscription on a server of several processes', () => {
  it('is acknowledged when the shared store was read, so that no later change of another process is lost', async () => {
    let answer = () => {};
    const held = new Promise<void>(resolve => {
      answer = resolve;
    });
    const { values, ...stores } = memoryStores();
    const list: typeof values.list = (prefix, options) =>
      (prefix.startsWith('change/') ? held : Promise.resolve()).then(() => values.list(prefix, options));
    const server = createServer({
      name: 'notes',
      version: '1.0.0',
      stores: { ...stores, durable: true, values: { ...values, list } },
      tools: { a: tool({ run: () => 'a' }) },
    });
    const wire = createWire(protocolVersion);
    const client = await inMemory(server, wire);
    closing.push(() => client.close());
    const stop = new AbortController();
    closing.push(async () => stop.abort());
    void client.watch({ tools: true }, { signal: stop.signal })[Symbol.asyncIterator]().next();
    const acknowledged = () => wire.sent('server', 'notifications/subscriptions/acknowledged').length;
    await expect.poll(() => wire.sent('client', 'subscriptions/listen').length).toBe(1);
    await client.callTool('a');
    expect(acknowledged()).toBe(0);
    answer();
    await expect.poll(acknowledged, { interval: 5 }).toBe(1);
  });
});
