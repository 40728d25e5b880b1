import { describe, expect, it, vi } from 'vitest';
import { checkInputRequestMethods, checkInputRequests } from './check-input-requests.js';

describe('checkInputRequests', () => {
  const list = (result: { readonly [name: string]: unknown }) => {
    const check = vi.fn();
    checkInputRequests(result, check);
    return check.mock.calls;
  };

  it('checks the method and params of each input request', () => {
    const inputRequests = { a: { method: 'roots/list' }, b: { method: 'x', params: { y: 1 } }, c: 'text' };
    expect(list({ resultType: 'input_required', inputRequests })).toEqual([
      ['roots/list', {}],
      ['x', { y: 1 }],
    ]);
  });

  it('accepts any other result', () => {
    expect(list({ resultType: 'complete', inputRequests: { a: { method: 'x' } } })).toEqual([]);
    expect(list({ resultType: 'input_required', inputRequests: null })).toEqual([]);
  });
});

describe('checkInputRequestMethods', () => {
  const check = (inputRequests: unknown, resultType = 'input_required') =>
    checkInputRequestMethods('the tool add', { resultType, inputRequests });
  const error = (details: object) => expect.objectContaining({ code: 'handler/output', ...details });

  it('accepts the methods of the protocol, no requests, and any other result', () => {
    check({
      a: { method: 'elicitation/create' },
      b: { method: 'sampling/createMessage' },
      c: { method: 'roots/list' },
    });
    check(undefined);
    check({ a: { method: 'x' } }, 'complete');
    checkInputRequestMethods('the tool add', 'text');
  });

  it('names the invalid method', () => {
    expect(() => check({ a: { method: 'tools/call' } })).toThrow(
      error({ summary: 'the tool add: invalid method of the input request "a"', received: '"tools/call"' }),
    );
    expect(() => check({ a: { method: 'x'.repeat(129) } })).toThrow(error({ received: `"${'x'.repeat(128)}"` }));
    expect(() => check({ a: null })).toThrow(error({ received: 'undefined' }));
  });

  it('requires an object of requests', () => {
    expect(() => check([])).toThrow(error({ summary: 'the tool add: invalid inputRequests', expected: 'an object' }));
  });
});
