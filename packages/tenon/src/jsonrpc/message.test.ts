import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  classifyMessage,
  createFailure,
  createNotification,
  createRequest,
  createSuccess,
  diagnoseMessage,
  isId,
  type JsonRpcMessage,
  withoutNulls,
} from './message.js';

const v = { jsonrpc: '2.0' };

describe('classifyMessage', () => {
  it.each([
    ['request', { ...v, id: 1, method: 'a' }],
    ['request', { ...v, id: '', method: 'a', params: {} }],
    ['request', { ...v, id: 1, method: 'a', more: 1 }],
    ['notification', { ...v, method: 'a' }],
    ['success', { ...v, id: 1, result: {} }],
    ['success', { ...v, id: 1, result: { unknown: 1 } }],
    ['failure', { ...v, id: 1, error: { code: 1, message: '' } }],
    ['failure', { ...v, error: { code: -1, message: 'm', data: null } }],
    ['failure', { ...v, id: null, error: { code: 1, message: '' } }],
  ])(
    'returns %s for %j [base.response.result-object base.error.code-and-message base.error.id-absent-when-unreadable]',
    (kind, value) => expect(classifyMessage(value)).toBe(kind),
  );

  it.each([
    ['no object', 5],
    ['null', null],
    ['an array', [{ ...v, method: 'a' }]],
    ['no jsonrpc [base.jsonrpc-2.0]', { id: 1, method: 'a' }],
    ['another jsonrpc [base.jsonrpc-2.0]', { jsonrpc: 2, id: 1, method: 'a' }],
    ['a method that is no string', { ...v, id: 1, method: 5 }],
    ['positional params [base.request.params-object]', { ...v, id: 1, method: 'a', params: [1] }],
    ['a fractional id [base.request.id-string-or-integer]', { ...v, id: 1.5, method: 'a' }],
    ['an id that is null [base.request.id-not-null]', { ...v, id: null, method: 'a' }],
    ['an id that is an object [base.request.id-string-or-integer]', { ...v, id: {}, method: 'a' }],
    ['an id of 2^53', { ...v, id: 2 ** 53, method: 'a' }],
    ['a request with a result', { ...v, id: 1, method: 'a', result: {} }],
    ['result and error [base.response.result-xor-error]', { ...v, id: 1, result: {}, error: { code: 1, message: '' } }],
    ['neither result nor error [base.response.result-xor-error]', { ...v, id: 1 }],
    ['a result that is not an object [base.response.result-object]', { ...v, id: 1, result: 'x' }],
    ['a result without an id', { ...v, result: {} }],
    ['an error without a message [base.error.code-and-message]', { ...v, id: 1, error: { code: 1 } }],
    ['a code that is a string [base.error.code-integer]', { ...v, id: 1, error: { code: '1', message: '' } }],
    ['a fractional code [base.error.code-integer]', { ...v, id: 1, error: { code: 1.5, message: '' } }],
    ['a code beyond the safe integers [base.error.code-integer]', { ...v, id: 1, error: { code: 1e20, message: '' } }],
  ])('returns malformed for %s', (_, value) => {
    expect(classifyMessage(value)).toBe('malformed');
    expect(diagnoseMessage(value).reason).not.toBe('');
  });

  it.each([
    ['request', { ...v, id: 1, method: 'a', params: null }, { ...v, id: 1, method: 'a' }],
    ['notification', { ...v, method: 'a', params: null }, { ...v, method: 'a' }],
    ['success', { ...v, id: 1, result: {}, error: null }, { ...v, id: 1, result: {} }],
    ['success', { ...v, id: 1, result: null }, { ...v, id: 1, result: {} }],
    [
      'failure',
      { ...v, id: null, result: null, error: { code: 1, message: '' } },
      { ...v, id: null, error: { code: 1, message: '' } },
    ],
  ])('returns %s, with null members counted as absent, for %j', (kind, value, plain) => {
    expect(classifyMessage(value)).toBe(kind);
    expect(withoutNulls(value as unknown as JsonRpcMessage)).toEqual(plain);
    expect(withoutNulls(plain as unknown as JsonRpcMessage)).toBe(plain);
  });

  it.each([
    [{ ...v, id: 1, method: 'a', params: null }, '"params" must not be null'],
    [{ ...v, method: 'a', params: null }, '"params" must not be null'],
    [{ ...v, id: 1, result: null }, '"result" must not be null'],
    [{ ...v, id: 1, result: {}, error: null }, '"error" must not be null'],
    [
      { ...v, id: 1, error: { message: 'the quota is used up' } },
      '"error" must have an integer "code" and a string "message", and its message is "the quota is used up"',
    ],
    [{ ...v, id: 1, method: 'a', params: null, result: {} }, 'a request has no "result" or "error"'],
  ])('explains why %j is refused', (value, reason) => {
    expect(diagnoseMessage(value).reason).toBe(reason);
  });

  it('finds the id of a malformed request, and of nothing else', () => {
    expect(diagnoseMessage({ ...v, id: 7, method: 5 })).toMatchObject({ id: 7 });
    expect(diagnoseMessage({ ...v, id: 7, result: 5 })).not.toHaveProperty('id');
    expect(diagnoseMessage({ ...v, id: 1.5, method: 'a' })).not.toHaveProperty('id');
  });

  const part = fc.option(
    fc.oneof(fc.integer(), fc.double(), fc.string(), fc.constant(null), fc.constant({}), fc.constant([])),
    { nil: undefined },
  );
  const error = fc.oneof(part, fc.record({ code: part, message: part }));
  const like = fc.record(
    { jsonrpc: fc.constantFrom('2.0', '1.0', 2), id: part, method: part, params: part, result: part, error },
    { requiredKeys: [] },
  );

  it('agrees with diagnoseMessage for any value', () => {
    fc.assert(
      fc.property(fc.oneof(like, fc.jsonValue()), value => {
        const kind = classifyMessage(value);
        const { id, reason } = diagnoseMessage(value);
        if (id !== undefined) expect(isId(id)).toBe(true);
        if (kind !== 'malformed') return;
        // Each explanation is true of the value.
        const { jsonrpc, method } = Object(value) as Record<string, unknown>;
        if (reason.startsWith('"jsonrpc"')) expect(jsonrpc).not.toBe('2.0');
        if (reason.startsWith('"method"')) expect(typeof method).not.toBe('string');
        if (reason.startsWith('a message is'))
          expect(typeof value !== 'object' || value === null || Array.isArray(value)).toBe(true);
      }),
    );
  });

  it('returns the kind as which a message was created [base.notification.no-id base.response.same-id]', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.maxSafeInteger()),
        fc.string(),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (id, method, params) => {
          expect(classifyMessage(createRequest(id, method, params))).toBe('request');
          expect(classifyMessage(createNotification(method, params))).toBe('notification');
          expect(classifyMessage(createSuccess(id, params))).toBe('success');
          expect(classifyMessage(createFailure(id, { code: 1, message: method }))).toBe('failure');
          expect(createFailure(undefined, { code: 1, message: method })).not.toHaveProperty('id');
          expect(createSuccess(id, params).id).toBe(id);
        },
      ),
    );
  });
});
