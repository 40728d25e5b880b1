import type { JsonObject } from '@tenon/base';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { resolveReference, toJsonSchema, withJsonSchema } from './json-schema.js';
import type { Schema } from './standard.js';

const failure = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('toJsonSchema', () => {
  it('converts either side of zod, arktype and wrapped valibot', () => {
    const schema = z.object({ a: z.string().default('x') });
    expect(toJsonSchema(schema, 'input')).toMatchObject({ type: 'object', properties: { a: { default: 'x' } } });
    expect(toJsonSchema(schema, 'input').required).toBeUndefined();
    expect(toJsonSchema(schema, 'output').required).toEqual(['a']);
    expect(toJsonSchema(type({ a: 'string' }), 'input')).toMatchObject({ type: 'object', required: ['a'] });
    const wrapped = toStandardJsonSchema(v.object({ a: v.string() }));
    expect(toJsonSchema(wrapped as Schema, 'input')).toMatchObject({ properties: { a: { type: 'string' } } });
  });

  it('names no dialect in a converted schema if it is the default', () => {
    expect(toJsonSchema(z.object({}), 'input')).not.toHaveProperty('$schema');
    expect(toJsonSchema(type({ a: 'string' }), 'output')).not.toHaveProperty('$schema');
  });

  it('converts once for each side', () => {
    let calls = 0;
    const counted = withJsonSchema(v.string(), { type: 'string' });
    const { jsonSchema } = counted['~standard'];
    const schema = {
      '~standard': {
        ...counted['~standard'],
        jsonSchema: { ...jsonSchema, input: () => ({ type: 'string', call: ++calls }) },
      },
    };
    expect(toJsonSchema(schema, 'input')).toBe(toJsonSchema(schema, 'input'));
    expect(toJsonSchema(schema, 'output')).toEqual({ type: 'string' });
    expect(calls).toBe(1);
  });

  it('writes recursive schemas with references', () => {
    const category = z.object({
      name: z.string(),
      get parts() {
        return z.array(category);
      },
    });
    expect(JSON.stringify(toJsonSchema(category, 'input'))).toContain('"$ref":"#"');
  });

  it('tries the other target when a vendor refuses the first', () => {
    const paired = withJsonSchema(v.string(), {});
    const input = ({ target }: { target: string }) => {
      if (target !== 'draft-07') throw new Error('no');
      return { $schema: 'http://json-schema.org/draft-07/schema#', type: 'string' };
    };
    const schema = { '~standard': { ...paired['~standard'], jsonSchema: { input, output: input } } };
    expect(toJsonSchema(schema, 'input').type).toBe('string');
  });

  it('accepts the method of a vendor without the extension', () => {
    const half = { toJsonSchema: () => ({ type: 'number' }) };
    const { validate } = v.string()['~standard'];
    const schema = { '~standard': { version: 1, vendor: 'x', validate }, toJsonSchema: () => ({}), in: half };
    expect(toJsonSchema(schema as Schema, 'input')).toEqual({ type: 'number' });
    expect(toJsonSchema(schema as Schema, 'output')).toEqual({});
  });

  it('names the next step for a schema that cannot be converted', () => {
    const valibot = failure(() => toJsonSchema(v.object({}), 'input'));
    expect(valibot).toMatchObject({ code: 'schema/no-json-schema', hint: expect.stringContaining('toStandardJson') });
    const date = failure(() => toJsonSchema(z.object({ d: z.date() }), 'input'));
    expect(date).toMatchObject({ code: 'schema/no-json-schema', message: expect.stringContaining('Date') });
    expect(date).toMatchObject({ hint: expect.stringContaining('withJsonSchema') });
  });

  it('names the version to use for a schema of zod 3', () => {
    const error = failure(() => toJsonSchema(z3.object({}), 'input'));
    expect(error).toMatchObject({ code: 'schema/no-json-schema', hint: expect.stringContaining('zod 4 from') });
  });

  it('converts a schema with a JSON Schema given by hand', () => {
    const paired = withJsonSchema(v.date(), { type: 'string' }, { type: 'integer' });
    expect(toJsonSchema(paired, 'input')).toEqual({ type: 'string' });
    expect(toJsonSchema(paired, 'output')).toEqual({ type: 'integer' });
  });

  it('returns JSON Schema unchanged, with every keyword [tools.input-schema-any-keyword]', () => {
    const schema = Object.freeze({
      ...{ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', 'x-mine': { id: 1 } },
      ...{ $defs: { a: { $anchor: 'a' } }, properties: { p: { $ref: 'https://example.com/remote' } } },
    });
    expect(toJsonSchema(schema, 'input')).toBe(schema);
  });

  it('refuses an unknown dialect [schema.dialect.unsupported-error]', () => {
    const schema = { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' };
    expect(failure(() => toJsonSchema(schema, 'input'))).toMatchObject({ code: 'schema/unknown-dialect' });
    expect(failure(() => toJsonSchema({ $schema: 1 }, 'input'))).toMatchObject({ code: 'schema/unknown-dialect' });
    for (const name of ['draft/2020-12/schema', 'draft/2019-09/schema', 'draft-07/schema#']) {
      expect(toJsonSchema({ $schema: `https://json-schema.org/${name}` }, 'input')).toBeDefined();
    }
  });

  it('refuses values that are no JSON, and the shape of an object instead of the object', () => {
    const shape = failure(() => toJsonSchema({ title: z.string() }, 'input'));
    expect(shape).toMatchObject({ code: 'schema/not-json', message: expect.stringContaining('at /title') });
    expect(failure(() => toJsonSchema({ a: () => 1 }, 'input'))).toMatchObject({ code: 'schema/not-json' });
    expect(failure(() => toJsonSchema({ a: type('string') }, 'input'))).toMatchObject({
      received: 'a schema object of a library',
    });
    for (const none of [null, [], 'x', undefined]) {
      expect(failure(() => toJsonSchema(none as never, 'input'))).toBeInstanceOf(Error);
    }
  });

  it('refuses schemas that are too deep, too large or endless', () => {
    const endless: JsonObject = {};
    endless.not = endless;
    expect(failure(() => toJsonSchema(endless, 'input'))).toMatchObject({ code: 'schema/too-large' });
    let fan: JsonObject = {};
    for (let i = 0; i < 40; i++) fan = { allOf: [fan, fan] };
    expect(failure(() => toJsonSchema(fan, 'input'))).toMatchObject({ code: 'schema/too-large' });
  });
});

describe('resolveReference', () => {
  it('follows pointers and anchors inside the document', () => {
    const object = { type: 'object' };
    const anchored = { $anchor: 'c', ...object };
    const json = { $defs: { 'a/b': { $ref: '#c' }, c: anchored } };
    expect(resolveReference(json, '#')).toBe(json);
    expect(resolveReference(json, '#/$defs/a~1b')).toBe(json.$defs['a/b']);
    expect(resolveReference(json, '#c')).toBe(anchored);
    expect(resolveReference({ definitions: { 'a b': object } }, '#/definitions/a%20b')).toBe(object);
    expect(resolveReference({ $id: 'https://a.test/', $defs: { a: object } }, 'https://a.test/#/$defs/a')).toBe(object);
  });

  it('finds nothing for remote and broken references', () => {
    const json = { $defs: { a: { $ref: '#/$defs/a' } } };
    for (const reference of ['https://example.com/x', '#/%', '#/constructor', '#/__proto__', '#nowhere', '#/a/b']) {
      expect([reference, resolveReference(json, reference)]).toEqual([reference, undefined]);
    }
  });
});
