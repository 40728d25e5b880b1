import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.js';
import { memoryStores } from '../../stores/memory.js';
import { type FakeClock, fakeClock } from '../../testing/clock.js';
import type { Asker } from './asking.js';
import { durable, KEYS, type Process, questionsOf, retryOf, states, take, within } from './fixtures/playing.js';
import type { States } from './states.js';

const MINUTE = 60_000;
const roots = { roots: [] };
const player = () => roots;
const refused = { rpc: -32602, code: 'rpc/error' };

/** Asks so often, and takes a step before each question and after the last. */
const asking =
  (often: number, did: string[] = [], size = 0): Asker =>
  async run => {
    for (let n = 0; n < often; n++) {
      await run.step(`s${n}`, () => {
        did.push(`s${n}`);
        return 'x'.repeat(size);
      });
      await run.ask('roots/list', { n });
    }
    await run.step('last', () => void did.push('last'));
    return { done: true };
  };

function rig(process: Omit<Process, 'clock'> & { clock?: FakeClock } = {}) {
  const { clock = fakeClock(1_000_000), ...more } = process;
  return { clock, own: states({ clock, ...more }) };
}

const first = async (own: States, handler: Asker, boundTo = () => 'me') =>
  take(within(handler), { states: own, boundTo });

describe('a state', () => {
  it.each([
    ['for another caller or call', {}, 'another', 0],
    ['by other keys', { options: { keys: [{ id: 'k', key: new Uint8Array(32).fill(8) }] } }, 'me', 0],
    ['with keys of another id', { options: { keys: [{ id: 'j', key: KEYS[0]?.key as Uint8Array }] } }, 'me', 0],
    ['too long ago', {}, 'me', 15 * MINUTE],
  ])(
    'that was sealed %s is refused, and nothing runs [mrtr.request-state-untrusted mrtr.request-state-integrity mrtr.request-state-tampered-rejected mrtr.request-state-rejection-code mrtr.request-state-principal-bound mrtr.request-state-expiry mrtr.request-state-request-bound]',
    async (_, more: Omit<Process, 'clock'>, boundTo, pass) => {
      const did: string[] = [];
      const { own, clock } = rig();
      const result = await first(own, asking(1, did));
      const { own: other } = rig({ clock, ...more });
      clock.advance(pass);
      const again = take(within(asking(1, did)), {
        states: other,
        inputs: retryOf(result, player),
        boundTo: () => boundTo,
      });
      await expect(again).rejects.toMatchObject(refused);
      expect(did).toEqual(['s0']);
    },
  );

  it('is good for as long as it says, from each round on', async () => {
    const { own, clock } = rig({ options: { life: 1000 } });
    let result = await first(own, asking(3));
    for (let round = 0; round < 3; round++) {
      clock.advance(999);
      result = await take(within(asking(3)), { states: own, inputs: retryOf(result, player) });
    }
    expect(result).toEqual({ done: true });
  });

  it.each([
    ['no answer of its kind', { action: 'accept' }],
    ['no object', 'yes'],
    ['nothing', null],
    ['a list', []],
  ])(
    'is not used up by an answer that is %s, which is refused [mrtr.input-responses-validated mrtr.malformed-responses-error]',
    async (_, wrong) => {
      const did: string[] = [];
      const { own } = rig();
      const result = await first(own, asking(1, did));
      const bad = { ...retryOf(result, player), inputResponses: { 'ask-0': wrong as never } };
      const again = take(within(asking(1, did)), { states: own, inputs: bad });
      await expect(again).rejects.toMatchObject(refused);
      expect(did).toEqual(['s0']);
      expect(await take(within(asking(1, did)), { states: own, inputs: retryOf(result, player) })).toEqual({
        done: true,
      });
    },
  );

  it('may be asked for once more than was answered, not more often than is allowed', async () => {
    const { own } = rig({ options: { maxRounds: 3 } });
    let result = await first(own, asking(4));
    for (let round = 0; round < 2; round++) {
      result = await take(within(asking(4)), { states: own, inputs: retryOf(result, player) });
      expect(questionsOf(result)).toHaveProperty(`ask-${round + 1}`);
    }
    const fourth = take(within(asking(4)), { states: own, inputs: retryOf(result, player) });
    await expect(fourth).rejects.toMatchObject({ code: 'handler/endless-questions' });
  });

  it('of more rounds than are allowed is refused', async () => {
    const { own, clock } = rig();
    let result = await first(own, asking(4));
    result = await take(within(asking(4)), { states: own, inputs: retryOf(result, player) });
    const { own: strict } = rig({ clock, options: { maxRounds: 1 } });
    const again = take(within(asking(4)), { states: strict, inputs: retryOf(result, player) });
    await expect(again).rejects.toMatchObject(refused);
  });
});

describe('a state that is used', () => {
  it('is refused from then on, whatever came of it [mrtr.request-state-single-use]', async () => {
    for (const stores of [undefined, durable(fakeClock(1_000_000))]) {
      const did: string[] = [];
      const { own } = rig({ options: { maxHeld: 0 }, ...(stores ? { stores } : {}) });
      const result = await first(own, asking(2, did));
      const inputs = retryOf(result, player);
      const second = await take(within(asking(2, did)), { states: own, inputs });
      await expect(take(within(asking(2, did)), { states: own, inputs })).rejects.toMatchObject(refused);
      const third = retryOf(second, player);
      await take(
        within(() => Promise.reject(new Error('no'))),
        { states: own, inputs: third },
      ).catch(() => {});
      await expect(take(within(asking(2, did)), { states: own, inputs: third })).rejects.toMatchObject(refused);
      await expect(take(within(asking(2, did)), { states: own, inputs })).rejects.toMatchObject(refused);
    }
  });

  it('is one retry’s of all that come at once', async () => {
    for (const make of [(clock: FakeClock) => memoryStores({ clock }), durable]) {
      const clock = fakeClock(1_000_000);
      const shared = make(clock);
      const replicas = [1, 2, 3].map(() => states({ clock, stores: shared }));
      const did: string[] = [];
      const inputs = retryOf(await first(replicas[0] as States, asking(1, did)), player);
      const all = replicas.flatMap(own => [1, 2, 3].map(() => take(within(asking(1, did)), { states: own, inputs })));
      const outcomes = await Promise.allSettled(all);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(did).toEqual(['s0', 'last']);
    }
  });

  it('is taken once by each process that has a store of its own: that is as far as they remember', async () => {
    const did: string[] = [];
    const clock = fakeClock(1_000_000);
    const [one, other] = [states({ clock }), states({ clock })];
    const inputs = retryOf(await first(one, asking(1, did)), player);
    for (const own of [one, other]) await take(within(asking(1, did)), { states: own, inputs });
    for (const own of [one, other])
      await expect(take(within(asking(1, did)), { states: own, inputs })).rejects.toMatchObject(refused);
    expect(did).toEqual(['s0', 'last', 'last']);
  });

  it('is forgotten when it would be too old anyway', async () => {
    const clock = fakeClock(1_000_000);
    for (const stores of [memoryStores({ clock }), durable(clock)]) {
      const own = states({ clock, stores });
      const inputs = retryOf(await first(own, asking(1)), player);
      await take(within(asking(1)), { states: own, inputs });
      expect(await stores.values.list('retry/')).toHaveLength(1);
      clock.advance(15 * MINUTE);
      expect(await stores.values.list('')).toEqual([]);
      expect(clock.timers).toBe(0);
    }
  });
});

describe('what is too large to travel', () => {
  const large = asking(2, [], 20_000);

  it('is kept in the store, and only its place travels', async () => {
    const clock = fakeClock(1_000_000);
    for (const stores of [memoryStores({ clock }), durable(clock)]) {
      const [one, other] = [1, 2].map(() => states({ clock, stores, options: { maxHeld: 0 } })) as [States, States];
      let result = await first(one, large);
      expect((result.requestState as string).length).toBeLessThan(500);
      expect(await stores.values.list('journal/')).toHaveLength(1);
      result = await take(within(large), { states: other, inputs: retryOf(result, player) });
      expect(await take(within(large), { states: one, inputs: retryOf(result, player) })).toEqual({ done: true });
      clock.advance(15 * MINUTE);
      expect(await stores.values.list('')).toEqual([]);
    }
  });

  it('is an error of the handler where no store is everybody’s', async () => {
    const { own } = rig({ everywhere: false });
    await expect(first(own, large)).rejects.toMatchObject({
      code: 'handler/state-too-large',
      expected: '16384 characters at the most',
      next: expect.stringContaining('stores'),
    });
    expect((await first(own, asking(1, [], 5000))).requestState).toBeDefined();
  });

  it('is so from a size on that can be set, and that no key opens', async () => {
    const { own } = rig({ everywhere: false, options: { maxStateSize: 300 } });
    await expect(first(own, asking(1, [], 300))).rejects.toMatchObject({ code: 'handler/state-too-large' });
    const { own: loose } = rig({ everywhere: false, options: { maxStateSize: 10 ** 9 } });
    await expect(first(loose, asking(1, [], 200_000))).rejects.toMatchObject({
      code: 'handler/state-too-large',
      expected: '262144 characters at the most',
    });
    const result = await first(loose, asking(1, [], 100_000));
    expect(await take(within(asking(1, [], 100_000)), { states: loose, inputs: retryOf(result, player) })).toEqual({
      done: true,
    });
  });

  it('keeps the handler’s own state as well', async () => {
    const clock = fakeClock(1_000_000);
    const own = states({ clock, options: { maxHeld: 0 } });
    const state = 'y'.repeat(20_000);
    const handler: Asker = async (run, { requestState }) => {
      await run.ask('roots/list', {});
      return requestState === undefined ? { resultType: 'input_required', requestState: state } : { requestState };
    };
    let result: JsonObject = await first(own, handler);
    for (let round = 0; round < 2; round++)
      result = await take(within(handler), { states: own, inputs: retryOf(result, player) });
    expect(result).toEqual({ requestState: state });
  });

  it('that the store has lost is refused', async () => {
    const clock = fakeClock(1_000_000);
    const stores = memoryStores({ clock });
    const own = states({ clock, stores });
    const result = await first(own, large);
    for (const { key } of await stores.values.list('journal/')) await stores.values.delete(key);
    await expect(take(within(large), { states: own, inputs: retryOf(result, player) })).rejects.toMatchObject(refused);
  });
});
