import type { JsonObject } from '@tenon/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createFailure,
  createNotification,
  createRequest,
  createSuccess,
  isPreserialized,
  markPreserialized,
  serializeMessage,
} from './message.js';

const isText = (value: unknown): value is JsonObject => JSON.stringify(value) !== undefined;

describe('serializeMessage', () => {
  it('returns the same text whether the result is preserialized or not, for any id', () => {
    const id = fc.oneof(fc.integer(), fc.string());
    fc.assert(
      fc.property(id, fc.dictionary(fc.string(), fc.jsonValue()), (of, value) => {
        const result = { ...value };
        fc.pre(isText(result));
        const plain = JSON.stringify(createSuccess(of, result));
        const lasts = markPreserialized(result);
        expect([serializeMessage(createSuccess(of, lasts)), serializeMessage(createSuccess(of, lasts))]).toEqual([
          plain,
          plain,
        ]);
      }),
    );
  });

  it('names the part of a message that JSON cannot represent', () => {
    const circle: JsonObject = {};
    circle.of = circle;
    for (const [value, text] of [
      [{ n: 5n }, 'the message cannot be serialized as JSON. Expected .*, got bigint at /params/n. Pass it as text'],
      [{ circle }, 'got reference to .* at /params/circle/of'],
      [
        {
          a: {
            toJSON: () => {
              throw new Error('no');
            },
          },
        },
        'toJSON threw',
      ],
    ] as const)
      expect(() => serializeMessage(createRequest(1, 'a', value))).toThrow(new RegExp(text));
    expect(() => serializeMessage(createNotification('a', { n: 5n }), { code: 'call/unwritable' })).toThrow(
      expect.objectContaining({ code: 'call/unwritable' }),
    );
  });

  it('serializes every other message', () => {
    const messages = [
      createRequest(1, 'a', { b: 1 }),
      createNotification('c'),
      createSuccess(2, { d: [] }),
      createFailure(3, { code: 1, message: 'e' }),
    ];
    for (const message of messages) expect(serializeMessage(message)).toBe(JSON.stringify(message));
    const answers = [createSuccess(1, markPreserialized({ a: 1 })), createSuccess(2, {})];
    expect(serializeMessage(answers)).toBe(JSON.stringify(answers));
  });

  it('serializes a preserialized result once', () => {
    let made = 0;
    const result = markPreserialized({ a: { toJSON: () => ++made } });
    expect(serializeMessage(createSuccess(1, result))).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":1}}');
    expect(serializeMessage(createSuccess('x', result))).toBe('{"jsonrpc":"2.0","id":"x","result":{"a":1}}');
    expect(Object.isFrozen(result)).toBe(true);
    expect([isPreserialized(result), isPreserialized({ ...result })]).toEqual([true, false]);
  });
});
