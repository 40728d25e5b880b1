import type { TenonError } from '@tenon/base';
import { fakeClock, storeCases } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { measureCpuTime } from '../../../../test/support/cpu-time.js';
import { isFull } from '../../../../test/support/extent.js';
import { memoryStores } from './memory-stores.js';
import { createMemoryValues } from './memory-values.js';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('memoryStores', () => {
  const open = () => {
    const clock = fakeClock(1000);
    return { stores: memoryStores({ clock }), advance: (ms: number) => clock.advance(ms) };
  };
  for (const { name, run } of storeCases(open, { secondOpen: true })) it(name, run);

  it('uses the system time by default', async () => {
    const cases = storeCases(() => ({ stores: memoryStores({ maxValueSize: 100 }), maxValueSize: 100 }), {
      secondOpen: true,
    });
    for (const { name, run } of cases) if (/time|too large/.test(name)) await run();
    expect(memoryStores().durable).toBe(false);
  });

  it('limits the number of values, and accepts others when some are deleted', async () => {
    const clock = fakeClock();
    const { values } = memoryStores({ clock, maxEntries: 10 });
    for (const n of numbers(10)) await values.put(`k${n}`, {}, n < 3 ? { ttl: 100 + n } : {});
    await expect(values.put('k10', {})).rejects.toMatchObject({ code: 'store/full' });
    expect(await values.put('k9', { over: 'what is there' })).toBe(2);
    clock.advance(100);
    expect(await values.put('k10', {})).toBe(1);
    await expect(values.put('k11', {})).rejects.toMatchObject({ code: 'store/full' });
    await values.delete('k9');
    expect(await values.put('k11', {})).toBe(1);
    clock.advance(2);
    expect([await values.put('k12', {}), await values.put('k13', {})]).toEqual([1, 1]);
    await expect(values.put('k14', {})).rejects.toMatchObject({ code: 'store/full' });
  });

  it('limits the total size', async () => {
    const { values } = memoryStores({ maxTotalSize: 100 });
    const sized = (size: number) => ({ t: 'x'.repeat(size - 8) });
    await values.put('a', sized(60));
    await expect(values.put('b', sized(41))).rejects.toMatchObject({ code: 'store/full' });
    await values.put('b', sized(40));
    await expect(values.put('b', sized(41))).rejects.toMatchObject({ code: 'store/full' });
    await values.put('a', sized(30));
    await values.put('b', sized(70));
    await values.delete('a');
    await values.put('c', sized(30));
    expect((await values.list('')).map(({ key }) => key)).toEqual(['b', 'c']);
  });

  it('lets an owner beyond its share rewrite its values, but not lengthen them or add others', async () => {
    const limits = { maxEntries: 11, maxTotalSize: 160, maxValueSize: 100, maxShare: 0.5 };
    const values = createMemoryValues(fakeClock(1000), limits, () => {});
    const sized = (size: number) => ({ x: 'a'.repeat(size - 8) });
    const full = { code: 'store/full' };
    for (const n of numbers(4)) await values.put(`eve/${n}`, sized(16), { owner: 'eve' });
    for (const n of numbers(3)) await values.put(`ada/${n}`, sized(16), { owner: 'ada' });
    await values.put('eve/0', sized(16), { owner: 'eve' });
    await values.put('eve/0', sized(8), { owner: 'eve' });
    await expect(values.put('eve/0', sized(24), { owner: 'eve' })).rejects.toMatchObject(full);
    await expect(values.put('eve/4', sized(8), { owner: 'eve' })).rejects.toMatchObject(full);
  });

  it('leaves room for others while one owner writes as much as it can', async () => {
    const byCount = memoryStores({ maxEntries: 10 }).values;
    const bySize = memoryStores({ maxTotalSize: 1000 }).values;
    for (const [values, value] of [
      [byCount, {}],
      [bySize, { text: 'x'.repeat(89) }],
    ] as const) {
      for (let n = 0; n < 5; n += 1) await values.put(`eve/${n}`, value, { owner: 'eve' });
      await expect(values.put('eve/5', value, { owner: 'eve' })).rejects.toMatchObject({ code: 'store/full' });
      await values.put('eve/0', value, { version: 1 });
      await values.put('ada/0', value, { owner: 'ada' });
      await values.put('other', value);
      await values.delete('eve/0');
      for (const key of ['ada/0', 'other']) await values.delete(key);
      await values.put('eve/5', value, { owner: 'eve' });
    }
  });

  it('frees expired values while others are written', async () => {
    const clock = fakeClock();
    const bounds = { maxEntries: 1e6, maxTotalSize: 1e9, maxValueSize: 100, maxShare: 1 };
    const values = createMemoryValues(clock, bounds, () => {});
    for (const n of numbers(5000)) {
      await values.put(`k${n}`, {}, { ttl: 100 });
      clock.advance(1);
      expect(values.entryCount).toBeLessThan(300);
    }
    expect(clock.timers).toBe(0);
  });

  it('lists and writes as fast with many keys as with few', async () => {
    const count = isFull ? 100_000 : 20_000;
    const { values } = memoryStores({ maxEntries: count });
    for (const n of numbers(count)) await values.put(`k/${(n * 7919) % count}`, { n });
    const time = await measureCpuTime(async () => {
      for (const n of numbers(1000)) {
        await values.list(`k/${n}`, { limit: 10 });
        await values.delete(`k/${n}`);
        await values.put(`k/${n}`, {});
      }
    });
    expect(time).toBeLessThan(1000);
    await expect(values.put('one more', {})).rejects.toMatchObject({ code: 'store/full' });
  });

  it('reports a listener that throws, and survives an error handler that throws', async () => {
    const errors: TenonError[] = [];
    const { bus } = memoryStores({
      onError: error => {
        errors.push(error);
        throw new Error('as planned');
      },
    });
    bus.subscribe('a', () => {
      throw new Error('as planned');
    });
    await bus.publish('a', {});
    await new Promise(setImmediate);
    expect(errors).toMatchObject([{ code: 'listener/threw', message: 'as planned' }]);
  });

  it('names no refused key in the error', async () => {
    const error = await memoryStores().values.get('the-token-of-ä').catch(String);
    expect(error).toContain('printable ASCII');
    expect(error).not.toContain('token');
  });
});
