import { describe, expect, it } from 'vitest';
import { findJsonLoss, type JsonLoss } from './json-loss.js';
import { parseJsonText } from './json-text.js';
import { keepIntegers } from './kept-integers.js';

function createCycle() {
  const inner: { [name: string]: unknown } = {};
  inner.self = inner;
  return { list: [inner] };
}

function createDeep(depth: number) {
  let value: object = {};
  for (let level = 0; level < depth; level++) value = { value };
  return value;
}

class Money {
  readonly #cents = 5;
  toJSON(): unknown {
    return { cents: this.#cents };
  }
}

/** Lost in results of handlers and in arguments of calls. */
const lost: readonly (readonly [received: string, value: unknown])[] = [
  ['bigint', 5n],
  ['function', () => 1],
  ['symbol at /a', { a: Symbol('s') }],
  ['Map at /a~1b/0', { 'a/b': [new Map()] }],
  ['Set at /a', { a: new Set([1]) }],
  ['Promise at /a', { a: Promise.resolve() }],
  ['Error at /a', { a: new TypeError('x') }],
  ['Uint8Array at /a', { a: new Uint8Array(1) }],
  ['Uint8Array at /a', { a: Buffer.from('x') }],
  ['reference to /list/0 at /list/0/self', createCycle()],
  ['function at /0', [() => 1]],
  ['NaN at /a', { a: Number.NaN }],
  ['Infinity at /a/0', { a: [Number.POSITIVE_INFINITY] }],
  ['-Infinity', Number.NEGATIVE_INFINITY],
];

/** Left out by JSON, or written as `null`. */
const lostInSilence: readonly (readonly [received: string, value: unknown])[] = [
  ['function at /a', { a: () => 1 }],
  ['undefined at /a/1', { a: [1, undefined] }],
  ['undefined at /0', new Array(2)],
  ['invalid Date at /at', { at: new Date(Number.NaN) }],
  ['bigint at /a', { a: { toJSON: () => 1n } }],
  ['Map at /a/inner', { a: { toJSON: () => ({ inner: new Map() }) } }],
];

const describeLoss = (loss: JsonLoss | undefined) => loss && `${loss.kind}${loss.path && ` at ${loss.path}`}`;

describe('findJsonLoss', () => {
  it.each(lost)('finds %s', (received, value) => {
    expect(describeLoss(findJsonLoss(value))).toBe(received);
    expect(describeLoss(findJsonLoss(value, true))).toBe(received);
  });

  it.each(lostInSilence)('finds %s only if it is exact', (received, value) => {
    expect(describeLoss(findJsonLoss(value, true))).toBe(received);
    expect(findJsonLoss(value)).toBeUndefined();
  });

  it.each([
    ['members that are undefined', { a: undefined }],
    ['a Date', { at: new Date(0) }],
    ['an object with toJSON', { price: new Money() }],
    ['the same object twice', [{}, {}].map((_, index, all) => all[index && 0])],
    ['an object without a prototype', Object.create(null)],
    ['an empty object and an empty array', [{}, []]],
    ['long integers', { n: Number.MAX_SAFE_INTEGER }],
  ])('accepts %s', (_, value) => {
    expect(findJsonLoss(value, true)).toBeUndefined();
  });

  it('calls toJSON with the key, as JSON does', () => {
    const keys: unknown[] = [];
    const seen = { toJSON: (key: unknown) => keys.push(key) };
    findJsonLoss({ a: seen, list: [seen] }, true);
    expect(keys).toEqual(['a', '0']);
  });

  it('throws the exception of a toJSON method or a getter', () => {
    const fail = () => {
      throw new RangeError('no');
    };
    const getter = Object.defineProperty({}, 'b', { enumerable: true, get: fail });
    for (const value of [{ a: { toJSON: fail } }, { a: getter }])
      expect(() => findJsonLoss(value, true)).toThrow(new RangeError('no'));
  });

  it('accepts a value that is nested deeply', () => {
    expect(findJsonLoss(createDeep(1000), true)).toBeUndefined();
  });

  it('accepts an infinite number whose text is kept', () => {
    keepIntegers();
    expect(findJsonLoss(parseJsonText('{"n":[1e400]}'), true)).toBeUndefined();
  });
});
