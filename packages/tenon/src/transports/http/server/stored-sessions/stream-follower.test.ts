import { fakeClock } from '@tenon/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SharedStores } from '../../../../protocol/request-handler.js';
import { memoryStores } from '../../../../stores/memory-stores.js';
import { EventLog } from './event-log.js';
import { StreamFollower } from './stream-follower.js';

const ENTRIES = 300;
const wait = () => new Promise(resolve => setTimeout(resolve, 5));

describe('a stream from the log', () => {
  let follower: StreamFollower | undefined;
  afterEach(() => follower?.stop());

  it('is read at the pace of its client, a page at a time [so.log-backpressure]', async () => {
    const clock = fakeClock();
    const stores = memoryStores({ clock });
    const limits = { ttl: 60_000, maxEvents: 1000, maxBytes: 1_000_000, clock };
    const log = new EventLog({ ...limits, values: stores.values, prefix: 'log/', writer: 'a' }, 'p');
    for (let n = 0; n < ENTRIES; n++) await log.append([`${n}`], () => 'p', n === ENTRIES - 1 ? { isEnd: true } : {});

    let read = 0;
    const list: SharedStores['values']['list'] = async (...args) => {
      const page = await stores.values.list(...args);
      read += page.length;
      return page;
    };
    const written: string[] = [];
    let release = () => {};
    let open = true;
    const connection = {
      get open() {
        return open;
      },
      write(frame: string) {
        written.push(frame);
        return new Promise<void>(resolve => {
          release = resolve;
        });
      },
      end: () => {
        open = false;
      },
      destroy: () => {
        open = false;
      },
    };
    follower = new StreamFollower({
      stores: { ...stores, values: { ...stores.values, list }, scope: 'notes' },
      clock,
      prefix: 'log/',
      position: { entry: 0, events: 0, tag: '' },
      connection,
      encode: (_, text) => text,
      pollInterval: 1000,
      onPoll: async () => {},
      report: error => expect(error).toBeUndefined(),
    });
    follower.start();
    await wait();
    // The client reads nothing: one event waits for it, and one page is in memory.
    expect(written).toEqual(['0']);
    expect(read).toBeLessThanOrEqual(64);
    for (let n = 1; n < ENTRIES; n++) {
      release();
      await new Promise(resolve => setImmediate(resolve));
      expect(written.length).toBeLessThanOrEqual(n + 1);
      expect(read).toBeLessThanOrEqual(written.length + 64);
    }
    release();
    await vi.waitFor(() => expect(written).toEqual(Array.from({ length: ENTRIES }, (_, n) => `${n}`)));
    expect(open).toBe(false);
  });

  it('continues after entries without events, which two processes append when both begin a log', async () => {
    const clock = fakeClock();
    const stores = memoryStores({ clock });
    const limits = { ttl: 60_000, maxEvents: 1000, maxBytes: 1_000_000, clock };
    const log = new EventLog({ ...limits, values: stores.values, prefix: 'log/', writer: 'a' }, 'p');
    const entries = [['a'], [], [], ['b']];
    for (const events of entries) await log.append(events, () => 'p', events[0] === 'b' ? { isEnd: true } : {});
    const written: string[] = [];
    const ended = new Promise<string>(resolve => {
      follower = new StreamFollower({
        stores: { ...stores, scope: 'notes' },
        clock,
        prefix: 'log/',
        position: { entry: 0, events: 0, tag: '' },
        connection: {
          open: true,
          write: frame => void written.push(frame),
          end: () => resolve('ended'),
          destroy: () => resolve('destroyed'),
        },
        encode: ({ entry, events }, text) => `${entry}.${events} ${text}`,
        pollInterval: 1000,
        onPoll: async () => {},
        report: error => expect(error).toBeUndefined(),
      });
      follower.start();
    });
    expect([await ended, written]).toEqual(['ended', ['0.1 a', '3.1 b']]);
  });

  it('is read again soon after a read that failed', async () => {
    const clock = fakeClock();
    const stores = memoryStores({ clock });
    const limits = { ttl: 60_000, maxEvents: 1000, maxBytes: 1_000_000, clock };
    const log = new EventLog({ ...limits, values: stores.values, prefix: 'log/', writer: 'a' }, 'p');
    await log.append(['a'], () => 'p');
    let reads = 0;
    const list: SharedStores['values']['list'] = async (...args) => {
      reads += 1;
      return reads === 1 ? Promise.reject(new Error('down')) : stores.values.list(...args);
    };
    const written: string[] = [];
    follower = new StreamFollower({
      stores: { ...stores, values: { ...stores.values, list }, scope: 'notes' },
      clock,
      prefix: 'log/',
      position: { entry: 0, events: 0, tag: '' },
      connection: { open: true, write: frame => void written.push(frame), end() {}, destroy() {} },
      encode: (_, text) => text,
      pollInterval: 15_000,
      onPoll: async () => {},
      report: error => expect(error).toBeUndefined(),
    });
    follower.start();
    await wait();
    expect(written).toEqual([]);
    clock.advance(50);
    await wait();
    expect(written).toEqual(['a']);
  });
});
