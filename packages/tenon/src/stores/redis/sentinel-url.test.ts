import { expect, it } from 'vitest';
import { isSentinelUrl, parseSentinelUrl } from './sentinel-url.js';

it('reads Sentinels, group, database, user and password', () => {
  expect(parseSentinelUrl('rediss+sentinel://ada:p%40ss@one:26380,[::1],10.0.0.3/main/2')).toEqual({
    sentinels: [
      { host: 'one', port: 26_380 },
      { host: '::1', port: 26_379 },
      { host: '10.0.0.3', port: 26_379 },
    ],
    name: 'main',
    username: 'ada',
    password: 'p@ss',
    database: 2,
    isTls: true,
  });
  expect(parseSentinelUrl('redis+sentinel://one/main')).toMatchObject({ database: 0, isTls: false });
});

it('differs from the URL of one server', () => {
  expect(['redis://one:6379', 'redis+sentinel://one/main'].map(isSentinelUrl)).toEqual([false, true]);
});

it.each([
  'redis+sentinel://one',
  'redis+sentinel:///main',
  'redis+sentinel://one,,two/main',
  'redis+sentinel://one:x/m',
])('refuses %s', url => {
  expect(() => parseSentinelUrl(url)).toThrow(expect.objectContaining({ code: 'store/option' }) as Error);
});
