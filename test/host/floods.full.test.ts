import { afterEach, describe, expect, it } from 'vitest';
import { getText } from '../interop/collect.js';
import { retryUntilPasses } from '../interop/retry.js';
import { takePart } from '../support/extent.js';
import { createFaultyServer } from './faulty-server.js';
import { type HostFixture, startHost } from './host-fixture.js';

const pairs = [
  ['2026-07-28', '2025-11-25'],
  ['2025-11-25', '2026-07-28'],
  ['2024-11-05', '2024-11-05'],
] as const;
const MiB = 1024 * 1024;

/** What others see while one floods. */
interface Meanwhile {
  /** The most processor time of this process during a call of another server, in milliseconds. A busy machine changes it little. */
  readonly longest: number;
  readonly calls: number;
  /** By how much more memory was in use at the most, in MiB. */
  readonly memory: number;
}

/** Calls another server all the time that the work takes. */
async function meanwhile({ client }: HostFixture, work: Promise<unknown>): Promise<Meanwhile> {
  const before = process.memoryUsage();
  let going = true;
  void work
    .catch(() => {})
    .finally(() => {
      going = false;
    });
  let [longest, calls, memory] = [0, 0, 0];
  while (going || calls < 20) {
    const since = process.cpuUsage();
    expect(getText(await client.callTool('good__echo', { text: `call ${calls}` }))).toBe(`call ${calls}`);
    const { user, system } = process.cpuUsage(since);
    longest = Math.max(longest, (user + system) / 1000);
    const { heapUsed, external } = process.memoryUsage();
    memory = Math.max(memory, heapUsed + external - before.heapUsed - before.external);
    calls += 1;
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  return { longest, calls, memory: Math.round(memory / MiB) };
}

describe.each(takePart(pairs, 0, pairs.length))(
  'a client of %s and servers of %s, when one server floods',
  (version, serverVersion) => {
    let setup: HostFixture;
    afterEach(async () => {
      await setup.close();
    });
    const begin = async () => {
      setup = await startHost(
        {
          good: createFaultyServer({ version: serverVersion }),
          floods: createFaultyServer({ version: serverVersion }),
        },
        { version },
      );
      await setup.client.callTool('good__echo');
      await setup.client.callTool('floods__echo');
      return setup;
    };
    const flood = async (what: string, times: number) => {
      const since = Date.now();
      const work = setup.client.callTool(`floods__floods-${what}`, { times }, { idleTimeout: 60_000 });
      const seen = await meanwhile(setup, work);
      expect(getText(await work)).toBe('done');
      const took = Date.now() - since;
      if (process.env.TENON_FIGURES)
        console.log(JSON.stringify({ what, times, version, serverVersion, took, ...seen }));
      expect(seen.longest).toBeLessThan(2000);
      expect(seen.memory).toBeLessThan(300);
      return { took, ...seen };
    };
    const codes = () => setup.errors.map(({ code }) => code);

    it('limits the log messages passed on per second, and reports the excess', async () => {
      const { logs } = await begin();
      const { took } = await flood('logs', 50_000);
      await retryUntilPasses(() => expect(logs.length).toBeGreaterThanOrEqual(200));
      expect(logs.length).toBeLessThanOrEqual(200 * (2 + took / 1000));
      expect(codes()).toContain('host/flood');
    });

    it('merges changes of a list into at most four notifications per second', async () => {
      const { changes } = await begin();
      // What a server has is heard of from its first list on.
      await setup.client.call('tools/list');
      await retryUntilPasses(async () => {
        await setup.client.callTool('floods__floods-lists', { times: 1 });
        expect(changes.length).toBeGreaterThan(0);
      });
      await new Promise(resolve => setTimeout(resolve, 1200));
      changes.length = 0;
      const { took } = await flood('lists', 20_000);
      await retryUntilPasses(() => expect(changes.length).toBeGreaterThan(0));
      await new Promise(resolve => setTimeout(resolve, 1200));
      expect(changes.length).toBeLessThanOrEqual(2 + (took + 1200) / 250);
    });

    it('survives 100,000 lines that are no messages', async () => {
      await begin();
      const { took } = await flood('stdout', 100_000);
      expect(codes().length).toBeGreaterThan(0);
      expect(codes().length).toBeLessThanOrEqual(21 * (2 + took / 1000));
      expect(codes()).toContain('host/flood');
    });

    it('survives many lines on stderr', async () => {
      await begin();
      await flood('stderr', 100_000);
    });

    it('survives responses without a request, and many input requests', async () => {
      await begin();
      await flood('answers', 50_000);
      await flood('input-requests', 10_000);
      expect(codes().length).toBeLessThan(1000);
    });

    it('limits progress notifications', async () => {
      await begin();
      const seen: number[] = [];
      const work = setup.client.callTool(
        'floods__floods-progress',
        { times: 20_000 },
        { onProgress: ({ progress }) => seen.push(progress) },
      );
      const { longest, memory } = await meanwhile(setup, work);
      expect(getText(await work)).toBe('done');
      expect(longest).toBeLessThan(2000);
      expect(memory).toBeLessThan(300);
      expect(seen.length).toBeGreaterThan(0);
    });
  },
);
