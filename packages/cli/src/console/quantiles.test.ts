import { describe, expect, it } from 'vitest';
import { findQuantiles } from './quantiles.js';

describe('findQuantiles', () => {
  it('finds the durations that 50, 95 and 99 % of the calls do not exceed, in any order [con.latency]', () => {
    const durations = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(findQuantiles(durations)).toEqual({ median: 100, p95: 190, p99: 198 });
    expect(findQuantiles([7])).toEqual({ median: 7, p95: 7, p99: 7 });
    expect(findQuantiles([])).toEqual({ median: null, p95: null, p99: null });
  });
});
