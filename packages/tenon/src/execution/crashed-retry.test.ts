import { type Stores, TenonError } from '@tenon/base';
import { type FakeClock, fakeClock } from '@tenon/testing';
import { describe, expect, it, vi } from 'vitest';
import type { RetryInputs } from '../protocol/params-and-results.js';
import { createDurableStores, createRetryInputs, createStateStore, runRound, wrapHandler } from './fixtures/playing.js';
import type { RunHandler } from './handler-run.js';
import type { RequestStateStore } from './request-state-store.js';

const LEASE = 30_000;
const roots = { roots: [] };
const player = () => roots;
const refused = { rpcCode: -32602, code: 'rpc/error' };
const running = { rpcCode: -32603, code: 'rpc/error', data: { retryAfterMs: 5000 } };

/** Asks so often, and takes a step before each question and after the last. */
const asking =
  (often: number, did: string[] = [], size = 0): RunHandler =>
  async run => {
    for (let n = 0; n < often; n++) {
      await run.step(`s${n}`, () => {
        did.push(`s${n}`);
        return 'x'.repeat(size);
      });
      await run.request('roots/list', { n });
    }
    await run.step('last', () => void did.push('last'));
    return { done: true };
  };

const first = async (own: RequestStateStore, handler: RunHandler, boundTo = () => 'me') =>
  runRound(wrapHandler(handler), { states: own, boundTo });

describe('a retry whose store fails', () => {
  const busy = () => Promise.reject(new TenonError('store/busy', 'another process holds the file'));

  it.each([
    ['once', 1],
    ['for longer than a call waits', Number.POSITIVE_INFINITY],
  ])('keeps the step in memory, and runs it once: %s', async (_, times) => {
    const clock = fakeClock(1_000_000);
    const shared = createDurableStores(clock);
    let failing = 0;
    const put: typeof shared.values.put = (...all) => (failing-- > 0 ? busy() : shared.values.put(...all));
    const errors: TenonError[] = [];
    const stores = { ...shared, values: { ...shared.values, put } };
    const did: string[] = [];
    const handler: RunHandler = async run => {
      await run.request('roots/list', {});
      await run.step('pay', () => {
        failing = times;
        did.push('pay');
      });
      return { done: true };
    };
    const own = () => createStateStore({ clock, stores, onError: error => errors.push(error) });
    const inputs = createRetryInputs(await first(own(), handler), player);
    const taking = runRound(wrapHandler(handler), { states: own(), inputs });
    let result: unknown;
    void taking.then(done => {
      result = done;
    });
    await vi.waitFor(
      () => {
        clock.advance(1000);
        if (clock.now() > 1_040_000) failing = 0;
        expect(result).toEqual({ done: true });
      },
      { timeout: 5000, interval: 5 },
    );
    expect([did, errors[0]?.code]).toEqual([['pay'], 'store/busy']);
  });
});

describe('a retry whose process dies', () => {
  /** Takes the retry in a process that dies before this question. */
  async function crash(
    stores: Stores,
    clock: FakeClock,
    inputs: RetryInputs,
    did: string[],
    at: number,
  ): Promise<void> {
    const dying: RunHandler = run => {
      const request: typeof run.request = (method, params) =>
        params.n === at ? new Promise(() => {}) : run.request(method, params);
      return asking(3, did)({ request, step: run.step.bind(run) } as typeof run, {});
    };
    void runRound(wrapHandler(dying), {
      states: createStateStore({ clock: { ...clock, after: () => () => {} }, stores }),
      inputs,
    });
    await vi.waitFor(() => expect(did).toContain('s1'));
  }

  it('can be repeated after the lease has expired, and repeats no stored step', async () => {
    const clock = fakeClock(1_000_000);
    const stores = createDurableStores(clock);
    const did: string[] = [];
    const own = () => createStateStore({ clock, stores });
    const inputs = createRetryInputs(await first(own(), asking(1, did)), player);
    const handler: RunHandler = async run => {
      await asking(1, did)(run, {});
      await run.step('more', () => void did.push('more'));
      return { done: true };
    };
    const dying: RunHandler = async run => {
      await asking(1, did)(run, {});
      return new Promise(() => {});
    };
    void runRound(wrapHandler(dying), {
      states: createStateStore({ clock: { ...clock, after: () => () => {} }, stores }),
      inputs,
    });
    await vi.waitFor(() => expect(did).toEqual(['s0', 'last']));
    await new Promise(setImmediate);
    await expect(runRound(wrapHandler(handler), { states: own(), inputs })).rejects.toMatchObject(running);
    clock.advance(LEASE);
    expect(await runRound(wrapHandler(handler), { states: own(), inputs })).toEqual({ done: true });
    expect(did).toEqual(['s0', 'last', 'more']);
    await expect(runRound(wrapHandler(handler), { states: own(), inputs })).rejects.toMatchObject(refused);
  });

  it('continues where it waits in memory, with the steps that the stopped process completed', async () => {
    const clock = fakeClock(1_000_000);
    const stores = createDurableStores(clock);
    const did: string[] = [];
    const alive = createStateStore({ clock, stores });
    const inputs = createRetryInputs(await first(alive, asking(3, did)), player);
    await crash(stores, clock, inputs, did, 1);
    expect(did).toEqual(['s0', 's1']);
    clock.advance(LEASE);
    let result = await runRound(wrapHandler(asking(3, did)), { states: alive, inputs });
    for (let round = 0; round < 2; round++)
      result = await runRound(wrapHandler(asking(3, did)), {
        states: alive,
        inputs: createRetryInputs(result, player),
      });
    expect([result, did]).toEqual([{ done: true }, ['s0', 's1', 's2', 'last']]);
  });

  it('stays with a process that is slow and alive', async () => {
    const clock = fakeClock(1_000_000);
    const stores = createDurableStores(clock);
    const own = createStateStore({ clock, stores, options: { maxSuspended: 0 } });
    const inputs = createRetryInputs(await first(own, asking(1)), player);
    let go: (() => void) | undefined;
    const slow: RunHandler = async run => {
      await run.step('s0', () => {});
      await run.request('roots/list', { n: 0 });
      await run.step('slow', () => new Promise<void>(resolve => (go = resolve)));
      return { done: true };
    };
    const result = runRound(wrapHandler(slow), { states: own, inputs });
    await vi.waitFor(() => expect(go).toBeDefined());
    for (let tenth = 0; tenth < 120; tenth++) {
      await new Promise(setImmediate);
      clock.advance(LEASE / 3);
    }
    // Twenty minutes later its state is too old; the work on it is not.
    await expect(runRound(wrapHandler(slow), { states: own, inputs })).rejects.toMatchObject(refused);
    go?.();
    expect(await result).toEqual({ done: true });
    expect(clock.timers).toBe(0);
  });

  it('runs no more steps after another process has taken it over', async () => {
    const clock = fakeClock(1_000_000);
    const stores = createDurableStores(clock);
    const own = () => createStateStore({ clock, stores });
    const inputs = createRetryInputs(await first(own(), asking(1)), player);
    let go: (() => void) | undefined;
    const stuck: RunHandler = async run => {
      await asking(1)(run, {});
      await new Promise<void>(resolve => (go = resolve));
      return { done: await run.step('more', () => 'by the former') };
    };
    const former = runRound(wrapHandler(stuck), {
      states: createStateStore({ clock: { ...clock, after: () => () => {} }, stores }),
      inputs,
    });
    await vi.waitFor(() => expect(go).toBeDefined());
    clock.advance(LEASE);
    const other = runRound(wrapHandler(asking(1)), { states: own(), inputs });
    expect(await other).toEqual({ done: true });
    go?.();
    await expect(former).rejects.toMatchObject({ code: 'store/lease-lost' });
  });

  it('returns its result although its end cannot be stored, and reports the error', async () => {
    const clock = fakeClock(1_000_000);
    const stores = createDurableStores(clock);
    const errors: TenonError[] = [];
    let down = false;
    const values: Stores['values'] = {
      ...stores.values,
      put: async (...args) => {
        if (down) throw new Error('down');
        return stores.values.put(...args);
      },
    };
    const own = createStateStore({
      clock,
      stores: { ...stores, values },
      options: { maxSuspended: 0 },
      onError: error => void errors.push(error),
    });
    const inputs = createRetryInputs(await first(own, asking(1)), player);
    const handler: RunHandler = async run => {
      await asking(1)(run, {});
      down = true;
      return { done: true };
    };
    expect(await runRound(wrapHandler(handler), { states: own, inputs })).toEqual({ done: true });
    expect(errors).toMatchObject([{ message: 'down' }]);
  });
});
