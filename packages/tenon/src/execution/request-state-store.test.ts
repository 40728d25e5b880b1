import type { JsonObject } from '@tenon/base';
import { type FakeClock, fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { memoryStores } from '../stores/memory-stores.js';
import {
  createDurableStores,
  createRetryInputs,
  createStateStore,
  getInputRequests,
  KEYS,
  type ProcessOptions,
  runRound,
  wrapHandler,
} from './fixtures/playing.js';
import type { RunHandler } from './handler-run.js';
import type { RequestStateStore } from './request-state-store.js';

const MINUTE = 60_000;
const roots = { roots: [] };
const player = () => roots;
const refused = { rpcCode: -32602, code: 'rpc/error' };

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

function rig(process: Omit<ProcessOptions, 'clock'> & { clock?: FakeClock } = {}) {
  const { clock = fakeClock(1_000_000), ...more } = process;
  return { clock, own: createStateStore({ clock, ...more }) };
}

const first = async (own: RequestStateStore, handler: RunHandler, boundTo = () => 'me') =>
  runRound(wrapHandler(handler), { states: own, boundTo });

describe('requestState', () => {
  it.each([
    ['for another caller or call', {}, 'another', 0],
    ['by other keys', { options: { keys: [{ id: 'k', key: new Uint8Array(32).fill(8) }] } }, 'me', 0],
    ['with keys of another id', { options: { keys: [{ id: 'j', key: KEYS[0]?.key as Uint8Array }] } }, 'me', 0],
    ['too long ago', {}, 'me', 15 * MINUTE],
  ])(
    'is rejected before the handler runs when it was sealed %s [mrtr.request-state-untrusted mrtr.request-state-integrity mrtr.request-state-tampered-rejected mrtr.request-state-rejection-code mrtr.request-state-principal-bound mrtr.request-state-expiry mrtr.request-state-request-bound]',
    async (_, more: Omit<ProcessOptions, 'clock'>, boundTo, duration) => {
      const did: string[] = [];
      const { own, clock } = rig();
      const result = await first(own, asking(1, did));
      const { own: other } = rig({ clock, ...more });
      clock.advance(duration);
      const again = runRound(wrapHandler(asking(1, did)), {
        states: other,
        inputs: createRetryInputs(result, player),
        boundTo: () => boundTo,
      });
      await expect(again).rejects.toMatchObject(refused);
      expect(did).toEqual(['s0']);
    },
  );

  it('expires after its lifetime, counted from each round', async () => {
    const { own, clock } = rig({ options: { ttl: 1000 } });
    let result = await first(own, asking(3));
    for (let round = 0; round < 3; round++) {
      clock.advance(999);
      result = await runRound(wrapHandler(asking(3)), { states: own, inputs: createRetryInputs(result, player) });
    }
    expect(result).toEqual({ done: true });
  });

  it.each([
    ['no answer of its kind', { action: 'accept' }],
    ['no object', 'yes'],
    ['nothing', null],
    ['a list', []],
  ])(
    'stays valid after a response that is %s [mrtr.input-responses-validated mrtr.malformed-responses-error]',
    async (_, wrong) => {
      const did: string[] = [];
      const { own } = rig();
      const result = await first(own, asking(1, did));
      const bad = { ...createRetryInputs(result, player), inputResponses: { 'ask-0': wrong as never } };
      const again = runRound(wrapHandler(asking(1, did)), { states: own, inputs: bad });
      await expect(again).rejects.toMatchObject(refused);
      expect(did).toEqual(['s0']);
      expect(
        await runRound(wrapHandler(asking(1, did)), { states: own, inputs: createRetryInputs(result, player) }),
      ).toEqual({
        done: true,
      });
    },
  );

  it('allows one more round than responses, up to the maximum', async () => {
    const { own } = rig({ options: { maxRounds: 3 } });
    let result = await first(own, asking(4));
    for (let round = 0; round < 2; round++) {
      result = await runRound(wrapHandler(asking(4)), { states: own, inputs: createRetryInputs(result, player) });
      expect(getInputRequests(result)).toHaveProperty(`ask-${round + 1}`);
    }
    const fourth = runRound(wrapHandler(asking(4)), { states: own, inputs: createRetryInputs(result, player) });
    await expect(fourth).rejects.toMatchObject({ code: 'handler/too-many-rounds' });
  });

  it('is rejected beyond the maximum number of rounds', async () => {
    const { own, clock } = rig();
    let result = await first(own, asking(4));
    result = await runRound(wrapHandler(asking(4)), { states: own, inputs: createRetryInputs(result, player) });
    const { own: strict } = rig({ clock, options: { maxRounds: 1 } });
    const again = runRound(wrapHandler(asking(4)), { states: strict, inputs: createRetryInputs(result, player) });
    await expect(again).rejects.toMatchObject(refused);
  });
});

describe('requestState that was used', () => {
  it('is rejected from then on, whatever the outcome [mrtr.request-state-single-use]', async () => {
    for (const stores of [undefined, createDurableStores(fakeClock(1_000_000))]) {
      const did: string[] = [];
      const { own } = rig({ options: { maxSuspended: 0 }, ...(stores ? { stores } : {}) });
      const result = await first(own, asking(2, did));
      const inputs = createRetryInputs(result, player);
      const second = await runRound(wrapHandler(asking(2, did)), { states: own, inputs });
      await expect(runRound(wrapHandler(asking(2, did)), { states: own, inputs })).rejects.toMatchObject(refused);
      const third = createRetryInputs(second, player);
      await runRound(
        wrapHandler(() => Promise.reject(new Error('no'))),
        { states: own, inputs: third },
      ).catch(() => {});
      await expect(runRound(wrapHandler(asking(2, did)), { states: own, inputs: third })).rejects.toMatchObject(
        refused,
      );
      await expect(runRound(wrapHandler(asking(2, did)), { states: own, inputs })).rejects.toMatchObject(refused);
    }
  });

  it('is accepted from one of several concurrent retries', async () => {
    for (const make of [(clock: FakeClock) => memoryStores({ clock }), createDurableStores]) {
      const clock = fakeClock(1_000_000);
      const shared = make(clock);
      const replicas = [1, 2, 3].map(() => createStateStore({ clock, stores: shared }));
      const did: string[] = [];
      const inputs = createRetryInputs(await first(replicas[0] as RequestStateStore, asking(1, did)), player);
      const all = replicas.flatMap(own =>
        [1, 2, 3].map(() => runRound(wrapHandler(asking(1, did)), { states: own, inputs })),
      );
      const outcomes = await Promise.allSettled(all);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(did).toEqual(['s0', 'last']);
    }
  });

  it('is accepted once by each process with a store of its own', async () => {
    const did: string[] = [];
    const clock = fakeClock(1_000_000);
    const [one, other] = [createStateStore({ clock }), createStateStore({ clock })];
    const inputs = createRetryInputs(await first(one, asking(1, did)), player);
    for (const own of [one, other]) await runRound(wrapHandler(asking(1, did)), { states: own, inputs });
    for (const own of [one, other])
      await expect(runRound(wrapHandler(asking(1, did)), { states: own, inputs })).rejects.toMatchObject(refused);
    expect(did).toEqual(['s0', 'last', 'last']);
  });

  it('is forgotten when it has expired', async () => {
    const clock = fakeClock(1_000_000);
    for (const stores of [memoryStores({ clock }), createDurableStores(clock)]) {
      const own = createStateStore({ clock, stores });
      const inputs = createRetryInputs(await first(own, asking(1)), player);
      await runRound(wrapHandler(asking(1)), { states: own, inputs });
      expect(await stores.values.list('retry/')).toHaveLength(1);
      clock.advance(15 * MINUTE);
      expect(await stores.values.list('')).toEqual([]);
      expect(clock.timers).toBe(0);
    }
  });
});

describe('large requestState', () => {
  const large = asking(2, [], 20_000);

  it('stays in the store, and only its key is sent', async () => {
    const clock = fakeClock(1_000_000);
    for (const stores of [memoryStores({ clock }), createDurableStores(clock)]) {
      const [one, other] = [1, 2].map(() => createStateStore({ clock, stores, options: { maxSuspended: 0 } })) as [
        RequestStateStore,
        RequestStateStore,
      ];
      let result = await first(one, large);
      expect((result.requestState as string).length).toBeLessThan(500);
      expect(await stores.values.list('journal/')).toHaveLength(1);
      result = await runRound(wrapHandler(large), { states: other, inputs: createRetryInputs(result, player) });
      expect(await runRound(wrapHandler(large), { states: one, inputs: createRetryInputs(result, player) })).toEqual({
        done: true,
      });
      clock.advance(15 * MINUTE);
      expect(await stores.values.list('')).toEqual([]);
    }
  });

  it('fails the handler where no store is shared', async () => {
    const { own } = rig({ everywhere: false });
    await expect(first(own, large)).rejects.toMatchObject({
      code: 'handler/state-too-large',
      expected: 'at most 16384 characters',
      hint: expect.stringContaining('stores'),
    });
    expect((await first(own, asking(1, [], 5000))).requestState).toBeDefined();
  });

  it('fails above a configurable size', async () => {
    const { own } = rig({ everywhere: false, options: { maxStateSize: 300 } });
    await expect(first(own, asking(1, [], 300))).rejects.toMatchObject({ code: 'handler/state-too-large' });
    const { own: loose } = rig({ everywhere: false, options: { maxStateSize: 10 ** 9 } });
    await expect(first(loose, asking(1, [], 200_000))).rejects.toMatchObject({
      code: 'handler/state-too-large',
      expected: 'at most 262144 characters',
    });
    const result = await first(loose, asking(1, [], 100_000));
    expect(
      await runRound(wrapHandler(asking(1, [], 100_000)), { states: loose, inputs: createRetryInputs(result, player) }),
    ).toEqual({
      done: true,
    });
  });

  it('stores the state of the handler too', async () => {
    const clock = fakeClock(1_000_000);
    const own = createStateStore({ clock, options: { maxSuspended: 0 } });
    const state = 'y'.repeat(20_000);
    const handler: RunHandler = async (run, { requestState }) => {
      await run.request('roots/list', {});
      return requestState === undefined ? { resultType: 'input_required', requestState: state } : { requestState };
    };
    let result: JsonObject = await first(own, handler);
    for (let round = 0; round < 2; round++)
      result = await runRound(wrapHandler(handler), { states: own, inputs: createRetryInputs(result, player) });
    expect(result).toEqual({ requestState: state });
  });

  it('is rejected when the store has lost it', async () => {
    const clock = fakeClock(1_000_000);
    const stores = memoryStores({ clock });
    const own = createStateStore({ clock, stores });
    const result = await first(own, large);
    for (const { key } of await stores.values.list('journal/')) await stores.values.delete(key);
    await expect(
      runRound(wrapHandler(large), { states: own, inputs: createRetryInputs(result, player) }),
    ).rejects.toMatchObject(refused);
  });
});
