import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { paginate } from './list-pages.js';

const self = (item: string) => item;

/** All pages, with whatever happens to the list between them. */
function read(list: () => readonly string[], size: number, between = () => {}): string[] {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = paginate(list(), self, cursor, size);
    seen.push(...items);
    cursor = nextCursor;
    between();
  } while (cursor !== undefined);
  return seen;
}

describe('paginate', () => {
  it('returns a short list in order without a cursor [pagination.next-cursor-when-more]', () => {
    expect(paginate(['b', 'a'], self, undefined, 2)).toEqual({ items: ['b', 'a'], nextCursor: undefined });
    expect(paginate([], self, undefined, 2)).toEqual({ items: [], nextCursor: undefined });
  });

  it('returns all items of a list, each once [pagination.next-cursor-when-more]', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary' })), fc.integer({ min: 1, max: 7 }), (list, size) => {
        const seen = read(() => list, size);
        expect(seen.toSorted()).toEqual(list.toSorted());
      }),
    );
  });

  it('neither repeats nor skips unchanged items, however the list changes', () => {
    const name = fc.nat(25).map(n => `k${n}`);
    const change = fc.record({ add: fc.array(name), remove: fc.array(name), turn: fc.boolean() });
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 1 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(change),
        (first, size, changes) => {
          let list = [...first];
          const stayed = new Set(first);
          const next = changes[Symbol.iterator]();
          const seen = read(
            () => list,
            size,
            () => {
              const { value, done } = next.next();
              if (done) return;
              for (const each of value.remove) stayed.delete(each);
              list = [...new Set([...list, ...value.add])].filter(each => !value.remove.includes(each));
              if (value.turn) list.reverse();
            },
          );
          expect(new Set(seen).size).toBe(seen.length);
          for (const each of stayed) expect(seen).toContain(each);
        },
      ),
      { numRuns: takeRuns(600) },
    );
  });

  it('begins again with an empty cursor', () => expect(paginate(['a', 'b'], self, '', 1).items).toEqual(['a']));

  it('rejects a cursor that it did not issue [pagination.invalid-cursor-error]', () => {
    const refused = (cursor: string) => expect(() => paginate(['a', 'b'], self, cursor, 1)).toThrow(/cursor/);
    for (const cursor of ['x', '!', 'W10=', btoa('null'), btoa('[1]'), btoa('{}'), btoa('%'), 'ü', ' ', btoa('["a"')])
      refused(cursor);
    fc.assert(
      fc.property(fc.string(), cursor => {
        fc.pre(cursor !== '');
        try {
          paginate(['a', 'b'], self, cursor, 1);
        } catch (error) {
          expect(error).toMatchObject({ rpcCode: -32602 });
        }
      }),
    );
  });
});
