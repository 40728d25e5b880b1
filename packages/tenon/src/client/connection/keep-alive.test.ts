import type { JsonObject } from '@tenon/base';
import { fakeClock, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { JsonRpcMessage, JsonRpcResponse } from '../../jsonrpc/message.js';
import type { MessageReceiver, Transport } from '../../jsonrpc/transport.js';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';
import { createTransportPair } from '../../transports/memory.js';
import { connectTo } from '../connect.js';
import type { ClientOptions } from '../options.js';
import type { ServerEndpoint } from './endpoint.js';

const turns = async () => {
  for (let n = 0; n < 10; n++) await new Promise(resolve => setImmediate(resolve));
};

/** A client whose server can be frozen: what it is sent then is never read. */
async function start(
  protocolVersion: string,
  options: ClientOptions = {},
  kind: ServerEndpoint['kind'] = 'custom',
  hasOpenStream?: boolean,
) {
  const clock = fakeClock();
  const connections: { frozen: boolean; readonly methods: string[] }[] = [];
  const server = createServer({
    name: 's',
    version: '1',
    tools: { count: tool({ run: () => String(connections.length) }) },
  });
  const open = async (): Promise<Transport> => {
    const pair = createTransportPair();
    await server.connect(pair.server);
    const connection = { frozen: false, methods: [] as string[] };
    connections.push(connection);
    const { client } = pair;
    return {
      peer: client.peer,
      hasOpenStream,
      open: (receiver: MessageReceiver) => client.open(receiver),
      close: () => client.close(),
      send(message: JsonRpcMessage | readonly JsonRpcResponse[]) {
        connection.methods.push(String((message as unknown as JsonObject).method));
        return connection.frozen ? undefined : client.send(message);
      },
    };
  };
  const client = await connectTo({ kind, open }, { protocolVersion, clock, validate: 'off', ...options });
  const states: string[] = [];
  client.on('state', state => states.push(state));
  const errors: string[] = [];
  client.on('error', ({ code }) => errors.push(code));
  const freeze = () => {
    const last = connections.at(-1);
    if (last) last.frozen = true;
  };
  const last = () => connections.at(-1)?.methods.at(-1);
  return { clock, client, connections, states, errors, freeze, last };
}

/** Lets a ping of the application go without an answer. */
async function missPing({ client, clock }: Pick<Awaited<ReturnType<typeof start>>, 'client' | 'clock'>): Promise<void> {
  const missed = client.ping({ idleTimeout: 100 });
  missed.catch(() => {});
  await turns();
  clock.advance(100);
  await expect(missed).rejects.toMatchObject({ code: 'call/timeout' });
  await turns();
}

describe.each(protocolVersions)('keepAlive of a client on %s', version => {
  const ping = version === protocolVersions[0] ? 'server/discover' : 'ping';

  it('pings a server only while it is silent [ping.periodic ping.interval-configurable ping.not-excessive]', async () => {
    const { clock, client, last, connections } = await start(version, { keepAlive: { interval: 1000 } });
    clock.advance(1000);
    await turns();
    const sent = connections[0]?.methods.length;
    clock.advance(1000);
    await turns();
    expect(last()).toBe(ping);
    await client.callTool('count');
    clock.advance(1000);
    await turns();
    expect([last(), connections[0]?.methods.length]).toEqual(['tools/call', (sent ?? 0) + 2]);
    await client.close();
    expect(clock.timers).toBe(0);
  });

  it('ends the connection after a missed ping, and opens another [ping.no-answer-stale ping.repeated-failures-reset ping.failures-logged ping.timeout-fits-network ping.timeout-is-failure]', async () => {
    const { clock, client, freeze, states, errors, connections } = await start(version, {
      keepAlive: { interval: 1000, timeout: 200 },
    });
    clock.advance(1000);
    await turns();
    freeze();
    const call = client.callTool('count');
    call.catch(() => {});
    clock.advance(1000);
    await turns();
    clock.advance(200);
    await turns();
    expect(states).toEqual(['reconnecting', 'connected']);
    expect([errors, connections.length]).toEqual([['connection/unresponsive'], 2]);
    await expect(call).rejects.toMatchObject({
      code: 'call/outcome-unknown',
      cause: { code: 'connection/unresponsive' },
    });
    expect(await client.callTool('count')).toMatchObject({ content: [{ text: '2' }] });
    await client.close();
  });

  it('sends no ping by default in memory and on custom channels', async () => {
    const { clock, client, connections } = await start(version);
    const sent = connections[0]?.methods.length;
    clock.advance(10 * 60_000);
    await turns();
    expect([connections[0]?.methods.length, clock.timers]).toEqual([sent, 0]);
    await client.close();
  });

  it('sends no ping by default while a call is open, because its server may do nothing else meanwhile', async () => {
    const { clock, client, freeze, last, states } = await start(version, {}, 'custom', true);
    const advance = async (intervals: number) => {
      for (let n = 0; n < intervals; n++) {
        clock.advance(30_000);
        await turns();
      }
    };
    await advance(1);
    freeze();
    const call = client.callTool('count', {}, { idleTimeout: 200_000 });
    call.catch(() => {});
    await advance(6);
    expect([last(), states]).toEqual(['tools/call', []]);
    await advance(1);
    await expect(call).rejects.toMatchObject({ code: 'call/timeout' });
    await advance(2);
    expect(states).toEqual(['reconnecting', 'connected']);
    await client.close();
  });

  it('ends the connection after a missed `ping()` without keepAlive too', async () => {
    const { clock, client, freeze, states } = await start(version, { keepAlive: false });
    freeze();
    await missPing({ client, clock });
    expect(states).toEqual(['reconnecting', 'connected']);
    await client.ping();
    await client.close();
  });
});

it.each(protocolVersions)('keeps the connection after a missed `ping()` while a call is open on %s', async version => {
  const { clock, client, freeze, states } = await start(version);
  freeze();
  const call = client.callTool('count', {}, { idleTimeout: 1000 });
  call.catch(() => {});
  await turns();
  await missPing({ client, clock });
  expect(states).toEqual([]);
  clock.advance(900);
  await expect(call).rejects.toMatchObject({ code: 'call/timeout' });
  await client.close();
});

describe.each(protocolVersions)('a call that times out on stdio on %s', version => {
  const timeOut = async (frozen: boolean, options: ClientOptions = {}) => {
    const all = await start(version, options, 'stdio');
    const { clock, client, freeze, connections } = all;
    if (frozen) freeze();
    const call = client.callTool(frozen ? 'count' : 'never', {}, { idleTimeout: 100 });
    call.catch(() => {});
    await turns();
    clock.advance(100);
    return { ...all, call, connections };
  };

  it('replaces a frozen server, and later calls wait for the new one', async () => {
    const { call, client, clock, connections } = await timeOut(true);
    await expect(call).rejects.toMatchObject({ code: 'call/timeout' });
    const later = client.callTool('count');
    await turns();
    expect(connections[0]?.methods.filter(method => method === 'tools/call')).toHaveLength(1);
    clock.advance(5000);
    expect(await later).toMatchObject({ content: [{ text: '2' }] });
    await client.close();
  });

  it('keeps the connection for another call, and replaces the server if nothing came until that one timed out too', async () => {
    const { clock, client, freeze, states } = await start(version, {}, 'stdio');
    freeze();
    const calls = [100, 30_000, 60_000].map(idleTimeout => client.callTool('count', {}, { idleTimeout }));
    for (const call of calls) call.catch(() => {});
    await turns();
    const advance = async (time: number) => {
      clock.advance(time);
      await turns();
    };
    await advance(100);
    await advance(10_000);
    expect(states).toEqual([]);
    await advance(20_000);
    await advance(5_000);
    expect(states).toEqual(['reconnecting', 'connected']);
    await expect(calls[2]).rejects.toMatchObject({ code: 'call/outcome-unknown' });
    await client.close();
  });

  it('keeps the connection with `keepAlive: false`', async () => {
    const { call, client, clock, connections } = await timeOut(true, { keepAlive: false });
    await expect(call).rejects.toMatchObject({ code: 'call/timeout' });
    clock.advance(60_000);
    await turns();
    expect([client.state, connections.length]).toEqual(['connected', 1]);
    await client.close();
  });
});
