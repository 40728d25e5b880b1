import { describe, expect, it } from 'vitest';
import { createNamedQueue } from './named-queue.js';

const soon = () => new Promise(resolve => setImmediate(resolve));

describe('NamedQueue', () => {
  it('runs jobs of one name in order, and jobs of other names concurrently', async () => {
    const queue = createNamedQueue();
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const run = (name: string, label: string) =>
      queue.run(name, () => {
        started.push(label);
        return new Promise<void>(resolve => ends.push(resolve));
      });
    const first = run('a', 'a1');
    void run('a', 'a2');
    void run('b', 'b1');
    await soon();
    expect(started).toEqual(['a1', 'b1']);
    ends[0]?.();
    await first;
    await soon();
    expect(started).toEqual(['a1', 'b1', 'a2']);
    expect(queue.size).toBe(2);
  });

  it('continues after a failed job, and leaves nothing behind', async () => {
    const queue = createNamedQueue();
    const failed = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('a', async () => 'done');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('done');
    await soon();
    expect(queue.size).toBe(0);
  });
});
