import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { type SuspendedHandler, SuspendedHandlers } from './suspended-handlers.js';

const handler = (id: string) => ({ id }) as unknown as SuspendedHandler;

describe('SuspendedHandlers', () => {
  it('returns a handler once', () => {
    const held = new SuspendedHandlers(10, 1000, fakeClock());
    held.put('a', handler('a'), 'someone');
    expect(held.take('a')).toEqual({ id: 'a' });
    expect(held.take('a')).toBeUndefined();
    expect(held.size).toBe(0);
  });

  it('drops the oldest handler beyond its limit [mrtr.no-assumption-of-retry]', () => {
    const held = new SuspendedHandlers(3, 1000, fakeClock());
    for (const id of ['a', 'b', 'c', 'd', 'e']) held.put(id, handler(id), 'someone');
    expect(held.size).toBe(3);
    expect(['a', 'b', 'c', 'd', 'e'].map(id => held.take(id) !== undefined)).toEqual([false, false, true, true, true]);
  });

  it('keeps no handler with a limit of zero', () => {
    const held = new SuspendedHandlers(0, 1000, fakeClock());
    held.put('a', handler('a'), 'someone');
    expect([held.size, held.take('a')]).toEqual([0, undefined]);
  });

  it('drops handlers after their lifetime, without a timer [mrtr.no-assumption-of-retry]', () => {
    const clock = fakeClock();
    const held = new SuspendedHandlers(10, 1000, clock);
    held.put('a', handler('a'), 'someone');
    clock.advance(999);
    held.put('b', handler('b'), 'someone');
    expect(held.take('a')).toBeDefined();
    held.put('a', handler('a'), 'someone');
    clock.advance(1000);
    expect([held.take('a'), held.take('b'), clock.timers]).toEqual([undefined, undefined, 0]);
    for (const id of ['c', 'd']) held.put(id, handler(id), 'someone');
    clock.advance(1000);
    held.put('e', handler('e'), 'someone');
    expect(held.size).toBe(1);
  });

  it('keeps handlers of callers with few of them while one caller has many', () => {
    const held = new SuspendedHandlers(4, 1000, fakeClock());
    held.put('ada', handler('ada'), 'ada');
    for (let n = 0; n < 100; n += 1) held.put(`eve ${n}`, handler('eve'), 'eve');
    expect(held.size).toBe(4);
    expect(held.take('ada')).toEqual({ id: 'ada' });
  });
});
