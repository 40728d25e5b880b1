import type { Buckets } from '@tenon/base';
import { expectRejection, listNumbers, type StoreCase } from './store-context.js';
import { assertEqual, check } from './test-peer.js';

/** Rate at which no token is added during a case. */
const SLOW = 0.001;

/** Creates a case for stores with buckets. Stores without them pass it. */
function createCase(
  name: string,
  use: (buckets: Buckets, context: Parameters<StoreCase[1]>[0]) => Promise<void>,
): StoreCase {
  return [name, async context => context.buckets && use(context.buckets, context)];
}

export const bucketCases: readonly StoreCase[] = [
  createCase('takes the tokens of a full bucket, and then one for each interval', async (buckets, { advance }) => {
    const size = { burst: 3, perSecond: 5 };
    const start = Date.now();
    const takeAll = async () => {
      let taken = 0;
      let wait = await buckets.take('a', size);
      for (; wait === 0 && taken < 50; wait = await buckets.take('a', size)) taken += 1;
      return { taken, wait };
    };
    const { taken, wait } = await takeAll();
    check(taken >= 3, 'a token of a full bucket was refused');
    check(wait > 0 && wait <= 200, `expected a wait of at most 200 ms, got ${wait}`);
    await advance(wait);
    const added = (await takeAll()).taken;
    check(added > 0, 'no token was added during the wait');
    const intervals = Math.max(1, Math.floor((Date.now() - start) / 200));
    check(taken + added <= 3 + intervals, `expected at most ${3 + intervals} tokens, got ${taken + added}`);
  }),
  createCase('counts each key by itself', async buckets => {
    const size = { burst: 1, perSecond: SLOW };
    assertEqual([await buckets.take('a', size), await buckets.take('b', size)], [0, 0]);
    check((await buckets.take('a', size)) > 0, 'a second token was taken from one bucket');
  }),
  createCase('takes several tokens or none, and takes tokens back', async buckets => {
    const size = { burst: 5, perSecond: SLOW };
    check((await buckets.take('a', size, 4)) === 0, 'four of five tokens were refused');
    check((await buckets.take('a', size, 2)) > 0, 'two tokens were taken where one was left');
    assertEqual([await buckets.take('a', size, -1), await buckets.take('a', size, 2)], [0, 0]);
    check((await buckets.take('a', size)) > 0, 'more tokens were taken than the bucket had');
    assertEqual([await buckets.take('a', size, -9), await buckets.take('a', size, 5)], [0, 0]);
    check((await buckets.take('a', size)) > 0, 'a bucket had more tokens than a full one');
  }),
  createCase('lets concurrent calls take each token once', async buckets => {
    const size = { burst: 10, perSecond: SLOW };
    const waits = await Promise.all(listNumbers(40).map(() => buckets.take('a', size)));
    check(waits.filter(wait => wait === 0).length === 10, `expected 10 tokens, got ${waits.join(', ')}`);
  }),
  createCase('lists no bucket among the values', async (buckets, { values }) => {
    await buckets.take('a', { burst: 1, perSecond: SLOW });
    assertEqual([await values.list(''), (await values.get('a')) ?? null], [[], null]);
  }),
  createCase('rejects an invalid size, count or key', async buckets => {
    const size = { burst: 2, perSecond: 1 };
    for (const invalid of [{ burst: 0 }, { perSecond: 0 }, { perSecond: Number.NaN }, { burst: Infinity }])
      await expectRejection('store/option', () => buckets.take('a', { ...size, ...invalid }));
    for (const count of [3, Number.NaN]) await expectRejection('store/option', () => buckets.take('a', size, count));
    await expectRejection('store/key', () => buckets.take('', size));
  }),
];

export const sharedBucketCases: readonly StoreCase[] = [
  createCase('lets two openings take no more tokens together than one', async (buckets, { openSecond }) => {
    const other = (await openSecond()).buckets;
    check(other !== undefined, 'the second opening has no buckets');
    const size = { burst: 10, perSecond: SLOW };
    const openings = [buckets, other ?? buckets];
    const waits = await Promise.all(listNumbers(30).map(number => openings[number % 2]?.take('a', size)));
    check(waits.filter(wait => wait === 0).length === 10, `expected 10 tokens, got ${waits.join(', ')}`);
  }),
];
