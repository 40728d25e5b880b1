import { array, assert, constantFrom, integer, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../test/support/extent.js';
import { createSortedKeys } from './sorted-keys.js';

const keyOf = (n: number) => String(n).padStart(4, '0');

describe('createSortedKeys', () => {
  it('behaves like a sorted set', () => {
    const step = tuple(
      constantFrom('add', 'add', 'delete'),
      integer({ min: 0, max: 5000 }),
      integer({ min: 1, max: 3000 }),
    );
    assert(
      property(
        array(step, { maxLength: 12 }),
        integer({ min: 0, max: 8000 }),
        constantFrom(1, 7919),
        (steps, first, stride) => {
          const [keys, model] = [createSortedKeys(), new Set<string>()];
          for (const [what, start, count] of steps)
            for (let n = start; n < start + count; n++) {
              const key = keyOf((n * stride) % 8000);
              if (what === 'delete' || !model.has(key)) keys[what as 'add' | 'delete'](key);
              if (what === 'add') model.add(key);
              else model.delete(key);
            }
          const from = keyOf(first);
          expect([...keys.from(from)]).toEqual([...model].filter(key => key >= from).sort());
        },
      ),
      { numRuns: takeRuns(120) },
    );
  });

  it('keeps the order when long ranges are deleted', () => {
    const keys = createSortedKeys();
    for (let n = 1000; n < 5000; n++) keys.add(keyOf(n));
    for (let n = 1100; n < 4900; n++) keys.delete(keyOf(n));
    for (let n = 0; n < 1000; n++) keys.add(keyOf(n));
    for (let n = 2000; n < 2100; n++) keys.add(keyOf(n));
    const found = [...keys.from('')];
    expect(found).toEqual(found.toSorted());
    expect(found).toHaveLength(1300);
  });
});
