import { fileURLToPath } from 'node:url';
import { createHost } from '@tenon/host';
import { connect } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { retryUntilPasses } from '../interop/retry.js';

const SERVER = fileURLToPath(new URL('./fixtures/one-call-server.mjs', import.meta.url));

it('serves each call of all callers with a process that exits after each of them', async () => {
  const short = { command: process.execPath, args: [SERVER] };
  const host = await createHost({ servers: { short }, onError: () => {} });
  onTestFinished(() => host.close());
  const clients = await Promise.all([connect(host.toServer()), connect(host.toServer())]);
  onTestFinished(async () => {
    await Promise.all(clients.map(client => client.close()));
  });
  const isOver = () => retryUntilPasses(() => expect(host.getServers()[0]?.state).not.toBe('connected'));
  for (let n = 0; n < 12; n++) {
    const [first] = (await clients[n % 2]?.callTool('short__greet'))?.content ?? [];
    expect(first).toMatchObject({ text: 'hello' });
    await isOver();
  }
  const names: string[] = [];
  for await (const { name } of host.client.listTools()) names.push(name);
  expect(names).toEqual(['short__greet']);
});
