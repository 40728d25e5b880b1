import { systemClock } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { createRedisBus } from './bus.js';
import type { RedisConnection } from './connection.js';

/** Opens a bus whose connection refuses to unsubscribe. */
function openBus() {
  const reported: unknown[] = [];
  const connection: RedisConnection = {
    isCluster: false,
    send: async () => undefined,
    subscribe: async () => {},
    unsubscribe: () => Promise.reject(new Error('Disconnects client')),
    close: async () => {},
  };
  const bus = createRedisBus(connection, async () => undefined, {
    prefix: 'p',
    maxValueSize: 1000,
    report: error => reported.push(error),
    clock: systemClock,
    track: call => call(),
  });
  return { bus, reported };
}

describe('createRedisBus', () => {
  it.each([
    ['reports', false, ['Disconnects client']],
    ['ignores, when it is closed,', true, []],
  ])('%s an error of a change of its subscriptions', async (_, isClosed, messages) => {
    const { bus, reported } = openBus();
    const unsubscribe = bus.subscribe('topic', () => {});
    await bus.getPendingSubscription();
    unsubscribe();
    const pending = bus.getPendingSubscription();
    if (isClosed) bus.clear();
    await pending;
    expect(reported.map(error => (error as Error).message)).toEqual(messages);
  });
});
