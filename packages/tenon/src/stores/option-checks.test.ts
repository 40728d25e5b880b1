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

it.each([
  ['redisStores', 'http://:secret@localhost:6379'],
  ['redisStores', 'localhost:6379'],
  ['redisStores', '/run/redis.sock'],
  ['redisStores', ''],
  ['redisStores', 'redis://localhost/cache'],
  ['redisStores', 'redis+sentinel://localhost'],
  ['postgresStores', 'mysql://:secret@localhost/x'],
  ['postgresStores', 'localhost/x'],
])('%s refuses the URL %s, and does not repeat it', (name, url) => {
  const open = () => (name === 'redisStores' ? redisStores(url) : postgresStores(url));
  expect(open).toThrow(
    expect.objectContaining({ code: 'store/option', message: expect.stringMatching(/^invalid URL of (?!.*secret)/) }),
  );
});

it.each(['redis://:secret@localhost', 'sqlite:stores.db', 'file:///srv/stores.db', ''])(
  'sqliteStores refuses %j, which is not the path of a file',
  file => {
    expect(() => sqliteStores(file)).toThrow(
      expect.objectContaining({ code: 'options/invalid', message: expect.not.stringContaining('secret') }),
    );
  },
);

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
