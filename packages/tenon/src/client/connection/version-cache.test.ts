import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { ClientEmitter } from '../emitter.js';
import { memoryVersionCache } from './version-cache.js';

describe('memoryVersionCache', () => {
  it('keeps an entry for an hour', () => {
    const clock = fakeClock();
    const cache = memoryVersionCache({ clock });
    cache.set('a', 'r1');
    clock.advance(3_599_999);
    expect(cache.get('a')).toBe('r1');
    clock.advance(1);
    expect(cache.get('a')).toBeUndefined();
  });

  it('replaces and deletes entries, and keeps at most a thousand', () => {
    const cache = memoryVersionCache({ clock: fakeClock() });
    cache.set('a', 'r1');
    cache.set('a', 'r2');
    expect(cache.get('a')).toBe('r2');
    for (let n = 0; n < 999; n++) cache.set(`e${n}`, 'r');
    expect(cache.get('a')).toBe('r2');
    cache.set('one more', 'r');
    expect(cache.get('a')).toBeUndefined();
    cache.delete('e5');
    expect(cache.get('e5')).toBeUndefined();
  });
});

describe('ClientEmitter', () => {
  it('calls a listener until it is removed', () => {
    const emitter = new ClientEmitter();
    const received: unknown[] = [];
    const stop = emitter.on('state', state => received.push(state));
    emitter.on('log', () => received.push('log'));
    emitter.emit('state', 'connected');
    stop();
    stop();
    emitter.emit('state', 'closed');
    expect(received).toEqual(['connected']);
  });

  it('calls the other listeners when one throws or removes another', () => {
    const emitter = new ClientEmitter();
    const received: number[] = [];
    emitter.on('state', () => {
      stop();
      throw new Error('listener');
    });
    const stop = emitter.on('state', () => received.push(1));
    emitter.on('state', () => received.push(2));
    emitter.emit('state', 'connected');
    emitter.emit('state', 'connected');
    expect(received).toEqual([1, 2, 2]);
  });
});
