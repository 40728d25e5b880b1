import { describe, expect, it } from 'vitest';
import { follow, isPromise, rescue } from './follow.js';

const broken = (): never => {
  throw new Error('no');
};
const failed = (error: unknown) => `failed: ${(error as Error).message}`;

describe('what follows some work', () => {
  const next = (value: number) => value + 1;

  it('is there at once when the work is, and else a promise', async () => {
    expect(follow(1, next)).toBe(2);
    const later = follow(Promise.resolve(1), next);
    expect(isPromise(later)).toBe(true);
    expect(await later).toBe(2);
    expect(await follow(1, async value => next(value))).toBe(2);
  });

  it('fails as the work does', async () => {
    expect(() => follow(1, broken)).toThrow('no');
    await expect(follow(Promise.reject(new Error('no')), next)).rejects.toThrow('no');
    await expect(follow(Promise.resolve(1), broken)).rejects.toThrow('no');
  });
});

describe('a rescue', () => {
  it('says what comes of work that fails, at once or later', async () => {
    expect(rescue<string>(broken, failed)).toBe('failed: no');
    expect(await rescue<string>(async () => broken(), failed)).toBe('failed: no');
  });

  it('is not there for work that does not fail', async () => {
    expect(rescue(() => 'done', failed)).toBe('done');
    expect(await rescue(async () => 'done', failed)).toBe('done');
  });

  it('may fail itself', async () => {
    expect(() => rescue(broken, broken)).toThrow('no');
    await expect(rescue(async () => broken(), broken)).rejects.toThrow('no');
  });
});

it('what is there only later is told from what looks a little like it', () => {
  const having = (then: unknown): unknown => Object.fromEntries([['then', then]]);
  for (const value of [undefined, null, 1, 'then', {}, having(1), () => {}]) expect(isPromise(value)).toBe(false);
  expect(isPromise(having(() => {}))).toBe(true);
});
