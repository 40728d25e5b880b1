import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getCallerKey, SharedLimit } from './shared-limit.js';

function takeAll(limit: SharedLimit, caller: string): number {
  let taken = 0;
  while (limit.take(caller)) taken += 1;
  return taken;
}

describe('SharedLimit', () => {
  it('lets one caller take half by default, and leaves room for others', () => {
    const limit = new SharedLimit(100);
    expect(takeAll(limit, 'eve')).toBe(50);
    expect(takeAll(limit, 'mallory')).toBe(25);
    expect(limit.take('ada')).toBe(true);
  });

  it('lets one caller take everything when maxShare is 1', () => {
    expect(takeAll(new SharedLimit(100, 1), 'eve')).toBe(100);
  });

  it('lets one caller take the part that maxShare names', () => {
    expect(takeAll(new SharedLimit(100, 0.25), 'eve')).toBe(25);
  });

  it('limits callers without an identity by the total only', () => {
    expect(takeAll(new SharedLimit(100), getCallerKey(undefined, undefined))).toBe(100);
  });

  it('admits the first caller when the limit is one', () => {
    expect(takeAll(new SharedLimit(1), 'eve')).toBe(1);
  });

  it('releases a share with its holder', () => {
    const limit = new SharedLimit(10);
    takeAll(limit, 'eve');
    expect(limit.take('eve')).toBe(false);
    limit.release('eve');
    expect(limit.take('eve')).toBe(true);
    expect(limit.total).toBe(5);
  });

  it('counts amounts', () => {
    const limit = new SharedLimit(100);
    expect(limit.take('eve', 40)).toBe(true);
    expect(limit.take('eve', 20)).toBe(false);
    expect(limit.take('ada', 20)).toBe(true);
    expect(limit.countHeld('eve')).toBe(40);
  });

  it('finds the caller that holds most, unless the given caller holds more than the average', () => {
    const limit = new SharedLimit(100);
    limit.add('eve', 30);
    limit.add('ada', 2);
    expect(limit.findLargest('ada')).toBe('eve');
    expect(limit.findLargest('eve')).toBe('eve');
  });

  it('admits a newcomer however many greedy callers there are, while callers are fewer than the limit', () => {
    const greedy = fc.array(fc.integer({ min: 0, max: 19 }), { maxLength: 500 });
    fc.assert(
      fc.property(greedy, fc.integer({ min: 21, max: 60 }), (callers, most) => {
        const limit = new SharedLimit(most);
        for (const caller of callers) limit.take(`greedy ${caller}`);
        expect(limit.total).toBeLessThanOrEqual(most);
        expect(limit.take('newcomer')).toBe(true);
      }),
    );
  });
});
