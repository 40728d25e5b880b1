import { TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { type Client, type ClientOptions, connect, createServer, tool } from 'tenon';
import { createHandler } from 'tenon/http';
import { describe, expect, it, onTestFinished } from 'vitest';

const VERSIONS = ['2025-06-18', '2025-11-25', '2026-07-28', undefined] as const;
const nextTurn = () => new Promise(resolve => setImmediate(resolve));

/** A server over HTTP that refuses the next `refusals` requests with 503. */
function createBusyServer(options: ClientOptions = {}) {
  const clock = fakeClock();
  const state = {
    refusals: 0,
    refused: 0,
    headers: { 'retry-after': '5' } as Record<string, string>,
    status: (_: string) => 503,
  };
  const server = createServer({ name: 'busy', version: '1', clock, tools: { hello: tool({ run: () => 'hello' }) } });
  const handler = createHandler(server);
  onTestFinished(() => handler.close({ timeout: 0 }));
  const target = {
    url: `http://localhost:3000/${Math.random()}`,
    fetch: async (input: string | URL, init?: RequestInit) => {
      const request = new Request(input, init);
      if (state.refusals === 0 || request.method === 'DELETE') return handler(request);
      state.refusals -= 1;
      state.refused += 1;
      return new Response('', { status: state.status(await request.text()), headers: state.headers });
    },
  };
  const open = () => connect(target, { clock, ...options });
  /** Advances the clock until the work has settled. */
  const settle = async <T>(work: Promise<T>, limit = 100_000): Promise<T> => {
    let isSettled = false;
    const settled = work.finally(() => {
      isSettled = true;
    });
    settled.catch(() => {});
    for (let elapsed = 0; !isSettled && elapsed < limit; ) {
      for (let turn = 0; turn < 10; turn += 1) await nextTurn();
      // The first request waits for modules, in real time.
      if (isSettled || state.refused === 0) continue;
      clock.advance(500);
      elapsed += 500;
    }
    return settled;
  };
  return { clock, state, target, open, settle };
}

async function closeAtEnd(client: Client): Promise<Client> {
  client.on('error', () => {});
  onTestFinished(() => client.close());
  return client;
}

describe('a connection that a server refuses for now', () => {
  it.each(VERSIONS)('opens on %s when the server accepts it after the requested time', async protocolVersion => {
    const { clock, state, open, settle } = createBusyServer({ protocolVersion });
    state.refusals = 2;
    const startedAt = clock.now();
    const client = await closeAtEnd(await settle(open()));
    expect(client.server.protocolVersion).toBe(protocolVersion ?? '2026-07-28');
    expect(state.refused).toBe(2);
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(10_000);
  });

  it('is rejected with the refusal before the wait would exceed the timeout of a call', async () => {
    const { clock, state, open, settle } = createBusyServer({ totalTimeout: 12_000 });
    state.refusals = 100;
    const startedAt = clock.now();
    await expect(settle(open())).rejects.toMatchObject({ status: 503, retryAfterMs: 5000 });
    expect(state.refused).toBe(3);
    expect(clock.now() - startedAt).toBeLessThan(12_000);
  });

  it('is rejected at once when the server asks to wait longer than a call may last, or names no time', async () => {
    const { state, open, settle } = createBusyServer();
    state.refusals = 2;
    state.headers = { 'retry-after': '3600' };
    await expect(settle(open(), 500)).rejects.toMatchObject({ status: 503, retryAfterMs: 3_600_000 });
    state.headers = {};
    await expect(settle(open(), 500)).rejects.toMatchObject({ status: 503, retryAfterMs: undefined });
    expect(state.refused).toBe(2);
  });

  it('is not repeated when the authorization server asks to wait', async () => {
    const clock = fakeClock();
    let count = 0;
    const auth = {
      getHeaders: async () => {
        count += 1;
        throw new TenonError('auth/unavailable', 'the token endpoint is busy', { status: 503, retryAfterMs: 1000 });
      },
      handleRefusal: async () => false,
    };
    const { settle } = createBusyServer();
    await expect(settle(connect({ url: 'http://localhost:3000/a', auth }, { clock }), 500)).rejects.toMatchObject({
      code: 'auth/unavailable',
    });
    expect(count).toBe(1);
  });

  it('ends its wait when the client is closed', async () => {
    const { clock, state, open, settle } = createBusyServer({ protocolVersion: '2025-11-25' });
    const client = await closeAtEnd(await settle(open()));
    state.refusals = 100;
    // The server has forgotten the session, and refuses the next one for now.
    state.status = body => (body.includes('initialize') ? 503 : 404);
    const call = client.ping().catch(error => error);
    await expect.poll(() => state.refused).toBeGreaterThanOrEqual(2);
    const { refused } = state;
    await client.close();
    expect(await call).toMatchObject({ code: expect.stringMatching(/^(connection\/closed|session\/gone)$/) });
    clock.advance(60_000);
    await nextTurn();
    expect(state.refused).toBe(refused);
  });

  it('ends its wait with the reason of the signal of a host', async () => {
    const ending = new AbortController();
    const { state, target, clock } = createBusyServer();
    state.refusals = 100;
    const opening = connect(target, { clock, getOpenSignal: () => ending.signal }).catch(error => error);
    await expect.poll(() => state.refused).toBe(1);
    ending.abort(new TenonError('host/closed', 'closed'));
    expect(await opening).toMatchObject({ code: 'host/closed' });
  });
});
