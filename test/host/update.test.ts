import { createServer, tool } from 'tenon';
import { createHost, deny } from 'tenon/host';
import { connectPair } from 'tenon/testing';
import { afterEach, expect, it } from 'vitest';
import { retryUntilPasses } from '../interop/retry.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const createShop = (price: string) =>
  createServer({ name: 'shop', version: '1.0.0', tools: { price: tool({ run: () => price }) } });

/** A server whose tool waits until it is told to end. */
function createSlowServer() {
  let finish = () => {};
  let begun = () => {};
  const isRunning = new Promise<void>(resolve => {
    begun = resolve;
  });
  const done = new Promise<void>(resolve => {
    finish = resolve;
  });
  const run = async () => {
    begun();
    await done;
    return 'finished';
  };
  const service = createServer({ name: 'slow', version: '1.0.0', tools: { wait: tool({ run }) } });
  return { service, isRunning, finish: () => finish() };
}

async function openHost(options: Parameters<typeof createHost>[0]) {
  const host = await createHost(options);
  closing.push(() => host.close());
  const client = await connectPair(host.toServer());
  closing.push(() => client.close());
  const listNames = async () => {
    const names: string[] = [];
    for await (const { name } of client.listTools()) names.push(name);
    return names;
  };
  return { host, client, listNames };
}

it('adds, changes and removes servers of a running host, and names what it did', async () => {
  const corner = { service: createShop('3') };
  const { host, client, listNames } = await openHost({ servers: { corner, market: { service: createShop('4') } } });
  expect(await listNames()).toEqual(['corner__price', 'market__price']);
  const changes = host.update({
    servers: { harbour: { service: createShop('5') }, corner: { service: createShop('6') } },
  });
  expect(changes).toEqual({ added: ['harbour'], removed: ['market'], changed: ['corner'] });
  expect(await listNames()).toEqual(['harbour__price', 'corner__price']);
  expect(await client.callTool('corner__price')).toMatchObject({ content: [{ text: '6' }] });
  await expect(client.callTool('market__price')).rejects.toMatchObject({ rpcCode: -32602 });
  expect(host.getServers().map(({ name }) => name)).toEqual(['harbour', 'corner']);
});

it('lets running calls of a removed server finish, and keeps the connections of servers that stay', async () => {
  const slow = createSlowServer();
  const corner = { service: createShop('3') };
  const { host, client } = await openHost({ servers: { slow: { service: slow.service }, corner } });
  const calling = client.callTool('slow__wait');
  await slow.isRunning;
  await client.callTool('corner__price');
  expect(host.update({ servers: { corner: { ...corner } } })).toEqual({ added: [], removed: ['slow'], changed: [] });
  expect(host.getServers()).toMatchObject([{ name: 'corner', state: 'connected' }]);
  slow.finish();
  expect(await calling).toMatchObject({ content: [{ text: 'finished' }] });
});

it('notifies clients that lists have changed', async () => {
  const { host, client } = await openHost({ servers: { corner: { service: createShop('3') } } });
  let changes = 0;
  const stop = new AbortController();
  const watching = (async () => {
    for await (const _ of client.watch({ tools: true }, { signal: stop.signal })) changes += 1;
  })();
  closing.push(async () => {
    stop.abort();
    await watching;
  });
  await client.callTool('corner__price');
  host.update({ servers: {} });
  await retryUntilPasses(() => expect(changes).toBeGreaterThan(0));
});

it('applies other tool filters without another connection, and a policy to later calls', async () => {
  const service = createShop('3');
  const { host, client, listNames } = await openHost({ servers: { corner: { service } } });
  expect(await listNames()).toEqual(['corner__price']);
  expect(host.update({ servers: { corner: { service, tools: { exclude: ['price'] } } } }).changed).toEqual(['corner']);
  expect(host.getServers()).toMatchObject([{ state: 'connected' }]);
  expect(await listNames()).toEqual([]);
  host.update({ servers: { corner: { service } } });
  host.update({ policy: [deny('corner/price', { because: 'sold out' })] });
  expect(await client.callTool('corner__price')).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('sold out') }],
  });
});

it('stays unchanged when a rule of the update is invalid', async () => {
  const { host, client } = await openHost({ servers: { corner: { service: createShop('3') } } });
  const update = { servers: {}, policy: [{ action: 'maybe' }] } as never;
  expect(() => host.update(update)).toThrow(expect.objectContaining({ code: 'policy/rule' }));
  expect(await client.callTool('corner__price')).toMatchObject({ content: [{ text: '3' }] });
});
