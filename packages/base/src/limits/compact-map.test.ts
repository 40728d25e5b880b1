import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Id } from '../../../tenon/src/jsonrpc/message.js';
import { CompactMap } from './compact-map.js';

const ids = fc.constantFrom<Id>(0, 1, 2, '0', '1', '');
const steps = fc.array(
  fc.oneof(
    fc.record({ does: fc.constant('set' as const), id: ids, value: fc.nat() }),
    fc.record({ does: fc.constant('delete' as const), id: ids }),
    fc.record({ does: fc.constant('clear' as const) }),
  ),
  { maxLength: 40 },
);

describe('CompactMap', () => {
  it('contains what a Map would after the same calls', () => {
    fc.assert(
      fc.property(steps, all => {
        const map = new Map<Id, number>();
        const roster = new CompactMap<number>();
        for (const step of all) {
          if (step.does === 'set') {
            map.set(step.id, step.value);
            roster.set(step.id, step.value);
          } else if (step.does === 'delete') expect(roster.delete(step.id)).toBe(map.delete(step.id));
          else {
            map.clear();
            roster.clear();
          }
          expect([roster.size, roster.entries()]).toEqual([map.size, [...map]]);
          for (const id of [0, 1, '0', '1', '', 2]) {
            expect([roster.has(id), roster.get(id)]).toEqual([map.has(id), map.get(id)]);
          }
        }
      }),
    );
  });

  it('returns its current entries, and may change during iteration', () => {
    const roster = new CompactMap<string>();
    roster.set(1, 'a');
    roster.set(2, 'b');
    for (const [id] of roster.entries()) roster.delete(id);
    expect(roster.size).toBe(0);
  });
});
