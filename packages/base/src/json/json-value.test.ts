import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../test/support/extent.js';
import { copyJson, copyThroughJson, findJsonFault } from './json-value.js';

describe('findJsonFault', () => {
  it('finds nothing in a JSON value, and copyJson returns what JSON makes of it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), value => {
        expect(findJsonFault(value)).toBeUndefined();
        expect(copyJson(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each<[string, unknown]>([
    ['/: undefined', undefined],
    ['/: NaN', Number.NaN],
    ['/: -Infinity', Number.NEGATIVE_INFINITY],
    ['/: bigint', 1n],
    ['/: symbol', Symbol('s')],
    ['/: function', () => 1],
    ['/: a Date', new Date(0)],
    ['/: a Map', new Map()],
    ['/a/b/1: a Uint8Array', { a: { b: [1, new Uint8Array(1)] } }],
    ['/0: undefined', [undefined]],
    ['/1: undefined', Object.assign([1], { length: 2 })],
    ['/a: function', { a: () => 1 }],
    ['/toJSON: function', { toJSON: () => 1 }],
  ])('finds %s', (fault, value) => {
    expect(findJsonFault(value)).toBe(fault);
  });

  it('finds cycles and values that are too deep', () => {
    const round: { at?: unknown } = {};
    round.at = round;
    expect(findJsonFault(round)).toMatch(/deeper than 64/);
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
    expect(findJsonFault(deep(64))).toBeUndefined();
    expect(findJsonFault(deep(65))).toMatch(/deeper than 64/);
  });

  it('accepts undefined members and objects without a prototype', () => {
    const bare = Object.assign(Object.create(null), { a: 1, b: undefined });
    expect(findJsonFault(bare)).toBeUndefined();
    expect(copyJson(bare)).toStrictEqual({ a: 1 });
  });

  it('accepts a value whose copy shares nothing with it', () => {
    const value = { list: [{ a: 1 }], zero: -0 };
    const copy = copyJson(value);
    copy.list.push({ a: 2 });
    (copy.list[0] as { a: number }).a = 3;
    expect(value.list).toEqual([{ a: 1 }]);
    expect(Object.is(copy.zero, 0)).toBe(true);
    expect(Object.keys(copyJson(JSON.parse('{"__proto__":{"a":1}}')))).toEqual(['__proto__']);
  });
});

describe('copyThroughJson', () => {
  /** The value, or the error, that JSON and the copy give. */
  const attempt = (copy: (value: unknown) => unknown, value: unknown) => {
    try {
      return { copy: copy(value) };
    } catch (error) {
      return { thrown: (error as Error).constructor, message: (error as Error).message };
    }
  };
  const copyByText = (value: unknown) => {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : JSON.parse(text);
  };
  /** All that can be seen of a copy: members in their order, their attributes, prototypes, and the sign of zero. */
  const inspect = (value: unknown): string => {
    if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : `${typeof value} ${value}`;
    const members = Reflect.ownKeys(value).map(key => {
      const { value: member, ...attributes } = Object.getOwnPropertyDescriptor(value, key) ?? {};
      return `${String(key)} ${JSON.stringify(attributes)}: ${inspect(member)}`;
    });
    const prototypes = [Object.prototype, Array.prototype].indexOf(Object.getPrototypeOf(value));
    return `${Array.isArray(value)} ${prototypes} {${members.join(', ')}}`;
  };
  const expectSame = (value: unknown) => {
    const [expected, actual] = [attempt(copyByText, value), attempt(copyThroughJson, value)];
    expect(actual.message).toBe(expected.message);
    expect(actual.thrown).toBe(expected.thrown);
    expect(inspect(actual.copy)).toBe(inspect(expected.copy));
  };

  it('returns exactly what JSON does, or throws the same, for any value', () => {
    const anything = fc.anything({
      maxDepth: 4,
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withTypedArray: true,
      withSparseArray: true,
      withUnicodeString: true,
      key: fc.oneof(
        fc.string(),
        fc.nat(20).map(String),
        fc.constantFrom('__proto__', 'toJSON', 'constructor', 'length'),
      ),
    });
    fc.assert(fc.property(anything, expectSame), { numRuns: takeRuns(3000) });
  });

  it('returns exactly what JSON does for unusual values', () => {
    class Point {
      x = 1;
      get y() {
        return 2;
      }
    }
    class Rows extends Array {}
    const circular: { self?: unknown } = {};
    circular.self = [circular];
    const hidden = Object.defineProperty({ a: 1 }, 'toJSON', { value: () => 'own text' });
    const nest = (levels: number): unknown => (levels === 0 ? 1 : { a: [nest(levels - 1)] });
    const list = Object.assign([1, undefined, () => 1, Symbol('s')], { extra: 1, length: 6 });
    const values: unknown[] = [
      undefined,
      () => 1,
      Symbol('s'),
      1n,
      -0,
      [-0, Number.NaN, Number.NEGATIVE_INFINITY],
      { '': -0, none: undefined, run: () => 1, [Symbol('s')]: 1 },
      Object.assign(() => 1, { toJSON: () => 'a function' }),
      { a: Object.assign(() => 1, { toJSON: () => 'a function' }) },
      circular,
      hidden,
      [hidden, { toJSON: 1 }, { toJSON: () => undefined }],
      Object.assign([1], { toJSON: () => 'a list' }),
      { at: new Date(0), bad: new Date(Number.NaN), url: new URL('http://a/'), error: new Error('e'), exp: /a/ },
      { own: new Point(), rows: Rows.from([1, 2]), made: Object.create({ inherited: 1 }) },
      Object.create(Object.prototype, { seen: { value: 1, enumerable: true }, unseen: { value: 1 } }),
      {
        get computed() {
          return [1];
        },
      },
      {
        get broken() {
          throw new RangeError('no value');
        },
      },
      JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":null}}'),
      { z: 1, 2: 1, a: 1, 1: 1 },
      list,
      ['\ud800', '\udc00\ud800', '\u2028', '\0'],
      new Proxy({ a: [1] }, {}),
      new Proxy([1, { b: 2 }], {}),
      nest(90),
      nest(150),
      nest(300),
      new Uint8Array(2),
      Buffer.from('a'),
      (function (..._: unknown[]) {
        // biome-ignore lint/complexity/noArguments: it is an object of its own kind.
        return arguments;
      })(1, 2),
    ];
    for (const value of values) for (const each of [value, [value], { value }]) expectSame(each);
  });

  it.each<[string, object, PropertyDescriptor]>([
    ['inherited', Object.prototype, { value: 1, enumerable: true }],
    ['a', Object.prototype, { value: 1, writable: false }],
    ['a', Object.prototype, { get: () => 1, set: () => {} }],
    ['toJSON', Object.prototype, { value: () => 'an object' }],
    ['toJSON', Array.prototype, { value: () => 'an array' }],
    ['1', Array.prototype, { value: 'inherited', writable: true }],
  ])('copies %s, by which a prototype was extended, as JSON does', (name, prototype, descriptor) => {
    const value = { a: [1, { b: 'c' }], d: Object.assign([1], { length: 3 }) };
    Object.defineProperty(prototype, name, { ...descriptor, configurable: true });
    let copies: unknown[] = [];
    try {
      copies = [copyByText(value), copyThroughJson(value)];
    } finally {
      Reflect.deleteProperty(prototype, name);
    }
    expect(inspect(copies[1])).toBe(inspect(copies[0]));
  });

  it('shares nothing with the value', () => {
    const value = { list: [{ a: 1 }], object: { b: {} } };
    const copy = copyThroughJson(value) as typeof value;
    expect(copy).toStrictEqual(value);
    expect([copy.list === value.list, copy.list[0] === value.list[0], copy.object.b === value.object.b]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
