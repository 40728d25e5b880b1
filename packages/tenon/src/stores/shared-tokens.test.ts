import type { Buckets } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { memoryStores } from './memory-stores.js';
import { createSharedTokens } from './shared-tokens.js';

describe('a rate that processes share', () => {
  const open = (burst: number, perSecond: number) => {
    const clock = fakeClock();
    const inner = memoryStores({ clock }).buckets as Buckets;
    const requests: number[] = [];
    const buckets: Buckets = {
      take(key, size, count = 1) {
        requests.push(count);
        return inner.take(key, size, count);
      },
    };
    const openProcess = () => createSharedTokens({ buckets, scope: 'rate/test', burst, perSecond, clock });
    return { clock, requests, openProcess };
  };

  it('is never exceeded in total, at any distribution of calls [so.quota-atomic]', async () => {
    const { openProcess } = open(100, 0.001);
    const processes = [openProcess(), openProcess(), openProcess()];
    let passed = 0;
    for (let n = 0; n < 300; n++) if ((await processes[(n * n) % 3]?.take('ada')) === 0) passed++;
    // Each other process may hold a twentieth of the bucket.
    expect(passed).toBeLessThanOrEqual(100);
    expect(passed).toBeGreaterThanOrEqual(90);
  });

  it('calls the store once for a twentieth of the bucket, also for concurrent calls', async () => {
    const { requests, openProcess } = open(100, 0.001);
    const { take } = openProcess();
    expect(await Promise.all(Array.from({ length: 5 }, () => take('ada')))).toEqual([0, 0, 0, 0, 0]);
    expect(requests).toEqual([5]);
    const next = take('ada');
    expect(next).toBeInstanceOf(Promise);
    await next;
    expect(take('ada')).toBe(0);
    expect(requests).toEqual([5, 5]);
  });

  it('takes single tokens where a twentieth is missing, and returns the time of the next one', async () => {
    const { clock, requests, openProcess } = open(40, 1);
    const { take } = openProcess();
    for (let n = 0; n < 39; n++) expect(await take('ada')).toBe(0);
    clock.advance(500);
    expect(await take('ada')).toBe(0);
    const wait = await take('ada');
    expect(wait).toBe(500);
    clock.advance(wait);
    expect(await take('ada')).toBe(0);
    expect(requests.at(-1)).toBe(1);
    expect(await take('bob')).toBe(0);
  });

  it('drops tokens that were unused for a minute', async () => {
    const { clock, requests, openProcess } = open(100, 1);
    const { take } = openProcess();
    await take('ada');
    clock.advance(60_000);
    await take('ada');
    expect(requests).toEqual([5, 5]);
  });
});
