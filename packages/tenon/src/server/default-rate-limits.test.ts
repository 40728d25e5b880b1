import type { Buckets } from '@tenon/base';
import { connectPair, fakeClock, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { CallerInfo } from '../handler/context.js';
import { memoryStores } from '../stores/memory-stores.js';
import { createRateLimits, type RateLimits, type ServerRateLimits } from './default-rate-limits.js';
import { prompt } from './definitions/prompt.js';
import { tool } from './definitions/tool.js';
import { createServer } from './server.js';

const caller = (address?: string, principal?: string): CallerInfo => ({
  client: undefined,
  capabilities: {},
  auth: principal === undefined ? undefined : { principal },
  address,
});

describe('the rate limits of a server', () => {
  /** The number of requests that pass out of 2,000 that come at once. */
  function countPassed(method: string, from: CallerInfo, given?: ServerRateLimits | false): number {
    const limits = createRateLimits(given, fakeClock());
    let passed = 0;
    for (let times = 0; times < 2_000; times++) {
      try {
        limits.check(method, from);
        passed++;
      } catch (error) {
        expect(error).toMatchObject({ rpcCode: 429, data: { retryAfterMs: expect.any(Number) } });
      }
    }
    return passed;
  }

  it('allow a remote caller 1,000 calls and 100 completions at once [tools.security.rate-limited completion.security.rate-limited]', () => {
    for (const method of ['tools/call', 'prompts/get', 'resources/read'])
      expect(countPassed(method, caller('192.0.2.1'))).toBe(1_000);
    expect(countPassed('completion/complete', caller('192.0.2.1', 'ada'))).toBe(100);
  });

  it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', undefined])('ignore callers from %s', address => {
    expect(countPassed('tools/call', caller(address))).toBe(2_000);
  });

  it('ignore opening, lists and pings', () => {
    for (const method of ['server/discover', 'ping', 'tools/list', 'initialize'])
      expect(countPassed(method, caller('192.0.2.1'))).toBe(2_000);
  });

  it('count each caller separately, and refill with time', () => {
    const clock = fakeClock();
    const limits = createRateLimits({ calls: { burst: 1, perSecond: 1 } }, clock);
    const isRefused = (from: CallerInfo) => {
      try {
        return limits.check('tools/call', from);
      } catch {
        return true;
      }
    };
    const callers = [caller('192.0.2.1'), caller('192.0.2.2'), caller('192.0.2.1', 'ada')];
    expect(callers.map(isRefused)).toEqual([undefined, undefined, undefined]);
    expect(callers.map(isRefused)).toEqual([true, true, true]);
    clock.advance(1_000);
    expect(callers.map(isRefused)).toEqual([undefined, undefined, undefined]);
  });

  it('accept other limits, and `false`', () => {
    const from = caller('192.0.2.1');
    expect(countPassed('tools/call', from, { calls: { burst: 5, perSecond: 1 } })).toBe(5);
    expect(countPassed('tools/call', from, { calls: false })).toBe(2_000);
    expect(countPassed('completion/complete', from, false)).toBe(2_000);
    expect(() => createServer({ name: 'a', version: '1', rateLimits: { calls: { burst: 0, perSecond: 1 } } })).toThrow(
      expect.objectContaining({ code: 'server/rate-limits' }),
    );
  });
});

describe.each(protocolVersions)('notifications of one request on %s', protocolVersion => {
  async function call(rateLimits?: ServerRateLimits | false) {
    const clock = fakeClock();
    const server = createServer({
      name: 'a',
      version: '1',
      clock,
      ...(rateLimits === undefined ? {} : { rateLimits }),
      tools: {
        busy: tool({
          run(_, ctx) {
            for (let n = 1; n <= 5_000; n++) {
              ctx.progress(n);
              ctx.log('error', n, n % 2 === 0 ? 'even' : 'odd');
            }
            return 'done';
          },
        }),
      },
    });
    const client = await connectPair(server, { protocolVersion, logLevel: 'debug' });
    const [progress, logs]: [number[], unknown[]] = [[], []];
    client.on('log', ({ data }) => logs.push(data));
    await client.callTool('busy', {}, { onProgress: ({ progress: value }) => progress.push(value) });
    await client.close();
    return { progress, logs, timers: clock.timers };
  }

  it('merge above the rate, and send the last value of each before the response', async () => {
    const { progress, logs, timers } = await call();
    expect(progress.length + logs.length).toBeLessThanOrEqual(103);
    expect(progress.at(-1)).toBe(5_000);
    expect(logs.slice(-2).sort()).toEqual([4_999, 5_000]);
    expect(timers).toBe(0);
  });

  it('arrive in full with `notifications: false`', async () => {
    const { progress, logs } = await call({ notifications: false });
    expect([progress.length, logs.length]).toEqual([5_000, 5_000]);
  });
});

describe('identical completions', () => {
  it('run once in a session while the first runs', async () => {
    let requestCount = 0;
    let answer = (_: string[]): void => {};
    const server = createServer({
      name: 'a',
      version: '1',
      prompts: {
        hello: prompt({
          input: { type: 'object', properties: { who: { type: 'string' } } } as const,
          complete: {
            who: () => {
              requestCount++;
              return new Promise<string[]>(resolve => {
                answer = resolve;
              });
            },
          },
          run: () => 'hello',
        }),
      },
    });
    const client = await connectPair(server, { protocolVersion: '2025-11-25' });
    const complete = (value: string) =>
      client.call('completion/complete', {
        ref: { type: 'ref/prompt', name: 'hello' },
        argument: { name: 'who', value },
      });
    const all = [complete('a'), complete('a'), complete('a')];
    await expect.poll(() => requestCount).toBe(1);
    await client.ping();
    answer(['ada']);
    expect((await Promise.all(all)).map(({ completion }) => completion)).toMatchObject(
      Array(3).fill({ values: ['ada'] }),
    );
    expect(requestCount).toBe(1);
    const later = complete('a');
    await expect.poll(() => requestCount).toBe(2);
    answer([]);
    await later;
    await client.close();
  });
});

describe('the rate limits of a server with stores', () => {
  const rate = { calls: { burst: 10, perSecond: 0.001 } } as const;
  const open = () => {
    const clock = fakeClock();
    const stores = memoryStores({ clock });
    const errors: string[] = [];
    const openProcess = () =>
      createRateLimits(rate, clock, {
        buckets: stores.buckets as Buckets,
        scope: 'notes',
        onError: ({ code }) => errors.push(code),
      });
    return { clock, stores, errors, openProcess };
  };
  const countPassed = async (limits: readonly RateLimits[], times: number) => {
    let passed = 0;
    for (let n = 0; n < times; n++) {
      try {
        await limits[n % limits.length]?.check('tools/call', caller('192.0.2.1'));
        passed++;
      } catch (error) {
        expect(error).toMatchObject({ rpcCode: 429, data: { retryAfterMs: expect.any(Number) } });
      }
    }
    return passed;
  };

  it('count all processes together, and ignore callers on this machine [so.quota-atomic]', async () => {
    const { openProcess } = open();
    const processes = [openProcess(), openProcess(), openProcess()];
    expect(await countPassed(processes, 30)).toBe(10);
    expect(processes[0]?.check('tools/call', caller('127.0.0.1'))).toBeUndefined();
  });

  it('count each process while the store does not respond, with one report', async () => {
    const { clock, stores, errors, openProcess } = open();
    const processes = [openProcess(), openProcess()];
    await stores.close();
    expect(await countPassed(processes, 30)).toBe(20);
    expect(errors).toEqual(['store/closed', 'store/closed']);
    clock.advance(5000);
    await countPassed(processes, 2);
    expect(errors).toHaveLength(4);
  });
});
