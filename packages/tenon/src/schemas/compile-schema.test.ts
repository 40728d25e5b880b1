import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { type CheckResult, compileSchema, describeIssues } from './compile-schema.js';

// What validates by JSON Schema is loaded by the first schema that needs it.
await compileSchema({}, 'input').check(1);

/** The lines that a JSON Schema gives for a value; none where it fits. */
const judge = (schema: JsonObject, value: unknown): string[] => {
  const checked = compileSchema(schema, 'input').check(value) as CheckResult;
  return checked.ok ? [] : describeIssues(checked.issues, { maxLines: 100 }).split('\n');
};

describe('compileSchema', () => {
  it('returns the value unchanged, without a promise', () => {
    const value = { a: 'x' };
    const schema = { type: 'object', properties: { a: { type: 'string' } } } as const;
    const checked = compileSchema(schema, 'input').check(value) as Extract<CheckResult, { ok: true }>;
    expect(checked).toEqual({ ok: true, value });
    expect(checked.value).toBe(value);
  });

  it('prepares a schema once, however often it is compiled', () => {
    let reads = 0;
    const schema = {
      get type() {
        reads++;
        return 'string';
      },
    };
    for (let i = 0; i < 3; i++) expect(compileSchema(schema, 'input').check('x')).toEqual({ ok: true, value: 'x' });
    const before = reads;
    expect(compileSchema(schema, 'input').check(1)).toMatchObject({ ok: false });
    expect(reads).toBe(before);
  });

  it('names the innermost causes only', () => {
    const schema = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        list: { type: 'array', items: { $ref: '#/$defs/item' } },
        days: { type: 'integer', minimum: 1 },
      },
      required: ['city', 'days'],
      additionalProperties: false,
      $defs: { item: { allOf: [{ type: 'object', properties: { n: { type: ['number', 'null'] } } }] } },
    };
    expect(judge(schema, { city: 1, list: [{ n: 1 }, { n: 'x' }], days: 1.5, extra: 1 })).toEqual([
      'at /city: expected string, got number',
      'at /list/1/n: expected number or null, got string',
      'at /days: expected integer, got a fraction',
      'at /extra: is not expected',
    ]);
    expect(judge(schema, {})).toEqual(['at /city: is required', 'at /days: is required']);
    expect(judge(schema, null)).toEqual(['at the root: expected object, got null']);
  });

  it('has a message for every keyword', () => {
    const cases: [JsonObject, unknown, string][] = [
      [{ const: { a: 1 } }, 1, 'expected {"a":1}'],
      [{ enum: ['c', 'f'] }, 'k', 'expected one of "c", "f"'],
      [{ minimum: 2 }, 1, 'expected a number of at least 2'],
      [{ maximum: 2 }, 3, 'expected a number of at most 2'],
      [{ exclusiveMinimum: 2 }, 2, 'expected a number greater than 2'],
      [{ exclusiveMaximum: 2 }, 2, 'expected a number less than 2'],
      [{ multipleOf: 0.1 }, 0.25, 'expected a multiple of 0.1'],
      [{ minLength: 1 }, '', 'expected at least 1 character, got 0'],
      [{ maxLength: 1 }, '🙂🙂', 'expected at most 1 character, got 2'],
      [{ pattern: '^a' }, 'b', 'expected a string that matches /^a/u'],
      [{ format: 'email' }, 'b', 'expected a string of format email'],
      [{ minItems: 2 }, [1], 'expected at least 2 items, got 1'],
      [{ maxItems: 1 }, [1, 2], 'expected at most 1 item, got 2'],
      [{ uniqueItems: true }, [1, 1], 'expected unique items'],
      [{ contains: { type: 'string' } }, [1, 2], 'expected an item of the kind that must be in it'],
      [{ contains: { const: 1 }, minContains: 2 }, [1, 3], 'expected at least 2 of the items that must be in it'],
      [{ contains: { const: 1 }, maxContains: 1 }, [1, 1], 'expected at most 1 of the items that must be in it'],
      [{ minProperties: 1 }, {}, 'expected at least 1 member, got 0'],
      [{ maxProperties: 0 }, { a: 1 }, 'expected at most 0 members, got 1'],
      [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, 'has a member whose name is not allowed'],
      [{ not: { type: 'string' } }, 'x', 'is of a form that is excluded'],
      [{ not: {} }, 'x', 'is of a form that is excluded'],
    ];
    for (const [schema, value, words] of cases) expect(judge(schema, value)).toEqual([`at the root: ${words}`]);
  });

  it('follows $defs, $anchor, $id, dynamic and recursive references [schema.ref-local-resolved]', () => {
    const anchor = { $ref: '#a', $defs: { x: { $anchor: 'a', type: 'string' } } };
    expect(judge(anchor, 1)).toEqual(['at the root: expected string, got number']);
    expect(judge(anchor, 'x')).toEqual([]);
    const id = {
      $id: 'https://a.test/s',
      $ref: 'b',
      $defs: { b: { $id: 'b', $ref: '#/$defs/c', $defs: { c: { type: 'null' } } } },
    };
    expect(judge(id, 1)).toEqual(['at the root: expected null, got number']);
    const dynamic = { $dynamicAnchor: 'node', type: 'object', properties: { next: { $dynamicRef: '#node' } } };
    expect(judge(dynamic, { next: { next: 1 } })).toEqual(['at /next/next: expected object, got number']);
    const $schema = 'https://json-schema.org/draft/2019-09/schema';
    const recursive = { $schema, type: 'object', properties: { next: { $recursiveRef: '#' } } };
    expect(judge(recursive, { next: { next: 1 } })).toEqual(['at /next/next: expected object, got number']);
    const named = {
      id: 'https://a.test/',
      properties: { a: { id: 'x', $ref: '#/$defs/b' } },
      $defs: { b: { type: 'null' } },
    };
    expect(judge(named, { a: 1 })).toEqual(['at /a: expected null, got number']);
    const escaped = { properties: { 'a/b': { $ref: '#/$defs/c~1%20d' } }, $defs: { 'c/ d': { type: 'string' } } };
    expect(judge(escaped, { 'a/b': 1 })).toEqual(['at /a~1b: expected string, got number']);
  });

  it('explains the alternative that was meant', () => {
    const string = { type: 'string' };
    const form = (kind: string, member: string) => ({
      ...{ type: 'object', properties: { kind: { const: kind }, [member]: string }, required: ['kind', member] },
    });
    expect(judge({ anyOf: [string, { type: 'number' }] }, true)).toEqual([
      'at the root: expected string or number, got boolean',
    ]);
    expect(judge({ anyOf: [string, form('a', 'x')] }, { kind: 'a' })).toEqual(['at /x: is required']);
    const tagged = { oneOf: [form('a', 'x'), form('b', 'y')] };
    expect(judge(tagged, { kind: 'b', y: 1 })).toEqual(['at /y: expected string, got number']);
    expect(judge(tagged, { kind: 'c' })).toEqual(['at /kind: expected one of "a", "b"']);
    expect(judge({ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, {})).toEqual([
      'at the root: fits none of the 2 allowed forms',
    ]);
    expect(judge({ oneOf: [{}, true, { type: 'string' }] }, 1)).toEqual([
      'at the root: fits 2 of the forms that exclude each other',
    ]);
  });

  it('evaluates conditions, dependencies and unevaluated members', () => {
    const condition = JSON.parse(`{
      "if": { "properties": { "kind": { "const": "a" } } }, "then": { "required": ["x"] }, "else": { "required": ["y"] },
      "dependentRequired": { "x": ["z"] }
    }`);
    expect(judge(condition, { kind: 'a' })).toEqual(['at /x: is required']);
    expect(judge(condition, { kind: 'b' })).toEqual(['at /y: is required']);
    expect(judge(condition, { kind: 'b', y: 1, x: 1 })).toEqual([expect.stringContaining('"x" but does not have "z"')]);
    const evaluated = {
      allOf: [{ properties: { a: { type: 'string' } } }],
      properties: { b: { type: 'string' } },
      unevaluatedProperties: false,
    };
    expect(judge(evaluated, { a: 'x', b: 'x' })).toEqual([]);
    expect(judge(evaluated, { a: 'x', b: 1, c: 1 })).toEqual([
      'at /b: expected string, got number',
      'at /c: is not expected',
    ]);
  });

  it('validates by the dialect of the schema [schema.dialect.validate-by-dialect] [schema.dialect.default-2020-12]', () => {
    const beside = { $ref: '#/definitions/a', maxLength: 1, definitions: { a: { type: 'string' } } };
    expect(judge(beside, 'xx')).toHaveLength(1);
    expect(judge({ $schema: 'http://json-schema.org/draft-07/schema#', ...beside }, 'xx')).toEqual([]);
    const dependencies = { a: ['b'], c: { $ref: '#/definitions/d' } };
    const draft7 = {
      ...{ $schema: 'http://json-schema.org/draft-07/schema#', dependencies },
      definitions: { d: { required: ['e'] } },
    };
    expect(judge(draft7, { a: 1 })).toHaveLength(1);
    expect(judge(draft7, { c: 1 })).toEqual(['at /e: is required']);
    expect(judge({ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 'b'])).toEqual([
      'at /1: expected number, got string',
    ]);
  });

  it('checks known formats, and ignores others', () => {
    expect(judge({ format: 'date-time' }, '2026-01-01T00:00:00Z')).toEqual([]);
    expect(judge({ format: 'date-time' }, 'today')).toHaveLength(1);
    for (const format of ['color', 'constructor', '__proto__', 'hasOwnProperty', 'url']) {
      expect(judge({ format }, `http://${'a'.repeat(60)}!`)).toEqual([]);
    }
  });

  it('never resolves a remote reference, and reports it [schema.ref-no-network] [schema.ref-unresolved-rejected]', () => {
    const schema = { properties: { a: { $ref: 'http://127.0.0.1:1/x.json' }, b: { type: 'string' } } };
    expect(judge(schema, { b: 'x' })).toEqual([]);
    expect(judge(schema, { a: 1 })).toEqual([
      expect.stringContaining('the schema refers to http://127.0.0.1:1/x.json'),
    ]);
    expect(judge({ $ref: '#/$defs/nope' }, 1)).toEqual([
      expect.stringContaining('the schema refers to #/$defs/nope, which'),
    ]);
    const inverted = { not: { $ref: 'http://127.0.0.1:1/x.json' } };
    expect(judge(inverted, 1)).toEqual([expect.stringContaining('never fetched')]);
    expect(judge({ anyOf: [{ $ref: '#/$defs/none' }, {}] }, 1)).toEqual([
      expect.stringContaining('could not be checked'),
    ]);
  });

  it('leaves the schema unchanged, frozen or not', () => {
    const schema = Object.freeze({
      ...{ id: 'x', $ref: '#/$defs/a', uniqueItems: true },
      $defs: Object.freeze({ a: Object.freeze({ type: 'string', pattern: '\\-' }) }),
    });
    const before = JSON.stringify(schema);
    expect(judge(schema, '-')).toEqual([]);
    expect(JSON.stringify(schema)).toBe(before);
    expect(Object.getOwnPropertyNames(schema)).not.toContain('__absolute_uri__');
  });

  it('reads patterns without Unicode as they were meant', () => {
    const patterns: [string, string, string][] = [
      ['^\\d{3}\\-\\d{2}$', '123-45', '12345'],
      ['^[\\w-.]+$', 'a-.b', 'a b'],
      ['^\\@[a\\-z]+\\_$', '@a-z_', '@b_'],
    ];
    for (const [pattern, good, bad] of patterns) {
      expect(judge({ pattern }, good)).toEqual([]);
      expect(judge({ pattern }, bad)).toHaveLength(1);
    }
  });

  it('rejects with the reason when the schema itself is wrong', async () => {
    const validator = compileSchema({ pattern: '(' }, 'input');
    await expect(validator.check('x')).rejects.toMatchObject({ code: 'schema/broken' });
    await expect(compileSchema({ $id: 'http://[', type: 'string' }, 'input').check('x')).rejects.toMatchObject({
      code: 'schema/broken',
    });
  });

  it('reads __proto__ like any other name', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}');
    expect(judge(schema, JSON.parse('{"__proto__":"x"}'))).toEqual([]);
    expect(judge(schema, JSON.parse('{"__proto__":{"a":1}}'))).toEqual(['at /__proto__: expected string, got object']);
    expect(judge(schema, {})).toEqual(['at /__proto__: is required']);
    const closed = { properties: { a: {} }, additionalProperties: false };
    expect(judge(closed, JSON.parse('{"__proto__":1}'))).toEqual(['at /__proto__: is not expected']);
    expect(judge(closed, { constructor: 1 })).toEqual(['at /constructor: is not expected']);
    expect(({} as JsonObject).a).toBeUndefined();
  });

  it('checks the JSON of a value: undefined is absent, a date is its text', () => {
    const schema = {
      ...{ type: 'object', properties: { a: { type: 'string' }, at: { type: 'string', format: 'date-time' } } },
      required: ['at'],
    };
    const value = { a: undefined, at: '2026-01-01T00:00:00Z' };
    expect(compileSchema(schema, 'output').check(value)).toEqual({ ok: true, value });
    expect(judge(schema, { at: undefined })).toEqual(['at /at: is required']);
    expect(judge({}, undefined)).toEqual(['at the root: expected a JSON value, got undefined']);
    expect(judge({}, 1n)).toEqual(['at the root: could not be checked: it is not JSON']);
  });

  it('survives hostile values', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 50_000; i++) deep = [deep];
    expect(judge({ items: { $ref: '#' } }, deep)).toEqual([expect.stringContaining('nested too deeply')]);
    expect(judge({ additionalProperties: { type: 'string' } }, { '\ud800': 1 })).toEqual([
      expect.stringContaining('Unicode'),
    ]);
    const many = Array.from({ length: 60_000 }, (_, i) => i);
    expect(judge({ uniqueItems: true }, many)).toEqual([]);
    expect(judge({ uniqueItems: true }, [...many, 7])).toEqual(['at the root: expected unique items']);
    expect(
      judge({ uniqueItems: true }, [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ]),
    ).toHaveLength(1);
    expect(judge({ items: { type: 'string' } }, many)).toEqual(['at /0: expected string, got number']);
    expect(judge({ items: { type: 'string' } }, many.slice(0, 300))).toHaveLength(100);
  });
});
