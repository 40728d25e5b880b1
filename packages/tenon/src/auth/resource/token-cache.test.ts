import { hashSha256 } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it, vi } from 'vitest';
import { cacheTokens } from './token-cache.js';
import { createInvalidTokenError, type VerifyToken } from './token-error.js';

const { set: original } = Map.prototype;

function remembered(ttl = 1000, maxTokens = 2, lasting = 500) {
  const clock = fakeClock();
  const judged: string[] = [];
  const check: VerifyToken = async token => {
    judged.push(token);
    return token === 'bad'
      ? createInvalidTokenError()
      : { auth: { principal: token.split(':')[0] ?? token }, expires: clock.now() + lasting };
  };
  return { clock, judged, check: cacheTokens(check, { clock, maxTokens, ttl }) };
}

describe('the cache of valid tokens', () => {
  it('keeps a token until it expires', async () => {
    const { check, judged, clock } = remembered();
    await check('a');
    clock.advance(499);
    await check('a');
    expect(judged).toEqual(['a']);
    clock.advance(1);
    await check('a');
    expect(judged).toEqual(['a', 'a']);
  });

  it('keeps a token no longer than its own lifetime', async () => {
    const { check, judged, clock } = remembered(100, 2, Number.POSITIVE_INFINITY);
    await check('a');
    clock.advance(100);
    await check('a');
    expect(judged.length).toBe(2);
  });

  it('drops the least recently used token beyond its limit', async () => {
    const { check, judged } = remembered();
    for (const token of ['a', 'b', 'a', 'c', 'a', 'b']) await check(token);
    expect(judged).toEqual(['a', 'b', 'c', 'b']);
  });

  it('keeps no invalid token', async () => {
    const { check, judged } = remembered();
    await check('bad');
    await check('bad');
    expect(judged.length).toBe(2);
  });

  it('verifies a token once for concurrent requests', async () => {
    const { check, judged } = remembered();
    await Promise.all(['a', 'a', 'b', 'a'].map(check));
    expect(judged).toEqual(['a', 'b']);
  });

  it('returns without a promise', async () => {
    const { check } = remembered();
    expect(check('a')).toBeInstanceOf(Promise);
    await check('a');
    expect(check('a')).toMatchObject({ auth: { principal: 'a' } });
  });

  it('stores only a hash of the token', async () => {
    const keys: unknown[] = [];
    const set = vi.spyOn(Map.prototype, 'set').mockImplementation(function (this: Map<unknown, unknown>, key, value) {
      keys.push(key);
      return Reflect.apply(original, this, [key, value]);
    });
    const { check } = remembered();
    await check('secret-token');
    set.mockRestore();
    expect(keys).toContain(hashSha256('secret-token'));
    expect(keys.filter(key => String(key).includes('secret-token'))).toEqual(['user secret-token']);
  });

  it('gives one user at most half of its places', async () => {
    const { check, judged } = remembered(1000, 4);
    for (const token of ['ada', 'ben:1', 'ben:2', 'ben:3', 'ben:4', 'ada']) await check(token);
    expect(judged).toEqual(['ada', 'ben:1', 'ben:2', 'ben:3', 'ben:4']);
    await check('ben:4');
    await check('ben:1');
    expect(judged.slice(5)).toEqual(['ben:1']);
  });

  it('keeps nothing with a limit of zero', async () => {
    const { check, judged } = remembered(1000, 0);
    await check('a');
    await check('a');
    expect(judged).toEqual(['a', 'a']);
  });
});
