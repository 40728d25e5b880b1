import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import type { InferArguments, InferInput, InferOutput, Schema, StandardSchema } from './standard.js';
import { isStandardSchema } from './standard.js';

const infer = <const S extends Schema>(schema: S) => schema;

describe('inferred types', () => {
  it('have both sides of a zod schema', () => {
    const schema = z.object({ city: z.string(), days: z.number().default(3), at: z.string().transform(Number) });
    expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<{ city: string; days?: number | undefined; at: string }>();
    expectTypeOf<InferOutput<typeof schema>>().toEqualTypeOf<{ city: string; days: number; at: number }>();
  });

  it('follow the `~standard` of zod', () => {
    const schemas = {
      object: z.object({
        a: z.string().default('x'),
        at: z.string().transform(Number),
        b: z.enum(['c', 'd']).optional(),
      }),
      loose: z.looseObject({ a: z.coerce.date() }),
      union: z.discriminatedUnion('k', [z.object({ k: z.literal(1) }), z.object({ k: z.literal(2), n: z.bigint() })]),
      piped: z.object({ n: z.string() }).transform(({ n }) => n.length),
      branded: z.record(z.string(), z.array(z.number().brand<'celsius'>())),
      mini: mini.object({ n: mini.optional(mini.number()), s: mini._default(mini.string(), '') }),
    };
    type Schemas = typeof schemas;
    type UserDecision<S extends StandardSchema> = NonNullable<S['~standard']['types']>;
    type Inputs = { [N in keyof Schemas]: InferInput<Schemas[N]> };
    type Outputs = { [N in keyof Schemas]: InferOutput<Schemas[N]> };
    expectTypeOf<Inputs>().toEqualTypeOf<{ [N in keyof Schemas]: UserDecision<Schemas[N]>['input'] }>();
    expectTypeOf<Outputs>().toEqualTypeOf<{ [N in keyof Schemas]: UserDecision<Schemas[N]>['output'] }>();
    for (const schema of Object.values(schemas)) expect(isStandardSchema(schema)).toBe(true);
  });

  it('have both sides of a valibot schema', () => {
    const schema = v.object({ n: v.pipe(v.string(), v.transform(Number)), tag: v.optional(v.string(), 'x') });
    expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<{ n: string; tag?: string | undefined }>();
    expectTypeOf<InferOutput<typeof schema>>().toEqualTypeOf<{ n: number; tag: string }>();
  });

  it('have both sides of an arktype schema', () => {
    const schema = type({ n: 'string.numeric.parse', 'tag?': 'string' });
    expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<{ n: string; tag?: string }>();
    expectTypeOf<InferOutput<typeof schema>>().toEqualTypeOf<{ n: number; tag?: string }>();
  });

  it('follow a JSON Schema literal', () => {
    const schema = infer({
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['c', 'f'] },
        kind: { const: 'now' },
        days: { type: 'integer' },
        tags: { type: 'array', items: { type: ['string', 'null'] } },
        place: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
        any: { anyOf: [{ type: 'string' }] },
        free: { type: 'object' },
        pair: { type: 'array', prefixItems: [{ type: 'string' }] },
      },
      required: ['city', 'tags', 'absent'],
    });
    type Expected = {
      city: string;
      tags: (string | null)[];
      unit?: 'c' | 'f';
      kind?: 'now';
      days?: number;
      place?: { lat: number };
      any?: unknown;
      free?: Record<string, unknown>;
      pair?: unknown[];
    };
    expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<Expected>();
    expectTypeOf<InferOutput<typeof schema>>().toEqualTypeOf<Expected>();
  });

  it('are unknown for a JSON Schema that is no literal, with an object as arguments', () => {
    type Wide = { readonly [keyword: string]: unknown };
    expectTypeOf<InferOutput<Wide>>().toEqualTypeOf<unknown>();
    expectTypeOf<InferArguments<Wide>>().toEqualTypeOf<Record<string, unknown>>();
    const array = infer({ type: 'array', items: { type: 'boolean' } });
    expectTypeOf<InferOutput<typeof array>>().toEqualTypeOf<boolean[]>();
    const loose = infer({ type: 'object', properties: {} as Record<string, unknown> });
    expectTypeOf<InferOutput<typeof loose>>().toEqualTypeOf<Record<string, unknown>>();
  });
});

describe('isStandardSchema', () => {
  it('accepts schemas of every vendor, functions too, and nothing else', () => {
    for (const schema of [z.string(), v.string(), type('string')]) expect(isStandardSchema(schema)).toBe(true);
    const others = [null, undefined, 'x', { type: 'string' }, { '~standard': null }, { '~standard': {} }, () => 1];
    for (const other of others) expect(isStandardSchema(other)).toBe(false);
  });
});
