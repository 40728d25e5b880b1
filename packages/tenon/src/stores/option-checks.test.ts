import { expect, it } from 'vitest';
import { sqliteStores } from '../runtimes/node/sqlite-stores.js';
import { memoryStores } from './memory-stores.js';
import { postgresStores } from './postgres/stores.js';
import { redisStores } from './redis/stores.js';

const openers = {
  memoryStores: (options: object) => memoryStores(options),
  redisStores: (options: object) => redisStores('redis://127.0.0.1:1', options),
  postgresStores: (options: object) => postgresStores('postgres://127.0.0.1:1/x', options),
  sqliteStores: (options: object) => sqliteStores('/nowhere/stores.sqlite', options),
};

it.each<[name: keyof typeof openers, options: object]>([
  ['memoryStores', { maxEntries: Number.NaN }],
  ['memoryStores', { maxTotalSize: -1 }],
  ['memoryStores', { maxShare: 2 }],
  ['redisStores', { maxValueSize: Number.NaN }],
  ['redisStores', { timeout: -1 }],
  ['postgresStores', { maxConnections: 0 }],
  ['postgresStores', { pollInterval: Number.NaN }],
  ['postgresStores', { transactionPooling: 'yes' }],
  ['sqliteStores', { pollInterval: 0 }],
  ['sqliteStores', { maxBytes: Number.NaN }],
  ['sqliteStores', { onError: 'log' }],
])('%s refuses %j, and names the option', (name, options) => {
  const [option = ''] = Object.keys(options);
  expect(() => openers[name](options)).toThrow(
    expect.objectContaining({ code: 'options/invalid', message: expect.stringContaining(`invalid \`${option}\``) }),
  );
});
