import type { JsonObject } from '@tenon/base';
import type { CallOptions } from '../call-options.js';

type CallByName = (name: string, input: JsonObject | undefined, options: CallOptions | undefined) => Promise<unknown>;

/**
 * Creates an object with a function for every name except `then`, because an object with `then` would be treated as a
 * promise.
 */
export function createCallProxy(call: CallByName): object {
  return new Proxy(Object.create(null), {
    get: (_, name) =>
      typeof name === 'symbol' || name === 'then'
        ? undefined
        : (input?: JsonObject, options?: CallOptions) => call(name, input, options),
  });
}
