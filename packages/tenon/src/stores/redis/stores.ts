import { type Clock, systemClock } from '../../cancellation/clock.js';
import { runWithTimeout } from '../../cancellation/run-with-timeout.js';
import { TenonError } from '../../jsonrpc/error.js';
import { guardStores } from '../guard-stores.js';
import { createErrorReporter } from '../listeners.js';
import type { Stores } from '../stores.js';
import { createStoreClosedError, MAX_VALUE_SIZE } from '../validation.js';
import { createRedisBus } from './bus.js';
import { openUrl, type RedisClient, wrapClient } from './connection.js';
import { createUnavailableError, isMissingScript, toRedisError } from './errors.js';
import { createOnce } from './once.js';
import { SCRIPTS } from './scripts.js';
import { createKeys, createRedisValues } from './values.js';

/** Options of `redisStores`. */
export interface RedisStoresOptions {
  /**
   * Beginning of all keys and channels. Deployments that share a Redis have different ones. 1 to 64 letters, digits and `._-`.
   * Default: `tenon`.
   */
  readonly prefix?: string | undefined;
  /**
   * Maximum size of the JSON text of one value or message, in characters, else `store/value-too-large`. Default: 1 Mi.
   */
  readonly maxValueSize?: number | undefined;
  /** Time that a call waits for Redis, in milliseconds, else `store/unavailable`. Default: 2000. */
  readonly timeout?: number | undefined;
  /** The clock of the timeout. Values end by the clock of Redis. Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Receives errors of the connection, and of listeners that threw. Default: nobody does. */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/** Sends one command. `key` is one of its keys. */
export type SendCommand = (key: string, command: readonly string[]) => Promise<unknown>;
/** Runs a script on keys of one hash tag. */
export type RunScript = (
  name: keyof typeof SCRIPTS,
  keys: readonly string[],
  args: readonly string[],
) => Promise<unknown>;

const PREFIX = /^[\w.-]{1,64}$/;

/**
 * Keeps stores in Redis 7.0 or later, or Valkey, for processes on any number of machines.
 *
 * `target` is a URL (`redis://`, `rediss://`), for which the package `@redis/client` or `ioredis` must be installed, or a
 * connected client or cluster of one of them. A client stays open when the stores are closed.
 *
 * Redis replicates and writes to disk after it has answered: a write can be lost when a server fails or restarts. Set
 * `appendonly yes`, and use Postgres where that is not enough.
 *
 * @throws TenonError `store/option` for an invalid prefix or client. Calls throw `store/unavailable` while Redis does not
 * answer, `store/full` when it has no memory left, `store/no-driver` without a package, or `store/failed`.
 */
export function redisStores(target: string | URL | RedisClient, options: RedisStoresOptions = {}): Stores {
  const { prefix = 'tenon', timeout = 2000, maxValueSize = MAX_VALUE_SIZE, clock = systemClock } = options;
  if (!PREFIX.test(prefix)) {
    const expected = '1 to 64 letters, digits and `._-`';
    throw new TenonError('store/option', 'invalid option `prefix`', { expected, received: prefix.slice(0, 80) });
  }
  const isUrl = typeof target === 'string' || target instanceof URL;
  const server = isUrl ? `Redis at ${describeUrl(target)}` : 'Redis';
  const report = createErrorReporter(options.onError);
  const onError = (error: unknown) => report(toRedisError(error, server));
  const connection = isUrl ? openUrl(String(target), onError) : wrapClient(target, onError);
  const pending = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  /** Fails when the server does not answer in time. The command may still take effect. */
  const send = (key: string, command: readonly string[]): Promise<unknown> =>
    runWithTimeout(() => connection.send(key, command), {
      clock,
      timeout,
      onTimeout: () => {
        throw createUnavailableError(server);
      },
    });

  // Loaded before the first call, so that calls take effect in their order from the first on.
  const digests = createOnce(async () => {
    const names = Object.keys(SCRIPTS) as ScriptName[];
    const load = (name: ScriptName) => send(createKeys(prefix).index, ['SCRIPT', 'LOAD', SCRIPTS[name]]);
    return new Map(await Promise.all(names.map(async name => [name, String(await load(name))] as const)));
  });

  /** Calls that were made before closing come to their end. */
  async function track<T>(call: () => Promise<T>): Promise<T> {
    const result = call();
    pending.add(result);
    try {
      return await result;
    } catch (error) {
      throw toRedisError(error, server);
    } finally {
      pending.delete(result);
    }
  }

  const sendCommand: SendCommand = async (key, command) => {
    await digests.get();
    return send(key, command);
  };

  const runScript: RunScript = async (name, keys, args) => {
    const [key = ''] = keys;
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await send(key, ['EVALSHA', (await digests.get()).get(name) ?? '', ...rest]);
    } catch (error) {
      // Once after each restart of the server. Calls that were made after this one can take effect before it then.
      if (isMissingScript(error)) return send(key, ['EVAL', SCRIPTS[name], ...rest]);
      throw error;
    }
  };

  const { clear, getPendingSubscription, ...bus } = createRedisBus(connection, sendCommand, {
    prefix,
    maxValueSize,
    report,
    clock,
    track,
  });

  /** Calls that come after a subscription wait for it, so that what they read is not older than what is heard. */
  const callAfterSubscribing = async <T>(call: () => Promise<T>): Promise<T> => {
    const pendingSubscription = getPendingSubscription();
    if (pendingSubscription) await pendingSubscription;
    return call();
  };
  const values = createRedisValues(
    (key, command) => track(() => callAfterSubscribing(() => sendCommand(key, command))),
    (name, keys, args) => track(() => callAfterSubscribing(() => runScript(name, keys, args))),
    { prefix, maxValueSize },
  );

  async function close(): Promise<void> {
    clear();
    await Promise.allSettled(pending);
    await connection.close();
  }
  return {
    durable: true,
    ...guardStores({ values, bus }, () => {
      if (closing) throw createStoreClosedError();
    }),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

type ScriptName = keyof typeof SCRIPTS;

/** The server of a URL, without user and password. */
function describeUrl(url: string | URL): string {
  try {
    return new URL(url).host;
  } catch {
    return 'an invalid URL';
  }
}
