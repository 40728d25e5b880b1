import type { Stores, Values } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { AppendLog, type AppendLogOptions } from './append-log.js';
import { memoryStores } from './memory-stores.js';

interface Entry {
  readonly n: number;
}

let writers = 0;

function openLog({ values }: Pick<Stores, 'values'>, options: Partial<AppendLogOptions> = {}): AppendLog<Entry> {
  const writer = `writer-${writers++}`;
  return new AppendLog(values, {
    ...{ prefix: 'log/', writer, maxSize: 100_000, ttl: () => undefined, owner: 'someone' },
    run: attempt => attempt(),
    ...options,
  });
}

const entry = (n: number): Entry => ({ n });
const listKeys = async ({ values }: Stores) => (await values.list('log/')).map(({ key }) => key);

describe('AppendLog', () => {
  it('writes each append as a value of its own, and concurrent ones together in the next', async () => {
    const stores = memoryStores();
    const log = openLog(stores);
    expect(await log.append([entry(0)])).toBe(true);
    await Promise.all([1, 2, 3, 4].map(n => log.append([entry(n)])));
    expect((await stores.values.list('log/')).map(({ value }) => value.entries)).toEqual([
      [{ n: 0 }],
      [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }],
    ]);
  });

  it('is read in full by its next writer, however long it is', async () => {
    const stores = memoryStores();
    const log = openLog(stores);
    for (let n = 0; n < 2100; n++) await log.append([entry(n)]);
    const entries = await openLog(stores).takeOver();
    expect(entries).toEqual(Array.from({ length: 2100 }, (_, n) => entry(n)));
  });

  it('refuses a former writer, whose last entry is either read or refused', async () => {
    const stores = memoryStores();
    const former = openLog(stores);
    await former.append([entry(0)]);
    for (let round = 0; round < 20; round++) {
      const next = openLog(stores);
      const [entries, accepted] = await Promise.all([next.takeOver(), former.append([entry(round + 1)])]);
      expect(entries.some(({ n }) => n === round + 1)).toBe(accepted);
      expect(await former.append([entry(100)])).toBe(false);
      expect(await next.append([entry(200)])).toBe(true);
    }
  });

  it('reads an entry that is appended at the last moment', async () => {
    const stores = memoryStores();
    const former = openLog(stores);
    let isLate = true;
    const values: Values = {
      ...stores.values,
      async put(...args) {
        // The former writer is faster than the mark.
        if (isLate) await former.append([entry(7)]);
        isLate = false;
        return stores.values.put(...args);
      },
    };
    expect(await openLog({ values }).takeOver()).toEqual([entry(7)]);
    expect(await former.append([entry(8)])).toBe(false);
  });

  it('refuses a former writer also after the entries were deleted', async () => {
    const stores = memoryStores();
    const former = openLog(stores);
    await former.append([entry(0)]);
    const next = openLog(stores);
    await next.takeOver();
    await next.append([entry(1)]);
    await next.deleteEntries();
    expect(await listKeys(stores)).toEqual(['log/000000001']);
    expect(await former.append([entry(2)])).toBe(false);
  });

  it('recognizes an append that failed and took effect', async () => {
    const stores = memoryStores();
    let failures = 2;
    const values: Values = {
      ...stores.values,
      async put(...args) {
        const written = await stores.values.put(...args);
        if (failures-- > 0) throw new Error('lost');
        return written;
      },
    };
    const run: AppendLogOptions['run'] = attempt => attempt().catch(attempt).catch(attempt);
    const log = openLog({ values }, { run });
    expect(await log.append([entry(0)])).toBe(true);
    expect(await log.append([entry(1)])).toBe(true);
    expect(await openLog(stores).takeOver()).toEqual([entry(0), entry(1)]);
  });

  it('refuses an append that is too large in total, and accepts smaller ones', async () => {
    const stores = memoryStores();
    const log = openLog(stores, { maxSize: 25 });
    await log.append([entry(0)]);
    await expect(log.append([entry(1_000_000_000_000)])).rejects.toMatchObject({ code: 'store/value-too-large' });
    expect(await log.append([entry(1)])).toBe(true);
    const next = openLog(stores, { maxSize: 25 });
    expect(await next.takeOver()).toEqual([entry(0), entry(1)]);
    await expect(next.append([entry(2)])).rejects.toMatchObject({ code: 'store/value-too-large' });
  });
});
