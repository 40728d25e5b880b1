import { describe, expect, it } from 'vitest';
import { catchMaybe, isPromise, settleMaybe, thenMaybe } from './maybe-promise.js';

const broken = (): never => {
  throw new Error('no');
};
const failed = (error: unknown) => `failed: ${(error as Error).message}`;

describe('thenMaybe', () => {
  const next = (value: number) => value + 1;

  it('returns synchronously for a value, and a promise for a promise', async () => {
    expect(thenMaybe(1, next)).toBe(2);
    const later = thenMaybe(Promise.resolve(1), next);
    expect(isPromise(later)).toBe(true);
    expect(await later).toBe(2);
    expect(await thenMaybe(1, async value => next(value))).toBe(2);
  });

  it('fails as the first function does', async () => {
    expect(() => thenMaybe(1, broken)).toThrow('no');
    await expect(thenMaybe(Promise.reject(new Error('no')), next)).rejects.toThrow('no');
    await expect(thenMaybe(Promise.resolve(1), broken)).rejects.toThrow('no');
  });
});

describe('catchMaybe', () => {
  it('handles an error at once or later', async () => {
    expect(catchMaybe<string>(broken, failed)).toBe('failed: no');
    expect(await catchMaybe<string>(async () => broken(), failed)).toBe('failed: no');
  });

  it('returns the value of a function that does not fail', async () => {
    expect(catchMaybe(() => 'done', failed)).toBe('done');
    expect(await catchMaybe(async () => 'done', failed)).toBe('done');
  });

  it('fails when its handler fails', async () => {
    expect(() => catchMaybe(broken, broken)).toThrow('no');
    await expect(catchMaybe(async () => broken(), broken)).rejects.toThrow('no');
  });
});

it('distinguishes promises from similar values', () => {
  const having = (then: unknown): unknown => Object.fromEntries([['then', then]]);
  for (const value of [undefined, null, 1, 'then', {}, having(1), () => {}]) expect(isPromise(value)).toBe(false);
  expect(isPromise(having(() => {}))).toBe(true);
});

describe('settleMaybe', () => {
  const next = (value: number) => `done: ${value}`;

  it('returns synchronously for a value, and a promise for a promise', async () => {
    expect(settleMaybe(() => 1, next, failed)).toBe('done: 1');
    const later = settleMaybe(async () => 1, next, failed);
    expect([isPromise(later), await later]).toEqual([true, 'done: 1']);
    expect(
      await settleMaybe(
        () => 1,
        async value => next(value),
        failed,
      ),
    ).toBe('done: 1');
  });

  it('handles errors of the function and of the next one, at once or later', async () => {
    expect(settleMaybe(broken, next, failed)).toBe('failed: no');
    expect(settleMaybe(() => 1, broken, failed)).toBe('failed: no');
    expect(await settleMaybe(async () => broken(), next, failed)).toBe('failed: no');
    expect(await settleMaybe(async () => 1, broken, failed)).toBe('failed: no');
    expect(
      await settleMaybe(
        () => 1,
        async () => broken(),
        failed,
      ),
    ).toBe('failed: no');
  });

  it('calls the error handler once, also when it fails', async () => {
    let calls = 0;
    const fail = () => {
      calls += 1;
      throw new Error(`call ${calls}`);
    };
    expect(() => settleMaybe(() => 1, broken, fail)).toThrow('call 1');
    expect(() => settleMaybe(broken, next, fail)).toThrow('call 2');
    await expect(settleMaybe(async () => 1, broken, fail)).rejects.toThrow('call 3');
    await expect(settleMaybe(async () => broken(), next, fail)).rejects.toThrow('call 4');
  });
});
