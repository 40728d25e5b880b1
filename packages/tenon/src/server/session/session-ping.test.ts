import type { JsonObject } from '@tenon/base';
import { fakeClock, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { connectTo } from '../../client/connect.js';
import { createTransportEndpoint } from '../../client/connection/endpoint.js';
import type { ClientOptions } from '../../client/options.js';
import type { JsonRpcMessage, JsonRpcResponse } from '../../jsonrpc/message.js';
import type { Transport } from '../../jsonrpc/transport.js';
import type { SessionHandle } from '../../protocol/request-handler.js';
import { createTransportPair } from '../../transports/memory.js';
import type { ServerOptions } from '../definitions/server-definition.js';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';

const turns = async () => {
  for (let n = 0; n < 10; n++) await new Promise(resolve => setImmediate(resolve));
};
const handshakes = protocolVersions.slice(1);

/** A server whose client can be frozen: what the server says then is never answered. */
async function start(
  protocolVersion: string,
  options: Partial<ServerOptions> = {},
  client: ClientOptions = {},
  hasOpenStream?: boolean,
) {
  const clock = fakeClock();
  const errors: string[] = [];
  const messages: string[] = [];
  const state = { frozen: false, sessions: [] as SessionHandle[] };
  const server = createServer({
    name: 's',
    version: '1',
    clock,
    onError: ({ code }) => errors.push(code),
    tools: {
      waits: tool({ run: () => new Promise<string>(() => {}) }),
      asks: tool({
        run: async (_, ctx) => {
          const { action } = await ctx.elicit({ message: 'Well?', input: { type: 'object', properties: {} } });
          return action;
        },
      }),
    },
    ...options,
  });
  const open = async () => {
    const pair = createTransportPair((from, message) => {
      if (from === 'client') messages.push(JSON.stringify(message));
    });
    const channel: Transport = {
      peer: pair.server.peer,
      ...(hasOpenStream === undefined ? {} : { hasOpenStream }),
      open: receiver => pair.server.open(receiver),
      close: () => pair.server.close(),
      send(message: JsonRpcMessage | readonly JsonRpcResponse[]) {
        messages.push(String((message as unknown as JsonObject).method));
        return state.frozen ? undefined : pair.server.send(message);
      },
    };
    state.sessions.push(await server.connect(channel));
    return pair.client;
  };
  const connected = await connectTo(createTransportEndpoint(open), { protocolVersion, validate: 'off', ...client });
  await turns();
  const pings = () => messages.filter(each => each === 'ping').length;
  return { clock, client: connected, state, errors, pings, messages };
}

describe.each(handshakes)('a session of a server on %s', version => {
  it('resolves its `ping` when the client responds [ping.either-direction]', async () => {
    const { client, state } = await start(version);
    await expect(state.sessions[0]?.ping()).resolves.toBeUndefined();
    await client.close();
  });

  it('ends when a `ping` is not answered in time [ping.timeout-is-failure]', async () => {
    const { client, state, clock } = await start(version);
    state.frozen = true;
    const pinged = state.sessions[0]?.ping({ timeout: 300 });
    pinged?.catch(() => {});
    clock.advance(300);
    await expect(pinged).rejects.toMatchObject({ code: 'call/timeout' });
    await turns();
    expect(client.state).toBe('reconnecting');
    await client.close();
  });

  it('pings a silent client with `keepAlive`, and ends after a missed ping [ping.periodic ping.interval-configurable]', async () => {
    const { client, state, clock, errors, pings } = await start(version, {
      keepAlive: { interval: 1000, timeout: 200 },
    });
    for (let n = 0; n < 3; n++) {
      clock.advance(1000);
      await turns();
    }
    expect([pings() > 0, client.state]).toEqual([true, 'connected']);
    state.frozen = true;
    for (let n = 0; n < 3; n++) {
      clock.advance(1000);
      await turns();
    }
    expect([errors, client.state]).toEqual([['connection/unresponsive'], 'reconnecting']);
    state.frozen = false;
    await client.ping();
    expect(state.sessions).toHaveLength(2);
    await client.close();
  });

  it('sends no ping while it waits for a response', async () => {
    const { client, clock, pings } = await start(version, { keepAlive: { interval: 1000 } });
    const call = client.callTool('waits');
    call.catch(() => {});
    for (let n = 0; n < 5; n++) {
      clock.advance(1000);
      await turns();
    }
    expect(pings()).toBe(0);
    await client.close();
  });

  it.each([
    ['without a stream that may break unnoticed', undefined, {}, 0],
    ['with such a stream', true, {}, 1],
    ['while that stream is closed', false, {}, 0],
    ['with `keepAlive: false`', true, { keepAlive: false }, 0],
  ] as const)('pings by default after 30 s %s: %s %j: %i', async (_, listening, options, expected) => {
    const { client, clock, pings } = await start(version, options, {}, listening);
    clock.advance(30_000);
    await turns();
    clock.advance(30_000);
    await turns();
    expect(pings()).toBe(expected);
    await client.close();
  });
});

describe('a connection that has opened no session', () => {
  it('rejects a ping', async () => {
    const { client, state } = await start(protocolVersions[0] as string);
    await expect(state.sessions[0]?.ping()).rejects.toMatchObject({ code: 'connection/not-open' });
    await client.close();
  });
});

describe.each(['2025-06-18', '2025-11-25'])('a handler on %s', version => {
  it('reports progress on a request of the server until the response', async () => {
    let late = () => {};
    const { client, messages } = await start(
      version,
      {},
      {
        elicit: async (_, request) => {
          request.progress(1, 2, 'reading');
          request.progress(1);
          request.progress(2, 2);
          late = () => request.progress(3);
          return { action: 'accept', content: {} };
        },
      },
    );
    expect(await client.callTool('asks')).toMatchObject({ content: [{ text: 'accept' }] });
    late();
    await turns();
    const reports = messages
      .filter(each => each.includes('notifications/progress'))
      .map(each => JSON.parse(each).params);
    expect(reports).toEqual([
      { progressToken: expect.anything(), progress: 1, total: 2, message: 'reading' },
      { progressToken: expect.anything(), progress: 2, total: 2 },
    ]);
    await client.close();
  });
});
