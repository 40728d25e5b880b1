import { createHost, type HostServer } from '@tenon/host';
import { connect, createServer, createTransportPair, resource } from 'tenon';
import { describe, expect, it } from 'vitest';

/** Creates a server with one resource that does not notify of its changes. */
function createSilentServer(): HostServer {
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { resources: {} },
      serverInfo: { name: 'silent', version: '1' },
    },
    'resources/list': { resources: [{ uri: 'silent:a', name: 'a' }] },
    'resources/templates/list': { resourceTemplates: [] },
  };
  const service = () => {
    const { client, server } = createTransportPair();
    const onMessage = (value: unknown) => {
      const { id, method } = value as { id?: number; method?: string };
      if (id === undefined || method === undefined) return;
      const error = { code: -32601, message: 'Method not found' };
      const answer = results[method] ? { result: results[method] } : { error };
      void server.send({ jsonrpc: '2.0', id, ...answer } as never);
    };
    void server.open({ onMessage, onParseError() {}, onResponseLost() {}, onClose() {} });
    return client;
  };
  return { service };
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

  it('refuses to subscribe an older caller to a resource whose server does not notify', async () => {
    const servers = { silent: createSilentServer(), notes: createNotifyingServer() };
    const { client, uris, close } = await start(servers, '2025-11-25');
    for (const uri of uris) {
      const subscribed = client.call('resources/subscribe', { uri });
      if (uri.includes('notes')) expect(await subscribed).toEqual({});
      else
        await expect(subscribed).rejects.toMatchObject({
          rpcCode: -32602,
          summary: expect.stringContaining('does not notify of changes'),
        });
    }
    await close();
  });
});
