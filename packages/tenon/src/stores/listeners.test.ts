import { describe, expect, it, vi } from 'vitest';
import { createTopicListeners } from './listeners.js';

const soon = () => new Promise(resolve => setImmediate(resolve));

describe('createTopicListeners', () => {
  it('calls the listeners of a topic while they listen, and leaves nothing behind', async () => {
    const listeners = createTopicListeners(() => {});
    const [first, second, other] = [vi.fn(), vi.fn(), vi.fn()];
    const stops = [listeners.add('a', first), listeners.add('a', second), listeners.add('b', other)];
    expect([listeners.size, listeners.topicCount]).toEqual([3, 2]);
    listeners.notify('a', '{"n":1}');
    expect(first).not.toHaveBeenCalled();
    stops[1]?.();
    stops[1]?.();
    await soon();
    expect(first).toHaveBeenCalledWith({ n: 1 });
    expect([second.mock.calls, other.mock.calls]).toEqual([[], []]);
    expect([listeners.size, listeners.topicCount]).toEqual([2, 2]);
    stops[0]?.();
    expect([listeners.size, listeners.topicCount]).toEqual([1, 1]);
    listeners.clear();
    stops[2]?.();
    expect([listeners.size, listeners.topicCount]).toEqual([0, 0]);
  });

  it('skips messages up to the number with which a listener begins', async () => {
    const listeners = createTopicListeners(() => {});
    const hear = vi.fn();
    listeners.add('a', hear, 5);
    for (const number of [4, 5, 6]) listeners.notify('a', `{"n":${number}}`, number);
    listeners.notify('a', '{"n":0}');
    await soon();
    expect(hear.mock.calls).toEqual([[{ n: 6 }], [{ n: 0 }]]);
  });

  it('reports listeners that throw, and calls the others', async () => {
    const report = vi.fn();
    const listeners = createTopicListeners(report);
    const hear = vi.fn();
    listeners.add('a', () => {
      throw new Error('no');
    });
    listeners.add('a', hear);
    listeners.notify('a', '{}');
    await soon();
    expect(hear).toHaveBeenCalledTimes(1);
    expect(report).toHaveBeenCalledWith(expect.objectContaining({ code: 'listener/threw' }));
  });
});
