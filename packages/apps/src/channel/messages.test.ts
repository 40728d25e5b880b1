import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMessage } from './messages.js';

const parse = (data: unknown, maxLength = 1_000) => parseMessage(data, maxLength);
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };

describe('parseMessage', () => {
  it.each([
    [
      { ...call, params: { a: 1 } },
      { kind: 'request', id: 1, method: 'tools/call', params: { a: 1 } },
    ],
    [
      { ...call, id: 'a' },
      { kind: 'request', id: 'a', method: 'tools/call', params: {} },
    ],
    [
      { jsonrpc: '2.0', method: 'm' },
      { kind: 'notification', method: 'm', params: {} },
    ],
    [
      { jsonrpc: '2.0', id: 2, result: { a: [] } },
      { kind: 'response', id: 2, result: { a: [] } },
    ],
    [
      { jsonrpc: '2.0', id: 2, error: { code: 1, message: 'no', data: [1] } },
      { kind: 'error', id: 2, error: { code: 1, message: 'no', data: [1] } },
    ],
    [
      { jsonrpc: '2.0', id: null, error: { code: 1, message: 'no' } },
      { kind: 'error', id: undefined },
    ],
  ])('reads %j', (data, message) => {
    expect(parse(data).message).toMatchObject(message);
  });

  it.each([
    [undefined],
    ['{"jsonrpc":"2.0","method":"m"}'],
    [[call]],
    [{ ...call, jsonrpc: '1.0' }],
    [{ ...call, id: null }],
    [{ ...call, id: 1.5 }],
    [{ ...call, id: { toString: 1 } }],
    [{ ...call, method: 1 }],
    [{ ...call, params: [] }],
    [{ ...call, params: null }],
    [{ ...call, result: {} }],
    [{ jsonrpc: '2.0', id: 1 }],
    [{ jsonrpc: '2.0', id: 1, result: 3 }],
    [{ jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } }],
    [{ jsonrpc: '2.0', id: 1, error: { code: '1', message: '' } }],
    [{ jsonrpc: '2.0', result: {} }],
    [{ ...call, params: { n: 1n } }],
  ])('rejects %o [ext-apps.messages-validated]', data => {
    expect(parse(data)).toMatchObject({ error: 'not-json-rpc' });
  });

  it('rejects a message that contains itself', () => {
    const data: { jsonrpc: string; method: string; params: { self?: object } } = {
      jsonrpc: '2.0',
      method: 'm',
      params: {},
    };
    data.params.self = data;
    expect(parse(data)).toEqual({ error: 'not-json-rpc' });
  });

  it('names the id of a request that is too large', () => {
    expect(parse({ ...call, params: { text: 'x'.repeat(1_000) } })).toEqual({ error: 'too-large', id: 1 });
    expect(parse({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(1_000) } })).toEqual({ error: 'too-large' });
  });

  it('returns a copy with JSON only, which the sender cannot change', () => {
    const params = { map: new Map([[1, 2]]), date: new Date(0), list: [undefined] };
    const { message } = parse({ ...call, params });
    params.list.push(undefined);
    expect(message).toMatchObject({ params: { map: {}, date: '1970-01-01T00:00:00.000Z', list: [null] } });
  });

  it('throws for no value, and returns a message or an error', () => {
    const member = fc.oneof(fc.anything({ withBigInt: true, withMap: true, withDate: true }), fc.constant('2.0'));
    const names = fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error', '__proto__');
    const messages = fc.dictionary(names, member).map(value => ({ jsonrpc: '2.0', ...value }));
    fc.assert(
      fc.property(fc.oneof(fc.anything(), messages), data => {
        const { message, error } = parse(data, 10_000);
        expect((message === undefined) !== (error === undefined)).toBe(true);
        if (message?.kind === 'request') expect(['string', 'number']).toContain(typeof message.id);
        if (message && 'method' in message) expect(typeof message.method).toBe('string');
        if (message && 'params' in message) expect(JSON.parse(JSON.stringify(message.params))).toEqual(message.params);
      }),
    );
  });

  it('reads each valid message unchanged', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    const id = fc.oneof(fc.string(), fc.integer());
    fc.assert(
      fc.property(id, fc.string(), object, (requestId, method, params) => {
        const text = JSON.stringify({ jsonrpc: '2.0', id: requestId, method, params });
        expect(parse(JSON.parse(text), text.length).message).toEqual({
          ...{ kind: 'request', id: requestId, method },
          params: JSON.parse(JSON.stringify(params)),
        });
      }),
    );
  });
});
