import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkAbsoluteUrl,
  checkAnything,
  checkArray,
  checkBoolean,
  checkClock,
  checkEither,
  checkFalse,
  checkFunction,
  checkInteger,
  checkNullable,
  checkNumber,
  checkObject,
  checkOneOf,
  checkRange,
  checkRecord,
  checkString,
  checkText,
  checkToken,
  checkWhole,
  prependPath,
} from './check.js';

describe('a check', () => {
  it.each([
    [checkString, 'x', 5, 'a string'],
    [checkBoolean, false, 'x', 'true or false'],
    [checkNumber, 1.5, '1', 'a number'],
    [checkInteger, -3, 1.5, 'an integer'],
    [checkNullable(checkInteger), null, undefined, 'an integer'],
    [checkNullable(checkInteger), 5, '5', 'an integer'],
    [checkWhole('a port, 1 to 9', 1, 9), 9, 10, 'a port, 1 to 9'],
    [checkWhole('a port', 1), 9, 1.5, 'a port'],
    [checkWhole('a port', 1), 9, Number.POSITIVE_INFINITY, 'a port'],
    [checkToken, 'x', 1.5, 'a string or an integer'],
    [checkToken, -1, null, 'a string or an integer'],
    [checkOneOf('a', 'b'), 'b', 'c', 'one of a, b'],
    [checkOneOf(['a', 'b'], 'c'), 'b', 'd', 'one of a, b, c'],
    [checkArray(checkString), ['x'], {}, 'an array'],
    [checkRecord(checkString), { a: 'x' }, [], 'an object'],
    [checkRecord(checkString), {}, Promise.resolve({ a: 'x' }), 'an object'],
    [checkObject({ 'a?': checkString }), {}, null, 'an object'],
    [checkEither(checkString, checkNumber), 5, true, 'a string or a number'],
    [checkEither(checkFalse, checkObject()), false, true, 'false or an object'],
    [checkText('a path', text => text === '/a'), '/a', '/b', 'a path'],
    [checkAbsoluteUrl, new URL('https://a.example'), ['https://a.example'], 'an absolute URL'],
    [checkClock, { now() {}, elapsed() {}, after() {} }, null, 'an object'],
  ])('accepts a fitting value and names the unfit member (%#)', (check, good, bad, expected) => {
    expect(check(good)).toBeUndefined();
    expect(check(bad)).toMatch(`at /: expected ${expected}, got `);
  });

  it('names a promise, which has no members', () => {
    expect(checkRecord(checkString)(Promise.resolve({}))).toBe('at /: expected an object, got a promise');
  });

  it('names an object whose state is not in its keys', () => {
    const check = checkRecord(checkString);
    expect(check(new Map([['a', 'b']]))).toBe('at /: expected an object, got a Map');
    expect(check(Object.assign(new (class Names {})(), { a: 'b' }))).toBeUndefined();
    expect([check({}), check(Object.create(null))]).toEqual([undefined, undefined]);
  });

  it('names the path, from the outside in', () => {
    const check = checkObject({ a: checkArray(checkObject({ b: checkString })), 'c?': checkRecord(checkNumber) });
    expect(check({ a: [{ b: 'x' }, { b: 1 }] })).toBe('at /a/1/b: expected a string, got a number');
    expect(check({ a: [], c: { d: 'x' } })).toBe('at /c/d: expected a number, got a string');
    expect(check({})).toBe('at /a: expected a value, got nothing');
    expect(prependPath('/root', check([]) as string)).toBe('at /root: expected an object, got an array');
    expect(prependPath('/root', check({}) as string)).toBe('at /root/a: expected a value, got nothing');
  });

  it('keeps and ignores unknown members [result.open-object]', () => {
    expect(checkObject({ a: checkString })({ a: 'x', b: 1 })).toBeUndefined();
  });

  it('names the invalid member of a value that one of several checks expects', () => {
    expect(checkEither(checkFunction, checkArray(checkString))(['a', 5])).toBe(
      'at /1: expected a string, got a number',
    );
    expect(checkEither(checkFalse, checkRange('a rate', 0))(Number.NaN)).toBe(
      'at /: expected false or a rate, got NaN',
    );
  });

  it('tells an empty text and another text from a value of another type', () => {
    const check = checkText('a name', text => text === 'a');
    expect(['', 'b', 5].map(value => check(value)?.split(', got ')[1])).toEqual([
      'an empty string',
      'another text',
      'a number',
    ]);
  });

  it('names a number outside of its range', () => {
    const check = checkArray(checkRange('a number of at least 1', 1));
    expect(check([1, 0.5])).toBe('at /1: expected a number of at least 1, got 0.5');
    expect(check([Number.NaN])).toBe('at /0: expected a number of at least 1, got NaN');
    expect(check(['1'])).toBe('at /0: expected a number of at least 1, got a string');
    expect(checkInteger(1.5)).toBe('at /: expected an integer, got 1.5');
  });

  it('never repeats the received value', () => {
    const check = checkObject({
      a: checkString,
      'b?': checkArray(checkNumber),
      'c?': checkRecord(checkBoolean),
      'd?': checkEither(checkString, checkOneOf('x')),
    });
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), secret => {
        for (const value of [secret, { a: [secret] }, { a: '', b: [secret] }, { a: '', d: [secret] }]) {
          const issue = check(value);
          if (issue && !'expected a string, got nothing'.includes(secret)) expect(issue).not.toContain(secret);
        }
      }),
    );
  });

  it('throws for no value', () => {
    const check = checkObject({
      a: checkEither(checkArray(checkRecord(checkString)), checkObject({ 'b?': checkToken })),
      'c?': checkAnything,
    });
    fc.assert(fc.property(fc.anything(), value => ['string', 'undefined'].includes(typeof check(value))));
  });

  it('shortens long member names', () => {
    expect(checkRecord(checkString)({ ['k'.repeat(500)]: 1 })?.length).toBeLessThan(150);
  });
});
