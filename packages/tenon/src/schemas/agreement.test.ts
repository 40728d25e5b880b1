import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../jsonrpc/message.js';
import { formats } from './formats.js';
import { type Checked, compile, compileJson } from './validate.js';

/** Another validator, which has no part in this one. It judges what this one says. */
const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });

const name = fc.constantFrom('a', 'b', 'ab', 'c');
const leaf = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, 1.5, -2, 3, '', 'a', 'ab', 'b1', '🙂'),
  fc.integer({ min: -3, max: 5 }),
);
const { value } = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));

const defined = (object: object) => JSON.parse(JSON.stringify(object)) as object;
const few = fc.integer({ min: 0, max: 3 });
const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');
const { schema } = fc.letrec<{ schema: unknown; schemas: unknown[]; map: Record<string, unknown> }>(tie => ({
  schemas: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
  map: fc.dictionary(name, tie('schema'), { minKeys: 1, maxKeys: 3 }),
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(true, false, {}, { $ref: '#/$defs/a' }, { $ref: '#b' }, { type: 'object' }),
    fc.record(
      {
        type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
        const: leaf,
        enum: fc.uniqueArray(leaf, { minLength: 1, maxLength: 3 }),
        minimum: few,
        exclusiveMaximum: few,
        multipleOf: fc.constantFrom(1, 0.5, 2, 0.1),
        minLength: few,
        maxLength: few,
        pattern: fc.constantFrom('^a', 'b$', '\\d', '^.$'),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        required: fc.uniqueArray(name, { maxLength: 2 }),
        properties: tie('map'),
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$'), tie('schema'), { minKeys: 1, maxKeys: 2 }),
        additionalProperties: tie('schema'),
        propertyNames: tie('schema'),
        minProperties: few,
        maxProperties: few,
        dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
        dependentSchemas: tie('map'),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        prefixItems: tie('schemas'),
        items: tie('schema'),
        minItems: few,
        maxItems: few,
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    // Apart: beside `prefixItems` Ajv takes an empty list for one that contains something.
    fc
      .record({
        contains: tie('schema'),
        minContains: fc.option(few, { nil: undefined }),
        maxContains: fc.option(few, { nil: undefined }),
      })
      .map(defined),
    fc.record(
      {
        allOf: tie('schemas'),
        anyOf: tie('schemas'),
        oneOf: tie('schemas'),
        not: tie('schema'),
        if: tie('schema'),
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: tie('schema'),
        else: tie('schema'),
      },
      { requiredKeys: [] },
    ),
  ),
}));

const document = fc.record({ schema, a: schema, b: schema }).map(({ schema: root, a, b }): JsonObject => {
  const named = typeof b === 'object' && b !== null ? { ...b, $anchor: 'b' } : { $anchor: 'b' };
  return { allOf: [root], $defs: { a, b: named } };
});

describe('JSON Schema', () => {
  it('is judged as by another validator, by the schema of an author and of a peer', () => {
    fc.assert(
      fc.property(document, fc.array(value, { minLength: 1, maxLength: 5 }), (json, values) => {
        fc.pre(!isEndless(json));
        const expected = ajv.compile(json);
        const own = compile(json, 'input');
        const foreign = compileJson(json);
        for (const each of values) {
          const fits = byAjv(expected, each);
          if (fits === undefined) continue;
          const checked = own.check(each) as Checked;
          expect([checked.ok, foreign.check(each).ok]).toEqual([fits, fits]);
          expect(checked.ok || checked.issues.length > 0).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('knows what is left of a value when all that stands beside has spoken', () => {
    const a = { properties: { a: true } };
    const b = { properties: { b: { type: 'string' } }, required: ['b'] };
    const closed = { unevaluatedProperties: false };
    const cases: [schema: JsonObject, good: unknown[], bad: unknown[]][] = [
      [{ allOf: [a], ...closed }, [{ a: 1 }, {}], [{ b: 1 }]],
      [{ ...a, allOf: [closed] }, [{}], [{ a: 1 }]],
      [{ allOf: [a, closed] }, [{}], [{ a: 1 }]],
      [{ anyOf: [a, b], ...closed }, [{ a: 1, b: 'x' }, { a: 1 }], [{ b: 1 }, { a: 1, b: 1 }]],
      [
        { oneOf: [{ ...a, required: ['a'] }, b], ...closed },
        [{ a: 1 }, { b: 'x' }],
        [
          { a: 1, c: 1 },
          { a: 1, b: 'x' },
        ],
      ],
      [{ not: { not: a }, ...closed }, [{}], [{ a: 1 }]],
      [
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        { if: { ...a, required: ['a'] }, then: b, ...closed },
        [{ a: 1, b: 'x' }, {}],
        [{ b: 'x' }, { a: 1, b: 'x', c: 1 }],
      ],
      [{ if: b, else: a, ...closed }, [{ b: 'x' }, { a: 1 }], [{ a: 1, b: 'x' }]],
      [{ $ref: '#/$defs/a', ...closed, $defs: { a } }, [{ a: 1 }], [{ b: 1 }]],
      [{ dependentSchemas: { a }, ...closed }, [{ a: 1 }], [{ b: 1 }]],
      [{ patternProperties: { '^a': true }, ...closed }, [{ ab: 1 }], [{ ba: 1 }]],
      [{ additionalProperties: { type: 'number' }, ...closed }, [{ a: 1 }], [{ a: 'x' }]],
      [{ properties: { a: closed }, ...closed }, [{ a: {} }], [{ a: { a: 1 } }, { b: {} }]],
      [{ unevaluatedProperties: { type: 'number' }, ...a }, [{ a: 'x', b: 1 }], [{ b: 'x' }]],
      [{ prefixItems: [true], unevaluatedItems: false }, [[1], 1], [[1, 2]]],
      [{ allOf: [{ prefixItems: [true] }], unevaluatedItems: { type: 'string' } }, [[1, 'x']], [[1, 2]]],
      [
        { contains: { const: 1 }, unevaluatedItems: { const: 2 } },
        [
          [1, 2],
          [2, 1, 1],
        ],
        [[1, 3]],
      ],
      [{ items: true, unevaluatedItems: false }, [[1, 2]], []],
    ];
    for (const [json, good, bad] of cases) {
      const judge = (each: unknown) => compileJson(json).check(each).ok;
      expect([json, good.map(judge), bad.map(judge)]).toEqual([json, good.map(() => true), bad.map(() => false)]);
    }
  });

  it('finds what a dynamic reference means by the way to it', () => {
    const tree = {
      $id: 'https://a.test/tree',
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { in: { $dynamicRef: '#node' } },
    };
    const strict = {
      $id: 'https://a.test/strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: { tree },
    };
    expect(compileJson(strict).check({ in: { in: {} } })).toMatchObject({ ok: true });
    expect(compileJson(strict).check({ in: { at: {} } })).toMatchObject({
      ok: false,
      issues: [{ path: ['in', 'at'] }],
    });
    expect(compileJson(tree).check({ in: { at: {} } })).toMatchObject({ ok: true });
    const $schema = 'https://json-schema.org/draft/2019-09/schema';
    const inner = {
      $id: 'inner',
      $recursiveAnchor: true,
      type: ['integer', 'object'],
      additionalProperties: { $recursiveRef: '#' },
    };
    const outer = {
      $schema,
      $id: 'https://a.test/outer',
      $recursiveAnchor: true,
      anyOf: [{ type: 'string' }, { $ref: 'inner' }],
      $defs: { inner },
    };
    expect(compileJson(outer).check({ a: 'x' })).toMatchObject({ ok: true });
    expect(compileJson({ $schema, ...inner }).check({ a: 'x' })).toMatchObject({ ok: false });
  });

  it('says of a part of a value that is wrong where it is', () => {
    fc.assert(
      fc.property(document, value, (json, each) => {
        fc.pre(!isEndless(json));
        const checked = compile(json, 'input').check(each) as Checked;
        for (const { path } of checked.ok ? [] : checked.issues) {
          let at: unknown = each;
          for (const key of path.slice(0, -1)) at = (at as JsonObject)[key as string];
          expect(path.length === 0 || (typeof at === 'object' && at !== null)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** Nothing where the code that Ajv made of a schema fails. */
function byAjv(validate: ValidateFunction, each: unknown): boolean | undefined {
  try {
    return validate(each);
  } catch {
    return undefined;
  }
}

/** References that lead to themselves, without a value between them, lead nowhere. */
function isEndless({ $defs }: JsonObject): boolean {
  return JSON.stringify($defs).includes('$ref');
}

describe('formats', () => {
  const cases: { readonly [format: string]: readonly [good: readonly string[], bad: readonly string[]] } = {
    date: [
      ['2024-02-29', '0000-02-29'],
      ['2023-02-29', '2024-13-01', '2024-00-10', '2024-1-1', '2024-04-31'],
    ],
    time: [
      ['08:30:06.5Z', '23:59:60Z', '01:29:60+01:30', '08:30:06-08:00'],
      ['08:30:06', '24:00:00Z', '22:59:60Z', '08:30:06+24:00'],
    ],
    'date-time': [
      ['2024-02-29T08:30:06Z', '2024-02-29 08:30:06z'],
      ['2024-02-29', '2024-02-30T08:30:06Z', '2024-02-29T08:30:06'],
    ],
    duration: [
      ['P4Y', 'P1W', 'PT36H', 'P1Y2M3DT4H5M6S', 'P1M', 'PT1M'],
      ['P', 'PT', 'P1', 'P1Y2D', 'P2D1Y', 'PT1H2S', 'P1W2D'],
    ],
    uri: [
      ['http://a.test/b?c#d', 'urn:x:y', 'mailto:a@b.test', 'ldap://[2001:db8::7]/c?d', 'http://u:p@[::1]:80/', 'a:'],
      ['//a.test', '/b', 'a b', 'http://a.test/<b>', 'http://[::g]/', 'http://a.test/%zz', ':b', 'http://a.test/b[c]'],
    ],
    'uri-reference': [
      ['', '//a.test/b', '/b', '#c', 'b/c?d', 'urn:x'],
      ['\\\\a', 'a b', '#a#b', '//[1]/'],
    ],
    'uri-template': [
      ['', 'a{b}', 'a{/b*,c:3}', '{?a.b}'],
      ['{', 'a{b', 'a{b*:3}', 'a b', '{}'],
    ],
    email: [
      ['a@b.test', '"a b"@c.test', 'a@[127.0.0.1]', 'a@[IPv6:::1]'],
      ['a', '.a@b.test', 'a..b@c.test', 'a@', '@b', 'a@[300.0.0.1]', 'a.@b.test'],
    ],
    hostname: [
      ['a', 'a-b.test', '1.test'],
      ['', '-a', 'a-', 'a..b', 'a_b', `${'a'.repeat(64)}.test`],
    ],
    ipv4: [
      ['127.0.0.1', '255.255.255.255', '0.0.0.0'],
      ['256.0.0.1', '1.2.3', '01.2.3.4', '1.2.3.4.5'],
    ],
    ipv6: [
      ['::', '::1', '1::', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', '1:2:3:4:5:6:1.2.3.4'],
      ['1:2', ':::', '1::2::3', '1:2:3:4:5:6:7:8:9', '12345::', '1.2.3.4::', '::1%a', '1:2:3:4:5:6:7::8'],
    ],
    regex: [
      ['^a+$', '\\d'],
      ['(', '\\a', '['],
    ],
    uuid: [['2eb8aa08-aa98-11ea-b4aa-73b441d16380'], ['2eb8aa08-aa98-11ea-b4aa73b441d16380', 'x']],
    'json-pointer': [
      ['', '/a~0b/~1', '/'],
      ['a', '/~', '/~2'],
    ],
    'json-pointer-uri-fragment': [
      ['#', '#/a%20b'],
      ['', '/a', '#/a b'],
    ],
    'relative-json-pointer': [
      ['0', '1/a', '2#'],
      ['/a', '01', '-1', '#'],
    ],
  };
  const table = Object.entries(cases).flatMap(([format, [good, bad]]) => [
    ...good.map(text => [format, text, true] as const),
    ...bad.map(text => [format, text, false] as const),
  ]);

  it('are all tried', () => expect(Object.keys(cases).sort()).toEqual(Object.keys(formats).sort()));
  it.each(table)('%s: %j is %s', (format, text, fits) => expect(formats[format]?.(text)).toBe(fits));

  it('take no long time for what is nearly right', () => {
    const long = 'a'.repeat(50_000);
    for (const [format, fits] of Object.entries(formats)) {
      for (const text of [
        `${long}!`,
        `a:${long} `,
        `${'a.'.repeat(20_000)}!`,
        `${'/a'.repeat(20_000)} `,
        `${'1:'.repeat(9)}${long}`,
        `P${'1'.repeat(50_000)}`,
      ]) {
        const before = performance.now();
        fits(text);
        expect([format, performance.now() - before < 500]).toEqual([format, true]);
      }
    }
  });
});
