import type { JsonObject } from '@tenon/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takePart, takeRuns } from '../../../../../test/support/extent.js';
import { compileSchema } from '../compile-schema.js';
import { compilePeerSchema } from '../peer-schema.js';

const list = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));
const members = (count: number) => Object.fromEntries(list(count, index => [`k${index}`, 1]));
/** An object whose names are numbers, which the engine stores apart. */
const numberNames = (count: number) => Object.fromEntries(list(count, index => [String(70_001 * index + 4_000), 1]));
const MANY_MEMBERS = members(60_000);
const MANY_ITEMS = list(300_000, index => index);
const LONG_TEXT = 'a/b '.repeat(1_000_000);
const LONG_URI = `https://h/${'a/'.repeat(1_000_000)}`;

/** A short text of each format that lists of plain values contain. */
const SHORT_TEXTS: { readonly [format: string]: string } = {
  date: '2026-02-28',
  time: '12:00:00Z',
  'date-time': '2026-02-28T12:00:00Z',
  duration: 'P1Y2M3DT4H5M6S',
  email: 'ann.lee@example.com',
  hostname: 'www.example.com',
  ipv4: '192.168.100.1',
  ipv6: '2001:db8:85a3::8a2e:370:7334',
  uri: 'https://example.com/a',
  'uri-reference': '/a/b/c?d=e&f=g',
  'uri-template': 'https://h/{id}',
  uuid: '00000000-0000-4000-8000-000000000000',
  'json-pointer': '/items/10/name',
};

/** A keyword, and a value on which one check by it takes long. */
const COSTLY: [schema: JsonObject, value: unknown][] = [
  [{ minProperties: 1 }, MANY_MEMBERS],
  [{ maxProperties: 1e6 }, MANY_MEMBERS],
  [{ propertyNames: { type: 'string' } }, MANY_MEMBERS],
  [{ propertyNames: { maxLength: 99 } }, MANY_MEMBERS],
  [{ additionalProperties: { type: 'number' } }, MANY_MEMBERS],
  [{ unevaluatedProperties: { type: 'number' } }, MANY_MEMBERS],
  [{ patternProperties: { '^k': { type: 'number' } } }, MANY_MEMBERS],
  [{ patternProperties: { '^x': true } }, MANY_MEMBERS],
  [{ required: ['k1'], additionalProperties: true }, MANY_MEMBERS],
  [{ items: { const: members(60) } }, list(400, () => members(60))],
  [{ items: { enum: [members(59), members(60)] } }, list(400, () => members(60))],
  [{ items: true, uniqueItems: true }, MANY_ITEMS],
  [{ uniqueItems: true }, MANY_ITEMS.map(String)],
  [{ uniqueItems: true }, list(30_000, index => ({ index }))],
  [{ uniqueItems: true }, list(200, index => `${'x'.repeat(20_000)}${1000 + index}`)],
  [{ uniqueItems: true }, list(200, index => [`${'x'.repeat(20_000)}${1000 + index}`])],
  [{ items: { type: 'number' } }, MANY_ITEMS],
  [{ items: { required: ['a', 'b', 'c', 'd'] } }, list(50_000, () => ({ a: 1, b: 2, c: 3, d: 4 }))],
  [{ items: { properties: Object.fromEntries(list(50, index => [`p${index}`, true])) } }, list(20_000, () => ({}))],
  [{ items: { dependentRequired: { a: ['b', 'c'] } } }, list(50_000, () => ({ a: 1, b: 2, c: 3 }))],
  [{ items: { dependentSchemas: { a: { type: 'object' } } } }, list(50_000, () => ({ a: 1 }))],
  [{ unevaluatedItems: { type: 'number' } }, MANY_ITEMS],
  [{ contains: { type: 'number' }, minContains: 1 }, MANY_ITEMS],
  [{ items: { anyOf: list(10, () => ({ type: 'string' })).concat([{ type: 'number' }]) } }, list(20_000, () => 1)],
  [{ items: { oneOf: [{ type: 'string' }, { type: 'number' }] } }, list(30_000, () => 1)],
  [{ items: { not: { type: 'string' } } }, MANY_ITEMS],
  [{ items: { if: { type: 'string' }, else: { minimum: 0 } } }, MANY_ITEMS],
  [{ items: { multipleOf: 5e-300 } }, list(2_000, () => 1e300)],
  [{ minLength: 3_000_000 }, LONG_TEXT],
  [{ maxLength: 3_999_999 }, `${LONG_TEXT.slice(0, -2)}\u{1f600}`],
  [{ pattern: '^[ab/ ]*$' }, LONG_TEXT],
  [{ items: { pattern: '[a-z]+[0-9]+!|x' } }, list(50, () => `${'a'.repeat(100)}x`)],
  [{ items: { const: `${'x'.repeat(50_000)}` } }, list(200, () => 'x'.repeat(50_000))],
  [
    { items: { enum: list(40, index => `${'x'.repeat(20_000)}${100 + index}`) } },
    list(9, () => `${'x'.repeat(20_000)}139`),
  ],
  [{ format: 'uri' }, LONG_URI],
  [{ format: 'uri-reference' }, LONG_URI],
  [{ format: 'uri-template' }, LONG_URI],
  [{ format: 'json-pointer' }, '/a'.repeat(1_000_000)],
  [{ format: 'relative-json-pointer' }, `0${'/a'.repeat(1_000_000)}`],
  [{ format: 'json-pointer-uri-fragment' }, `#${'/a'.repeat(1_000_000)}`],
  [{ format: 'time' }, `12:00:00.${'1'.repeat(1_000_000)}Z`],
  [{ format: 'date-time' }, `2026-01-01T12:00:00.${'1'.repeat(1_000_000)}Z`],
  [{ format: 'duration' }, `P${'1'.repeat(1_000_000)}D`],
  [{ format: 'regex' }, '\\p{L}'.repeat(100)],
];

/** A schema, and a value on which one check takes long for what it seems to be. */
const SLOW: [schema: JsonObject, value: unknown][] = [
  [{ minProperties: 1 }, numberNames(90_000)],
  [{ items: { minProperties: 1 } }, list(4_000, () => numberNames(100))],
  [{ items: { minProperties: 1 } }, list(800, () => members(250))],
  [{ items: { required: ['1', '2', '3'] } }, list(40_000, () => ({ 1: 1, 2: 2, 3: 3 }))],
  [{ pattern: '^\\p{L}*$' }, '\u03b1'.repeat(1_000_000)],
  [{ pattern: '\\p{N}|a' }, `${'\u03b1'.repeat(1_000_000)}a`],
  [{ pattern: '^[^@]+$' }, '\u{1f600}'.repeat(1_000_000)],
  [{ pattern: '(?=a)b|c' }, `${'a'.repeat(3_000_000)}c`],
  [{ pattern: '(a|b)(c|d)(e|f)' }, `${'ac '.repeat(1_000_000)}ace`],
  [{ pattern: 'aab' }, `${'a'.repeat(4_000_000)}b`],
  [{ pattern: 'a{200}b' }, `${'a'.repeat(100_000)}b`],
  [{ pattern: '^(a|b|c|d|e)*$' }, 'e'.repeat(2_000_000)],
];

function check(schema: JsonObject, value: unknown): string {
  const checked = compilePeerSchema(schema).check(value);
  return checked.ok === null ? checked.code : checked.ok ? 'valid' : 'invalid';
}

describe('the work of one check', () => {
  const named = COSTLY.map(([schema, value]) => [JSON.stringify(schema).slice(0, 80), schema, value] as const);

  it.each(takePart(named, 0, 6))('counts %s by the size of the value', (_name, schema, value) => {
    // Only the outcomes are compared, because a failed test would print the value.
    expect(check(schema, value)).toBe('valid');
    expect(check({ $defs: { it: schema }, allOf: list(300, () => ({ $ref: '#/$defs/it' })) }, value)).toBe(
      'schema/work-limit',
    );
  });

  it('counts each member of objects that are compared', () => {
    const compared = members(60);
    const schema = { items: { const: compared } };
    expect(
      check(
        schema,
        list(20_000, () => compared),
      ),
    ).toBe('valid');
    expect(
      check(
        schema,
        list(40_000, () => compared),
      ),
    ).toBe('schema/work-limit');
  });

  it.each(takePart(SLOW, 1, 3))('counts %j by the time that one check takes', (schema, value) => {
    expect(check(schema, value)).toBe('valid');
    expect(check({ $defs: { it: schema }, allOf: list(10, () => ({ $ref: '#/$defs/it' })) }, value)).toBe(
      'schema/work-limit',
    );
  });

  it.each(takePart(Object.keys(SHORT_TEXTS), 0, 4))(
    'counts each test of the format %s, also of empty texts',
    format => {
      const schema = { allOf: list(300, () => ({ items: { anyOf: [{ format }, true] } })) };
      expect(
        check(
          schema,
          list(6_000, () => ''),
        ),
      ).toBe('schema/work-limit');
    },
  );

  it.each(takePart(Object.entries(SHORT_TEXTS), 0, 4))(
    'accepts a message full of texts of the format %s',
    (format, text) => {
      const texts = list(Math.floor(16_000_000 / (text.length + 3)), () => text);
      expect(check({ items: { type: 'string', format } }, texts)).toBe('valid');
    },
  );

  it('refuses texts that are too long for their format without reading them', () => {
    for (const format of ['date', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']) {
      const checked = compilePeerSchema({ allOf: list(300, () => ({ format })) }).check('1:'.repeat(2_000_000));
      expect([format, checked.ok]).toEqual([format, false]);
    }
  });

  it('accepts plain values up to the limit of a message', () => {
    const row = {
      type: 'object',
      required: ['id', 'name'],
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
      additionalProperties: false,
    };
    const plain: [JsonObject, () => unknown][] = [
      [{ items: { type: 'number' } }, () => list(8_000_000, () => 1)],
      [{ type: 'array', items: row }, () => list(600_000, id => ({ id, name: 'x' }))],
      [{ properties: { text: { type: 'string', minLength: 1 } } }, () => ({ text: 'x'.repeat(16_000_000) })],
      [
        { properties: { blob: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' } } },
        () => ({ blob: 'QUJD'.repeat(4e6) }),
      ],
      [{ additionalProperties: { type: 'number' } }, () => members(300_000)],
    ];
    for (const [schema, value] of takePart(plain, 1, 2)) expect(check(schema, value())).toBe('valid');
  });

  it('reports a large invalid value as invalid, also if its issues take too long to list', () => {
    const faulty = compilePeerSchema({ allOf: list(300, index => ({ minProperties: 1e6 + index })) });
    const checked = faulty.check(MANY_MEMBERS);
    expect(checked.ok === false && checked.issues).toEqual([
      { path: [], message: expect.stringContaining('too many parts to list') },
    ]);
  });

  it('refuses arguments beyond the limit by a schema of the application too', async () => {
    const schema = { type: 'object', properties: { r: { allOf: list(300, () => ({ uniqueItems: true })) } } } as const;
    const checked = await compileSchema(schema, 'input').check({ r: MANY_ITEMS });
    expect(checked).toMatchObject({ ok: false, issues: [{ message: expect.stringContaining('too many steps') }] });
    const pattern = { type: 'object', properties: { r: { type: 'string', pattern: '^(a+)+$' } } } as const;
    const slow = await compileSchema(pattern, 'input').check({ r: `${'a'.repeat(50)}!` });
    expect(slow).toMatchObject({ ok: false, issues: [{ message: expect.stringContaining('too long') }] });
  });

  it('ends soon for random schemas and values', () => {
    const leaf = fc.oneof(
      fc.constantFrom<JsonObject>({ type: 'number' }, { minProperties: 1 }, { uniqueItems: true }, { minLength: 2 }),
      fc.constantFrom<JsonObject>({ format: 'uri' }, { pattern: '^a*b?a*$' }, { enum: [1, 'a', {}] }, { const: [1] }),
    );
    const schema = fc.letrec<{ any: JsonObject }>(tie => ({
      any: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.record({ allOf: fc.array(tie('any'), { minLength: 1, maxLength: 20 }) }),
        fc.record({ anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 20 }) }),
        fc.record({ items: tie('any'), unevaluatedItems: tie('any') }, { requiredKeys: ['items'] }),
        fc.record({ additionalProperties: tie('any'), propertyNames: leaf }, { requiredKeys: [] }),
        fc.record({ patternProperties: fc.record({ '^k': tie('any') }), unevaluatedProperties: tie('any') }),
        fc.constant<JsonObject>({ items: { $ref: '#' }, properties: { k1: { $ref: '#' } } }),
      ),
    })).any;
    const value = fc.constantFrom<unknown>(
      MANY_MEMBERS,
      MANY_ITEMS,
      LONG_TEXT,
      list(20_000, index => ({ k1: index, k2: ['a', 'b'] })),
      list(2_000, index => [list(20, () => `a${index}`)]),
    );
    fc.assert(
      fc.property(schema, value, (json, given) => {
        const before = process.cpuUsage();
        const { ok } = compilePeerSchema(json).check(given);
        const { user, system } = process.cpuUsage(before);
        expect([true, false, null]).toContain(ok);
        // The time of the processor, because other programs may run. It is ten times what an idle machine needs.
        expect((user + system) / 1000).toBeLessThan(2_000);
      }),
      { numRuns: takeRuns(150), interruptAfterTimeLimit: 20_000 },
    );
  });
});
