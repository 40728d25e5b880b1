import {
  type Clock,
  checkKey,
  checkOptional,
  checkRange,
  createErrorReporter,
  createStoreClosedError,
  MAX_SHARE,
  MAX_VALUE_SIZE,
  requirePresentOptions,
  type Stores,
  serializeValue,
  systemClock,
  type TenonError,
} from '@tenon/base';
import { createTopicListeners } from './listeners.js';
import { createMemoryBuckets } from './memory-buckets.js';
import { createMemoryValues } from './memory-values.js';
import { checkAmount, commonChecks } from './option-checks.js';

/** Options of `memoryStores`. */
export interface MemoryStoresOptions {
  /**
   * The clock for the expiry of values.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
  /**
   * Maximum number of values. A write beyond it throws `store/full`.
   * @default 100,000
   */
  readonly maxEntries?: number | undefined;
  /**
   * Maximum size of all JSON text together, in characters. A write beyond it throws `store/full`.
   * @default 256 Mi
   */
  readonly maxTotalSize?: number | undefined;
  /**
   * Maximum size of the JSON text of one value or message, in characters. A larger one throws
   * `store/value-too-large`.
   * @default 1 Mi
   */
  readonly maxValueSize?: number | undefined;
  /**
   * Share of `maxEntries` and `maxTotalSize` for the values of one user, or of one address of anonymous callers. A
   * number from 0 to 1; 1 sets no limit.
   * @default 0.5
   */
  readonly maxShare?: number | undefined;
  /**
   * Called with the errors that listeners throw.
   * @default these errors are ignored
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/** Creates stores in the memory of this process. You need not close them: later writes delete expired values. */
export function memoryStores(options: MemoryStoresOptions = {}): Stores {
  requirePresentOptions<MemoryStoresOptions>('memoryStores', options, {
    ...commonChecks,
    maxEntries: checkAmount,
    maxTotalSize: checkAmount,
    maxShare: checkOptional(checkRange('a number from 0 to 1', 0, 1)),
  });
  const {
    clock = systemClock,
    maxEntries = 100_000,
    maxTotalSize = 2 ** 28,
    maxValueSize = MAX_VALUE_SIZE,
    maxShare,
  } = options;
  const listeners = createTopicListeners(createErrorReporter(options.onError));
  let closed = false;
  const check = () => {
    if (closed) throw createStoreClosedError();
  };
  const values = createMemoryValues(
    clock,
    { maxEntries, maxTotalSize, maxValueSize, maxShare: maxShare ?? MAX_SHARE },
    check,
  );
  const { clear: clearBuckets, ...buckets } = createMemoryBuckets(clock, check);
  return {
    durable: false,
    values,
    buckets,
    bus: {
      async publish(topic, message) {
        check();
        checkKey(topic);
        listeners.notify(topic, serializeValue(message, maxValueSize));
      },
      subscribe(topic, listener) {
        check();
        checkKey(topic);
        return listeners.add(topic, listener);
      },
    },
    async close() {
      closed = true;
      values.clear();
      clearBuckets();
      listeners.clear();
    },
  };
}
