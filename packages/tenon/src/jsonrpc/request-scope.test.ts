import { describe, expect, it } from 'vitest';
import { RequestScope } from './request-scope.js';

describe('RequestScope', () => {
  it('aborts its signal with the reason, before or after its first access', () => {
    const [early, late] = [new RequestScope(), new RequestScope()];
    const { signal } = early;
    early.cancel('enough');
    late.cancel('enough');
    for (const each of [signal, late.signal]) {
      expect(each.aborted).toBe(true);
      expect(each.reason).toMatchObject({ name: 'AbortError', message: 'enough' });
    }
  });

  it('calls the cancellation listener once, at once if cancelled before, and never after the end', () => {
    const [early, late, over] = [new RequestScope(), new RequestScope(), new RequestScope()];
    const log: string[] = [];
    early.onCancel(() => log.push('early'));
    over.onCancel(() => log.push('over'));
    over.complete();
    for (const scope of [early, late, over]) scope.cancel();
    early.cancel();
    late.onCancel(() => log.push('late'));
    expect(log).toEqual(['early', 'late']);
  });

  it('cancels once', () => {
    const running = new RequestScope();
    let aborted = 0;
    running.signal.addEventListener('abort', () => aborted++);
    running.cancel('first');
    running.cancel('second');
    expect(aborted).toBe(1);
    expect(running.signal.reason).toMatchObject({ message: 'first' });
  });

  it('ignores a cancellation after its end [cancellation.race-safe]', () => {
    const running = new RequestScope();
    running.complete();
    running.cancel();
    expect(running).toMatchObject({ isCancelled: false, isDone: true });
    expect(running.signal.aborted).toBe(false);
  });

  it('runs each end listener once', () => {
    const running = new RequestScope();
    const ran: number[] = [];
    running.onDone(() => ran.push(1));
    running.onDone(() => ran.push(2));
    running.complete();
    running.complete();
    expect(ran).toEqual([1, 2]);
  });
});
