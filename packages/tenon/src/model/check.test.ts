import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anything,
  either,
  integer,
  list,
  number,
  object,
  oneOf,
  orNull,
  record,
  text,
  token,
  truth,
  within,
} from './check.js';

describe('a check', () => {
  it.each([
    [text, 'x', 5, 'a string'],
    [truth, false, 'x', 'true or false'],
    [number, 1.5, '1', 'a number'],
    [integer, -3, 1.5, 'an integer'],
    [orNull(integer), null, undefined, 'an integer'],
    [orNull(integer), 5, '5', 'an integer'],
    [token, 'x', 1.5, 'a string or an integer'],
    [token, -1, null, 'a string or an integer'],
    [oneOf('a', 'b'), 'b', 'c', 'one of a, b'],
    [list(text), ['x'], {}, 'an array'],
    [record(text), { a: 'x' }, [], 'an object'],
    [object({ 'a?': text }), {}, null, 'an object'],
    [either(text, number), 5, true, 'a number'],
  ])('lets through what fits and names what does not (%#)', (check, good, bad, expected) => {
    expect(check(good)).toBeUndefined();
    expect(check(bad)).toMatch(`at /: expected ${expected}, got `);
  });

  it('says where, from the outside in', () => {
    const check = object({ a: list(object({ b: text })), 'c?': record(number) });
    expect(check({ a: [{ b: 'x' }, { b: 1 }] })).toBe('at /a/1/b: expected a string, got a number');
    expect(check({ a: [], c: { d: 'x' } })).toBe('at /c/d: expected a number, got a string');
    expect(check({})).toBe('at /a: expected to be there, got nothing');
    expect(within('/root', check([]) as string)).toBe('at /root: expected an object, got an array');
    expect(within('/root', check({}) as string)).toBe('at /root/a: expected to be there, got nothing');
  });

  it('keeps and ignores members that it does not know [result.open-object]', () => {
    expect(object({ a: text })({ a: 'x', b: 1 })).toBeUndefined();
  });

  it('never repeats what came', () => {
    const check = object({ a: text, 'b?': list(number), 'c?': record(truth), 'd?': either(text, oneOf('x')) });
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), secret => {
        for (const value of [secret, { a: [secret] }, { a: '', b: [secret] }, { a: '', d: [secret] }]) {
          const problem = check(value);
          if (problem && !'expected a string, got nothing'.includes(secret)) expect(problem).not.toContain(secret);
        }
      }),
    );
  });

  it('throws at nothing', () => {
    const check = object({ a: either(list(record(text)), object({ 'b?': token })), 'c?': anything });
    fc.assert(fc.property(fc.anything(), value => ['string', 'undefined'].includes(typeof check(value))));
  });

  it('cuts long member names', () => {
    expect(record(text)({ ['k'.repeat(500)]: 1 })?.length).toBeLessThan(150);
  });
});
