import { describe, expect, it } from 'vitest';
import { LazyAbortSignal, toAbortSignal } from './lazy-abort-signal.js';

describe('LazyAbortSignal', () => {
  it('calls its listeners once, and keeps the first reason', () => {
    const recall = new LazyAbortSignal();
    let runs = 0;
    const run = () => {
      runs += 1;
    };
    recall.addEventListener('abort', run);
    recall.addEventListener('abort', run);
    recall.abort('first');
    recall.abort('second');
    recall.addEventListener('abort', run);
    expect({ runs, aborted: recall.aborted, reason: recall.reason }).toEqual({
      runs: 1,
      aborted: true,
      reason: 'first',
    });
  });

  it('calls no listener that was removed or added too late, even meanwhile', () => {
    const recall = new LazyAbortSignal();
    const ran: string[] = [];
    const listener = () => ran.push('gone');
    const late = () => ran.push('late');
    recall.addEventListener('abort', listener);
    recall.removeEventListener('abort', listener);
    recall.addEventListener('abort', () => {
      recall.removeEventListener('abort', late);
      recall.addEventListener('abort', listener);
    });
    recall.addEventListener('abort', late);
    recall.abort();
    expect(ran).toEqual([]);
  });

  it('creates an AbortSignal on access, before or after it is aborted', () => {
    const [early, late] = [new LazyAbortSignal(), new LazyAbortSignal()];
    const signal = toAbortSignal(early);
    expect([toAbortSignal(early), signal.aborted]).toEqual([signal, false]);
    early.abort('enough');
    late.abort('enough');
    for (const each of [signal, toAbortSignal(late)]) expect([each.aborted, each.reason]).toEqual([true, 'enough']);
    const { signal: real } = new AbortController();
    expect(toAbortSignal(real)).toBe(real);
  });
});
