import { type Clock, type Stores, systemClock } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createServer, memoryStores, tool } from '../../../tenon/src/index.js';
import { createHost } from '../index.node.js';

const IS_FULL = process.env.TENON_TEST_EXTENT === 'full';

/** Rounds of a test: 500 in all when the tests are full. */
const ROUNDS = IS_FULL ? 50 : 12;
const PARTS = IS_FULL ? Array.from({ length: 10 }, (_, part) => part * ROUNDS) : [0];

/** A clock in which a lease of ten seconds passes in a tenth of a second. */
const createFastClock = (): Clock => {
  const start = systemClock.now();
  return {
    ...systemClock,
    now: () => start + (systemClock.now() - start) * 100,
    after: (delay, run) => systemClock.after(delay / 100, run),
  };
};

/** The stores as one process sees them: after `writes` writes the process has ended, and nothing settles any more. */
const endAfter = (stores: Stores, writes: number, onEnd: () => void): Stores => {
  let left = writes;
  const guard = <A extends unknown[], R>(run: (...args: A) => Promise<R>, cost: number) => {
    return async (...args: A): Promise<R> => {
      left -= cost;
      if (left >= 0) return run(...args);
      onEnd();
      return new Promise<R>(() => {});
    };
  };
  const { values } = stores;
  return {
    ...stores,
    durable: true,
    close: async () => {},
    values: {
      get: guard(key => values.get(key), 0),
      put: guard((key, value, options) => values.put(key, value, options), 1),
      delete: guard((key, version) => values.delete(key, version), 0),
      list: guard((prefix, options) => values.list(prefix, options), 0),
    },
  };
};

const PROGRAM = `
  const outcomes = [];
  const pay = async text => {
    try { await tools.bank__pay({ text }); outcomes.push(text + ' done') } catch (error) { outcomes.push(text + ' ' + error.code) }
  };
  await pay('a');
  await Promise.all(['b', 'c'].map(pay));
  await pay('d');
  return outcomes.sort();`;

describe('a program whose process ends', () => {
  it.each(PARTS)(
    'repeats no effect, loses none, and tells of those whose outcome is unknown: rounds from %i',
    async first => {
      const clock = createFastClock();
      const stores = memoryStores({ clock });
      let kills = 0;
      for (let round = first; round < first + ROUNDS; round++) {
        const effects: string[] = [];
        const pay = tool({ input: z.object({ text: z.string() }), run: ({ text }) => void effects.push(text) });
        const service = createServer({ name: 'bank', version: '1.0.0', tools: { pay } });
        const id = `round-${round}`;
        const runIn = async (process: Stores, ended?: Promise<undefined>) => {
          const options = { servers: { bank: { service } }, stores: process, clock, codeMode: 'only' as const };
          const host = await createHost({ ...options, onError: () => {} });
          const result = host.callTool('run_program', { program: PROGRAM, id });
          result.catch(() => {});
          const settled = await Promise.race([result, ended ?? result]);
          if (settled) await host.close();
          return settled;
        };
        // One of five processes ends, as 100 of 500 do.
        const mayEnd = IS_FULL ? round % 5 === 0 : true;
        let result: Awaited<ReturnType<typeof runIn>>;
        if (mayEnd) {
          let end: () => void = () => {};
          const ended = new Promise<undefined>(resolve => {
            end = () => resolve(undefined);
          });
          result = await runIn(
            endAfter(stores, 1 + ((round * 7) % 24), () => end()),
            ended,
          );
          if (result === undefined) kills++;
        }
        result ??= await runIn(endAfter(stores, Number.POSITIVE_INFINITY, () => {}));
        const [block] = result?.content ?? [];
        const outcomes: string[] = JSON.parse(block && 'text' in block ? block.text : '[]');
        expect(new Set(effects).size, `effects of round ${round}: ${effects}`).toBe(effects.length);
        expect(outcomes.map(each => each[0])).toEqual(['a', 'b', 'c', 'd']);
        for (const each of outcomes) {
          const [text = '', outcome] = each.split(' ');
          if (outcome === 'done') expect(effects).toContain(text);
          else expect(outcome).toBe('call/outcome-unknown');
        }
      }
      expect(kills).toBeGreaterThan(ROUNDS / 10);
    },
  );
});
