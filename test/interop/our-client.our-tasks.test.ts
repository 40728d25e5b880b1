import { type Client, connect, memoryStores, type TaskState } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, getText } from './collect.js';
import { createTaskServer, type TaskServer } from './fixtures/our-tasks.js';
import { bundleProgram, createStdioPeer } from './process.js';

interface Peer {
  join(options: object): Promise<Client<TaskServer>>;
  stop(): Promise<void>;
}

const connections: Record<string, (version: string) => Promise<Peer>> = {
  async memory(protocolVersion) {
    const server = createTaskServer();
    return { join: options => connect<TaskServer>(server, { protocolVersion, ...options }), stop: async () => {} };
  },
  async stdio(protocolVersion) {
    const { target } = createStdioPeer(bundleProgram(new URL('./fixtures/our-tasks-stdio.ts', import.meta.url)));
    return { join: options => connect<TaskServer>(target, { protocolVersion, ...options }), stop: async () => {} };
  },
  async 'Streamable HTTP'(protocolVersion) {
    const { url, close } = await serveHttp(createTaskServer(memoryStores()), { port: 0 });
    return { join: options => connect<TaskServer>(url, { protocolVersion, ...options }), stop: () => close() };
  },
};
const variants = Object.keys(connections).flatMap(transport =>
  ['2026-07-28', '2025-11-25'].map(version => [transport, version] as const),
);

describe.each(variants)('our tasks over %s on %s', (transport, version) => {
  const requests: string[] = [];
  const errors: string[] = [];
  const elicit = ({ message }: { message: string }) => {
    requests.push(message);
    return { action: 'accept' as const, content: { name: message.length === 12 ? 'tenon' : 'glue' } };
  };
  let peer: Peer;
  let client: Client<TaskServer>;
  beforeAll(async () => {
    peer = await (connections[transport] as (version: string) => Promise<Peer>)(version);
    client = await peer.join({ elicit });
    client.on('error', ({ message }) => errors.push(message));
  });
  afterAll(async () => {
    await client.close();
    await peer.stop();
    expect(errors).toEqual([]);
  });

  it('resolve like any call', async () => {
    expect(await client.tools.cut({ joint: 'a' })).toEqual({ cut: 2 });
    expect(getText(await client.tools.measure())).toBe('a foot');
    await expect(client.tools.breaks()).rejects.toMatchObject({
      code: 'tool/failed',
      message: expect.stringContaining('blunt'),
    });
    expect(await client.callTool('breaks')).toMatchObject({ isError: true });
  });

  it('start, and resume by their id', async () => {
    // A server of 2026-07-28 decides how long it keeps a task.
    const lifetime = version === '2025-11-25' ? { ttl: 60_000 } : {};
    const started = await client.tasks.start('cut', { joint: 'a', pieces: 3 }, lifetime);
    expect(started.id).toMatch(/./);
    const resumed = client.tasks.resume(started.id as string, { tool: 'cut' });
    expect(await Promise.all([started.result(), resumed.result()])).toEqual([{ cut: 3 }, { cut: 3 }]);
    expect(await client.tasks.get(started.id as string)).toMatchObject({ status: 'completed' });
    expect((await client.tasks.start('measure')).id).toBeUndefined();
  });

  it('request input once, and get the response', async () => {
    requests.length = 0;
    const states: TaskState[] = [];
    const handle = await client.tasks.start('choose', {}, { onTask: task => states.push(task) });
    expect(getText(await handle.result())).toBe('tenon, glue');
    expect(requests).toEqual(['Which joint?', 'And then?']);
    expect(states.at(-1)?.status).toBe('completed');
  });

  it('are cancelled with the call, and by their handle', async () => {
    const controller = new AbortController();
    let id = '';
    const onTask = ({ taskId }: TaskState) => {
      id = taskId;
      controller.abort();
    };
    await expect(client.tools.dries({}, { signal: controller.signal, onTask })).rejects.toMatchObject({
      code: 'call/aborted',
    });
    await expect(client.tasks.resume(id).result()).rejects.toMatchObject({ code: 'task/cancelled' });
    const handle = await client.tasks.start('dries');
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ code: 'task/cancelled' });
    await client.tasks.cancel(handle.id as string);
    await expect(client.tasks.get('none')).rejects.toMatchObject({ code: 'task/unknown' });
  });

  it('are listed where the version has a list', async () => {
    const listing = collect(client.tasks.list());
    if (version === '2026-07-28') await expect(listing).rejects.toMatchObject({ code: 'call/not-in-version' });
    else expect((await listing).length).toBeGreaterThan(1);
  });

  it('wait for a client that supports input requests', async () => {
    if (transport === 'stdio') return;
    const mute = await peer.join({});
    const handle = await client.tasks.start('choose');
    const id = handle.id as string;
    if (version === '2026-07-28')
      await expect(mute.tasks.resume(id).result()).rejects.toMatchObject({ code: 'call/unanswered-request' });
    await mute.close();
    expect(getText(await handle.result())).toBe('tenon, glue');
  });
});
