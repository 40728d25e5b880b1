import { setImmediate } from 'node:timers/promises';
import { fakeClock, storeCases } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../../stores/memory-stores.js';
import type { WorkerChannel, WorkerMessage } from './messages.js';
import { serveStores } from './serve-stores.js';
import { createWorkerStores } from './worker-stores.js';

/** Two ends that copy each message as the channel between processes does. */
function createChannelPair(): [WorkerChannel, WorkerChannel] {
  const listeners = [new Set<(message: WorkerMessage) => void>(), new Set<(message: WorkerMessage) => void>()] as const;
  const createEnd = (own: 0 | 1): WorkerChannel => ({
    send(message) {
      const copy = structuredClone(message);
      void setImmediate().then(() => {
        for (const listener of listeners[1 - own] ?? []) listener(structuredClone(copy));
      });
    },
    onMessage(listener) {
      listeners[own].add(listener);
      return () => listeners[own].delete(listener);
    },
  });
  return [createEnd(0), createEnd(1)];
}

const open = () => {
  const clock = fakeClock(1000);
  const stores = memoryStores({ clock });
  const openWorker = () => {
    const [primary, worker] = createChannelPair();
    const stop = serveStores(stores, primary);
    return { stores: createWorkerStores(worker, { clock }), stop, primary };
  };
  return { clock, stores, openWorker };
};

describe('stores of workers', () => {
  describe('keep the contract of stores', () => {
    const openCase = () => {
      const { clock, openWorker } = open();
      return {
        stores: openWorker().stores,
        openSecond: () => openWorker().stores,
        advance: async (ms: number) => {
          clock.advance(ms);
          await setImmediate();
        },
      };
    };
    for (const { name, run } of storeCases(openCase)) it(name, run);
  });

  it('outlive the worker that wrote them, and end its subscriptions', async () => {
    const { stores, openWorker } = open();
    const [one, two] = [openWorker(), openWorker()];
    const received: unknown[] = [];
    one.stores.bus.subscribe('t', message => received.push(message));
    await one.stores.values.put('k', { n: 1 });
    one.stop();
    expect((await two.stores.values.get('k'))?.value).toEqual({ n: 1 });
    await stores.bus.publish('t', { n: 1 });
    await setImmediate();
    expect(received).toEqual([]);
  });

  it('report a primary process that does not respond', async () => {
    const clock = fakeClock();
    const [, worker] = createChannelPair();
    const call = createWorkerStores(worker, { clock }).values.get('k');
    await Promise.all([
      expect(call).rejects.toMatchObject({ code: 'store/unavailable', expected: 'a response within 10 s' }),
      setImmediate().then(() => clock.advance(10_000)),
    ]);
  });
});
