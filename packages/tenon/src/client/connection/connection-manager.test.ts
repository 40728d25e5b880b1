import { getEventListeners } from 'node:events';
import type { TenonError } from '@tenon/base';
import { fakeClock, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { Transport } from '../../jsonrpc/transport.js';
import { resource } from '../../server/definitions/resource.js';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';
import { createTransportPair } from '../../transports/memory.js';
import { connectTo } from '../connect.js';
import type { ClientOptions } from '../options.js';
import { createTransportEndpoint } from './endpoint.js';

const soon = () => new Promise(resolve => setImmediate(resolve));

/** A client whose road can be cut, and a server that can be reached again. */
async function start(protocolVersion: string, options: ClientOptions = {}) {
  const connections: Transport[] = [];
  const ended: string[] = [];
  const server = createServer({
    name: 's',
    version: '1',
    tools: {
      t: tool({ run: () => 'ok' }),
      never: tool({ run: () => new Promise<string>(() => {}) }),
      logs: tool({
        run: (_, context) => {
          context.log('debug', 'x');
          context.log('error', 'x');
          return 'ok';
        },
      }),
    },
    resources: { 'a:1': resource({ read: () => 'x', subscribe: uri => () => ended.push(uri) }) },
  });
  let isSilent = false;
  const open = async () => {
    const pair = createTransportPair();
    if (!isSilent) await server.connect(pair.server);
    connections.push(pair.server);
    return pair.client;
  };
  const clock = fakeClock();
  const client = await connectTo(createTransportEndpoint(open), {
    protocolVersion,
    clock,
    validate: 'off',
    ...options,
  });
  const states: string[] = [];
  client.on('state', state => states.push(state));
  const disconnect = async () => {
    await connections.at(-1)?.close();
    await soon();
  };
  const fallSilent = () => {
    isSilent = true;
  };
  return { client, server, clock, connections, ended, states, disconnect, fallSilent };
}

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'result',
    (error: TenonError) => error.code,
  );

describe.each(protocolVersions)('a client on %s whose connection is lost', version => {
  it('opens one new connection with the next call, for all calls that wait', async () => {
    const { client, connections, states, disconnect } = await start(version);
    await disconnect();
    expect(client.state).toBe('reconnecting');
    await Promise.all([client.callTool('t'), client.callTool('t'), client.listTools()]);
    expect([connections.length, client.state]).toEqual([2, 'connected']);
    expect(states).toEqual(['reconnecting', 'connected']);
    await client.close();
  });

  it('repeats reads, and rejects other calls with an unknown outcome', async () => {
    const { client, disconnect, connections } = await start(version);
    const call = code(client.callTool('never'));
    const safe = client.callTool('never', {}, { idempotent: true }).catch(() => {});
    await soon();
    await disconnect();
    expect(await call).toBe('call/outcome-unknown');
    await soon();
    expect(connections).toHaveLength(2);
    await client.close();
    await safe;
  });

  it.each(['debug', 'error'] as const)('has the log level %s on each connection', async level => {
    const { client, disconnect } = await start(version, { logLevel: level });
    const logs: string[] = [];
    client.on('log', log => logs.push(log.level));
    const expected = level === 'debug' ? ['debug', 'error'] : ['error'];
    await client.callTool('logs');
    expect(logs.splice(0)).toEqual(expected);
    await disconnect();
    await client.callTool('logs');
    expect(logs.splice(0)).toEqual(expected);
    const changed = level === 'debug' ? 'error' : 'debug';
    await client.setLogLevel(changed);
    await disconnect();
    await client.callTool('logs');
    expect(logs).toEqual(changed === 'debug' ? ['debug', 'error'] : ['error']);
    await client.close();
  });

  it('stays closed after close(), and rejects later calls with that reason', async () => {
    const { client, states } = await start(version);
    await client.close();
    await client.close();
    expect(await code(client.callTool('t'))).toBe('connection/closed');
    expect(states).toEqual(['closed']);
  });

  it('ends an attempt to reconnect to a server that does not answer when it is closed', async () => {
    const { client, connections, disconnect, fallSilent } = await start(version);
    fallSilent();
    await disconnect();
    const call = code(client.callTool('t'));
    await soon();
    expect(client.state).toBe('reconnecting');
    await client.close();
    expect([await call, connections.length]).toEqual(['connection/closed', 2]);
  });

  it('leaves no listener on a signal that many calls share', async () => {
    const { client } = await start(version);
    const { signal } = new AbortController();
    for (let n = 0; n < 20; n++) await client.callTool('t', {}, { signal });
    await client.readResource('a:1', { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await client.close();
  });
});

describe.each(protocolVersions)('watching on %s', version => {
  const watching = async (options: { signal?: AbortSignal } = {}) => {
    const all = await start(version);
    const received: unknown[] = [];
    const iterator = all.client.watch('a:1', options)[Symbol.asyncIterator]();
    const first = iterator.next().then(({ value }) => received.push(value));
    for (let n = 0; n < 5; n++) await soon();
    return { ...all, received, iterator, first };
  };

  it('yields changes, and ends the subscription on both sides when the loop ends [resources.subscribe.update-sent resources.updated-notification resources.subscribe-rpc-removed subscriptions.stops-after-cancel]', async () => {
    const { client, server, received, iterator, first, ended, clock } = await watching();
    server.notifyResourceUpdated('a:1');
    server.notifyResourceUpdated('a:2');
    await first;
    expect(received).toEqual([{ uri: 'a:1' }]);
    await iterator.return?.(undefined);
    await soon();
    expect(ended).toEqual(['a:1']);
    expect(clock.timers).toBe(0);
    await client.close();
  });

  it('ends with its signal, and leaves no listener on it', async () => {
    const controller = new AbortController();
    const { client, first, received, ended } = await watching({ signal: controller.signal });
    controller.abort();
    await first;
    await soon();
    expect(received).toEqual([undefined]);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    expect(ended).toEqual(['a:1']);
    await client.close();
  });

  it('leaves no listener on its signal when the loop ends between two changes', async () => {
    const { signal } = new AbortController();
    const { client, server, first, iterator } = await watching({ signal });
    server.notifyResourceUpdated('a:1');
    await first;
    await iterator.return?.(undefined);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await client.close();
  });
});
