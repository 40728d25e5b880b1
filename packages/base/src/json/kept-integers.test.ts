import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { integerKeeper, parseJsonText, stringifyJson } from './json-text.js';
import { findInexactInteger, findKeptInteger, keepIntegers } from './kept-integers.js';

// Another program of the same process may keep integers already.
beforeAll(() => {
  const { mark, write } = integerKeeper;
  delete integerKeeper.mark;
  delete integerKeeper.write;
  return () => Object.assign(integerKeeper, { mark, write });
});

describe('an integer beyond the precision of a number', () => {
  it.each([
    ['9007199254740993', '9007199254740993'],
    ['{"a":[1,-9007199254740993]}', '-9007199254740993'],
    ['[1e400]', '1e400'],
    ['{"a":"9007199254740993"}', undefined],
    ['[9007199254740991,9007199254740992,10000000000000000000000]', undefined],
    ['[0.1234567890123456789,1e21,"\\"9007199254740993"]', undefined],
  ])('is found in %s: %s', (text, expected) => {
    expect(findInexactInteger(text)).toBe(expected);
  });

  it('becomes the nearest number by default', () => {
    expect(stringifyJson(parseJsonText('{"a":9007199254740993}'))).toBe('{"a":9007199254740992}');
  });

  it('is written again as it was read, wherever its object or array moves', () => {
    keepIntegers();
    const text = '{"a":9007199254740993,"b":[{"c":1},-9223372036854775807],"c\\"d":{"":12345678901234567891}}';
    const value = parseJsonText(text) as { a: number; b: unknown[] };
    expect(value.a).toBe(9007199254740992);
    expect(stringifyJson(value)).toBe(text);
    expect(stringifyJson({ result: value.b })).toBe('{"result":[{"c":1},-9223372036854775807]}');
    expect(findKeptInteger({ deep: [value] })).toBe('9007199254740993');
    expect(findKeptInteger({ a: 9007199254740992 })).toBeUndefined();
    value.a = 5;
    expect(stringifyJson({ a: value.a })).toBe('{"a":5}');
    expect(JSON.parse(stringifyJson(value)).a).toBe(5);
  });

  it.each(['1000000000000000000000001', '-12345678901234567890123456789'])(
    'is written again as it was read, where its number has an exponent: %s',
    text => {
      keepIntegers();
      for (const json of [`[1,${text}]`, `{"a": ${text}}`]) {
        expect(stringifyJson(parseJsonText(json))).toBe(json.replace(' ', ''));
      }
    },
  );

  it('is not looked for in a text that has its digits in strings only', () => {
    keepIntegers();
    const mark = vi.spyOn(integerKeeper, 'mark');
    for (const id of ['9007199254740993', 'a0-1e123', '0.1e400']) parseJsonText(JSON.stringify({ taskId: id, at: 1 }));
    expect(mark).not.toHaveBeenCalled();
    mark.mockRestore();
  });

  it('leaves all other JSON unchanged', () => {
    keepIntegers();
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), text => {
        expect(stringifyJson(parseJsonText(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
    const duplicate = '{"a":9007199254740993,"a":1,"__proto__":9007199254740995}';
    expect(stringifyJson(parseJsonText(duplicate))).toBe('{"a":1,"__proto__":9007199254740995}');
  });
});
