import type { JsonObject } from '@tenon/base';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createRetryInputs,
  createStateStore,
  play,
  runRound,
  speedUpTimers,
  waitBriefly,
  wrapHandler,
} from './fixtures/playing.js';
import type { HandlerRun, RunHandler } from './handler-run.js';

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

describe('a handler that runs again', () => {
  afterEach(() => void vi.unstubAllGlobals());

  it('fails with the name of an input request that differs in each run', async () => {
    speedUpTimers();
    const process = createStateStore({ options: { maxSuspended: 0 } });
    let entries = 0;
    const handler = wrapHandler(run => asks([++entries])(run, {}));
    const first = runRound(handler, { states: process });
    const second = runRound(handler, { states: process, inputs: createRetryInputs(await first, player) });
    const check = expect(second).rejects.toMatchObject({
      code: 'handler/not-deterministic',
      message: expect.stringContaining('input request ask-0 (roots/list)'),
    });
    await check;
  });

  it('fails when it omits a step, even at its end', async () => {
    speedUpTimers();
    const process = createStateStore({ options: { maxSuspended: 0 } });
    let entries = 0;
    const handler = wrapHandler(async run => {
      if (++entries === 1) await run.step('sometimes', () => 1);
      return asks([1])(run, {});
    });
    const first = runRound(handler, { states: process });
    const second = runRound(handler, { states: process, inputs: createRetryInputs(await first, player) });
    const check = expect(second).rejects.toThrow('step "sometimes"');
    await check;
  });

  it('succeeds when a concurrent branch is later than before', async () => {
    const process = createStateStore({ options: { maxSuspended: 0 } });
    let entries = 0;
    const handler = wrapHandler(async run => {
      const entry = ++entries;
      const slow = async () => {
        if (entry > 1) await waitBriefly();
        return run.step('slow', () => entry);
      };
      const quick = async () => {
        await run.step('wait', waitBriefly);
        return [await ask(run, 1), await ask(run, 2)];
      };
      return { all: await Promise.all([slow(), quick()]) };
    });
    const { result } = await play(handler, player, () => process);
    expect(result).toEqual({ all: [1, [answer(1), answer(2)]] });
  });
});
