import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { LazyAbortSignal } from './lazy-abort-signal.js';
import { runWithTimeout } from './run-with-timeout.js';

const turns = () => new Promise(setImmediate);
const never = () => new Promise<never>(() => {});
const failWith = (text: string) => () => {
  throw new Error(text);
};

/** An `AbortSignal` that counts its listeners. */
function createCountedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const [add, remove] = [signal.addEventListener, signal.removeEventListener];
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    remove.apply(signal, args);
  };
  return { controller, signal, count: () => listeners };
}

describe('runWithTimeout', () => {
  it('settles as the work does, and leaves no timer and no listener', async () => {
    const clock = fakeClock();
    const { signal, count } = createCountedSignal();
    const options = { clock, timeout: 100, signal, onTimeout: failWith('late') };
    const seen: LazyAbortSignal[] = [];
    const work = async (own: LazyAbortSignal) => {
      seen.push(own);
      expect([clock.timers, count()]).toEqual([1, 1]);
      return 'done';
    };
    expect(await runWithTimeout(work, options)).toBe('done');
    expect([clock.timers, count(), seen[0]?.aborted]).toEqual([0, 0, false]);
    await expect(runWithTimeout(() => Promise.reject(new Error('failed')), options)).rejects.toThrow('failed');
    expect([clock.timers, count()]).toEqual([0, 0]);
    await expect(runWithTimeout(failWith('thrown at once'), options)).rejects.toThrow('thrown at once');
    expect([clock.timers, count()]).toEqual([0, 0]);
  });

  it('rejects exactly at the timeout, and aborts the work with the same error', async () => {
    const clock = fakeClock();
    const { signal, count } = createCountedSignal();
    const ended: unknown[] = [];
    const own: LazyAbortSignal[] = [];
    const work = (each: LazyAbortSignal) => {
      own.push(each);
      return never();
    };
    runWithTimeout(work, { clock, timeout: 100, signal, onTimeout: failWith('late') }).catch(error =>
      ended.push(error),
    );
    clock.advance(99);
    await turns();
    expect([ended, own[0]?.aborted]).toEqual([[], false]);
    clock.advance(1);
    await turns();
    expect(ended).toEqual([new Error('late')]);
    expect([own[0]?.aborted, own[0]?.reason]).toEqual([true, ended[0]]);
    expect([clock.timers, count()]).toEqual([0, 0]);
  });

  it('returns the result of `onTimeout` instead of a later result', async () => {
    const clock = fakeClock();
    let finish = (_: string) => {};
    const work = new Promise<string>(resolve => {
      finish = resolve;
    });
    const result = runWithTimeout(() => work, { clock, timeout: 100, onTimeout: () => undefined });
    clock.advance(100);
    finish('late');
    expect(await result).toBeUndefined();
  });

  it('handles an error of the work after the timeout', async () => {
    const clock = fakeClock();
    const unhandled: unknown[] = [];
    const record = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', record);
    try {
      let fail = (_: Error) => {};
      const work = new Promise<never>((_, reject) => {
        fail = reject;
      });
      const result = runWithTimeout(() => work, { clock, timeout: 100, onTimeout: () => undefined });
      clock.advance(100);
      expect(await result).toBeUndefined();
      fail(new Error('too late'));
      await turns();
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', record);
    }
  });

  it('rejects with the reason of the signal, and aborts the work with it', async () => {
    const clock = fakeClock();
    const { controller, signal, count } = createCountedSignal();
    const own: LazyAbortSignal[] = [];
    const work = (each: LazyAbortSignal) => {
      own.push(each);
      return never();
    };
    const result = runWithTimeout(work, { clock, timeout: 100, signal, onTimeout: failWith('late') });
    controller.abort('cancelled');
    await expect(result).rejects.toBe('cancelled');
    expect([own[0]?.aborted, own[0]?.reason, clock.timers, count()]).toEqual([true, 'cancelled', 0, 0]);
  });

  it('returns the result of `onAbort`, and still aborts the work with the reason of the signal', async () => {
    const clock = fakeClock();
    const signal = new LazyAbortSignal();
    let own: LazyAbortSignal | undefined;
    const work = (each: LazyAbortSignal) => {
      own = each;
      return never();
    };
    const onAbort = (reason: unknown) => `ended: ${reason}`;
    const result = runWithTimeout(work, { clock, signal, onTimeout: () => 'late', onAbort });
    expect(clock.timers).toBe(0);
    signal.abort('cancelled');
    expect(await result).toBe('ended: cancelled');
    expect([own?.aborted, own?.reason]).toEqual([true, 'cancelled']);
  });

  it('does not begin work when the signal is already aborted', async () => {
    const clock = fakeClock();
    let begun = false;
    const work = async () => {
      begun = true;
    };
    const signal = AbortSignal.abort('before');
    const result = runWithTimeout(work, { clock, timeout: 100, signal, onTimeout: failWith('late') });
    await expect(result).rejects.toBe('before');
    expect([begun, clock.timers]).toEqual([false, 0]);
  });

  it.each([true, false, undefined])('keeps the process alive by its timer when `hold` is set: %s', async hold => {
    const held: unknown[] = [];
    const clock = {
      now: () => 0,
      elapsed: () => 0,
      after(_ms: number, _run: () => void, options?: { readonly hold?: boolean | undefined }) {
        held.push(options?.hold);
        return () => {};
      },
    };
    await runWithTimeout(async () => 'done', { clock, timeout: 1, hold, onTimeout: failWith('late') });
    expect(held).toEqual([hold]);
  });
});
