import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toJsonSchema } from '../../schemas/json-schema.js';
import { requestForm, toFormSchema } from './form.js';

const form = (schema: z.ZodObject) => toFormSchema(toJsonSchema(schema, 'input')).properties;

describe('toFormSchema', () => {
  it('keeps only keywords that a form can show [elicitation.form.flat-primitives, schema.type.elicitation-string]', () => {
    expect(form(z.object({ mail: z.email(), code: z.string().regex(/a/).max(4), at: z.iso.time() }))).toEqual({
      mail: { type: 'string', format: 'email' },
      code: { type: 'string', maxLength: 4 },
      at: { type: 'string' },
    });
  });

  it('keeps single and multiple choices', () => {
    expect(
      form(z.object({ one: z.enum(['a', 'b']), some: z.array(z.enum(['a'])), only: z.literal('a') })),
    ).toMatchObject({
      one: { type: 'string', enum: ['a', 'b'] },
      some: { type: 'array', items: { type: 'string', enum: ['a'] } },
      only: { type: 'string', enum: ['a'] },
    });
  });

  it.each([
    ['an object within', z.object({ in: z.object({ x: z.string() }) })],
    ['a list of anything', z.object({ in: z.array(z.string()) })],
    ['a field of several kinds', z.object({ in: z.string().nullable() })],
  ])('refuses %s', (_, schema) => {
    expect(() => form(schema)).toThrow(expect.objectContaining({ code: 'handler/no-form' }));
  });

  it('converts and validates by the JSON Schema at the time of the request', async () => {
    const input = { type: 'object', properties: { n: { type: 'integer', maximum: 1 } } };
    const shown: unknown[] = [];
    const ask = (n: number) => {
      const run = {
        request: async (_: string, params: JsonObject) => {
          shown.push(params.requestedSchema);
          return { action: 'accept', content: { n } };
        },
      };
      return requestForm(run as never, { message: 'm', input }).then(
        ({ action }) => action,
        error => error.code,
      );
    };
    expect([await ask(1), await ask(2)]).toEqual(['accept', 'client/invalid-answer']);
    input.properties.n.maximum = 2;
    expect(await ask(2)).toBe('accept');
    const [first, , last] = shown as { properties: { n: object } }[];
    expect([first?.properties.n, last?.properties.n]).toEqual([
      { type: 'integer', maximum: 1 },
      { type: 'integer', maximum: 2 },
    ]);
  });

  it('refuses a schema that is no object', () => {
    expect(() => toFormSchema({ type: 'array', items: {} })).toThrow(
      expect.objectContaining({ code: 'handler/no-form' }),
    );
  });
});
