/**
 * Keep stores in Redis or Valkey, for processes on any number of machines. Needs the package `@redis/client` or `ioredis`.
 *
 * @module tenon/redis
 */
export type { IORedisClient, NodeRedisClient, NodeRedisCluster, RedisClient } from './stores/redis/connection.js';
export { type RedisStoresOptions, redisStores } from './stores/redis/stores.js';
