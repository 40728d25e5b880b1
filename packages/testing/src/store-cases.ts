import { checkFunction, checkObject, requireArgument, type Stores, systemClock } from '@tenon/base';
import { bucketCases, sharedBucketCases } from './bucket-cases.js';
import { busCases, sharedBusCases } from './bus-cases.js';
import { expectRejection, type StoreCase, type StoreContext } from './store-context.js';
import { check } from './test-peer.js';
import type { ContractCase } from './transport-cases.js';
import { sharedValueCases, valueCases } from './value-cases.js';

/** Newly opened, empty stores. */
export interface StoreFixture {
  /** Stores under test. */
  readonly stores: Stores;
  /**
   * Opens the same stores again, as another process would, or this process after a restart. Required unless
   * `secondOpen` is true.
   */
  readonly openSecond?: (() => Stores | Promise<Stores>) | undefined;
  /** Advances the time by this many milliseconds, for stores with an injected clock. Absent: the tests wait. */
  readonly advance?: ((ms: number) => void | Promise<void>) | undefined;
  /**
   * Maximum size of a value, in characters of JSON text.
   * @default 1 Mi
   */
  readonly maxValueSize?: number | undefined;
  /** Releases other resources of the stores. Called after the stores were closed. */
  readonly release?: (() => void | Promise<void>) | undefined;
}

/** Features that stores may lack. */
export interface UnsupportedStoreFeatures {
  /** True if the stores cannot be opened a second time, because they are in the memory of one process. */
  readonly secondOpen?: boolean | undefined;
}

/**
 * Lists the contract of stores as named cases for any test runner: `for (const { name, run } of storeCases(open))
 * it(name, run)`.
 * @param open Called once for each case.
 */
export function storeCases(
  open: () => StoreFixture | Promise<StoreFixture>,
  unsupported: UnsupportedStoreFeatures = {},
): ContractCase[] {
  requireArgument('`open` of storeCases', open, checkFunction);
  requireArgument('`unsupported` of storeCases', unsupported, checkObject());
  const shared = unsupported.secondOpen ? [] : [...sharedValueCases, ...sharedBusCases, ...sharedBucketCases];
  const cases = [...valueCases, ...busCases, ...bucketCases, ...closeCases, ...shared];
  return cases.map(([name, use]) => ({ name, run: () => runCase(open, use) }));
}

/** Maximum number of polls in a case. */
const MAX_POLLS = 1000;
const POLL_INTERVAL = 10;

async function runCase(
  open: () => StoreFixture | Promise<StoreFixture>,
  use: (stage: StoreContext) => Promise<void>,
): Promise<void> {
  const fixture = await open();
  const opened = [fixture.stores];
  const advance = async (ms: number) => {
    await fixture.advance?.(ms);
    await sleep(fixture.advance ? 0 : ms);
  };
  try {
    await use({
      ...fixture.stores,
      maxValueSize: fixture.maxValueSize ?? 2 ** 20,
      advance,
      async openSecond() {
        const other = await fixture.openSecond?.();
        if (other === undefined) throw new Error('the fixture has no `openSecond`: pass `{ secondOpen: true }`');
        opened.push(other);
        return other;
      },
      async waitUntil(condition, message) {
        for (let polls = 0; !condition(); polls++) {
          check(polls < MAX_POLLS, message);
          await advance(POLL_INTERVAL);
        }
      },
    });
  } finally {
    for (const each of opened) await each.close();
    await fixture.release?.();
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise(resolve => systemClock.after(ms, resolve, { hold: true }));
}

const closeCases: readonly StoreCase[] = [
  [
    'may be closed twice, and rejects later calls',
    async ({ values, bus, close }) => {
      const before = values.put('before', {});
      await Promise.all([close(), close()]);
      await close();
      check((await before) === 1, 'what was asked before closing was not done');
      await expectRejection('store/closed', () => values.get('a'));
      await expectRejection('store/closed', () => values.put('a', {}));
      await expectRejection('store/closed', () => values.delete('a'));
      await expectRejection('store/closed', () => values.list(''));
      await expectRejection('store/closed', () => bus.publish('a', {}));
      await expectRejection('store/closed', async () => bus.subscribe('a', () => {}));
    },
  ],
  [
    'delivers no message after it is closed',
    async ({ bus, close, advance }) => {
      let heard = 0;
      bus.subscribe('a', () => heard++);
      const publishing = bus.publish('a', {});
      await Promise.all([close(), publishing]);
      const atTheEnd = heard;
      await advance(100);
      check(heard === atTheEnd, 'a listener was told after the end');
    },
  ],
];
