import { fileURLToPath } from 'node:url';
import { createHost } from '@tenon/host';
import { connect, createServer, resource, type TenonError, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterEach, expect, it } from 'vitest';
import { retryUntilPasses } from '../interop/retry.js';

const program = fileURLToPath(new URL('./fixtures/subscriptions.mjs', import.meta.url));
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open() {
  const host = await createHost({ servers: { far: { command: process.execPath, args: [program] } }, prefix: 'never' });
  closing.push(() => host.close());
  const join = async () => {
    const client = await connect(host.toServer(), { protocolVersion: '2025-11-25' });
    closing.push(() => client.close());
    return client;
  };
  const client = await join();
  const call = async (tool: string) => {
    const { content } = await client.callTool(tool);
    return JSON.parse((content[0] as { text: string }).text);
  };
  return { client, join, call };
}

const subscription = { uri: 'note://a' };

it('subscribes once at the server for all sessions, and unsubscribes once after the last', async () => {
  const { client, join, call } = await open();
  let changes = 0;
  client.on('change', () => {
    changes += 1;
  });
  await client.call('resources/subscribe', subscription);
  await retryUntilPasses(async () => {
    await call('change');
    expect(changes).toBeGreaterThan(0);
  });
  const other = await join();
  await other.call('resources/subscribe', subscription);
  await client.call('resources/subscribe', subscription);
  expect(await call('counts')).toEqual({ subscribe: 1, unsubscribe: 0 });
  await client.call('resources/unsubscribe', subscription);
  expect(await call('counts')).toEqual({ subscribe: 1, unsubscribe: 0 });
  await other.call('resources/unsubscribe', subscription);
  await retryUntilPasses(async () => expect(await call('counts')).toEqual({ subscribe: 1, unsubscribe: 1 }));
  await client.call('resources/subscribe', subscription);
  await retryUntilPasses(async () => expect(await call('counts')).toEqual({ subscribe: 2, unsubscribe: 1 }));
});

it.each(['2025-03-26', '2025-06-18', '2025-11-25'] as const)(
  'reports no error when a caller with a subscription to a resource of a server at a URL leaves, on %s',
  async protocolVersion => {
    const log = tool({
      run(_, ctx) {
        ctx.log('info', 'called');
        return 'called';
      },
    });
    const resources = { 'note://a': resource({ read: () => 'a' }) };
    const http = await serveHttp(createServer({ name: 'notes', version: '1.0.0', tools: { log }, resources }), {
      port: 0,
    });
    closing.push(() => http.close());
    const errors: TenonError[] = [];
    const host = await createHost({
      servers: { notes: { url: http.url, protocolVersion: '2026-07-28' } },
      onError: error => errors.push(error),
    });
    closing.push(() => host.close());
    const gateway = await serveHttp(host.toServer(), { port: 0 });
    closing.push(() => gateway.close());
    const client = await connect(gateway.url, { protocolVersion });
    const logs: unknown[] = [];
    client.on('log', ({ data }) => logs.push(data));
    const {
      resources: [listed],
    } = await client.call('resources/list');
    await new Promise<void>(onSubscribed => {
      void (async () => {
        for await (const _ of client.watch(listed?.uri ?? '', { onSubscribed }));
      })().catch(() => {});
    });
    await client.setLogLevel('info');
    await client.callTool('notes__log');
    await expect.poll(() => logs).toEqual(['called']);
    await client.close();
    await host.close();
    expect(errors).toEqual([]);
  },
);
