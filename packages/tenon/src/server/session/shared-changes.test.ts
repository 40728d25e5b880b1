import { type FakeClock, fakeClock } from '@tenon/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SharedStores } from '../../protocol/request-handler.js';
import { memoryStores } from '../../stores/memory-stores.js';
import { type SharedChange, SharedChanges } from './shared-changes.js';

const wait = () => new Promise(resolve => setTimeout(resolve, 5));
const POLL_INTERVAL = 15_000;

describe('changes in several processes', () => {
  let clock: FakeClock;
  let stores: SharedStores;
  const opened: SharedChanges[] = [];
  beforeEach(() => {
    clock = fakeClock(1000);
    stores = { ...memoryStores({ clock }), scope: 'notes' };
  });
  afterEach(() => {
    for (const each of opened.splice(0)) each.close();
  });

  /** Opens the changes of one process. `isDeaf` makes its bus lose all messages. */
  const open = async (isDeaf = false) => {
    const bus = { ...stores.bus, ...(isDeaf && { subscribe: () => () => {} }) };
    const seen: string[] = [];
    const errors: Error[] = [];
    const onChange = ({ kind, name }: SharedChange) => void seen.push(`${kind} ${name}`);
    const changes = new SharedChanges({ ...stores, bus }, clock, error => errors.push(error), onChange);
    opened.push(changes);
    void changes.listen();
    await wait();
    return { changes, seen, errors };
  };
  const advance = async (ms: number) => {
    clock.advance(ms);
    await wait();
  };

  it('reach a process whose bus has lost the message, once for each change [so.sub-missed-bell]', async () => {
    const one = await open();
    const two = await open(true);
    one.changes.publish({ kind: 'resource', name: 'note://a' });
    await advance(10);
    expect(two.seen).toEqual([]);
    await advance(POLL_INTERVAL);
    expect(two.seen).toEqual(['resource note://a']);
    await advance(POLL_INTERVAL);
    one.changes.publish({ kind: 'resource', name: 'note://a' });
    one.changes.publish({ kind: 'list', name: 'tools' });
    await advance(10);
    await advance(POLL_INTERVAL);
    expect(two.seen.slice(1).toSorted()).toEqual(['list tools', 'resource note://a']);
    expect(one.seen).toEqual([]);
  });

  it('are waited for until the store was read once, because no message may come before, and never again', async () => {
    let answer = () => {};
    const read = new Promise<void>(resolve => {
      answer = resolve;
    });
    const { values } = stores;
    stores = { ...stores, values: { ...values, list: (...given) => read.then(() => values.list(...given)) } };
    const { changes } = await open();
    let isReady = false;
    const ready = changes.listen()?.then(() => {
      isReady = true;
    });
    await wait();
    expect(isReady).toBe(false);
    answer();
    await ready;
    expect(isReady).toBe(true);
    expect(changes.listen()).toBeUndefined();
  });

  it('are not waited for when the store has failed', async () => {
    const fail = () => Promise.reject(new Error('no store'));
    stores = { ...stores, values: { ...stores.values, list: fail } };
    const { changes, errors } = await open();
    await changes.listen();
    expect(errors).toHaveLength(1);
  });

  it('reach a process that reads them before their message arrives', async () => {
    const held: (() => unknown)[] = [];
    const { bus } = stores;
    stores = {
      ...stores,
      bus: { ...bus, publish: async (...message) => void held.push(() => bus.publish(...message)) },
    };
    const one = await open();
    one.changes.publish({ kind: 'resource', name: 'note://a' });
    await advance(10);
    const two = await open();
    expect(two.seen).toEqual([]);
    for (const send of held) await send();
    await advance(POLL_INTERVAL);
    expect(two.seen).toEqual(['resource note://a']);
  });

  it('arrive once at a process that also got the message', async () => {
    const one = await open();
    const two = await open();
    one.changes.publish({ kind: 'list', name: 'tools' });
    await advance(10);
    expect(two.seen).toEqual(['list tools']);
    await advance(POLL_INTERVAL);
    expect(two.seen).toEqual(['list tools']);
  });

  it('expire after ten minutes, and skip processes that start later', async () => {
    const one = await open();
    one.changes.publish({ kind: 'list', name: 'tools' });
    await advance(10);
    const two = await open(true);
    await advance(POLL_INTERVAL);
    expect(two.seen).toEqual([]);
    expect(await stores.values.list('change/')).toHaveLength(1);
    await advance(600_000);
    expect(await stores.values.list('change/')).toEqual([]);
  });

  it('are found soon after a read that failed', async () => {
    const { list } = stores.values;
    let isDown = false;
    const failing: typeof list = async (...args) => (isDown ? Promise.reject(new Error('down')) : list(...args));
    stores = { ...stores, values: { ...stores.values, list: failing } };
    const one = await open();
    const two = await open(true);
    one.changes.publish({ kind: 'list', name: 'tools' });
    await advance(10);
    isDown = true;
    await advance(POLL_INTERVAL);
    isDown = false;
    await advance(100);
    expect([two.seen, two.errors]).toEqual([['list tools'], []]);
  });

  it('reach the store when it responds again', async () => {
    const { put } = stores.values;
    let isDown = true;
    stores = {
      ...stores,
      values: { ...stores.values, put: async (...args) => (isDown ? Promise.reject(new Error('down')) : put(...args)) },
    };
    const one = await open();
    const two = await open(true);
    one.changes.publish({ kind: 'list', name: 'tools' });
    await advance(10);
    isDown = false;
    await advance(POLL_INTERVAL);
    await advance(POLL_INTERVAL);
    expect([two.seen, one.errors]).toEqual([['list tools'], []]);
  });
});
