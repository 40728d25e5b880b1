import { fakeClock } from '@tenon/testing';
import { connect, createServer, rpcError, tool } from 'tenon';
import { createHandler } from 'tenon/http';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const VERSIONS = ['2025-11-25', '2026-07-28'] as const;
const nextTurn = () => new Promise(resolve => setImmediate(resolve));

/** Connects to a server over HTTP that refuses the next `refusals` POSTs of a method with 503. */
async function connectToBusyServer(protocolVersion: (typeof VERSIONS)[number], isMatch: (body: string) => boolean) {
  const clock = fakeClock();
  const state = { refusals: 0, refused: 0, calls: 0, retryAfter: '5' };
  const server = createServer({
    name: 'busy',
    version: '1',
    clock,
    tools: {
      count: tool({
        run: () => {
          state.calls += 1;
          return 'counted';
        },
      }),
      confirm: tool({ run: async (_, ctx) => (await ctx.elicit({ message: 'Sure?', input: z.object({}) })).action }),
      full: tool({
        run: () => {
          throw rpcError(503, 'Busy. Retry later', { retryAfterMs: 2000 });
        },
      }),
    },
    resources: { 'note://a': { read: () => 'a' } },
  });
  const handler = createHandler(server);
  const client = await connect(
    {
      url: 'http://localhost:3000/mcp',
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const text = await request.clone().text();
        if (state.refusals === 0 || !isMatch(text)) return handler(request);
        state.refusals -= 1;
        state.refused += 1;
        return new Response('', { status: 503, headers: { 'retry-after': state.retryAfter } });
      },
    },
    { clock, protocolVersion, elicit: () => ({ action: 'decline' }) },
  );
  client.on('error', () => {});
  onTestFinished(async () => {
    void client.close();
    await handler.close({ timeout: 0 });
  });
  /** Advances the clock until the work has settled. */
  const advanceUntilSettled = async <T>(work: Promise<T>, limit = 100_000): Promise<T> => {
    let isSettled = false;
    const settled = work.finally(() => {
      isSettled = true;
    });
    settled.catch(() => {});
    for (let elapsed = 0; !isSettled && elapsed < limit; elapsed += 500) {
      for (let turn = 0; turn < 10; turn += 1) await nextTurn();
      if (!isSettled) clock.advance(500);
    }
    return settled;
  };
  return { client, clock, state, advanceUntilSettled };
}

it.each(VERSIONS)('waits as long as the server asks before it repeats a read on %s', async version => {
  const { client, clock, state, advanceUntilSettled } = await connectToBusyServer(version, text =>
    text.includes('resources/read'),
  );
  state.refusals = 2;
  const startedAt = clock.now();
  const result = await advanceUntilSettled(client.readResource('note://a'));
  expect(result.contents).toMatchObject([{ text: 'a' }]);
  expect(state.refused).toBe(2);
  expect(clock.now() - startedAt).toBeGreaterThanOrEqual(10_000);
});

it.each(VERSIONS)('repeats a tool call on %s only if it is idempotent', async version => {
  const { client, state, advanceUntilSettled } = await connectToBusyServer(version, text =>
    text.includes('tools/call'),
  );
  state.refusals = 1;
  await expect(advanceUntilSettled(client.callTool('count'))).rejects.toMatchObject({ retryAfterMs: 5000 });
  expect(state.calls).toBe(0);
  state.refusals = 1;
  await advanceUntilSettled(client.callTool('count', {}, { idempotent: true }));
  expect(state.calls).toBe(1);
});

it.each(VERSIONS)('repeats a call that a handler refused with 503 on %s', async version => {
  const { client, clock, advanceUntilSettled } = await connectToBusyServer(version, () => false);
  const startedAt = clock.now();
  const call = client.callTool('full', {}, { idempotent: true, idleTimeout: 5000 });
  await expect(advanceUntilSettled(call)).rejects.toMatchObject({ rpcCode: 503, retryAfterMs: 2000 });
  expect(clock.now() - startedAt).toBeGreaterThanOrEqual(4000);
});

it('rejects with the refusal when the wait would exceed the timeout of the call', async () => {
  const { client, state, advanceUntilSettled } = await connectToBusyServer('2026-07-28', text =>
    text.includes('resources/read'),
  );
  state.refusals = 100;
  const read = client.readResource('note://a', { totalTimeout: 12_000 });
  await expect(advanceUntilSettled(read)).rejects.toMatchObject({ status: 503, retryAfterMs: 5000 });
  expect(state.refused).toBe(3);
});

it('stops waiting when the call is aborted', async () => {
  const { client, state, advanceUntilSettled } = await connectToBusyServer('2026-07-28', text =>
    text.includes('resources/read'),
  );
  state.refusals = 100;
  const ending = new AbortController();
  const read = client.readResource('note://a', { signal: ending.signal });
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  ending.abort();
  await expect(advanceUntilSettled(read, 0)).rejects.toMatchObject({ code: 'call/aborted' });
  expect(state.refused).toBe(1);
});

it('posts the response to a request of the server again', async () => {
  const { client, state } = await connectToBusyServer('2025-11-25', text => text.includes('"result"'));
  state.refusals = 2;
  state.retryAfter = '0';
  const result = await client.callTool('confirm');
  expect(result.content).toMatchObject([{ text: 'decline' }]);
  expect(state.refused).toBe(2);
});

it.each(VERSIONS)('continues to watch on %s after the server has refused the subscription', async version => {
  const { client, state, advanceUntilSettled } = await connectToBusyServer(version, text =>
    /subscriptions\/listen|resources\/subscribe/.test(text),
  );
  state.refusals = 2;
  const changes = client.watch('note://a')[Symbol.asyncIterator]();
  // Everything watched is reported as changed once the subscription is accepted.
  expect((await advanceUntilSettled(changes.next())).value).toEqual({ uri: 'note://a' });
  expect(state.refused).toBe(2);
  void changes.return?.();
});
