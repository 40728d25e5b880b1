import { describe, expect, it } from 'vitest';
import { requireRequestHandler } from '../../../tenon/src/protocol/check-request-handler.js';
import { checkArray, checkNumber, checkObject, checkOneOf, checkOptional } from './check.js';
import { checkOptions, requireKnownOptions, requirePresentOptions, requireShape } from './check-options.js';

const form = '{ size?, mode?, inner? }';
const optional = (check: (value: unknown) => string | undefined) => (value: unknown) =>
  value === undefined ? undefined : check(value);
const shape = {
  code: 'test/options',
  form,
  keys: {
    size: optional(checkNumber),
    mode: optional(checkOneOf('fast', 'slow')),
    inner: optional(checkArray(checkObject({ size: checkNumber }))),
    other: optional(() => 'a problem without a place'),
  },
  aliases: { length: 'size' },
};
const check = (value: unknown) => () => requireShape('the options', value, shape);
const error = (details: object) => expect.objectContaining({ code: 'test/options', ...details });

describe('requireShape', () => {
  it('accepts an object with known keys and valid values', () => {
    expect(check({})).not.toThrow();
    expect(check({ size: 1, mode: 'slow', inner: [{ size: 2 }] })).not.toThrow();
  });

  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [[1], 'an array'],
    ['text', 'a string'],
    [1, 'a number'],
    [Promise.resolve({ size: 1 }), 'a promise'],
  ])('names the type of %j, which is not an object', (value, received) => {
    expect(check(value)).toThrow(
      error({ summary: 'the options is not an object', expected: 'an object', received, hint: `write ${form}` }),
    );
  });

  it('names an unknown key, and the most similar known one', () => {
    expect(check({ sise: 1 })).toThrow(
      error({
        summary: 'the options has the unknown key "sise"',
        expected: form,
        hint: 'did you mean "size"?',
      }),
    );
    expect(check({ unrelated: 1 })).toThrow(error({ hint: 'remove this key' }));
    expect(check({ ['x'.repeat(81)]: 1 })).toThrow(error({ summary: expect.stringContaining(`"${'x'.repeat(80)}"`) }));
  });

  it('names the key of this library for the key of another one', () => {
    expect(check({ length: 1 })).toThrow(error({ hint: 'did you mean "size"?' }));
    expect(check({ toString: 1 })).toThrow(error({ hint: 'remove this key' }));
    expect(() => requireShape('it', { length: 1 }, { code: 'test/options', form, keys: {} })).toThrow(
      error({ hint: 'remove this key' }),
    );
  });

  it('names the place, the expected and the received value of an invalid member', () => {
    expect(check({ size: 'big' })).toThrow(
      error({
        summary: 'the options: invalid `size`',
        expected: 'a number',
        received: 'a string',
        hint: `write ${form}`,
      }),
    );
    expect(check({ inner: [{ size: 1 }, {}] })).toThrow(
      error({ summary: 'the options: invalid `inner/1/size`', expected: 'a value' }),
    );
    expect(check({ other: 1 })).toThrow(
      error({ summary: 'the options: invalid `other`', expected: undefined, received: undefined }),
    );
  });
});

describe('options that are a promise', () => {
  const options: object = Promise.resolve({ size: 1 });
  const size = checkOptional(checkNumber);

  it('are refused by each check of options', () => {
    const refused = expect.objectContaining({ code: 'options/invalid', received: 'a promise' });
    expect(() => requireKnownOptions('run', options, { size: true } as never)).toThrow(refused);
    expect(() => requirePresentOptions<{ size?: number }>('run', options, { size })).toThrow(refused);
    expect(checkOptions<{ size?: number }>({ size })(options)).toBe('at /: expected an object, got a promise');
  });
});

describe('requireRequestHandler', () => {
  it('accepts an object that can be connected', () => {
    expect(() => requireRequestHandler({ connect() {} })).not.toThrow();
  });

  it.each([
    [null, 'null', undefined],
    [{}, 'another object', undefined],
    [undefined, 'undefined', undefined],
    ['server', 'string', undefined],
    [() => 1, 'function', 'call the function and pass the server that it returns'],
  ])('rejects %s', (value, received, hint) => {
    expect(() => requireRequestHandler(value)).toThrow(
      expect.objectContaining({ code: 'serve/service', received, hint }),
    );
  });
});
