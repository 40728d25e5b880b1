import type { Buckets, Stores } from '@tenon/base';

/** The parts of stores that `guardStores` wraps. */
export interface GuardedStores extends Pick<Stores, 'values' | 'bus' | 'now'> {
  readonly buckets: Buckets;
}

/**
 * Wraps stores so that `check` runs before each use. If `check` throws, `subscribe` throws its error, and every other
 * call rejects with it.
 */
export function guardStores({ values, bus, buckets, now }: GuardedStores, check: () => void): GuardedStores {
  const stores: GuardedStores = {
    values: {
      get: async key => {
        check();
        return values.get(key);
      },
      put: async (key, value, options) => {
        check();
        return values.put(key, value, options);
      },
      delete: async (key, version) => {
        check();
        return values.delete(key, version);
      },
      list: async (prefix, options) => {
        check();
        return values.list(prefix, options);
      },
    },
    bus: {
      publish: async (topic, message) => {
        check();
        return bus.publish(topic, message);
      },
      subscribe: (topic, listener) => {
        check();
        return bus.subscribe(topic, listener);
      },
    },
    buckets: {
      take: async (key, size, count) => {
        check();
        return buckets.take(key, size, count);
      },
    },
    now:
      now &&
      (async () => {
        check();
        return now();
      }),
  };
  return stores;
}
