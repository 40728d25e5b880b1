import { describe, expect, it } from 'vitest';
import { compare, rotate } from '../../bench/report.mjs';
import { findRegressions } from '../../bench/summary/reference.mjs';

describe('figures of a benchmark', () => {
  it('are compared by round, because a slow round is slow for both', () => {
    expect(compare([10, 20, 11], [10, 20, 10])).toEqual({ paired: 1, least: 1 });
    expect(compare([15, 30, 15], [10, 20, 10])).toEqual({ paired: 1.5, least: 1.5 });
  });

  it('have no ratio without a base', () => expect(compare([1, 2], []).paired).toBeNaN());

  it('are measured in an order that rotates each round', () => {
    expect([0, 1, 2, 3].map(round => rotate(['a', 'b', 'c'], round).join(''))).toEqual(['abc', 'bca', 'cab', 'abc']);
  });

  it('count as a regression when more than 15 % above the reference', () => {
    const reference = { http: [1, 2], stdio: [1] };
    expect(findRegressions({ http: [1.14, 2.31], stdio: [0.5], memory: [9] }, reference)).toEqual([
      { work: 'http', before: 2, figure: 2.31 },
    ]);
  });
});
