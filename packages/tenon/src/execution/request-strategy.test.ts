import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { getInputRequests } from './fixtures/playing.js';
import type { RunHandler } from './handler-run.js';
import { Journal } from './journal.js';
import { createRequestStrategy } from './lazy-run.js';
import { runUntilAnswered } from './request-backend.js';

const returned = (n: number, more: JsonObject = {}) => ({
  resultType: 'input_required',
  inputRequests: { q: { method: 'roots/list', params: { n } } },
  ...more,
});

describe('input requests by JSON-RPC requests', () => {
  it('run one after another or concurrently, as the handler makes them', async () => {
    const received: unknown[] = [];
    const asking = createRequestStrategy(async (method, params) => {
      received.push([method, params.n]);
      return { n: params.n };
    });
    const result = await asking(async run => {
      const first = await run.request('a', { n: 1 });
      const both = await Promise.all([run.request('b', { n: 2 }), run.request('b', { n: 3 })]);
      return { all: [first, ...both].map(({ n }) => n) };
    });
    expect(result).toEqual({ all: [1, 2, 3] });
    expect(received).toEqual([
      ['a', 1],
      ['b', 2],
      ['b', 3],
    ]);
  });

  it('reject only the input request that the client declined', async () => {
    const asking = createRequestStrategy(async (_, { n }) => {
      if (n === 1) throw new Error('no');
      return { n };
    });
    const result = await asking(async run => {
      const one = await run.request('a', { n: 1 }).catch(error => ({ error: String(error) }));
      return { one, two: await run.request('a', { n: 2 }) };
    });
    expect(result).toEqual({ one: { error: 'Error: no' }, two: { n: 2 } });
  });

  it('are sent when a handler returns them, and the handler runs again with the responses and its state', async () => {
    const entries: unknown[] = [];
    const asker: RunHandler = async (_, inputs) => {
      entries.push(inputs);
      return entries.length < 3 ? returned(entries.length, { requestState: `${entries.length}` }) : { done: true };
    };
    expect(await createRequestStrategy(async (_, { n }) => ({ n }))(asker)).toEqual({ done: true });
    expect(entries).toEqual([
      {},
      { inputResponses: { q: { n: 1 } }, requestState: '1' },
      { inputResponses: { q: { n: 2 } }, requestState: '2' },
    ]);
  });

  it('keep earlier answers and steps when the handler returns input requests', async () => {
    const did: string[] = [];
    const asker: RunHandler = async (run, { requestState }) => {
      const first = await run.request('a', {});
      await run.step('once', () => void did.push('step'));
      return requestState === undefined ? returned(0, { requestState: '' }) : { first };
    };
    const requests: string[] = [];
    const result = await createRequestStrategy(async method => {
      requests.push(method);
      return { of: method };
    })(asker);
    expect(result).toEqual({ first: { of: 'a' } });
    expect(requests).toEqual(['a', 'roots/list']);
    expect(did).toEqual(['step']);
  });

  it('differ between returned and awaited ones, even if they are equal', async () => {
    let count = 0;
    const asker: RunHandler = async (run, { inputResponses }) => {
      const own = await run.request('roots/list', { n: 0 });
      return inputResponses === undefined ? returned(0) : { own, q: (inputResponses as never as JsonObject).q };
    };
    const result = await createRequestStrategy(async () => ({ count: ++count }))(asker);
    expect(result).toEqual({ own: { count: 1 }, q: { count: 2 } });
  });

  it('end a handler that never stops [mrtr.client-round-limit]', async () => {
    let rounds = 0;
    const asker: RunHandler = async () => returned(++rounds);
    await expect(createRequestStrategy(async () => ({}))(asker)).rejects.toMatchObject({
      code: 'handler/too-many-rounds',
    });
    expect(rounds).toBe(32);
    expect(getInputRequests(returned(1))).toHaveProperty('q');
  });

  it('continue from a journal, and with a handler that runs already', async () => {
    const journal = new Journal([{ step: 'a', value: 1 }]);
    const modes = { check: () => {}, deliver: async () => ({}), work: (run: () => Promise<never>) => run() } as never;
    const asker: RunHandler = async (run, { requestState }) => ({ a: await run.step('a', () => 2), requestState });
    expect(await runUntilAnswered(asker, journal, modes, { inputs: { requestState: 's' } })).toEqual({
      a: 1,
      requestState: 's',
    });
    expect(await runUntilAnswered(asker, journal, modes, { first: Promise.resolve({ first: true }) })).toEqual({
      first: true,
    });
    const first = Promise.resolve(returned(1, { requestState: 'r' }));
    expect(await runUntilAnswered(asker, journal, modes, { first })).toEqual({ a: 1, requestState: 'r' });
  });
});
