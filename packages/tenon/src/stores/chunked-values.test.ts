import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeClock, storeCases } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { sqliteStores } from '../sqlite.js';
import { chunkLargeValues } from './chunked-values.js';
import { memoryStores } from './memory-stores.js';

const MI = 2 ** 20;

function createSite() {
  const clock = fakeClock(1000);
  const memory = memoryStores({ clock });
  const values = chunkLargeValues(memory.values, 4 * MI);
  const chunks = async () => (await memory.values.list('chunk/')).length;
  return { clock, memory, values, chunks };
}

describe('chunkedValues', () => {
  describe('keep the contract of values', () => {
    const open = () => {
      const { clock, memory, values } = createSite();
      return { stores: { ...memory, values }, advance: (ms: number) => clock.advance(ms) };
    };
    for (const { name, run } of storeCases(open, { secondOpen: true })) if (!name.includes('too large')) it(name, run);
  });

  it('return a value that is larger than the store accepts', async () => {
    const { values, chunks } = createSite();
    const value = { a: 'x'.repeat(3 * MI), b: { n: 1 }, c: ['\u0000"\ud800'.repeat(50_000)], lease: { until: 1 } };
    expect(await values.put('k', value)).toBe(1);
    const found = await values.get('k');
    expect(found).toEqual({ key: 'k', value, version: 1 });
    expect(Object.keys(found?.value ?? {})).toEqual(Object.keys(value));
    expect(await values.list('k')).toEqual([{ key: 'k', value, version: 1 }]);
    expect(await chunks()).toBeGreaterThan(20);
  });

  it('refuse a value larger than `maxSize`, and keep the former one', async () => {
    const { values, chunks } = createSite();
    await values.put('k', { n: 1 });
    await expect(values.put('k', { a: 'x'.repeat(5 * MI) })).rejects.toMatchObject({
      code: 'store/value-too-large',
      expected: `at most ${4 * MI} characters of JSON`,
    });
    expect([await values.get('k'), await chunks()]).toEqual([{ key: 'k', value: { n: 1 }, version: 1 }, 0]);
  });

  it('leave no chunks when a value shrinks, changes, loses a race, expires or is deleted', async () => {
    const { values, chunks, clock } = createSite();
    const large = (of: string) => ({ a: of.repeat(2 * MI), n: 1 });
    await values.put('k', large('x'), { version: 0 });
    const count = await chunks();
    expect(await values.put('k', large('y'), { version: 1 })).toBe(2);
    expect(await chunks()).toBe(count);
    expect(await values.put('k', large('z'), { version: 7 })).toBeUndefined();
    expect(await chunks()).toBe(count);
    expect(await values.put('k', { n: 1 }, { version: 2 })).toBe(3);
    expect(await chunks()).toBe(0);
    await values.put('k', large('x'), { version: 3 });
    expect([await values.delete('k', 3), await values.delete('k', 4), await chunks()]).toEqual([false, true, 0]);
    await values.put('k', large('x'), { ttl: 100 });
    clock.advance(100);
    expect([await values.get('k'), await chunks()]).toEqual([undefined, 0]);
  });

  it('write the chunks once while only small members change', async () => {
    const { memory, clock } = createSite();
    const keys: string[] = [];
    const put: typeof memory.values.put = (key, ...rest) => {
      keys.push(key);
      return memory.values.put(key, ...rest);
    };
    const values = chunkLargeValues({ ...memory.values, put }, 4 * MI);
    const journal = ['x'.repeat(2 * MI)];
    await values.put('k', { journal, until: clock.now() }, { version: 0 });
    const count = keys.length;
    await values.get('k');
    expect(await values.put('k', { journal, until: clock.now() + 1 }, { version: 1 })).toBe(2);
    // The attempt to write it whole, and the value without its large member.
    expect(keys.slice(count)).toEqual(['k', 'k']);
    expect((await values.get('k'))?.value).toEqual({ journal, until: clock.now() + 1 });
  });

  it('are cached up to a limit, and the least recently used one is written again', async () => {
    const { memory } = createSite();
    let writes = 0;
    const put: typeof memory.values.put = (...args) => {
      writes += 1;
      return memory.values.put(...args);
    };
    const values = chunkLargeValues({ ...memory.values, put }, 4 * MI, 2);
    const text = 'x'.repeat(2 * MI);
    const countWrites = async (key: string) => {
      const before = writes;
      await values.put(key, { text });
      return writes - before;
    };
    const all = await countWrites('a');
    expect(all).toBeGreaterThan(10);
    expect(await countWrites('b')).toBe(all);
    // The attempt to write the whole value, and the value without its large member.
    expect([await countWrites('a'), await countWrites('b'), await countWrites('a')]).toEqual([2, 2, 2]);
    expect(await countWrites('c')).toBe(all);
    expect([await countWrites('a'), await countWrites('b')]).toEqual([2, all]);
  });

  it('are consistent for another process while they are replaced', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-chunks-'));
    const [one, two] = [sqliteStores(join(folder, 'a.db')), sqliteStores(join(folder, 'a.db'))];
    const [writer, reader] = [chunkLargeValues(one.values, 4 * MI), chunkLargeValues(two.values, 4 * MI)];
    try {
      await writer.put('k', { text: 'a'.repeat(MI + 1) });
      const reads = Promise.all(
        Array.from({ length: 10 }, async () => String((await reader.get('k'))?.value.text ?? 'gone')),
      );
      for (const letter of ['b', 'c']) await writer.put('k', { text: letter.repeat(MI + 1) });
      for (const text of await reads) expect([text.length, new Set(text).size]).toEqual([MI + 1, 1]);
    } finally {
      await Promise.all([one.close(), two.close()]);
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    }
  });
});
