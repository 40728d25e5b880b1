import { TenonError } from '@tenon/base';
import { importDriver } from '../remote/import-driver.js';
import { createOnce } from '../remote/once.js';
import {
  type ErrorListener,
  type IORedisClient,
  type IORedisSubscriber,
  type NodeRedisClient,
  type NodeRedisSentinelClient,
  type RedisConnection,
  waitUntilReady,
  wrapIORedis,
  wrapNodeRedis,
  wrapReservedSentinel,
} from './connection.js';
import { isSentinelUrl, parseSentinelUrl } from './sentinel-url.js';

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
  let client: OpenedClient;
  let connection: RedisConnection;
  if (isSentinelUrl(url)) {
    const { sentinels, name, username, password, database, isTls } = parseSentinelUrl(url);
    const tls = isTls ? { socket: { tls: true } } : {};
    const sentinel = library.createSentinel({
      name,
      sentinelRootNodes: sentinels,
      reserveClient: true,
      sentinelClientOptions: tls,
      nodeClientOptions: { ...tls, username, password, database, disableOfflineQueue: true },
    });
    client = sentinel;
    connection = wrapReservedSentinel(sentinel);
  } else {
    const single = library.createClient({ url, disableOfflineQueue: true });
    client = single;
    connection = wrapNodeRedis(single, onError);
  }
  client.on('error', onError);
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
  let client: IORedisClient & IORedisSubscriber;
  if (isSentinelUrl(url)) {
    const { sentinels, name, username, password, database: db, isTls } = parseSentinelUrl(url);
    const tls = isTls ? { tls: {}, enableTLSForSentinelMode: true } : {};
    client = new library.Redis({ ...options, sentinels, name, username, password, db, ...tls });
  } else client = new library.Redis(url, options);
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

interface OpenedClient {
  connect(): Promise<unknown>;
  on(event: 'error', listener: ErrorListener): unknown;
  destroy(): unknown;
}

interface NodeRedisLibrary {
  createClient(options: object): NodeRedisClient & OpenedClient;
  createSentinel(options: object): NodeRedisSentinelClient;
}

type IORedisConstructor = new (target: string | object, options?: object) => IORedisClient & IORedisSubscriber;
