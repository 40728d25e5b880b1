import { fileURLToPath } from 'node:url';
import { createHost } from '@tenon/host';
import { connectPair } from '@tenon/testing';
import { createServer, tool } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { collect } from '../interop/collect.js';
import { isRunning } from '../interop/process.js';
import { retryUntilPasses } from '../interop/retry.js';
import { createFaultyServer } from './faulty-server.js';

const program = fileURLToPath(new URL('./fixtures/process.mjs', import.meta.url));
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const createShop = (price: string) =>
  createServer({ name: 'shop', version: '1.0.0', tools: { price: tool({ run: () => price }) } });

async function openHost(options: Parameters<typeof createHost>[0]) {
  const host = await createHost({ onError: () => {}, ...options });
  closing.push(() => host.close());
  const client = await connectPair(host.toServer());
  closing.push(() => client.close());
  const listNames = async () => (await collect(client.listTools())).map(({ name }) => name);
  return { host, client, listNames };
}

describe('describeServers', () => {
  it('describes configured servers without starting them, and counts tools and tokens once they were listed', async () => {
    const faulty = createFaultyServer({ version: '2025-11-25', start: 'exit' });
    const { host, listNames } = await openHost({
      servers: {
        corner: { service: createShop('3'), tools: { include: ['price'] } },
        market: { service: createShop('4'), disabled: true },
        harbour: { url: 'https://harbour.example/mcp', transport: 'http-sse', disabled: true },
        broken: faulty.server,
      },
    });
    expect(host.describeServers()).toMatchObject([
      { name: 'corner', state: 'idle', transport: 'in-process', tools: undefined, connections: 0, calls: 0 },
      { name: 'market', state: 'disabled', transport: 'in-process' },
      { name: 'harbour', state: 'disabled', transport: 'http-sse' },
      { name: 'broken', state: 'idle', transport: 'stdio', lastError: undefined },
    ]);
    expect(faulty.pids).toEqual([]);
    await listNames();
    const [corner, , , broken] = host.describeServers();
    expect(corner).toMatchObject({ state: 'connected', protocolVersion: '2026-07-28', tools: 1, connections: 1 });
    expect(corner?.tokens).toBeGreaterThan(5);
    expect(broken).toMatchObject({ state: 'failed', lastError: { code: expect.stringMatching(/^\w+\//) } });
    expect(broken?.lastError?.time).toBeGreaterThan(0);
  });

  it('keeps the code and the data of the JSON-RPC error of a server, without secrets', async () => {
    const data = { why: 'night', password: 'hunter2' };
    const error = JSON.stringify({ code: -32055, message: 'closed', data });
    const script = `require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
      const { id } = JSON.parse(line);
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: ${error} }));
    })`;
    const { host, listNames } = await openHost({
      servers: { closed: { command: process.execPath, args: ['-e', script] } },
    });
    await expect(listNames()).rejects.toThrow('closed');
    const [closed] = host.describeServers();
    expect(closed?.lastError).toMatchObject({
      code: 'peer/error',
      rpcCode: -32055,
      data: { why: 'night', password: '…' },
    });
  });
});

describe('disableServer', () => {
  it('withdraws the tools, ends the process, and keeps the server disabled across an update', async () => {
    const faulty = createFaultyServer({ version: '2025-11-25', tools: ['hello'] });
    const servers = { corner: { service: createShop('3') }, far: faulty.server };
    const { host, client, listNames } = await openHost({ servers });
    expect(await listNames()).toEqual(['corner__price', 'far__hello']);
    expect(await host.disableServer('far')).toMatchObject({ name: 'far', state: 'disabled' });
    expect(faulty.pids.filter(isRunning)).toEqual([]);
    expect(await listNames()).toEqual(['corner__price']);
    await expect(client.callTool('far__hello')).rejects.toThrow(/far.*disabled/);
    host.update({ servers: { ...servers, corner: { service: createShop('5') } } });
    expect(await listNames()).toEqual(['corner__price']);
    await expect(host.restartServer('far')).rejects.toMatchObject({ code: 'host/disabled' });
    expect(await host.enableServer('far')).toMatchObject({ state: 'connected', tools: 1 });
    expect(await listNames()).toEqual(['corner__price', 'far__hello']);
  });

  it('names the setting that disables a server for good, and the servers for an unknown name', async () => {
    const { host } = await openHost({ servers: { corner: { service: createShop('3'), disabled: true } } });
    await expect(host.enableServer('corner')).rejects.toMatchObject({
      code: 'host/disabled',
      hint: expect.stringContaining('`disabled: true`'),
    });
    for (const change of [host.disableServer, host.enableServer, host.restartServer, host.reconnectServer])
      await expect(change.call(host, 'cornr')).rejects.toMatchObject({ code: 'host/no-such-server' });
  });
});

describe('restartServer', () => {
  it('starts another process after the first has ended, and a call that arrives meanwhile is served', async () => {
    const remote = { command: process.execPath, args: [program] };
    const { host, client } = await openHost({ servers: { far: remote } });
    const readPid = async () => Number(((await client.callTool('far__process')).content[0] as { text: string }).text);
    const first = await readPid();
    const restarting = host.restartServer('far');
    const calling = readPid();
    expect(await restarting).toMatchObject({ state: 'connected', tools: 5 });
    expect(await calling).not.toBe(first);
    expect(isRunning(first)).toBe(false);
  });
});

describe('reconnectServer', () => {
  it('connects during the delay after failures, and keeps open connections', async () => {
    let isDown = true;
    let starts = 0;
    const beforeStart = async () => {
      starts += 1;
      if (isDown) throw new Error('down');
    };
    const { host, client } = await openHost({ servers: { corner: { service: createShop('3'), beforeStart } } });
    const atOpen = starts;
    for (let left = 5; left > 0; left -= 1) await host.reconnectServer('corner');
    expect(starts).toBe(atOpen + 5);
    await expect(client.callTool('corner__price')).rejects.toThrow();
    isDown = false;
    expect(await host.reconnectServer('corner')).toMatchObject({ state: 'connected' });
    await retryUntilPasses(async () => void (await client.callTool('corner__price')));
    const before = starts;
    await host.reconnectServer('corner');
    expect(starts).toBe(before);
  });
});

describe('onError', () => {
  it('gets each error of a server once until the server is connected again', async () => {
    const errors: string[] = [];
    let isDown = true;
    const beforeStart = async () => {
      if (isDown) throw new Error('down');
    };
    const servers = { corner: { service: createShop('3'), beforeStart } };
    const { host } = await openHost({ servers, onError: error => errors.push(error.summary) });
    for (let left = 3; left > 0; left -= 1) await host.reconnectServer('corner');
    expect(errors).toHaveLength(1);
    isDown = false;
    await host.reconnectServer('corner');
    isDown = true;
    await host.restartServer('corner');
    await host.restartServer('corner');
    expect(errors).toHaveLength(2);
  });
});
