import { TenonError } from '@tenon/base';
import { importDriver } from '../remote/import-driver.js';
import { createOnce } from '../remote/once.js';
import { isSentinelUrl, parseSentinelUrl, type SentinelGroup } from './sentinel-url.js';

/** The part of a client of `@redis/client` that the library uses. */
export interface NodeRedisClient {
  /** Sends a command. */
  sendCommand(args: readonly string[]): Promise<unknown>;
  /** Creates another client with the same options, for subscriptions. */
  duplicate(): NodeRedisSubscriber;
}

interface NodeRedisSubscriber {
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  destroy(): unknown;
}

/**
 * The part of a cluster client of `@redis/client` that the library uses. It opens its own connections for
 * subscriptions.
 */
export interface NodeRedisCluster {
  /** Sends a command to the node that has the key. */
  sendCommand(firstKey: string, isReadonly: boolean, args: string[]): Promise<unknown>;
  /** Subscribes to a channel. */
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  /** Ends all subscriptions to a channel. */
  unsubscribe(channel: string): Promise<unknown>;
  /** Nodes that accept writes. A client of a single server does not have this property. */
  readonly masters: readonly unknown[];
}

/** The part of a Sentinel client of `@redis/client` that the library uses. It follows the primary server of the group. */
export interface NodeRedisSentinel {
  /** Sends a command to the primary server. */
  sendCommand(isReadonly: boolean, args: string[]): Promise<unknown>;
  /** Subscribes to a channel. */
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  /** Ends all subscriptions to a channel. */
  unsubscribe(channel: string): Promise<unknown>;
  /** Returns the Sentinel that the client uses. Other clients do not have this method. */
  getSentinelNode(): unknown;
}

/** The part of a client or cluster of `ioredis` that the library uses. */
export interface IORedisClient {
  /** Sends a command. */
  call(command: string, ...args: string[]): Promise<unknown>;
  /** Lists the nodes of a cluster. A client of a single server does not have this method. */
  readonly nodes?: ((role: 'master') => readonly Pick<IORedisClient, 'call'>[]) | undefined;
  /** Creates another client with the same options, for subscriptions. */
  duplicate(): IORedisSubscriber;
}

interface IORedisSubscriber {
  readonly status: string;
  connect(): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: 'message', listener: (channel: string, message: string) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
  disconnect(): unknown;
}

/** A connected client of `@redis/client` or `ioredis` for one server, a Sentinel group or a cluster. */
export type RedisClient = NodeRedisClient | NodeRedisCluster | NodeRedisSentinel | IORedisClient;

/** Connection to Redis. It has the same interface for all client libraries. */
export interface RedisConnection {
  /** True if keys with different hash tags may be on different nodes. */
  readonly isCluster: boolean;
  /** Sends a command. `key` is one of its keys; a cluster uses it to find the node. */
  send(key: string, command: readonly string[]): Promise<unknown>;
  /** Subscribes to a channel. Resolves when the subscription is active. Call it once for each channel. */
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  /** Closes the connections that this object opened. */
  close(): Promise<void>;
}

type ErrorListener = (error: Error) => void;

/** Wraps a client of the application. The client stays open; subscriptions use a separate connection. */
export function wrapClient(client: RedisClient, onError: ErrorListener): RedisConnection {
  if ('call' in client) return wrapIORedis(client, onError);
  if ('masters' in client) return wrapCluster(client);
  if ('getSentinelNode' in client) return wrapSentinel(client);
  if ('sendCommand' in client) return wrapNodeRedis(client, onError);
  throw new TenonError('store/option', 'invalid Redis client', {
    expected: 'a URL, or a client of @redis/client or ioredis',
    received: 'an object without `call` and `sendCommand`',
  });
}

function wrapNodeRedis(client: NodeRedisClient, onError: ErrorListener): RedisConnection {
  const subscriber = createOnce(async () => {
    const duplicate = client.duplicate();
    duplicate.on('error', onError);
    await duplicate.connect();
    return duplicate;
  });
  return {
    isCluster: false,
    send: (_, command) => client.sendCommand(command),
    subscribe: async (channel, listener) => void (await (await subscriber.get()).subscribe(channel, listener)),
    unsubscribe: async channel => void (await (await subscriber.get()).unsubscribe(channel)),
    close: async () => void (await subscriber.peek())?.destroy(),
  };
}

function wrapCluster(cluster: NodeRedisCluster): RedisConnection {
  return {
    isCluster: true,
    send: (key, command) => cluster.sendCommand(key, false, [...command]),
    ...wrapSubscriptions(cluster),
  };
}

function wrapSentinel(sentinel: NodeRedisSentinel): RedisConnection {
  return {
    isCluster: false,
    send: (_, command) => sentinel.sendCommand(false, [...command]),
    ...wrapSubscriptions(sentinel),
  };
}

/** Wraps a client that opens its own connections for subscriptions. */
function wrapSubscriptions(
  client: Pick<NodeRedisCluster, 'subscribe' | 'unsubscribe'>,
): Pick<RedisConnection, 'subscribe' | 'unsubscribe' | 'close'> {
  const channels = new Set<string>();
  const unsubscribe = async (channel: string) => {
    if (channels.delete(channel)) await client.unsubscribe(channel);
  };
  return {
    async subscribe(channel, listener) {
      channels.add(channel);
      await client.subscribe(channel, listener);
    },
    unsubscribe,
    close: async () => void (await Promise.all([...channels].map(unsubscribe))),
  };
}

function wrapIORedis(client: IORedisClient, onError: ErrorListener): RedisConnection {
  const listeners = new Map<string, (message: string) => void>();
  const subscriber = createOnce(async () => {
    const duplicate = client.duplicate();
    duplicate.on('error', onError);
    duplicate.on('message', (channel, message) => listeners.get(channel)?.(message));
    await waitUntilReady(duplicate);
    return duplicate;
  });
  return {
    isCluster: 'nodes' in client,
    // Scripts are loaded on all nodes at once.
    send: (_, [name = '', ...args]) => (name === 'SCRIPT' ? loadEverywhere(client, args) : client.call(name, ...args)),
    async subscribe(channel, listener) {
      listeners.set(channel, listener);
      await (await subscriber.get()).subscribe(channel);
    },
    async unsubscribe(channel) {
      listeners.delete(channel);
      await (await subscriber.get()).unsubscribe(channel);
    },
    close: async () => void (await subscriber.peek())?.disconnect(),
  };
}

/** Loads a script on all nodes. A cluster client of `ioredis` would choose one at random. */
async function loadEverywhere(client: IORedisClient, args: readonly string[]): Promise<unknown> {
  const [digest] = await Promise.all((client.nodes?.('master') ?? [client]).map(node => node.call('SCRIPT', ...args)));
  return digest;
}

/**
 * Opens a client for a URL with the installed package. The client reconnects by itself; calls fail while it is
 * disconnected.
 */
export function openRedisUrl(url: string, onError: ErrorListener): RedisConnection {
  const connection = createOnce(async () => {
    const opened = (await openNodeRedis(url, onError)) ?? (await openIORedis(url, onError));
    if (opened) return opened;
    const hint = 'run `npm install @redis/client` or `npm install ioredis`';
    throw new TenonError('store/no-driver', 'no Redis client is installed', { hint });
  });
  return {
    isCluster: false,
    send: async (key, command) => (await connection.get()).send(key, command),
    subscribe: async (channel, listener) => (await connection.get()).subscribe(channel, listener),
    unsubscribe: async channel => (await connection.get()).unsubscribe(channel),
    close: async () => (await connection.peek())?.close(),
  };
}

// The package names are in variables, so that bundlers and the type check of other platforms do not need the packages.
const NODE_REDIS: string = '@redis/client';
const IOREDIS: string = 'ioredis';

async function openNodeRedis(url: string, onError: ErrorListener): Promise<RedisConnection | undefined> {
  const library: NodeRedisLibrary | undefined = await importDriver(NODE_REDIS);
  if (!library) return undefined;
  const client = isSentinelUrl(url)
    ? library.createSentinel(toSentinelOptions(parseSentinelUrl(url)))
    : library.createClient({ url, disableOfflineQueue: true });
  client.on('error', onError);
  const connection = wrapClient(client, onError);
  const connected = client.connect();
  connected.catch(onError);
  return {
    ...connection,
    // Calls wait for the first connection. After that they fail while the client is disconnected.
    send: async (key, command) => {
      await connected;
      return connection.send(key, command);
    },
    // A Sentinel client knows no server before it is connected.
    subscribe: async (channel, listener) => {
      await connected;
      return connection.subscribe(channel, listener);
    },
    async close() {
      await connection.close();
      client.destroy();
    },
  };
}

async function openIORedis(url: string, onError: ErrorListener): Promise<RedisConnection | undefined> {
  const library: { readonly Redis: IORedisConstructor } | undefined = await importDriver(IOREDIS);
  if (!library) return undefined;
  const options = { enableOfflineQueue: false, lazyConnect: true };
  const client = isSentinelUrl(url)
    ? new library.Redis({ ...options, ...toIORedisOptions(parseSentinelUrl(url)) })
    : new library.Redis(url, options);
  client.on('error', onError);
  const connection = wrapIORedis(client, onError);
  const ready = waitUntilReady(client);
  return {
    ...connection,
    send: async (key, command) => {
      await ready;
      return connection.send(key, command);
    },
    async close() {
      await connection.close();
      client.disconnect();
    },
  };
}

function toSentinelOptions({ sentinels, name, username, password, database, isTls }: SentinelGroup): object {
  const tls = isTls ? { socket: { tls: true } } : {};
  return {
    name,
    sentinelRootNodes: sentinels,
    sentinelClientOptions: tls,
    nodeClientOptions: { ...tls, username, password, database, disableOfflineQueue: true },
  };
}

function toIORedisOptions({ sentinels, name, username, password, database, isTls }: SentinelGroup): object {
  const tls = isTls ? { tls: {}, enableTLSForSentinelMode: true } : {};
  return { sentinels, name, username, password, db: database, ...tls };
}

interface OpenedClient {
  connect(): Promise<unknown>;
  on(event: 'error', listener: ErrorListener): unknown;
  destroy(): unknown;
}

interface NodeRedisLibrary {
  createClient(options: object): NodeRedisClient & OpenedClient;
  createSentinel(options: object): NodeRedisSentinel & OpenedClient;
}

type IORedisConstructor = new (target: string | object, options?: object) => IORedisClient & IORedisSubscriber;

/** Resolves when a client of `ioredis` is connected. The client keeps trying until it is closed. */
async function waitUntilReady(client: IORedisSubscriber): Promise<void> {
  if (client.status === 'ready') return;
  const ready = new Promise<void>(resolve => client.on('ready', resolve));
  // The client reports a failed attempt by its `error` event.
  if (client.status === 'wait') client.connect().catch(() => {});
  await ready;
}
