import type { Stores } from './stores.js';

/**
 * Wraps stores so that `check` runs before each use. If `check` throws, `subscribe` throws its error, and every other
 * call rejects with it.
 */
export function guardStores(
  { values, bus }: Pick<Stores, 'values' | 'bus'>,
  check: () => void,
): Pick<Stores, 'values' | 'bus'> {
  const stores: Pick<Stores, 'values' | 'bus'> = {
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
  };
  return stores;
}
