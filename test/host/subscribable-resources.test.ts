import { createHost, type HostServer } from '@tenon/host';
import { connect, createServer, createTransportPair, resource } from 'tenon';
import { describe, expect, it } from 'vitest';

type Params = {
  readonly uri?: string;
  readonly notifications?: { readonly resourceSubscriptions?: readonly string[] };
};
type Send = (message: object) => void;

/** Creates a server of messages by hand. `respond` returns the result of a request, or sends other messages itself. */
function createRawServer(respond: (method: string, params: Params, id: number, send: Send) => object | undefined) {
  const service = () => {
    const { client, server } = createTransportPair();
    // The connection may be closed before the last response.
    const send: Send = message => {
      Promise.resolve()
        .then(() => server.send({ jsonrpc: '2.0', ...message } as never))
        .catch(() => {});
    };
    const onMessage = (value: unknown) => {
      const { id, method = '', params = {} } = value as { id?: number; method?: string; params?: Params };
      if (id === undefined) return;
      const answer = respond(method, params, id, send);
      if (answer) send({ id, ...answer });
    };
    void server.open({ onMessage, onParseError() {}, onResponseLost() {}, onClose() {} });
    return client;
  };
  return { service };
}

const notFound = { error: { code: -32601, message: 'Method not found' } };

/** Creates a server of 2025-06-18 with these resources. It refuses to watch those with "private" in their URI. */
function createOlderServer(resources: object, uris: readonly string[]): HostServer {
  return createRawServer((method, { uri }) => {
    switch (method) {
      case 'initialize':
        return {
          result: {
            protocolVersion: '2025-06-18',
            capabilities: { resources },
            serverInfo: { name: 'older', version: '1' },
          },
        };
      case 'resources/list':
        return { result: { resources: uris.map(each => ({ uri: each, name: each })) } };
      case 'resources/templates/list':
        return { result: { resourceTemplates: [] } };
      case 'resources/subscribe':
        return uri?.includes('private')
          ? { error: { code: -32050, message: 'This one is not watched' } }
          : { result: {} };
      case 'resources/unsubscribe':
        return { result: {} };
      default:
        return notFound;
    }
  });
}

const createSilentServer = () => createOlderServer({}, ['silent:a']);

/** Creates a server of 2026-07-28 that acknowledges only the resources without "private" in their URI. */
function createNewerServer(uris: readonly string[]): HostServer {
  const cache = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  return createRawServer((method, { notifications }, id, send) => {
    switch (method) {
      case 'server/discover':
        return {
          result: {
            ...cache,
            supportedVersions: ['2026-07-28'],
            capabilities: { resources: { subscribe: true } },
            serverInfo: { name: 'newer', version: '1' },
          },
        };
      case 'resources/list':
        return { result: { ...cache, resources: uris.map(each => ({ uri: each, name: each })) } };
      case 'resources/templates/list':
        return { result: { ...cache, resourceTemplates: [] } };
      case 'subscriptions/listen': {
        const accepted = notifications?.resourceSubscriptions?.filter(uri => !uri.includes('private')) ?? [];
        send({
          method: 'notifications/subscriptions/acknowledged',
          params: {
            _meta: { 'io.modelcontextprotocol/subscriptionId': id },
            notifications: accepted.length > 0 ? { resourceSubscriptions: accepted } : {},
          },
        });
        return undefined;
      }
      default:
        return notFound;
    }
  });
}

const createNotifyingServer = (): HostServer => ({
  service: createServer({
    name: 'notifying',
    version: '1',
    resources: { 'notes:a': resource({ read: () => 'a' }) },
  }),
});

async function start(servers: Readonly<Record<string, HostServer>>, protocolVersion: '2025-11-25' | '2026-07-28') {
  const acknowledged: unknown[] = [];
  const host = await createHost({ servers, onError: () => {} });
  const client = await connect(host.toServer(), {
    protocolVersion,
    onMessage(from, message) {
      if (from !== 'server' || !('method' in message) || !message.method.endsWith('/acknowledged')) return;
      acknowledged.push(Object(message.params?.notifications).resourceSubscriptions);
    },
  });
  const close = async () => {
    await client.close();
    await host.close();
  };
  const uris: string[] = [];
  for await (const { uri } of client.listResources()) uris.push(uri);
  return { client, acknowledged, uris, close };
}

describe('a gateway', () => {
  it.each(['2025-11-25', '2026-07-28'] as const)(
    'declares subscriptions on %s only if its server has them',
    async version => {
      const silent = await start({ silent: createSilentServer() }, version);
      expect(silent.client.server.capabilities.resources).toEqual({ listChanged: true });
      await silent.close();
      const notifying = await start({ notes: createNotifyingServer() }, version);
      expect(notifying.client.server.capabilities.resources).toEqual({ subscribe: true, listChanged: true });
      await notifying.close();
    },
  );

  it('acknowledges only the resources of servers that notify', async () => {
    const servers = { silent: createSilentServer(), notes: createNotifyingServer() };
    const { client, acknowledged, uris, close } = await start(servers, '2026-07-28');
    const stop = new AbortController();
    const changes = client.watch({ uris }, { signal: stop.signal })[Symbol.asyncIterator]();
    const ended = changes.next().catch(() => {});
    while (acknowledged.length === 0) await new Promise(resolve => setImmediate(resolve));
    stop.abort();
    await ended;
    expect(uris).toHaveLength(2);
    expect(acknowledged).toEqual([uris.filter(uri => uri.includes('notes'))]);
    await close();
  });

  it.each([
    ['older', createOlderServer({ subscribe: true }, ['x:open', 'x:private'])],
    ['newer', createNewerServer(['x:open', 'x:private'])],
  ])('acknowledges only the resources that a server of an %s version accepts', async (_, server) => {
    const { client, acknowledged, uris, close } = await start({ server }, '2026-07-28');
    const stop = new AbortController();
    const ended = client.watch({ uris }, { signal: stop.signal })[Symbol.asyncIterator]().next();
    while (acknowledged.length === 0) await new Promise(resolve => setImmediate(resolve));
    stop.abort();
    await ended;
    expect(acknowledged).toEqual([['x:open']]);
    await close();
  });

  it.each([
    ['older', createOlderServer({ subscribe: true }, ['x:open', 'x:private']), -32050, 'This one is not watched'],
    ['newer', createNewerServer(['x:open', 'x:private']), -32602, 'does not notify of changes of this resource'],
  ])('tells an older caller that a server of an %s version refuses a resource', async (_, server, rpcCode, text) => {
    const { client, close } = await start({ server }, '2025-11-25');
    expect(await client.call('resources/subscribe', { uri: 'x:open' })).toEqual({});
    await expect(client.call('resources/subscribe', { uri: 'x:private' })).rejects.toMatchObject({
      rpcCode,
      summary: expect.stringContaining(text),
    });
    await close();
  });

  it('refuses to subscribe an older caller to a resource whose server does not notify', async () => {
    const servers = { silent: createSilentServer(), notes: createNotifyingServer() };
    const { client, uris, close } = await start(servers, '2025-11-25');
    for (const uri of uris) {
      const subscribed = client.call('resources/subscribe', { uri });
      if (uri.includes('notes')) expect(await subscribed).toEqual({});
      else
        await expect(subscribed).rejects.toMatchObject({
          rpcCode: -32602,
          summary: expect.stringMatching(/does not notify of changes.*"assumeCapabilities": \["resources.subscribe"\]/),
        });
    }
    await close();
  });
});
