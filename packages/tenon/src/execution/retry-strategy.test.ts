import type { JsonObject } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import {
  createContext,
  createRetryInputs,
  createStateStore,
  getInputRequests,
  play,
  runRound,
  waitBriefly,
  wrapHandler,
} from './fixtures/playing.js';
import type { HandlerRun, RunHandler } from './handler-run.js';

const roots = { roots: [] };
const ask = (run: HandlerRun, n: number) => run.request('roots/list', { n });
const answer = (n: number) => ({ roots: [{ uri: `file:///${n}` }] });
const player = (_: string, { n }: JsonObject) => answer(n as number);

const asks =
  (...rounds: number[][]): RunHandler =>
  async run => {
    const received: unknown[] = [];
    for (const round of rounds) received.push(...(await Promise.all(round.map(n => ask(run, n)))));
    return { received };
  };

describe.each([
  ['that waits in memory', { maxSuspended: 10 }],
  ['that is entered again', { maxSuspended: 0 }],
])('a handler %s', (_, options) => {
  it('gets its responses, and sends concurrent input requests together [mrtr.multiple-rounds mrtr.earlier-answers-in-state mrtr.latest-round-only]', async () => {
    const process = createStateStore({ options });
    const { result, rounds } = await play(wrapHandler(asks([1], [2, 3, 3], [4])), player, () => process);
    expect(result).toEqual({ received: [1, 2, 3, 3, 4].map(answer) });
    expect(rounds).toBe(3);
    expect(process.suspended.size).toBe(0);
  });

  it('sends no input request twice, and gets no response without a request', async () => {
    const process = createStateStore({ options });
    const handler = wrapHandler(asks([1, 2], [3]));
    const first = await runRound(handler, { states: process });
    expect(Object.keys(getInputRequests(first))).toEqual(['ask-0', 'ask-1']);
    const part = createRetryInputs(first, (_, { n }) => (n === 2 ? answer(2) : undefined));
    const second = await runRound(handler, { states: process, inputs: part });
    expect(Object.keys(getInputRequests(second))).toEqual(['ask-0']);
    const { requestState } = second as { requestState: string };
    const inputResponses = { 'ask-0': answer(1), 'ask-1': answer(100), 'ask-7': roots, __proto__: roots } as never;
    const third = await runRound(handler, { states: process, inputs: { requestState, inputResponses } });
    expect(Object.keys(getInputRequests(third))).toEqual(['ask-2']);
    expect(await runRound(handler, { states: process, inputs: createRetryInputs(third, player) })).toEqual({
      received: [1, 2, 3].map(answer),
    });
  });

  it('returns input requests before and after awaited ones, and runs again with its state [mrtr.request-state-echoed]', async () => {
    const process = createStateStore({ options });
    const seen: unknown[] = [];
    const handler = wrapHandler(async (run, inputs) => {
      const { inputResponses = {}, requestState } = inputs as JsonObject & { inputResponses?: JsonObject };
      seen.push([requestState, Object.keys(inputResponses)]);
      const back = (state: string, n: number) => ({
        resultType: 'input_required',
        inputRequests: { [`own-${n}`]: { method: 'roots/list', params: { n } } },
        requestState: state,
      });
      const first = await ask(run, 1);
      if (requestState === undefined) return back('one', 2);
      const second = await ask(run, 3);
      if (requestState === 'one') return back('', 4);
      const third = await ask(run, 5);
      return { first, second, third, own: inputResponses['own-4'] };
    });
    const { result, rounds } = await play(handler, player, () => process);
    expect(result).toEqual({ first: answer(1), second: answer(3), third: answer(5), own: answer(4) });
    expect(rounds).toBe(5);
    const [fresh, one, last] = [
      [undefined, []],
      ['one', ['own-2']],
      ['', ['own-4']],
    ];
    expect(seen).toEqual(options.maxSuspended > 0 ? [fresh, one, last] : [fresh, fresh, one, one, last, last]);
  });

  it('gets its own state back unsealed, and sees only its inputs [mrtr.request-state-integrity]', async () => {
    const process = createStateStore({ options });
    const seen: unknown[] = [];
    const handler = wrapHandler(async (_, inputs) => {
      seen.push(inputs);
      if (inputs.requestState !== undefined) return { done: true };
      return { resultType: 'input_required', requestState: 'mine' };
    });
    const params = { name: 'tool', arguments: {} } as never;
    const first = await runRound(handler, { states: process, inputs: params });
    expect(first.requestState).toMatch(/^tenon1\.(?!.*mine)/);
    await runRound(handler, {
      states: process,
      inputs: { ...(params as JsonObject), ...createRetryInputs(first, player) },
    });
    expect(seen).toEqual([{}, { inputResponses: {}, requestState: 'mine' }]);
  });

  it('runs each step once, also concurrently with input requests', async () => {
    const process = createStateStore({ options });
    const did: string[] = [];
    const step = (run: HandlerRun, name: string) => run.step(name, () => did.push(name));
    const branch = async (run: HandlerRun, name: string, n: number) => {
      await step(run, `${name} before`);
      const { roots: found } = await ask(run, n);
      await waitBriefly();
      await step(run, `${name} after`);
      return found;
    };
    const handler = wrapHandler(async run => ({ all: await Promise.all([branch(run, 'a', 1), branch(run, 'b', 2)]) }));
    await play(handler, player, () => process);
    expect(did.sort()).toEqual(['a after', 'a before', 'b after', 'b before']);
  });

  it('keeps the requests and steps of its middleware', async () => {
    const process = createStateStore({ options });
    const events: string[] = [];
    const layer: RunHandler = async run => {
      events.push('in');
      await run.step('layer', () => void events.push('layer step'));
      try {
        const before = await ask(run, 10);
        const result = await run.invokeHandler(createContext(), () => asks([1], [2])(run, {}));
        const after = result.resultType === undefined ? await ask(run, 11) : undefined;
        return result.resultType === undefined ? { ...result, before, after } : result;
      } finally {
        events.push('out');
      }
    };
    const { result, rounds } = await play(layer, player, () => process);
    expect(result).toEqual({ received: [1, 2].map(answer), before: answer(10), after: answer(11) });
    expect(rounds).toBe(4);
    expect(events.filter(event => event === 'layer step')).toHaveLength(1);
    // A layer that asks stands at its question when the round ends; in the other rounds it is left before the answer goes.
    expect(events.filter(event => event !== 'layer step').join(' ')).toBe('in in out in out in in out');
  });
});

describe('a handler', () => {
  it('runs once when it waits in memory, and once in each round otherwise', async () => {
    for (const [maxSuspended, expected] of [
      [10, 1],
      [0, 3],
    ] as const) {
      let entries = 0;
      const process = createStateStore({ options: { maxSuspended } });
      const handler = wrapHandler((run, inputs) => {
        entries++;
        return asks([1], [2])(run, inputs);
      });
      await play(handler, player, () => process);
      expect(entries).toBe(expected);
    }
  });

  it('continues in one process or another, as the retries arrive [mrtr.retry-self-contained]', async () => {
    const [one, other] = [createStateStore(), createStateStore()];
    const did: string[] = [];
    const handler = wrapHandler(async run => {
      const received: unknown[] = [];
      for (const n of [1, 2, 3, 4, 5, 6]) {
        received.push(await ask(run, n));
        await run.step(`s${n}`, () => void did.push(`s${n}`));
      }
      return { received };
    });
    const { result } = await play(handler, player, round => ([0, 1, 4].includes(round) ? one : other));
    expect(result).toEqual({ received: [1, 2, 3, 4, 5, 6].map(answer) });
    expect(did).toEqual(['s1', 's2', 's3', 's4', 's5', 's6']);
  });

  it('runs again when it waited too long, with the same outcome', async () => {
    const clock = fakeClock(5000);
    const process = createStateStore({ clock, options: { suspendTimeout: 1000 } });
    let entries = 0;
    const handler = wrapHandler((run, inputs) => {
      entries++;
      return asks([1], [2])(run, inputs);
    });
    const result = await play(
      handler,
      (method, params) => {
        clock.advance(1000);
        return player(method, params);
      },
      () => process,
    );
    expect([result.result, entries]).toEqual([{ received: [1, 2].map(answer) }, 3]);
  });

  it('gets the request that it continues with when it waits in memory', async () => {
    const process = createStateStore();
    const seats = [createContext(), createContext()];
    let round = 0;
    const handler: RunHandler = run => run.invokeHandler(seats[round++] as never, () => asks([1])(run, {}));
    await play(handler, player, () => process);
    expect(seats[0]?.later).toEqual([seats[1]]);
  });

  it('sends no input request that the client does not support', async () => {
    const process = createStateStore();
    const check = () => {
      throw new Error('lacks');
    };
    await expect(runRound(wrapHandler(asks([1])), { states: process, check })).rejects.toThrow('lacks');
  });

  it('stores a step that ends between its input request and its state', async () => {
    const process = createStateStore({ options: { maxSuspended: 0 } });
    const did: string[] = [];
    const slowStep = (run: HandlerRun) =>
      run.step('slow', async () => {
        did.push('slow');
        await waitBriefly();
      });
    // What stands around it takes its time, and meanwhile the handler begins a step.
    const layer: RunHandler = async run => {
      let begin = () => {};
      const begun = new Promise<void>(resolve => {
        begin = resolve;
      });
      const handler = async () => {
        const side = begun.then(() => slowStep(run));
        const first = await ask(run, 1);
        begin();
        await side;
        return { first };
      };
      const result = await run.invokeHandler(createContext(), handler);
      begin();
      await Promise.resolve();
      return result;
    };
    const { result } = await play(layer, player, () => process);
    expect([result, did]).toEqual([{ first: answer(1) }, ['slow']]);
  });
});

describe('concurrent calls of one tool', () => {
  it('keep their responses separate', async () => {
    const process = createStateStore();
    const handler = wrapHandler(asks([1], [2]));
    const calls = Array.from({ length: 20 }, (_, call) =>
      play(
        handler,
        (_, { n }) => answer(100 * call + (n as number)),
        () => process,
      ),
    );
    const results = await Promise.all(calls);
    for (const [call, { result }] of results.entries()) {
      expect(result).toEqual({ received: [answer(100 * call + 1), answer(100 * call + 2)] });
    }
  });
});

describe('stores that outlive no request', () => {
  it('keep no handler in memory: each runs again', async () => {
    const process = createStateStore({ options: { maxSuspended: 10 } });
    let entered = 0;
    const handler = wrapHandler(async (run, inputs) => {
      entered++;
      return asks([1], [2])(run, inputs);
    });
    let inputs = {};
    let result: JsonObject = {};
    for (let round = 0; round < 3; round++) {
      result = await runRound(handler, { states: process, inputs, canSuspend: false });
      inputs = createRetryInputs(result, player);
      expect(process.suspended.size).toBe(0);
    }
    expect(result).toEqual({ received: [answer(1), answer(2)] });
    expect(entered).toBe(3);
  });
});

describe('a handler that becomes a task', () => {
  it('continues on its own, and the round has another result', async () => {
    const process = createStateStore();
    let departed: Promise<JsonObject> | undefined;
    const backend = { check: () => {}, deliver: async () => answer(7), work: (run: () => Promise<never>) => run() };
    const layer: RunHandler = async run => {
      const result = run.invokeHandler(createContext(), async () => {
        await waitBriefly();
        return asks([1])(run, {});
      });
      departed = (await run.toJournaled()).redirectTo?.(backend as never, { resultType: 'task' });
      return result;
    };
    expect(await runRound(layer, { states: process })).toEqual({ resultType: 'task' });
    expect(await departed).toEqual({ received: [answer(7)] });
    expect(process.suspended.size).toBe(0);
    const nobody: RunHandler = async run => {
      const complete = await run.toJournaled();
      return { departed: complete.redirectTo?.({} as never, {}) !== undefined };
    };
    expect(await runRound(nobody, { states: process })).toEqual({ departed: false });
  });
});
