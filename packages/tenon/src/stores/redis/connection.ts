import { TenonError } from '@tenon/base';
import { createOnce } from '../remote/once.js';

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
  /** Creates another client with the same options and `reserveClient`. */
  duplicate(options: { readonly reserveClient: true }): NodeRedisSentinelClient;
  /** Returns the Sentinel that the client uses. Other clients do not have this method. */
  getSentinelNode(): unknown;
}

/** A Sentinel client with `reserveClient`, which keeps the order of its commands. */
export interface NodeRedisSentinelClient {
  connect(): Promise<unknown>;
  /** Sends a command to the primary server. */
  sendCommand(isReadonly: boolean, args: string[]): Promise<unknown>;
  /** Subscribes to a channel. */
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  /** Ends all subscriptions to a channel. */
  unsubscribe(channel: string): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  destroy(): unknown;
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

export interface IORedisSubscriber {
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

export type ErrorListener = (error: Error) => void;

/**
 * Wraps a client of the application. The client stays open; subscriptions, and all commands in a Sentinel group, use a
 * separate connection.
 */
export function wrapClient(client: RedisClient, onError: ErrorListener): RedisConnection {
  if ('call' in client) return wrapIORedis(client, onError);
  if ('masters' in client)
    return {
      isCluster: true,
      send: (key, command) => client.sendCommand(key, false, [...command]),
      ...wrapSubscriptions(client),
    };
  if ('getSentinelNode' in client) return wrapSentinel(client, onError);
  if ('sendCommand' in client) return wrapNodeRedis(client, onError);
  throw new TenonError('store/option', 'invalid Redis client', {
    expected: 'a URL, or a client of @redis/client or ioredis',
    received: 'an object without `call` and `sendCommand`',
  });
}

export function wrapNodeRedis(client: NodeRedisClient, onError: ErrorListener): RedisConnection {
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

/**
 * A Sentinel client of `@redis/client` without `reserveClient` does not keep the order of its commands: one that is sent
 * while the first of a group waits for its connection runs after all that are sent until none is pending.
 */
function wrapSentinel(sentinel: NodeRedisSentinel, onError: ErrorListener): RedisConnection {
  const reserved = createOnce(async () => {
    const client = sentinel.duplicate({ reserveClient: true });
    client.on('error', onError);
    await client.connect();
    return { client, ...wrapReservedSentinel(client) };
  });
  return {
    isCluster: false,
    send: async (key, command) => (await reserved.get()).send(key, command),
    subscribe: async (channel, listener) => (await reserved.get()).subscribe(channel, listener),
    unsubscribe: async channel => (await reserved.get()).unsubscribe(channel),
    close: async () => void (await reserved.peek())?.client.destroy(),
  };
}

/** Wraps a Sentinel client that was created with `reserveClient`. */
export function wrapReservedSentinel(sentinel: NodeRedisSentinelClient): RedisConnection {
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

export function wrapIORedis(client: IORedisClient, onError: ErrorListener): RedisConnection {
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
    send(_, [name = '', ...args]) {
      if (name !== 'SCRIPT') return client.call(name, ...args);
      // Scripts are loaded on all nodes. A cluster client of `ioredis` would choose one at random.
      const nodes = client.nodes?.('master') ?? [client];
      return Promise.all(nodes.map(node => node.call('SCRIPT', ...args))).then(([digest]) => digest);
    },
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

/** Resolves when a client of `ioredis` is connected. The client keeps trying until it is closed. */
export async function waitUntilReady(client: IORedisSubscriber): Promise<void> {
  if (client.status === 'ready') return;
  const ready = new Promise<void>(resolve => client.on('ready', resolve));
  // The client reports a failed attempt by its `error` event.
  if (client.status === 'wait') client.connect().catch(() => {});
  await ready;
}
