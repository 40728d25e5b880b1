import { type AddressInfo, connect as connectSocket, createServer as createTcpServer, type Socket } from 'node:net';
import { fakeClock } from '@tenon/testing';
import { type Client, connect, createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterEach, describe, expect, it } from 'vitest';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A TCP proxy whose streams for changes can stop forwarding while their sockets stay open. */
async function startProxy(port: number) {
  const state = { streams: 0, frozen: 0, comments: 0, refuses: false };
  const sockets = new Set<Socket>();
  const freezes = new Set<() => void>();
  const cuts = new Set<() => void>();
  const proxy = createTcpServer(client => {
    if (state.refuses) return void client.destroy();
    const server = connectSocket(port, '127.0.0.1');
    let isFrozen = false;
    const freeze = () => {
      isFrozen = true;
      state.frozen += 1;
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    cuts.add(() => isFrozen || client.destroy());
    client.on('data', chunk => {
      if (/^GET |subscriptions\/listen/.test(chunk.toString())) {
        state.streams += 1;
        freezes.add(freeze);
      }
      if (!isFrozen) server.write(chunk);
    });
    server.on('data', chunk => {
      if (isFrozen) return;
      if (/^:/m.test(chunk.toString())) state.comments += 1;
      client.write(chunk);
    });
    client.on('close', () => isFrozen || server.destroy());
    server.on('close', () => isFrozen || client.destroy());
  });
  await new Promise<void>(done => proxy.listen(0, '127.0.0.1', done));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise(done => proxy.close(done));
  });
  const freeze = () => {
    for (const each of freezes) each();
    freezes.clear();
  };
  /** Takes no connections any more, and cuts those that are not frozen. */
  const refuse = () => {
    state.refuses = true;
    for (const each of cuts) each();
  };
  return { state, freeze, refuse, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp` };
}

async function countTools(client: Client): Promise<number> {
  let count = 0;
  for await (const _ of client.listTools()) count += 1;
  return count;
}

async function start(protocolVersion: string) {
  const clock = fakeClock();
  const serverClock = fakeClock();
  const server = createServer({
    name: 'notes',
    version: '1.0.0',
    keepAlive: false,
    tools: { first: tool({ run: () => '' }) },
  });
  const resumedFrom: (string | undefined)[] = [];
  const serving = await serveHttp(server, {
    port: 0,
    clock: serverClock,
    authorize: facts => {
      if (facts.method === 'GET') resumedFrom.push(facts.header('last-event-id'));
      return { auth: undefined };
    },
  });
  cleanups.push(() => serving.close({ timeout: 0 }));
  const proxy = await startProxy(Number(new URL(serving.url).port));
  const client = await connect(
    { url: proxy.url, listen: { initialDelay: 0 } },
    { protocolVersion, clock, validate: 'off', keepAlive: { interval: 1000, timeout: 60_000 } },
  );
  cleanups.push(() => client.close());
  const states: string[] = [];
  client.on('state', state => states.push(state));
  const errors: string[] = [];
  client.on('error', ({ code }) => errors.push(code));
  let changes = 0;
  const abort = new AbortController();
  const watching = (async () => {
    for await (const _ of client.watch({ tools: true }, { signal: abort.signal })) changes += 1;
  })();
  cleanups.push(async () => {
    abort.abort();
    await watching;
  });
  await expect.poll(() => proxy.state.streams).toBe(1);
  await expect.poll(() => serverClock.timers).toBeGreaterThan(0);
  const beat = async () => {
    const before = proxy.state.comments;
    await expect
      .poll(
        () => {
          serverClock.advance(15_000);
          return proxy.state.comments;
        },
        { timeout: 5000 },
      )
      .toBeGreaterThan(before + 1);
  };
  const advanceUntil = (check: () => boolean) =>
    expect
      .poll(
        () => {
          clock.advance(1000);
          return check();
        },
        { timeout: 5000 },
      )
      .toBe(true);
  return { server, client, proxy, states, errors, resumedFrom, beat, advanceUntil, changes: () => changes };
}

describe('a stream for changes that stops forwarding while other connections work', () => {
  it('opens the stream again from the last event, on 2025-11-25 [http.resume.always-get]', async () => {
    const { server, client, proxy, states, resumedFrom, beat, advanceUntil, changes } = await start('2025-11-25');
    await beat();
    proxy.freeze();
    server.tools.set('second', tool({ run: () => '' }));
    await advanceUntil(() => changes() > 0);
    expect([resumedFrom.length, typeof resumedFrom[1], states]).toEqual([2, 'string', []]);
    expect(await countTools(client)).toBe(2);
  });

  it('opens the stream again with the same filter, and yields a change, on 2026-07-28', async () => {
    const { server, client, proxy, states, errors, beat, advanceUntil, changes } = await start('2026-07-28');
    await beat();
    proxy.freeze();
    server.tools.set('second', tool({ run: () => '' }));
    await advanceUntil(() => changes() > 0 && proxy.state.streams === 2);
    expect([errors, states]).toEqual([['http/silent-stream'], []]);
    expect(await countTools(client)).toBe(2);
    const before = changes();
    let count = 0;
    await expect
      .poll(() => {
        server.tools.set(`later_${++count}`, tool({ run: () => '' }));
        return changes();
      })
      .toBeGreaterThan(before);
  });

  it('keeps the stream of a server without heartbeats until the server is unreachable, on 2026-07-28', async () => {
    const { proxy, errors, advanceUntil, changes } = await start('2026-07-28');
    let intervals = 0;
    await advanceUntil(() => ++intervals === 20);
    expect([proxy.state.streams, errors]).toEqual([1, []]);
    proxy.freeze();
    proxy.refuse();
    await advanceUntil(() => errors.includes('http/silent-stream'));
    proxy.state.refuses = false;
    await advanceUntil(() => changes() > 0 && proxy.state.streams === 2);
  });
});
