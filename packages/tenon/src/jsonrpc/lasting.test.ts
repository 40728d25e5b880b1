import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLasting, lasting, textOf } from './lasting.js';
import { failure, type JsonObject, notification, request, success } from './message.js';

const isText = (value: unknown): value is JsonObject => JSON.stringify(value) !== undefined;

describe('what is sent, as JSON', () => {
  it('says the same whether its result lasts or not, for whatever id', () => {
    const id = fc.oneof(fc.integer(), fc.string());
    fc.assert(
      fc.property(id, fc.dictionary(fc.string(), fc.jsonValue()), (of, value) => {
        const result = { ...value };
        fc.pre(isText(result));
        const plain = JSON.stringify(success(of, result));
        const lasts = lasting(result);
        expect([textOf(success(of, lasts)), textOf(success(of, lasts))]).toEqual([plain, plain]);
      }),
    );
  });

  it('is that of every other message', () => {
    const messages = [
      request(1, 'a', { b: 1 }),
      notification('c'),
      success(2, { d: [] }),
      failure(3, { code: 1, message: 'e' }),
    ];
    for (const message of messages) expect(textOf(message)).toBe(JSON.stringify(message));
    const answers = [success(1, lasting({ a: 1 })), success(2, {})];
    expect(textOf(answers)).toBe(JSON.stringify(answers));
  });

  it('is made once of what lasts, which does not change any more', () => {
    let made = 0;
    const result = lasting({ a: { toJSON: () => ++made } });
    expect(textOf(success(1, result))).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":1}}');
    expect(textOf(success('x', result))).toBe('{"jsonrpc":"2.0","id":"x","result":{"a":1}}');
    expect(Object.isFrozen(result)).toBe(true);
    expect([isLasting(result), isLasting({ ...result })]).toEqual([true, false]);
  });
});
