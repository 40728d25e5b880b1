import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Inputs } from '../../model/shapes.js';
import type { Asker } from './asking.js';
import { byRequest } from './by-request.js';
import { byRetry, type RetryFacts } from './by-retry.js';
import { createSeal } from './seal.js';

const FORM = { type: 'object', properties: {} };
const seal = createSeal();

type Client = (method: string, params: JsonObject) => JsonObject;

const facts = (inputs: Inputs, more: Partial<RetryFacts> = {}): RetryFacts => ({
  seal,
  boundTo: () => 'me',
  now: 0,
  inputs,
  check: () => {},
  ...more,
});

/** Plays the client of the by-retry manner: answers, and sends again, until there is a result. */
async function retrying(asker: Asker, client: Client): Promise<{ result: JsonObject; rounds: number }> {
  let inputs: Inputs = {};
  for (let rounds = 0; ; rounds++) {
    const result = await byRetry(facts(inputs))(asker);
    if (result.resultType !== 'input_required') return { result, rounds };
    const requests = (result.inputRequests ?? {}) as Record<string, { method: string; params?: JsonObject }>;
    const answers = Object.entries(requests).map(([key, { method, params }]) => [key, client(method, params ?? {})]);
    inputs = { inputResponses: Object.fromEntries(answers), requestState: result.requestState as string };
  }
}

/** A handler as a value: what it asks, one after the other or together, and how that depends on the answers. */
const plan = fc.array(fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }), { maxLength: 4 });

const handler =
  (steps: readonly (readonly number[])[]): Asker =>
  async ask => {
    let sum = 0;
    for (const together of steps) {
      const asked = together.map(n => ask('elicitation/create', { message: `${n}:${sum}`, requestedSchema: FORM }));
      for (const answer of await Promise.all(asked)) sum += Number((answer.content as JsonObject).n);
    }
    return { sum };
  };

const answering =
  (heard: string[]): Client =>
  (_, params) => {
    heard.push(params.message as string);
    return { action: 'accept', content: { n: 1 + Number((params.message as string)[0]) } };
  };

describe('a handler that asks', () => {
  it('asks the same and gets the same in either manner', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async steps => {
        const [one, other]: [string[], string[]] = [[], []];
        const client = answering(one);
        const direct = await byRequest(async (method, params) => client(method, params))(handler(steps));
        const { result, rounds } = await retrying(handler(steps), answering(other));
        expect(result).toEqual(direct);
        expect(other).toEqual(one);
        // What is asked together travels together.
        expect(rounds).toBe(steps.length);
      }),
      { numRuns: 60 },
    );
  });

  it('may return its questions instead, in either manner [mrtr.input-required-shape mrtr.request-state-echoed]', async () => {
    const asker: Asker = async (_, { inputResponses, requestState }) => {
      if (requestState === 'asked') return { answer: (inputResponses as Record<string, unknown>).q };
      return { resultType: 'input_required', inputRequests: { q: { method: 'roots/list' } }, requestState: 'asked' };
    };
    const client: Client = () => ({ roots: [] });
    expect(await byRequest(async () => ({ roots: [] }))(asker)).toEqual({ answer: { roots: [] } });
    expect((await retrying(asker, client)).result).toEqual({ answer: { roots: [] } });
  });

  it('may do both', async () => {
    const asker: Asker = async (ask, { requestState, inputResponses }) => {
      const first = await ask('roots/list', {});
      if (requestState === undefined)
        return { resultType: 'input_required', inputRequests: { q: { method: 'roots/list' } }, requestState: '' };
      return { first, second: (inputResponses as Record<string, unknown>).q, state: requestState };
    };
    const expected = { first: { roots: [] }, second: { roots: [] }, state: '' };
    expect((await retrying(asker, () => ({ roots: [] }))).result).toEqual(expected);
    expect(await byRequest(async () => ({ roots: [] }))(asker)).toEqual(expected);
  });

  it('that never stops is stopped', async () => {
    const asker: Asker = async () => ({ resultType: 'input_required', requestState: 'x' });
    await expect(byRequest(async () => ({}))(asker)).rejects.toMatchObject({ code: 'handler/endless-questions' });
  });

  it('that throws while it asks has thrown', async () => {
    const asker: Asker = async ask => {
      void ask('roots/list', {});
      throw new Error('no');
    };
    await expect(byRetry(facts({}))(asker)).rejects.toThrow('no');
  });
});

describe('a retry', () => {
  const once = handler([[1]]);
  const first = async (more: Partial<RetryFacts> = {}) => (await byRetry(facts({}, more))(once)) as JsonObject;
  const answer = { action: 'accept', content: { n: 1 } } as never;

  it('has keys that are one for each question [mrtr.input-request-keys-unique mrtr.input-requests-map]', async () => {
    const result = await byRetry(facts({}))(handler([[1, 1, 2]]));
    expect(Object.keys(result.inputRequests as JsonObject)).toEqual(['ask-0', 'ask-1', 'ask-2']);
    for (const each of Object.values(result.inputRequests as JsonObject))
      expect(Object.keys(each as object)).toEqual(['method', 'params']);
  });

  it.each([
    ['for another', { boundTo: () => 'another' }],
    ['by another process', { seal: createSeal() }],
    ['too late', { now: 15 * 60_000 + 1 }],
  ])(
    'is refused when its state was sealed %s [mrtr.request-state-tampered-rejected mrtr.request-state-rejection-code mrtr.request-state-principal-bound mrtr.request-state-expiry]',
    async (_, more) => {
      const { requestState } = await first();
      const again = byRetry(facts({ requestState: requestState as string, inputResponses: { 'ask-0': answer } }, more));
      await expect(again(once)).rejects.toMatchObject({ rpc: -32602 });
    },
  );

  it('is good until its time is up', async () => {
    const { requestState } = await first();
    const inputs = { requestState: requestState as string, inputResponses: { 'ask-0': answer } };
    expect(await byRetry(facts(inputs, { now: 15 * 60_000 - 1 }))(once)).toEqual({ sum: 1 });
  });

  it.each([
    ['no answer of its kind', { action: 'maybe' }],
    ['no object', 'yes'],
    ['nothing', null],
  ])('is refused with an answer that is %s', async (_, wrong) => {
    const { requestState } = await first();
    const again = byRetry(facts({ requestState: requestState as string, inputResponses: { 'ask-0': wrong as never } }));
    await expect(again(once)).rejects.toMatchObject({ rpc: -32602 });
  });

  it('without its answer asks again', async () => {
    const { requestState } = await first();
    const again = await byRetry(facts({ requestState: requestState as string, inputResponses: {} }))(once);
    expect(again.inputRequests).toHaveProperty('ask-0');
  });

  it('keeps the answers of before, and can not change them', async () => {
    const two = handler([[1], [2]]);
    const { requestState: one } = await byRetry(facts({}))(two);
    const second = await byRetry(facts({ requestState: one as string, inputResponses: { 'ask-0': answer } }))(two);
    const changed = { action: 'accept', content: { n: 100 } } as never;
    const inputs = {
      requestState: second.requestState as string,
      inputResponses: { 'ask-0': changed, 'ask-1': answer },
    };
    expect(await byRetry(facts(inputs))(two)).toEqual({ sum: 2 });
  });

  it('of a handler that asks something else than before is an error of the handler', async () => {
    const { requestState } = await first();
    const again = byRetry(facts({ requestState: requestState as string, inputResponses: { 'ask-0': answer } }));
    await expect(again(handler([[3]]))).rejects.toMatchObject({ code: 'handler/not-deterministic' });
  });

  it('asks nothing that the client can not answer [meta.capability-undeclared-not-used]', async () => {
    const refuse = () => {
      throw new Error('lacks');
    };
    await expect(byRetry(facts({}, { check: refuse }))(once)).rejects.toThrow('lacks');
  });
});
