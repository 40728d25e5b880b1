import {
  type Buckets,
  type Clock,
  checkAnything,
  checkObject,
  createErrorReporter,
  createStoreClosedError,
  MAX_VALUE_SIZE,
  requireArgument,
  requirePresentOptions,
  runWithTimeout,
  type Stores,
  systemClock,
  TenonError,
} from '@tenon/base';
import { toBucketTimes } from '../bucket-level.js';
import { guardStores } from '../guard-stores.js';
import { checkAmount, commonChecks } from '../option-checks.js';
import { createCallTracker } from '../remote/call-tracker.js';
import { createUnavailableError } from '../remote/unavailable.js';
import { createRedisBus } from './bus.js';
import { type RedisClient, wrapClient } from './connection.js';
import { toRedisError } from './errors.js';
import { createKeyPlaces } from './key-places.js';
import { openRedisUrl } from './open-url.js';
import { createScriptLoader, type ScriptName } from './script-loader.js';
import { SCRIPTS } from './scripts.js';
import { describeRedisUrl } from './sentinel-url.js';
import { createRedisValues } from './values.js';

/** Options of `redisStores`. */
export interface RedisStoresOptions {
  /**
   * Prefix of all keys and channels: 1 to 64 letters, digits and `._-`. Deployments that share a Redis server need
   * different prefixes.
   * @default `tenon`
   */
  readonly prefix?: string | undefined;
  /**
   * Maximum size of the JSON text of one value or message, in characters. A larger one throws
   * `store/value-too-large`.
   * @default 1 Mi
   */
  readonly maxValueSize?: number | undefined;
  /**
   * Time that a call waits for Redis, in milliseconds. After it the call throws `store/unavailable`.
   * @default 2,000
   */
  readonly timeout?: number | undefined;
  /**
   * The clock for `timeout`. Values expire by the clock of Redis.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
  /**
   * Called with errors of the connection, and with errors that listeners throw.
   * @default these errors are ignored
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/** Sends one command. `key` is one of the keys in the command. */
export type SendCommand = (key: string, command: readonly string[]) => Promise<unknown>;
/** Runs a script. Its keys must have the same hash tag. */
export type RunScript = (name: ScriptName, keys: readonly string[], args: readonly string[]) => Promise<unknown>;

const PREFIX = /^[\w.-]{1,64}$/;

/**
 * Creates stores in Redis 7.0 or later, or in Valkey, for processes on any number of machines.
 *
 * `target` is a URL (`redis://`, `rediss://`, or `redis+sentinel://HOST:PORT,HOST:PORT/GROUP`), or a connected client,
 * Sentinel client or cluster of `@redis/client` or `ioredis`. A URL needs one of these packages. A client that you pass stays open when the stores are closed.
 *
 * Redis replicates and writes to disk after it has replied, so a write can be lost when a server fails or restarts. Set
 * `appendonly yes` to lose less. Do not use Redis where no write may be lost.
 * @throws TenonError `store/option` for an invalid prefix, URL or client. Calls throw `store/unavailable` while Redis does
 * not respond, `store/full` when it has no memory left, `store/no-driver` without a package, or `store/failed`.
 */
export function redisStores(target: string | URL | RedisClient, options: RedisStoresOptions = {}): Stores {
  requirePresentOptions<RedisStoresOptions>('redisStores', options, {
    ...commonChecks,
    // Checked below.
    prefix: checkAnything,
    timeout: checkAmount,
  });
  const { prefix = 'tenon', timeout = 2000, maxValueSize = MAX_VALUE_SIZE, clock = systemClock } = options;
  if (typeof prefix !== 'string' || !PREFIX.test(prefix)) {
    const expected = '1 to 64 letters, digits and `._-`';
    throw new TenonError('store/option', 'invalid option `prefix`', {
      expected,
      received: String(prefix).slice(0, 80),
    });
  }
  const isUrl = typeof target === 'string' || target instanceof URL;
  const server = isUrl ? `Redis at ${describeRedisUrl(String(target))}` : 'Redis';
  if (!isUrl) requireArgument('the target of redisStores', target, checkObject(), 'store/option');
  const report = createErrorReporter(options.onError);
  let isConnected = false;
  /** Error of the first connection, such as a wrong password. The client tries again, so that calls end by their timeout. */
  let connectError: TenonError | undefined;
  const onError = (error: unknown) => {
    const converted = toRedisError(error, server);
    if (!isConnected) connectError = converted;
    report(converted);
  };
  const connection = isUrl ? openRedisUrl(String(target), onError) : wrapClient(target, onError);
  const { track, settle } = createCallTracker(error => toRedisError(error, server));
  let closing: Promise<void> | undefined;

  /** Sends a command and throws when the server does not reply in time. The command may still take effect. */
  const send = (key: string, command: readonly string[]): Promise<unknown> =>
    runWithTimeout(() => connection.send(key, command), {
      clock,
      timeout,
      onTimeout: () => {
        throw connectError ?? createUnavailableError(server);
      },
    });
  const sendFirst: SendCommand = async (key, command) => {
    const reply = await send(key, command);
    isConnected = true;
    connectError = undefined;
    return reply;
  };

  // The scripts are loaded before the first call, so that all calls take effect in their order.
  const places = createKeyPlaces(prefix);
  const digests = createScriptLoader(sendFirst, connection.isCluster);

  const sendCommand: SendCommand = async (key, command) => {
    await digests.get(key);
    return send(key, command);
  };

  const runScript: RunScript = async (name, keys, args) => {
    const [key = ''] = keys;
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await send(key, ['EVALSHA', (await digests.get(key)).get(name) ?? '', ...rest]);
    } catch (error) {
      const isMissing = error instanceof Error && error.message.startsWith('NOSCRIPT');
      if (!isMissing) throw error;
      // This happens once after each restart of the server. Later calls can then take effect before this one.
      return send(key, ['EVAL', SCRIPTS[name], ...rest]);
    }
  };

  // A cluster client may send `PUBLISH` to any node, and messages of several nodes would change their order. A script
  // with a key always runs on the same node.
  const publish = (channel: string, message: string) =>
    connection.isCluster
      ? runScript('publish', [channel], [message])
      : sendCommand(channel, ['PUBLISH', channel, message]);

  const { clear, getPendingSubscription, ...bus } = createRedisBus(connection, publish, {
    prefix,
    maxValueSize,
    report,
    clock,
    track,
  });

  /**
   * Waits for pending subscriptions before a call, so that the data it reads is not older than the messages that
   * listeners get.
   */
  const callAfterSubscribing = async <T>(call: () => Promise<T>): Promise<T> => {
    const pendingSubscription = getPendingSubscription();
    if (pendingSubscription) await pendingSubscription;
    return call();
  };
  const values = createRedisValues(
    (key, command) => track(() => callAfterSubscribing(() => sendCommand(key, command))),
    (name, keys, args) => track(() => callAfterSubscribing(() => runScript(name, keys, args))),
    { places, maxValueSize, clock },
  );
  const buckets: Buckets = {
    async take(key, size, count = 1) {
      const { cost, capacity } = toBucketTimes(key, size, count);
      return Number(await track(() => runScript('take', [places.toBucketKey(key)], [`${cost}`, `${capacity}`])));
    },
  };

  /** Returns the time of the server, in milliseconds since the epoch. In a cluster it is always that of the same node. */
  const now = () =>
    track(async () => {
      const [seconds, microseconds] = (await sendCommand(places.toBucketKey(''), ['TIME'])) as readonly unknown[];
      return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
    });

  async function close(): Promise<void> {
    clear();
    await settle();
    await connection.close();
  }
  return {
    durable: true,
    remote: true,
    prefix,
    ...guardStores({ values, bus, buckets, now }, () => {
      if (closing) throw createStoreClosedError();
    }),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
