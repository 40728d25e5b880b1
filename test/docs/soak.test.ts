import { describe, expect, it } from 'vitest';
import { lineThrough, verdict } from '../../bench/soak/slope.mjs';

const SPAN = 450;
const xs = Array.from({ length: 60 }, (_, at) => (at * SPAN) / 59);
/** The same each time, without a trend. */
const noise = (at: number) => Math.sin(at * 7919) * 100;

describe('growth of the soak', () => {
  it('computes the slope of a line, without an error', () => {
    const { slope, error, mean } = lineThrough([0, 1, 2, 3], [5, 7, 9, 11]);
    expect(slope).toBeCloseTo(2);
    expect(error).toBeCloseTo(0);
    expect(mean).toBe(8);
  });

  it('distinguishes growth from noise', () => {
    const report = (rise: number, loud: number, limit: number) =>
      verdict(
        lineThrough(
          xs,
          xs.map((x, at) => rise * x + loud * noise(at)),
        ),
        SPAN,
        limit,
      );
    expect(report(0, 1, 200)).toBe('no growth');
    expect(report(2, 1, 200)).toBe('growth');
    expect(report(0, 10, 200)).toBe('not to be told');
    expect(report(-5, 1, 200)).toBe('no growth');
  });

  it('reports a larger error for slow waves', () => {
    const slowly = xs.map(x => 100 * Math.sin(x / 40));
    const quickly = xs.map((_, at) => noise(at));
    expect(lineThrough(xs, slowly).error).toBeGreaterThan(2 * lineThrough(xs, quickly).error);
  });

  it('requires at least four points', () => {
    expect(() => lineThrough([1, 2, 3], [1, 2, 3])).toThrow('four points');
  });
});
