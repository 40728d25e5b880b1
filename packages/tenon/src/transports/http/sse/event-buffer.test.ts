import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { EventBuffer, formatEventId } from './event-buffer.js';

const bounds = { maxReplayEvents: 20, maxReplayBytes: 4000 };
const bytes = (text: string) => new TextEncoder().encode(text).length;

describe('EventBuffer', () => {
  it('keeps the last events, however it grows and shrinks', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.nat(6000).map(length => 'é'.repeat(length)),
      fc.nat(6000).map(length => 'x'.repeat(length)),
    );
    const step = fc.oneof(
      { weight: 9, arbitrary: fc.record({ stream: fc.nat(2), text }) },
      { weight: 1, arbitrary: fc.constant('drop' as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), steps => {
        const buffer = new EventBuffer(bounds);
        let stored: { stream: number; place: number; text: string }[] = [];
        for (const [at, one] of steps.entries()) {
          if (one === 'drop') {
            buffer.dropOldest();
            stored = stored.slice(1);
            continue;
          }
          buffer.add(one.stream, at + 1, one.text);
          stored.push({ ...one, place: at + 1 });
          const size = () => stored.reduce((sum, each) => sum + bytes(each.text), 0);
          while (stored.length > bounds.maxReplayEvents || size() > bounds.maxReplayBytes) stored.shift();
          expect(buffer.size).toBe(size());
        }
        expect(buffer.isEmpty).toBe(stored.length === 0);
        for (const stream of [0, 1, 2]) {
          const own = stored.filter(each => each.stream === stream);
          expect(buffer.listAfter(stream, 0)).toEqual(
            own.map(({ place, text }) => ({ id: formatEventId(stream, place), text })),
          );
        }
      }),
    );
  });

  it('allocates nothing once it holds as much as ever', () => {
    const made: number[] = [];
    const original = globalThis.Uint8Array;
    vi.stubGlobal(
      'Uint8Array',
      class extends original {
        constructor(...given: [number]) {
          super(...given);
          // Views are made by it as well.
          if (typeof given[0] === 'number') made.push(given[0]);
        }
      },
    );
    const buffer = new EventBuffer(bounds);
    for (let place = 1; place <= 200; place += 1) buffer.add(1, place, 'x'.repeat(100 + (place % 7)));
    const warm = made.length;
    for (let place = 201; place <= 5000; place += 1) buffer.add(1, place, 'x'.repeat(100 + (place % 7)));
    vi.unstubAllGlobals();
    expect(made.slice(warm)).toEqual([]);
    expect(Math.max(...made)).toBeLessThan(4 * buffer.size);
  });

  it('returns the events of a stream after a position', () => {
    const buffer = new EventBuffer(bounds);
    for (const [stream, place, text] of [
      [1, 1, 'a'],
      [2, 2, 'b'],
      [1, 3, 'ü'],
      [1, 40, ''],
    ] as const)
      buffer.add(stream, place, text);
    expect(buffer.listAfter(1, 1)).toEqual([
      { id: '1-3', text: 'ü' },
      { id: '1-14', text: '' },
    ]);
    expect(buffer.listAfter(1, 40)).toEqual([]);
    expect(buffer.listAfter(3, 0)).toEqual([]);
  });
});
