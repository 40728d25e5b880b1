import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { toCanonicalJson } from './canonical-json.js';
import { copyWithout } from './copy-without.js';
import { isObject } from './json-object.js';
import { integerKeeper, parseJsonText, stringifyJson, stringifyMember } from './json-text.js';
import { copyJson, copyThroughJson } from './json-value.js';
import { findInexactInteger, findKeptInteger, keepIntegers, setInteger } from './kept-integers.js';

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
    // A JavaScript number represents it, and JSON writes other digits.
    ['[1152921504606846976]', '1152921504606846976'],
    ['[9007199254740993.0]', '9007199254740993.0'],
    ['[9.007199254740993e15]', '9.007199254740993e15'],
    ['[90071992547409930e-1]', '90071992547409930e-1'],
    ['[1e-400]', '1e-400'],
    ['[-0,-0.0,0e5,1.0,100e-2,0.1,1E3,1e23,5e-324]', undefined],
  ])('is found in %s: %s', (text, expected) => {
    expect(findInexactInteger(text)).toBe(expected);
  });

  it.each(['a', '\\"', '\\\\', 'a\\n'])('is found after a text of 20 million characters: %j', part => {
    const text = `{"a":"${part.repeat(20_000_000 / part.length)}","b":9007199254740993}`;
    expect(findInexactInteger(text)).toBe('9007199254740993');
  });

  it('is found outside of strings only', () => {
    const json = fc.jsonValue().map(value => JSON.stringify({ text: JSON.stringify(value), id: '9007199254740993' }));
    fc.assert(fc.property(json, text => findInexactInteger(text) === undefined));
    fc.assert(fc.property(json, text => findInexactInteger(`[${text},9007199254740993]`) === '9007199254740993'));
  });

  it('becomes the nearest number by default', () => {
    expect(stringifyJson(parseJsonText('{"a":9007199254740993}'))).toBe('{"a":9007199254740992}');
  });

  it('stays in a copy without other members', () => {
    keepIntegers();
    const value = parseJsonText('{"a":9007199254740993,"b":9007199254740995}');
    expect(isObject(value) && stringifyJson(copyWithout(value, ['b']))).toBe('{"a":9007199254740993}');
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
    const { mark } = integerKeeper;
    // Vitest restores its own spies after the file too, when other files of the worker rely on the keeper.
    integerKeeper.mark = vi.fn();
    for (const id of ['9007199254740993', 'a0-1e123', '0.1e400']) parseJsonText(JSON.stringify({ taskId: id, at: 1 }));
    expect(integerKeeper.mark).not.toHaveBeenCalled();
    Object.assign(integerKeeper, { mark });
  });

  it.each([
    ['{"a":1e400,"b":null}'],
    ['[-0,0,{"a":-0.0}]'],
    ['{"a":[99999999999999991611392,1e+23]}'],
    ['{"a":0.1000000000000000055511151231257827,"b":0.1}'],
    ['{"a":1152921504606846976}'],
    ['{"a":1e-400}'],
  ])('is written again in every form: %s', text => {
    keepIntegers();
    const value = parseJsonText(text);
    expect(stringifyJson(value)).toBe(text);
    expect(stringifyJson(copyThroughJson(value))).toBe(text);
    expect(stringifyJson(copyJson(value))).toBe(text);
    expect(toCanonicalJson(value)).toBe(text);
    expect(parseJsonText(stringifyJson(value, 2))).toEqual(value);
  });

  it('stays with an object that is spread, and is written alone with its digits', () => {
    keepIntegers();
    const { other, ...rest } = parseJsonText('{"size":9007199254740993,"other":1}') as { other: number };
    expect(stringifyJson({ name: 'a', ...rest })).toBe('{"name":"a","size":9007199254740993}');
    expect([stringifyMember(rest, 'size'), stringifyMember({ other }, 'other'), stringifyMember({}, 'a')]).toEqual([
      '9007199254740993',
      '1',
      'null',
    ]);
    expect(stringifyMember(parseJsonText('[{"a":-0}]') as object, 0)).toBe('{"a":-0}');
    const built = { a: 0 };
    setInteger(built, 'a', '9223372036854775807');
    expect(stringifyJson(built)).toBe('{"a":9223372036854775807}');
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
