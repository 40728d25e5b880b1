import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Asker } from './asking.js';
import { byRequest } from './by-request.js';
import { questionsOf } from './fixtures/playing.js';
import { Journal } from './journal.js';
import { again } from './requests.js';

const returned = (n: number, more: JsonObject = {}) => ({
  resultType: 'input_required',
  inputRequests: { q: { method: 'roots/list', params: { n } } },
  ...more,
});

describe('asking by request', () => {
  it('puts each question when it is asked, one after the other and side by side', async () => {
    const heard: unknown[] = [];
    const asking = byRequest(async (method, params) => {
      heard.push([method, params.n]);
      return { n: params.n };
    });
    const result = await asking(async run => {
      const first = await run.ask('a', { n: 1 });
      const both = await Promise.all([run.ask('b', { n: 2 }), run.ask('b', { n: 3 })]);
      return { all: [first, ...both].map(({ n }) => n) };
    });
    expect(result).toEqual({ all: [1, 2, 3] });
    expect(heard).toEqual([
      ['a', 1],
      ['b', 2],
      ['b', 3],
    ]);
  });

  it('rejects the question that the client refused, and nothing else', async () => {
    const asking = byRequest(async (_, { n }) => {
      if (n === 1) throw new Error('no');
      return { n };
    });
    const result = await asking(async run => {
      const one = await run.ask('a', { n: 1 }).catch(error => ({ error: String(error) }));
      return { one, two: await run.ask('a', { n: 2 }) };
    });
    expect(result).toEqual({ one: { error: 'Error: no' }, two: { n: 2 } });
  });

  it('asks what a handler returned, and enters it with the answers and its state', async () => {
    const entries: unknown[] = [];
    const asker: Asker = async (_, inputs) => {
      entries.push(inputs);
      return entries.length < 3 ? returned(entries.length, { requestState: `${entries.length}` }) : { done: true };
    };
    expect(await byRequest(async (_, { n }) => ({ n }))(asker)).toEqual({ done: true });
    expect(entries).toEqual([
      {},
      { inputResponses: { q: { n: 1 } }, requestState: '1' },
      { inputResponses: { q: { n: 2 } }, requestState: '2' },
    ]);
  });

  it('remembers what was asked and done before the handler returned its questions', async () => {
    const did: string[] = [];
    const asker: Asker = async (run, { requestState }) => {
      const first = await run.ask('a', {});
      await run.step('once', () => void did.push('step'));
      return requestState === undefined ? returned(0, { requestState: '' }) : { first };
    };
    const asked: string[] = [];
    const result = await byRequest(async method => {
      asked.push(method);
      return { of: method };
    })(asker);
    expect(result).toEqual({ first: { of: 'a' } });
    expect(asked).toEqual(['a', 'roots/list']);
    expect(did).toEqual(['step']);
  });

  it('takes a question that is returned for another than one that is asked, though they are alike', async () => {
    let count = 0;
    const asker: Asker = async (run, { inputResponses }) => {
      const own = await run.ask('roots/list', { n: 0 });
      return inputResponses === undefined ? returned(0) : { own, q: (inputResponses as never as JsonObject).q };
    };
    const result = await byRequest(async () => ({ count: ++count }))(asker);
    expect(result).toEqual({ own: { count: 1 }, q: { count: 2 } });
  });

  it('stops one that never stops [mrtr.client-round-limit]', async () => {
    let rounds = 0;
    const asker: Asker = async () => returned(++rounds);
    await expect(byRequest(async () => ({}))(asker)).rejects.toMatchObject({ code: 'handler/endless-questions' });
    expect(rounds).toBe(32);
    expect(questionsOf(returned(1))).toHaveProperty('q');
  });

  it('goes on with a journal, and with a handler that runs already', async () => {
    const journal = new Journal([{ step: 'a', value: 1 }]);
    const ways = { check: () => {}, put: async () => ({}), work: (run: () => Promise<never>) => run() } as never;
    const asker: Asker = async (run, { requestState }) => ({ a: await run.step('a', () => 2), requestState });
    expect(await again(asker, journal, ways, { inputs: { requestState: 's' } })).toEqual({ a: 1, requestState: 's' });
    expect(await again(asker, journal, ways, { first: Promise.resolve({ first: true }) })).toEqual({ first: true });
    const first = Promise.resolve(returned(1, { requestState: 'r' }));
    expect(await again(asker, journal, ways, { first })).toEqual({ a: 1, requestState: 'r' });
  });
});
