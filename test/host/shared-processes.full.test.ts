import { fileURLToPath } from 'node:url';
import { fakeClock } from '@tenon/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { HostOptions } from '../../packages/host/src/index.js';
import { createHost, type Host } from '../../packages/host/src/index.node.js';
import { type ClientOptions, connect } from '../../packages/tenon/src/index.node.js';
import { serveHttp } from '../../packages/tenon/src/runtimes/node/http/http-server.js';

const program = fileURLToPath(new URL('./fixtures/process.mjs', import.meta.url));
const closing: { close(): unknown }[] = [];
const later = <T extends { close(): unknown }>(thing: T): T => {
  closing.unshift(thing);
  return thing;
};
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});

const serverOf = (more: object = {}, ...args: string[]) => ({
  command: process.execPath,
  args: [program, ...args],
  ...more,
});

/** A gateway over HTTP in front of servers that are processes. */
async function open(servers: HostOptions['servers'], options: Partial<HostOptions> = {}) {
  const host: Host = later(await createHost({ servers, prefix: 'never', ...options }));
  const { url } = later(
    await serveHttp(host.toServer(), {
      port: 0,
      authorize: facts => {
        const principal = facts.header('x-user');
        return { auth: principal === undefined ? undefined : { principal } };
      },
    }),
  );
  const join = async (more: ClientOptions = {}, headers: Record<string, string> = {}) =>
    later(await connect({ url, headers }, { protocolVersion: '2025-11-25', ...more }));
  return { host, join };
}

type Client = Awaited<ReturnType<typeof connect>>;

async function read(client: Client, tool: string): Promise<string> {
  const { content } = await client.callTool(tool);
  return (content[0] as { text: string }).text;
}

async function namesOf(client: Client): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of client.listTools()) names.push(name);
  return names;
}

const elicit = async () => ({ action: 'accept' as const, content: {} });

describe('the process of a stdio server', () => {
  it('is shared by all sessions without input requests, on every version', async () => {
    const { join } = await open({ one: serverOf() });
    const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
    const clients = await Promise.all([...versions, ...versions].map(protocolVersion => join({ protocolVersion })));
    const pids = await Promise.all(clients.map(client => read(client, 'process')));
    expect(new Set(pids).size).toBe(1);
    await clients[0]?.close();
    expect(await read(clients[1] as Client, 'process')).toBe(pids[0]);
  });

  it('is never shared by two users', async () => {
    const { join } = await open({ one: serverOf({ share: true }) });
    const users = [{}, { 'x-user': 'ada' }, { 'x-user': 'ada' }, { 'x-user': 'bob' }];
    const clients = await Promise.all(users.map(headers => join({}, headers)));
    const [nobody, ada, again, bob] = await Promise.all(clients.map(client => read(client, 'process')));
    expect(again).toBe(ada);
    expect(new Set([nobody, ada, bob]).size).toBe(3);
  });

  it('belongs to each session whose client supports input requests, which reach the client of their call', async () => {
    const { join } = await open({ one: serverOf() });
    const requests: string[] = [];
    const answering = (name: string) => ({
      elicit: async () => {
        requests.push(name);
        return elicit();
      },
    });
    const [one, two] = [await join(answering('one')), await join(answering('two'))];
    expect(await read(one, 'process')).not.toBe(await read(two, 'process'));
    expect([await read(one, 'ask'), await read(two, 'ask')]).toEqual(['accept', 'accept']);
    expect(requests).toEqual(['one', 'two']);
  });

  it('is shared by all sessions of a server with `share`, which may not request input then', async () => {
    const { join } = await open({ one: serverOf({ share: true }) });
    const [one, two] = [await join({ elicit }), await join({ elicit })];
    expect(await read(one, 'process')).toBe(await read(two, 'process'));
    expect(await read(one, 'ask')).toBe('refused -32601');
  });

  it('belongs to each session of a server with `share: false`', async () => {
    const { join } = await open({ one: serverOf({ share: false }) });
    const [one, two] = [await join(), await join()];
    expect(await read(one, 'process')).not.toBe(await read(two, 'process'));
  });

  it('sends a log message to the session of the only call, and to none while several sessions call', async () => {
    const { join } = await open({ one: serverOf() });
    const received: string[] = [];
    const hearing = async (name: string) => {
      const client = await join({ logLevel: 'debug' });
      client.on('log', ({ data }) => received.push(`${name} ${data}`));
      return client;
    };
    const [one, two] = [await hearing('one'), await hearing('two')];
    await read(two, 'say');
    expect(received).toEqual(['two said']);
    const waits = read(one, 'wait');
    await expect.poll(() => one.state).toBe('connected');
    await read(two, 'process');
    await Promise.all([waits, read(two, 'say')]);
    expect(received).toEqual(['two said']);
  });

  it('is stopped after `idleTimeout`, starts with the next call, and keeps its lists', async () => {
    const clock = fakeClock();
    const { host, join } = await open({ one: serverOf() }, { connectionIdleTimeout: 5000, clock });
    const client = await join();
    const before = await read(client, 'process');
    const names = await namesOf(client);
    clock.advance(5000);
    await expect.poll(() => isRunning(Number(before))).toBe(false);
    expect(host.getServers()[0]?.state).toBe('idle');
    expect(await namesOf(await join())).toEqual(names);
    expect(host.getServers()[0]?.state).toBe('idle');
    expect(await read(client, 'process')).not.toBe(before);
  });

  it('notifies sessions of a list that differs after a restart', async () => {
    const clock = fakeClock();
    const { host, join } = await open({ one: serverOf({}, 'changes') }, { connectionIdleTimeout: 5000, clock });
    const client = await join();
    const names = await namesOf(client);
    let changes = 0;
    client.on('change', () => {
      changes += 1;
    });
    clock.advance(5000);
    await expect.poll(() => host.getServers()[0]?.state).toBe('idle');
    await read(client, 'process');
    await expect
      .poll(() => {
        clock.advance(100);
        return changes;
      })
      .toBe(1);
    expect(await namesOf(client)).not.toEqual(names);
  });

  it('stays alive while a client is subscribed to one of its resources, and notifies others after one has unsubscribed', async () => {
    const clock = fakeClock();
    const { host, join } = await open({ one: serverOf() }, { connectionIdleTimeout: 5000, clock });
    const clients = [await join(), await join()] as const;
    const changes = [0, 0];
    const watches = clients.map((client, at) => {
      const controller = new AbortController();
      const follow = async () => {
        for await (const _ of client.watch('memo://state', { signal: controller.signal }))
          changes[at] = (changes[at] ?? 0) + 1;
      };
      return { controller, ended: follow() };
    });
    await expect
      .poll(async () => {
        await read(clients[0], 'touch');
        return changes.every(each => each > 0);
      })
      .toBe(true);
    const before = await read(clients[0], 'process');
    for (let second = 0; second < 20; second++) clock.advance(1000);
    expect(host.getServers()[0]?.state).toBe('connected');
    watches[0]?.controller.abort();
    await watches[0]?.ended;
    const so = changes[1];
    expect(await read(clients[1], 'touch')).toBe('1');
    await expect.poll(() => changes[1]).toBeGreaterThan(so ?? 0);
    expect(await read(clients[1], 'process')).toBe(before);
    watches[1]?.controller.abort();
    await watches[1]?.ended;
  });

  it('is replaced by another server when maxProcesses run and it is unused', async () => {
    const servers = { one: serverOf(), two: serverOf() };
    const { join } = await open(servers, { maxProcesses: 1, prefix: 'always' });
    const client = await join();
    const first = await read(client, 'one__process');
    const second = await read(client, 'two__process');
    expect(isRunning(Number(first))).toBe(false);
    expect(isRunning(Number(second))).toBe(true);
    expect(await read(client, 'one__process')).not.toBe(first);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
