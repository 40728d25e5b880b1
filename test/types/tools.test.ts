import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { type Context, type ToolDefinition, tool, toolResult, withJsonSchema } from 'tenon';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

const city = z.object({ city: z.string(), days: z.number().default(1) });
const degrees = z.object({ degrees: z.number() });

describe('the types of a tool', () => {
  it('follow zod: callers pass values before defaults, handlers get them after', () => {
    const forecast = tool({
      input: city,
      output: degrees,
      run(input, ctx) {
        expectTypeOf(input).toEqualTypeOf<{ city: string; days: number }>();
        expectTypeOf(ctx).toEqualTypeOf<Context>();
        return { degrees: 1 };
      },
    });
    type Expected = ToolDefinition<{ city: string; days?: number | undefined }, { degrees: number }>;
    expectTypeOf(forecast).toEqualTypeOf<Expected>();
  });

  it('follow zod with a transform in the output: handlers return its input, callers get its output', () => {
    const output = z.object({ at: z.string().transform(text => text.length) });
    const timed = tool({ output, run: () => ({ at: 'noon' }) });
    expectTypeOf(timed).toEqualTypeOf<ToolDefinition<undefined, { at: number }>>();
  });

  it('follow valibot', () => {
    const converted = tool({
      input: toStandardJsonSchema(v.object({ a: v.number(), b: v.optional(v.string()) })),
      run(input) {
        expectTypeOf(input).toEqualTypeOf<{ a: number; b?: string | undefined }>();
      },
    });
    expectTypeOf(converted).toEqualTypeOf<ToolDefinition<{ a: number; b?: string | undefined }, unknown>>();
    const json = { type: 'object', properties: { a: { type: 'number' } } };
    tool({
      input: withJsonSchema(v.object({ a: v.number() }), json),
      run(input) {
        expectTypeOf(input).toEqualTypeOf<{ a: number }>();
      },
    });
  });

  it('follow arktype', () => {
    const divided = tool({
      input: type({ a: 'number', 'b?': 'string' }),
      output: type({ half: 'number' }),
      run(input) {
        expectTypeOf(input).toEqualTypeOf<{ a: number; b?: string }>();
        return { half: input.a / 2 };
      },
    });
    expectTypeOf(divided).toEqualTypeOf<ToolDefinition<{ a: number; b?: string }, { half: number }>>();
  });

  it('follow JSON Schema, plain and `as const`', () => {
    const input = {
      type: 'object',
      properties: {
        a: { type: 'number' },
        unit: { enum: ['C', 'F'] },
        deep: { type: 'array', items: { type: 'object', properties: { x: { type: ['string', 'null'] } } } },
      },
      required: ['a'],
    } as const;
    type Given = { a: number; unit?: 'C' | 'F'; deep?: { x?: string | null }[] };
    tool({
      input,
      run(given) {
        expectTypeOf(given).branded.toEqualTypeOf<Given>();
      },
    });
    const written = tool({
      input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      output: { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] },
      run: ({ a }) => ({ sum: a }),
    });
    expectTypeOf(written).branded.toEqualTypeOf<ToolDefinition<{ a: number }, { sum: number }>>();
  });

  it('accept any object for a JSON Schema that is unknown when compiling', () => {
    const input: { [keyword: string]: unknown } = JSON.parse('{ "type": "object" }');
    tool({
      input,
      run(given) {
        expectTypeOf(given).toEqualTypeOf<Record<string, unknown>>();
      },
    });
  });

  it('accept any input without schemas', () => {
    const bare = tool({
      run(input) {
        expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>();
        return 'done';
      },
    });
    expectTypeOf(bare).toEqualTypeOf<ToolDefinition<undefined, unknown>>();
  });
});

describe('the return type of a tool', () => {
  it('accepts what fits the output schema, a toolResult, and a promise of either', () => {
    tool({ output: degrees, run: () => ({ degrees: 1 }) });
    tool({ output: degrees, run: async () => ({ degrees: 1 }) });
    tool({ output: degrees, run: () => toolResult({ content: 'one', structuredContent: { degrees: 1 } }) });
    tool({ output: degrees, run: (_, ctx) => ctx.fail('no weather') });
    const content = [{ type: 'text' as const, text: 'one' }];
    tool({ output: degrees, run: () => ({ content, structuredContent: { degrees: 1 } }) });
    tool({ output: degrees, run: () => ({ content, isError: true as const }) });
    tool({ output: degrees, run: async (_, ctx) => (ctx.auth ? { degrees: 1 } : ctx.fail('who are you?')) });
  });

  it('refuses what does not fit', () => {
    // @ts-expect-error a string is no number
    tool({ output: degrees, run: () => ({ degrees: 'warm' }) });
    // @ts-expect-error another name
    tool({ input: city, output: degrees, run: async ({ days }) => ({ warmth: days }) });
    // @ts-expect-error text without structure
    tool({ output: degrees, run: () => 'warm' });
    // @ts-expect-error nothing
    tool({ output: degrees, run() {} });
    // @ts-expect-error content without structure
    tool({ output: degrees, run: () => ({ content: [{ type: 'text' as const, text: 'warm' }] }) });
    // @ts-expect-error structure of another shape
    tool({ output: degrees, run: () => ({ content: [], structuredContent: { warmth: 1 } }) });
    tool({
      output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      // @ts-expect-error by JSON Schema as well
      run: () => ({ sum: '3' }),
    });
  });

  it('accepts any value without an output schema', () => {
    tool({ run: () => 'text' });
    tool({ run: () => ({ any: 'value' }) });
    tool({ run: () => ['text', { type: 'text', text: 'more' }] });
    tool({ run: () => undefined });
    tool({ run: async () => {} });
  });
});

describe('the compiler reports mistakes', () => {
  it('in the input of a handler', () => {
    // @ts-expect-error the input has no `cty`
    tool({ input: city, run: ({ cty }) => cty });
    // @ts-expect-error a word is no schema
    tool({ input: 'city', run: () => '' });
  });

  it('in the names of members', () => {
    // @ts-expect-error `description`
    tool({ descripton: 'x', input: city, run: () => '' });
    // @ts-expect-error `run`
    tool({ input: city, execute: () => '' });
  });
});
