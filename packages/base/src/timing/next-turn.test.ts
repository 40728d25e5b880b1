import { afterEach, describe, expect, it, vi } from 'vitest';
import { runNextTurn } from './next-turn.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('runNextTurn', () => {
  it.each([
    ['setImmediate', setImmediate],
    ['setTimeout, in a runtime without setImmediate,', undefined],
  ])('runs by %s after what is ready now', async (_, immediate) => {
    vi.stubGlobal('setImmediate', immediate);
    const ran: string[] = [];
    await new Promise<void>(resolve => {
      runNextTurn(() => {
        ran.push('turn');
        resolve();
      });
      queueMicrotask(() => queueMicrotask(() => ran.push('microtask')));
      ran.push('now');
    });
    expect(ran).toEqual(['now', 'microtask', 'turn']);
  });
});
