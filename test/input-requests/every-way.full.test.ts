import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import {
  createRetryInputs,
  createStateStore,
  play,
  runRound,
} from '../../packages/tenon/src/execution/fixtures/playing.js';
import { createRequestStrategy } from '../../packages/tenon/src/execution/lazy-run.js';
import type { RetryInputs } from '../../packages/tenon/src/protocol/params-and-results.js';
import { memoryStores } from '../../packages/tenon/src/stores/memory-stores.js';
import { createSite, Process } from './processes.js';
import { answerRequest, createAsker, type Program, programs } from './programs.js';
import { Record } from './record.js';

const LEASE = 30_000;

/** A coin that is tossed again and again, and falls the same way each time the test is repeated. */
const coin = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }).map(sides => {
  let at = 0;
  return () => sides[at++ % sides.length] ?? true;
});

async function byRequests(program: Program, layered: boolean): Promise<{ result: JsonObject; seen: unknown }> {
  const record = new Record();
  const asking = createRequestStrategy(async (_, params) => {
    record.answered(params);
    return answerRequest(params);
  });
  const effect = record.effect.bind(record);
  const result = await asking(createAsker(program, { advance: async () => {}, effect }, layered));
  expect(record.most).toBeLessThanOrEqual(1);
  return { result, seen: record.seen };
}

async function byRetries(
  program: Program,
  layered: boolean,
  { maxSuspended = 100, other, some }: { maxSuspended?: number; other?: () => boolean; some?: () => boolean },
): Promise<{ result: JsonObject; seen: unknown }> {
  const record = new Record();
  const stores = memoryStores();
  const [one, two] = [1, 2].map(() => createStateStore({ stores, options: { maxSuspended, maxRounds: 1000 } }));
  const player = (_: string, params: JsonObject) => {
    if (some && !some()) return undefined;
    record.answered(params);
    return answerRequest(params);
  };
  const effect = record.effect.bind(record);
  const asker = createAsker(program, { advance: async () => {}, effect }, layered);
  const { result } = await play(asker, player, () => (other?.() ? two : one) as never);
  expect(record.most).toBeLessThanOrEqual(1);
  return { result, seen: record.seen };
}

describe('a handler in every mode', () => {
  it('has the same input requests, effects and results by request and by retry, suspended or repeated', async () => {
    const property = fc.asyncProperty(programs, fc.boolean(), coin, coin, async (program, layered, other, answered) => {
      const expected = await byRequests(program, layered);
      // Nobody answers nothing for ever.
      let tosses = 0;
      const some = () => answered() || ++tosses % 3 === 0;
      for (const mode of [
        {},
        { maxSuspended: 0 },
        { other },
        { some },
        { maxSuspended: 0, some },
        { maxSuspended: 1, other, some },
      ]) {
        expect(await byRetries(program, layered, mode)).toEqual(expected);
      }
    });
    await fc.assert(property, { numRuns: 80 });
  }, 120_000);

  it('repeats no stored step, however often its process is killed [mrtr.retry-self-contained mrtr.no-assumption-of-retry]', async () => {
    const lives = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 6 });
    let deaths = 0;
    const property = fc.asyncProperty(programs, fc.boolean(), coin, lives, async (program, layered, held, each) => {
      deaths += await mortal(program, layered, held, each);
    });
    await fc.assert(property, { numRuns: 200 });
    expect(deaths).toBeGreaterThan(50);
  }, 120_000);

  it('repeats no stored step, wherever its process is killed', async () => {
    const program: Program = [
      { act: 'step' },
      { act: 'ask' },
      { act: 'step' },
      {
        act: 'all',
        branches: [
          [{ act: 'ask' }, { act: 'step' }],
          [{ act: 'step' }, { act: 'ask' }],
        ],
      },
      { act: 'step' },
    ];
    for (const held of [true, false]) {
      let places = 0;
      for (let died = 1; died > 0; places++) died = await mortal(program, true, () => held, [places + 1]);
      expect(places).toBeGreaterThan(30);
    }
  }, 120_000);
});

/** Plays a call to its end in processes that die, and checks what came of it. Returns how many have died. */
async function mortal(
  program: Program,
  layered: boolean,
  held: () => boolean,
  lives: readonly number[],
): Promise<number> {
  const expected = await byRequests(program, layered);
  const { clock, stores, recorded, answered } = createSite();
  const record = new Record();
  const done: { step: string; by: Process }[] = [];
  const begin = () => new Process(stores, clock, held() ? 100 : 0);
  const attempt = (process: Process, inputs: RetryInputs): Promise<JsonObject | 'died'> => {
    const effect = (branch: string, n: number, what: string) => {
      expect(recorded.has(`${branch}/${n}`), `${branch}/${n} was kept before`).toBe(false);
      record.effect(branch, n, what);
      done.push({ step: `${branch}/${n}`, by: process });
    };
    const asker = createAsker(program, { advance: () => process.advance(), effect }, layered);
    return Promise.race([runRound(asker, { states: process.states, inputs }), process.died]);
  };
  let process = begin();
  let deaths = 0;
  // The first request is none that could be taken again: sent again, it is another call.
  let result = (await attempt(process, {})) as JsonObject;
  while (result.resultType === 'input_required') {
    // What was done before it asked has travelled; what a dead process had begun has not.
    for (const { step, by } of done) if (by.alive) recorded.add(step);
    const inputs = createRetryInputs(result, (_, params) => {
      record.answered(params);
      return answerRequest(params);
    });
    if (!held()) process = begin();
    for (;;) {
      if (deaths < lives.length) process.dieAfter(lives[deaths] as number);
      const outcome = await attempt(process, inputs);
      if (outcome !== 'died') {
        result = outcome;
        break;
      }
      deaths++;
      // Its last deed was to write that the retry is answered: what it answered is lost.
      if (await answered()) return deaths;
      clock.advance(LEASE);
      process = begin();
    }
  }
  expect({ result, seen: record.seen }).toEqual(expected);
  expect(record.most).toBeLessThanOrEqual(1 + deaths);
  return deaths;
}
