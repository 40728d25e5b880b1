import { type Stores, TenonError } from '@tenon/base';
import { type FakeClock, fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../stores/memory-stores.js';
import { sharedTokenStore } from './shared-token-store.js';

const keys = [{ id: 'k', key: new Uint8Array(32).fill(1) }];
const KEY = ['tokens', 'https://server.example'];

/** Advances the time, and lets what waited for it go on. */
async function advance(clock: FakeClock, ms: number): Promise<void> {
  clock.advance(ms);
  await new Promise<void>(resolve => setImmediate(resolve));
}

describe('sharedTokenStore', () => {
  const open = () => {
    const clock = fakeClock();
    const stores: Stores = { ...memoryStores({ clock }), durable: true, remote: true };
    return { clock, stores, openStore: () => sharedTokenStore(stores, { keys, clock }) };
  };

  it('keeps tokens encrypted, without the names of users and servers [so.encrypt]', async () => {
    const { stores, openStore } = open();
    await openStore().update(KEY, async () => ({ next: { access: 'secret-token' }, result: undefined }));
    expect(await openStore().get(KEY)).toEqual({ access: 'secret-token' });
    const stored = JSON.stringify(await stores.values.list(''));
    expect(stored).toContain('tenon1.k.');
    expect(stored).not.toMatch(/secret-token|server\.example/);
  });

  it('requires keys for remote stores [so.encrypt]', () => {
    const { stores } = open();
    expect(() => sharedTokenStore(stores)).toThrow(expect.objectContaining({ code: 'auth/token-keys' }) as Error);
    expect(sharedTokenStore(memoryStores())).toBeDefined();
  });

  it('lets one process at a time refresh, and gives the others the new tokens [so.refresh-single]', async () => {
    const { clock, openStore } = open();
    let refreshes = 0;
    const refresh = (store: ReturnType<typeof openStore>) =>
      store.update(KEY, async previous => {
        if (previous?.generation === 2) return { result: previous.generation };
        refreshes += 1;
        await Promise.resolve();
        return { next: { generation: 2 }, result: 2 };
      });
    const results = Promise.all([openStore(), openStore(), openStore()].map(refresh));
    let done = false;
    void results.finally(() => {
      done = true;
    });
    while (!done) await advance(clock, 100);
    expect(await results).toEqual([2, 2, 2]);
    expect(refreshes).toBe(1);
  });

  it('passes the lease on when its process stops, and lets a suspended process overwrite nothing [so.lock-fencing]', async () => {
    const { clock, stores, openStore } = open();
    // The renewals of the suspended process do not reach the store.
    let isSuspended = false;
    const values: Stores['values'] = {
      ...stores.values,
      put: async (key, value, options) =>
        isSuspended && key.startsWith('token-lease/') ? undefined : stores.values.put(key, value, options),
    };
    const suspended = sharedTokenStore({ ...stores, values }, { keys, clock });
    let resume = () => {};
    const seen: unknown[] = [];
    const first = suspended.update(KEY, async previous => {
      seen.push(previous?.from);
      if (previous) return { result: previous.from };
      isSuspended = true;
      await new Promise<void>(resolve => {
        resume = resolve;
      });
      return { next: { from: 'suspended' }, result: 'suspended' };
    });
    await expect.poll(() => isSuspended).toBe(true);
    let done = false;
    const second = openStore()
      .update(KEY, async () => ({ next: { from: 'other' }, result: 'other' }))
      .finally(() => {
        done = true;
      });
    for (let waited = 0; !done && waited < 30_000; waited += 500) await advance(clock, 500);
    expect(await second).toBe('other');
    resume();
    expect(await first).toBe('other');
    expect(seen).toEqual([undefined, 'other']);
    expect(await openStore().get(KEY)).toEqual({ from: 'other' });
  });

  it('keeps the tokens when a change fails, deletes them when asked, and forgets them after the lifetime [so.bounded]', async () => {
    const { clock, stores, openStore } = open();
    const store = openStore();
    await store.update(KEY, async () => ({ next: { n: 1 }, result: undefined }));
    const failing = store.update(KEY, async () => {
      throw new Error('no network');
    });
    await expect(failing).rejects.toThrow('no network');
    expect(await store.get(KEY)).toEqual({ n: 1 });
    expect(await stores.values.list('token-lease/')).toEqual([]);
    await store.update(KEY, async () => ({ next: null, result: undefined }));
    expect(await store.get(KEY)).toBeUndefined();
    await store.update(KEY, async () => ({ next: { n: 2 }, result: undefined }));
    await advance(clock, 91 * 24 * 3_600_000);
    expect(await store.get(KEY)).toBeUndefined();
  });

  it('takes no change twice, and waits no 15 seconds for a lease, when the first reply of each store call is lost', async () => {
    const { clock, stores } = open();
    const seen = new Set<string>();
    const loseFirst = async <R>(call: string, reply: Promise<R>): Promise<R> => {
      const value = await reply;
      if (seen.has(call)) return value;
      seen.add(call);
      throw new TenonError('store/failed', 'the connection was closed');
    };
    const values: Stores['values'] = {
      ...stores.values,
      get: key => loseFirst(`get ${key}`, stores.values.get(key)),
      put: (key, value, options) => loseFirst(`put ${key}`, stores.values.put(key, value, options)),
    };
    const store = sharedTokenStore({ ...stores, values }, { keys, clock });
    let changes = 0;
    const startedAt = clock.elapsed();
    let isDone = false;
    const done = store
      .update(KEY, async () => {
        changes += 1;
        return { next: { access: 'new' }, result: 'changed' };
      })
      .finally(() => {
        isDone = true;
      });
    while (!isDone) await advance(clock, 10);
    expect([await done, changes]).toEqual(['changed', 1]);
    expect(clock.elapsed() - startedAt).toBeLessThan(2000);
    expect(await stores.values.list('token-lease/')).toEqual([]);
    seen.clear();
    const read = store.get(KEY);
    for (let step = 0; step < 20; step += 1) await advance(clock, 10);
    expect(await read).toEqual({ access: 'new' });
  });
});
