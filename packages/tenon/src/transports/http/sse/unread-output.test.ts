import { describe, expect, it } from 'vitest';
import { createUnreadLimit, type UnreadOutput } from './unread-output.js';

class Output implements UnreadOutput {
  bufferedAmount: number;
  isClosed = false;

  constructor(waiting: number) {
    this.bufferedAmount = waiting;
  }

  destroy(): void {
    this.isClosed = true;
    this.bufferedAmount = 0;
  }
}

describe('createUnreadLimit', () => {
  it('closes the largest output of the caller with most unread bytes, until the rest fits', () => {
    const limit = createUnreadLimit(100);
    const [single, first, second, third] = [new Output(40), new Output(20), new Output(30), new Output(11)];
    limit.count(single, 'ada');
    for (const output of [first, second, third]) limit.count(output, 'eve');
    expect([single, first, second, third].map(({ isClosed }) => isClosed)).toEqual([false, false, true, false]);
    expect(limit.total).toBe(71);
  });

  it('checks what readers have taken before it closes an output', () => {
    const limit = createUnreadLimit(100);
    const [one, other] = [new Output(90), new Output(90)];
    limit.count(one, 'ada');
    one.bufferedAmount = 5;
    limit.count(other, 'eve');
    expect([one.isClosed, other.isClosed, limit.total]).toEqual([false, false, 95]);
  });

  it('counts an output again after each write, and forgets one that has ended', () => {
    const limit = createUnreadLimit(100);
    const output = new Output(50);
    limit.count(output, 'ada');
    output.bufferedAmount = 80;
    limit.count(output, 'ada');
    expect(limit.total).toBe(80);
    limit.forget(output);
    expect(limit.total).toBe(0);
    output.bufferedAmount = 0;
    limit.count(output, 'ada');
    limit.forget(output);
    expect(limit.total).toBe(0);
  });

  it('closes a single output that is larger than the limit', () => {
    const limit = createUnreadLimit(100);
    const output = new Output(101);
    limit.count(output, 'ada');
    expect([output.isClosed, limit.total]).toEqual([true, 0]);
  });
});
