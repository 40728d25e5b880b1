import { fakeClock } from '@tenon/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallDeadline, createPausableClock } from './call-deadline.js';

describe('createPausableClock', () => {
  it('delays its timers by the time for which it was paused', () => {
    const base = fakeClock(7);
    const start = base.elapsed();
    const clock = createPausableClock(base);
    const rang: string[] = [];
    clock.after(100, () => rang.push('a'));
    const off = clock.after(50, () => rang.push('never'));
    const calledOff = () => {
      off();
      return clock.after(10, () => rang.push('b'));
    };
    base.advance(40);
    const goOn = clock.pause();
    const also = clock.pause();
    base.advance(1000);
    calledOff();
    goOn();
    goOn();
    base.advance(1000);
    expect([clock.elapsed() - start, rang]).toEqual([40, []]);
    also();
    base.advance(9);
    expect(rang).toEqual([]);
    base.advance(1);
    expect([rang, clock.elapsed() - start]).toEqual([['b'], 50]);
    base.advance(50);
    expect([rang, base.timers]).toEqual([['b', 'a'], 0]);
  });

  it('leaves no timer after they are cancelled, also while it is paused', () => {
    const base = fakeClock();
    const clock = createPausableClock(base);
    const offs = [clock.after(10, expect.fail)];
    const goOn = clock.pause();
    offs.push(clock.after(10, expect.fail));
    for (const off of offs) off();
    goOn();
    base.advance(100);
    expect(base.timers).toBe(0);
  });

  it('runs a timer after exactly that much time outside pauses', () => {
    const steps = fc.array(fc.tuple(fc.nat(50), fc.boolean()), { maxLength: 30 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 300 }), (all, ms) => {
        const base = fakeClock();
        const start = base.elapsed();
        const clock = createPausableClock(base);
        let rang = false;
        clock.after(ms, () => (rang = true));
        let passed = 0;
        for (const [time, stands] of all) {
          const goOn = stands ? clock.pause() : undefined;
          base.advance(time);
          goOn?.();
          if (!stands) passed += time;
          expect(clock.elapsed() - start).toBe(passed);
          expect(rang).toBe(passed >= ms);
        }
      }),
    );
  });
});

describe('CallDeadline', () => {
  it('decreases to zero with time, and pauses while the user decides', () => {
    const base = fakeClock(5);
    const allowance = new CallDeadline(base, 100);
    base.advance(30);
    const goOn = allowance.clock.pause();
    base.advance(500);
    goOn();
    expect(allowance.remaining).toBe(70);
    base.advance(500);
    expect(allowance.remaining).toBe(0);
    expect(new CallDeadline(base).remaining).toBe(Number.POSITIVE_INFINITY);
  });
});
