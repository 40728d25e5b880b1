import { fakeClock } from '@tenon/testing';
import { createServer, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import { confirmationSchema } from './guarded-server.js';
import { callTool, getRetry, getText } from './wire.js';

describe('a handler that is suspended in memory', () => {
  /** One that tells of the request that it serves, before and after its question. */
  function rig(maxSuspended = 10) {
    const seen: { signal: AbortSignal; meta: unknown; principal: string | undefined }[] = [];
    let entries = 0;
    const server = createServer({
      name: 's',
      version: '1',
      inputRequests: { maxSuspended },
      tools: {
        t: tool({
          async run(_, ctx) {
            entries++;
            const { signal } = ctx;
            const look = () => seen.push({ signal: ctx.signal, meta: ctx.meta, principal: ctx.auth?.principal });
            look();
            ctx.progress(1);
            ctx.log('info', 'before');
            const answer = await ctx.elicit({ message: 'Sure?', input: confirmationSchema });
            look();
            ctx.progress(2);
            ctx.log('info', 'after');
            if (ctx.meta.wait) await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()));
            return `${answer.action} ${ctx.signal.aborted}`;
          },
        }),
      },
    });
    return { server, seen, entered: () => entries };
  }

  const createSender = (n: number, notified: JsonObject[], more: JsonObject = {}) => ({
    principal: 'ada',
    notified,
    meta: { progressToken: `token-${n}`, 'io.modelcontextprotocol/logLevel': 'info', ...more },
  });

  it('uses the request with which it continues for progress and cancellation [mrtr.terminates-request progress.token-echoed]', async () => {
    const { server, seen, entered } = rig();
    const [first, second]: [JsonObject[], JsonObject[]] = [[], []];
    const leaving: (() => void)[] = [];
    const firstResponse = await callTool(
      server,
      't',
      {},
      { ...createSender(1, first), leaves: listener => void leaving.push(listener) },
    );
    const reportCount = first.length;
    // Who leaves a request that was answered leaves nothing.
    leaving[0]?.();
    const done = await callTool(server, 't', getRetry(firstResponse), createSender(2, second, { own: 'two' }));
    expect(getText(done)).toBe('accept false');
    expect(entered()).toBe(1);
    const words = (all: JsonObject[]) =>
      all.map(({ method, params }) => [method, (params as JsonObject).data ?? params]);
    expect(words(first)).toEqual([
      ['notifications/progress', { progressToken: 'token-1', progress: 1 }],
      ['notifications/message', 'before'],
    ]);
    expect(words(second)).toEqual([
      ['notifications/progress', { progressToken: 'token-2', progress: 2 }],
      ['notifications/message', 'after'],
    ]);
    expect(first).toHaveLength(reportCount);
    expect(seen[0]?.meta).toMatchObject({ progressToken: 'token-1' });
    expect(seen[1]?.meta).toMatchObject({ progressToken: 'token-2', own: 'two' });
    expect(seen.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  });

  it('aborts when the client cancels the current request', async () => {
    const { server } = rig();
    const leaving: (() => void)[] = [];
    const first = await callTool(server, 't', {}, createSender(1, []));
    const result = {
      ...createSender(2, [], { wait: true }),
      leaves: (listener: () => void) => void leaving.push(listener),
    };
    const done = callTool(server, 't', getRetry(first), result);
    await new Promise(resolve => setTimeout(resolve, 10));
    leaving[0]?.();
    expect(getText(await done)).toBe('accept true');
  });

  it('runs again after it was evicted, with the same outcome', async () => {
    const { server, entered } = rig(1);
    const one = await callTool(server, 't', {}, createSender(1, []));
    const two = await callTool(server, 't', {}, createSender(1, []));
    expect(getText(await callTool(server, 't', getRetry(one), createSender(2, [])))).toBe('accept false');
    expect(entered()).toBe(3);
    expect(getText(await callTool(server, 't', getRetry(two), createSender(2, [])))).toBe('accept false');
    expect(entered()).toBe(3);
  });

  it('runs again after its time has passed, without a timer', async () => {
    const clock = fakeClock(1_000_000);
    let entries = 0;
    const server = createServer({
      name: 's',
      version: '1',
      clock,
      inputRequests: { suspendTimeout: 1000 },
      tools: {
        t: tool({
          async run(_, ctx) {
            entries++;
            return (await ctx.elicit({ message: 'Sure?', input: confirmationSchema })).action;
          },
        }),
      },
    });
    const first = await callTool(server, 't');
    expect(clock.timers).toBe(0);
    clock.advance(1000);
    expect([getText(await callTool(server, 't', getRetry(first))), entries]).toEqual(['accept', 2]);
  });
});
