import { fileURLToPath } from 'node:url';
import { createHost } from '@tenon/host';
import { connect } from 'tenon';
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
