import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { DeliveryQueue } from './delivery-queue.js';

function start(size: number) {
  const clock = fakeClock();
  const subscribers = new Set(Array.from({ length: size }, (_, index) => index));
  const delivered: string[] = [];
  const queue = new DeliveryQueue<number>(clock);
  const add = (name: string, key?: string, onDelivery: (subscriber: number) => void = () => {}) =>
    queue.add(key, {
      listSubscribers: () => subscribers,
      isSubscribed: subscriber => subscribers.has(subscriber),
      deliver(subscriber) {
        delivered.push(`${name} ${subscriber}`);
        onDelivery(subscriber);
      },
    });
  /** Runs the next slice. */
  const advance = () => clock.advance(1);
  return { clock, subscribers, delivered, add, advance };
}

describe('a notification for many subscribers', () => {
  it('reaches fifty at once', () => {
    const { add, delivered } = start(50);
    add('a');
    expect(delivered).toHaveLength(50);
  });

  it('reaches more in batches of fifty, and a timer runs between them', () => {
    const { add, delivered, advance } = start(125);
    add('a');
    const counts = [delivered.length];
    for (let slice = 0; slice < 3; slice++) {
      advance();
      counts.push(delivered.length);
    }
    expect(counts).toEqual([50, 100, 125, 125]);
  });

  it('reaches each subscriber in the order in which notifications were added', () => {
    const { add, delivered, advance } = start(75);
    add('a');
    add('b');
    for (let slice = 0; slice < 3; slice++) advance();
    const ofLast = delivered.filter(each => each.endsWith(' 74'));
    const ofFirst = delivered.filter(each => each.endsWith(' 0'));
    expect([ofFirst, ofLast]).toEqual([
      ['a 0', 'b 0'],
      ['a 74', 'b 74'],
    ]);
    expect(delivered).toHaveLength(150);
  });

  it('skips a subscriber that leaves meanwhile or joins later', () => {
    const { add, delivered, subscribers, advance } = start(75);
    add('a');
    subscribers.delete(60);
    subscribers.add(75);
    advance();
    expect(delivered).toHaveLength(74);
    expect(delivered).not.toContain('a 60');
    expect(delivered).not.toContain('a 75');
  });

  it('replaces a pending one with the same key', () => {
    const { add, delivered, advance } = start(75);
    add('a', 'a');
    for (let time = 0; time < 1000; time++) add('a', 'a');
    for (let slice = 0; slice < 10; slice++) advance();
    expect(delivered).toHaveLength(150);
  });

  it('waits in the queue when it is added during a delivery', () => {
    const { add, delivered } = start(2);
    add('a', undefined, subscriber => {
      if (subscriber === 0) add('b');
    });
    expect(delivered).toEqual(['a 0', 'a 1', 'b 0', 'b 1']);
  });

  it('follows when the runtime has dropped the timer', () => {
    const { clock, add, delivered, advance } = start(75);
    const { after } = clock;
    Object.assign(clock, { after: () => () => {} });
    add('a');
    Object.assign(clock, { after });
    clock.advance(1001);
    add('b');
    for (let slice = 0; slice < 4; slice++) advance();
    expect(delivered).toHaveLength(150);
  });
});
