import { type Clock, systemClock } from '../cancellation/clock.js';
import type { TenonError } from '../jsonrpc/error.js';
import { MAX_SHARE } from '../jsonrpc/shared-limit.js';
import { createErrorReporter, createTopicListeners } from './listeners.js';
import { createMemoryValues } from './memory-values.js';
import type { Stores } from './stores.js';
import { checkKey, createStoreClosedError, MAX_VALUE_SIZE, serializeValue } from './validation.js';

/** Options of `memoryStores`. */
export interface MemoryStoresOptions {
  /** The time by which values end. */
  readonly clock?: Clock | undefined;
  /** Maximum number of values, else `store/full`. Default: 100,000. */
  readonly maxEntries?: number | undefined;
  /** Maximum size of all JSON text together, in characters, else `store/full`. Default: 256 Mi. */
  readonly maxTotalSize?: number | undefined;
  /**
   * Maximum size of the JSON text of one value or message, in characters, else `store/value-too-large`. Default: 1 Mi.
   */
  readonly maxValueSize?: number | undefined;
  /**
   * Part of `maxEntries` and `maxTotalSize` that the values of one user, or of one address of anonymous callers, may
   * take alone, from 0 to 1. Default 0.5; 1 lets one take everything.
   */
  readonly maxShare?: number | undefined;
  /** Called for listeners that threw. Default: the error is dropped. */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/** Creates stores in this process. Nothing has to be closed: expired values are deleted when others are written. */
export function memoryStores(options: MemoryStoresOptions = {}): Stores {
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
  return {
    durable: false,
    values,
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
      listeners.clear();
    },
  };
}
