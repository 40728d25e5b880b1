import { fakeClock, protocolVersions } from '@tenon/testing';
import { connect, createServer, createTransportPair, type Transport, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { watchLists } from './list-watch.js';

/** A client of a server whose connection can be lost, with the lists watched. */
async function openWatched(protocolVersion: string) {
  const server = createServer({ name: 's', version: '1.0.0', tools: { first: tool({ run: () => 'ok' }) } });
  const connections: Transport[] = [];
  const clock = fakeClock();
  const open = async () => {
    const pair = createTransportPair();
    await server.connect(pair.server);
    connections.push(pair.server);
    return pair.client;
  };
  const client = await connect(open, { protocolVersion, clock });
  const seen: string[] = [];
  client.on('change', change => seen.push('list' in change ? change.list : change.uri));
  const ending = new AbortController();
  watchLists(client, {
    signal: ending.signal,
    onReconnect: () => seen.push('connected again'),
    onError: error => seen.push(error.message),
  });
  const addTool = async (name: string) => {
    // A subscription counts from its acknowledgment on.
    await client.ping();
    server.tools.set(name, tool({ run: () => 'ok' }));
  };
  const waitForSeen = (expected: readonly string[]) => expect.poll(() => seen).toEqual(expected);
  return { client, connections, clock, ending, addTool, waitForSeen };
}

describe.each(protocolVersions)('the watched lists of a server on %s', version => {
  it('report a change, but connect to no server that has ended', async () => {
    const { client, connections, clock, addTool, waitForSeen } = await openWatched(version);
    await addTool('second');
    await waitForSeen(['tools']);
    await connections[0]?.close();
    await expect.poll(() => client.state).toBe('reconnecting');
    clock.advance(10 * 60_000);
    await expect.poll(() => clock.timers).toBe(0);
    expect(connections).toHaveLength(1);
    await client.callTool('first');
    await waitForSeen(['tools', 'connected again']);
    await addTool('third');
    await waitForSeen(['tools', 'connected again', 'tools']);
    expect(connections).toHaveLength(2);
    await client.close();
  });

  it('are watched no longer after the signal', async () => {
    const { client, ending, connections, waitForSeen } = await openWatched(version);
    await client.ping();
    ending.abort();
    await connections[0]?.close();
    await client.callTool('first');
    await waitForSeen([]);
    await client.close();
  });
});

it('ask nothing of a server whose lists do not change', async () => {
  const server = createServer({ name: 's', version: '1.0.0' });
  const methods: string[] = [];
  const client = await connect(server, {
    onMessage: (_, message) => {
      if ('method' in message) methods.push(message.method);
    },
  });
  watchLists(client, { signal: new AbortController().signal, onReconnect: () => {}, onError: () => {} });
  await client.ping();
  expect(methods).not.toContain('subscriptions/listen');
  await client.close();
});
