import { describe, expect, it } from 'vitest';
import { Running } from './running.js';

describe('a request that is being worked on', () => {
  it('has a signal that is aborted with the reason, before or after it was first asked for', () => {
    const [early, late] = [new Running(), new Running()];
    const { signal } = early;
    early.cancel('enough');
    late.cancel('enough');
    for (const each of [signal, late.signal]) {
      expect(each.aborted).toBe(true);
      expect(each.reason).toMatchObject({ name: 'AbortError', message: 'enough' });
    }
  });

  it('is cancelled once', () => {
    const running = new Running();
    let aborted = 0;
    running.signal.addEventListener('abort', () => aborted++);
    running.cancel('first');
    running.cancel('second');
    expect(aborted).toBe(1);
    expect(running.signal.reason).toMatchObject({ message: 'first' });
  });

  it('can not be cancelled when it is over [cancellation.race-safe]', () => {
    const running = new Running();
    running.done();
    running.cancel();
    expect(running).toMatchObject({ cancelled: false, over: true });
    expect(running.signal.aborted).toBe(false);
  });

  it('runs what is to run at the end, once', () => {
    const running = new Running();
    const ran: number[] = [];
    running.whenDone(() => ran.push(1));
    running.whenDone(() => ran.push(2));
    running.done();
    running.done();
    expect(ran).toEqual([1, 2]);
  });
});
