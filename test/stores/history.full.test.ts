import { type Arbitrary, array, assert, asyncProperty, constantFrom, integer, option, record, tuple } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toRecordValues } from '../../packages/base/src/stores/record-values.js';
import type { Stores } from '../../packages/base/src/stores/stores.js';
import { toTypedValues } from '../../packages/base/src/stores/typed-values.js';
import { systemClock } from '../../packages/base/src/timing/clock.js';
import { LeasedRecord } from '../../packages/tenon/src/stores/leased-record.js';
import { sharedStoreKinds } from '../../packages/tenon/src/transports/http/fixtures/shared-stores.js';
import {
  EventLog,
  type LogEntry,
  readEntries,
} from '../../packages/tenon/src/transports/http/server/stored-sessions/event-log.js';
import { isFull } from '../support/extent.js';
import { isLinearizable, type RecordedCall } from './linearize.js';

const PROCESSES = 3;
const RUNS = isFull ? 30 : 5;
const KEYS = ['a', 'b'];

const call = record({
  kind: constantFrom('get' as const, 'put' as const, 'put' as const, 'delete' as const),
  key: constantFrom(...KEYS),
  version: option(integer({ min: 0, max: 3 }), { nil: undefined }),
});
type Call = typeof call extends Arbitrary<infer T> ? T : never;
const perProcess = <T>(each: Arbitrary<T>) => tuple(...Array.from({ length: PROCESSES }, () => each));

let lastNumber = 0;

async function runCall({ values }: Stores, { kind, key, version }: Call): Promise<RecordedCall> {
  const wrote = ++lastNumber;
  const startedAt = performance.now();
  const run = async () => {
    if (kind === 'put') return values.put(key, { number: wrote }, version === undefined ? {} : { version });
    if (kind === 'delete') return values.delete(key, version);
    const stored = await values.get(key);
    return stored && { number: stored.value.number, version: stored.version };
  };
  const result = await run();
  return { kind, key, wrote, version, startedAt, endedAt: performance.now(), result };
}

describe('isLinearizable', () => {
  const times = { startedAt: 0, endedAt: 1, key: 'a' };
  it('detects two writes that replaced the same version', () => {
    const put = { ...times, kind: 'put', version: 0, result: 1 } as const;
    expect(isLinearizable([put])).toBe(true);
    expect(isLinearizable([put, put])).toBe(false);
  });

  it('detects a read of a value that was replaced before', () => {
    const put = { ...times, kind: 'put', wrote: 1, result: 1 } as const;
    const get = { key: 'a', kind: 'get', startedAt: 2, endedAt: 3 } as const;
    expect(isLinearizable([put, { ...get, result: undefined }])).toBe(false);
    expect(isLinearizable([put, { ...get, result: { number: 1, version: 1 } }])).toBe(true);
  });
});

describe.each(sharedStoreKinds)('three processes with stores in $name', ({ isInstalled, start }) => {
  if (!isInstalled) return it.skip('not installed');
  let database: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    database = await start();
  });
  afterAll(() => database.close());

  /** Runs a test with stores of each process, which begin without values. */
  async function withStores(run: (processes: readonly Stores[]) => Promise<void>): Promise<void> {
    const open = database.openStores();
    const processes = Array.from({ length: PROCESSES }, open);
    try {
      await processes[0]?.values.get('a');
      await run(processes);
    } finally {
      await Promise.all(processes.map(({ close }) => close()));
    }
  }

  it('see values that change in one order [so.session-cas]', { timeout: 120_000 }, async () => {
    await assert(
      asyncProperty(perProcess(array(call, { minLength: 1, maxLength: 5 })), plans =>
        withStores(async processes => {
          const histories = await Promise.all(
            plans.map(async (plan, index) => {
              const history: RecordedCall[] = [];
              for (const each of plan) history.push(await runCall(processes[index] as Stores, each));
              return history;
            }),
          );
          for (const key of KEYS) {
            const calls = histories.flat().filter(each => each.key === key);
            expect(isLinearizable(calls), JSON.stringify(calls)).toBe(true);
          }
        }),
      ),
      { numRuns: RUNS },
    );
  });

  it('append to one log without loss or repetition, each in its order [so.log-append]', {
    timeout: 120_000,
  }, async () => {
    const limits = { ttl: 60_000, maxEvents: 1000, maxBytes: 100_000, clock: systemClock };
    await assert(
      asyncProperty(perProcess(integer({ min: 1, max: 5 })), counts =>
        withStores(async processes => {
          await Promise.all(
            counts.map(async (count, index) => {
              const { values } = processes[index] as Stores;
              const log = new EventLog({ ...limits, values, prefix: 'log/', writer: `${index}` });
              for (let n = 0; n < count; n++) await log.append([`${index}-${n}`], () => 'g');
            }),
          );
          const entries: { entry: number; value: LogEntry }[] = [];
          const { values } = processes[0] as Stores;
          for await (const each of readEntries(toTypedValues<LogEntry>(values), 'log/', 0)) entries.push(each);
          expect(entries.map(({ entry }) => entry)).toEqual(entries.map((_, index) => index));
          const events = entries.flatMap(({ value }) => value.events);
          for (const [index, count] of counts.entries())
            expect(events.filter(each => each.startsWith(`${index}-`))).toEqual(
              Array.from({ length: count }, (_, n) => `${index}-${n}`),
            );
        }),
      ),
      { numRuns: RUNS },
    );
  });

  it('hold a lease one at a time, and lose no change of its record [so.lock-fencing]', {
    timeout: 120_000,
  }, async () => {
    const owner = { clock: systemClock, lease: 30_000 };
    await assert(
      asyncProperty(perProcess(integer({ min: 1, max: 3 })), counts =>
        withStores(async processes => {
          let [holders, changes] = [0, 0];
          const work = async ({ values }: Stores) => {
            const take = (stored: { n: number } | undefined) => stored ?? { n: 0 };
            const held = await LeasedRecord.take(values, 'record', owner, take, () => undefined);
            if (held === undefined) return;
            expect(++holders).toBe(1);
            await held.update(({ n }) => ({ n: n + 1 }));
            changes++;
            holders--;
            await held.release();
          };
          await Promise.all(
            counts.map(async (count, index) => {
              for (let n = 0; n < count; n++) await work(processes[index] as Stores);
            }),
          );
          const [{ values }] = processes as [Stores];
          expect((await toRecordValues(values).get('record'))?.value).toEqual({ n: changes });
        }),
      ),
      { numRuns: RUNS },
    );
  });
});
