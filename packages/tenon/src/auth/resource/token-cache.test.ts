import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.js';
import { cacheTokens } from './token-cache.js';
import { createInvalidTokenProblem, type VerifyToken } from './token-problem.js';

function remembered(ttl = 1000, maxTokens = 2, lasting = 500) {
  const clock = fakeClock();
  const judged: string[] = [];
  const check: VerifyToken = async token => {
    judged.push(token);
    return token === 'bad'
      ? createInvalidTokenProblem()
      : { auth: { principal: token }, expires: clock.now() + lasting };
  };
  return { clock, judged, check: cacheTokens(check, { clock, maxTokens, ttl }) };
}

describe('good tokens are remembered', () => {
  it('until they end', async () => {
    const { check, judged, clock } = remembered();
    await check('a');
    clock.advance(499);
    await check('a');
    expect(judged).toEqual(['a']);
    clock.advance(1);
    await check('a');
    expect(judged).toEqual(['a', 'a']);
  });

  it('no longer than they may be', async () => {
    const { check, judged, clock } = remembered(100, 2, Number.POSITIVE_INFINITY);
    await check('a');
    clock.advance(100);
    await check('a');
    expect(judged.length).toBe(2);
  });

  it('as many as there may be: the one that was not used for longest goes', async () => {
    const { check, judged } = remembered();
    for (const token of ['a', 'b', 'a', 'c', 'a', 'b']) await check(token);
    expect(judged).toEqual(['a', 'b', 'c', 'b']);
  });

  it('never when they are bad', async () => {
    const { check, judged } = remembered();
    await check('bad');
    await check('bad');
    expect(judged.length).toBe(2);
  });

  it('and the same one is judged once at a time', async () => {
    const { check, judged } = remembered();
    await Promise.all(['a', 'a', 'b', 'a'].map(check));
    expect(judged).toEqual(['a', 'b']);
  });
});
