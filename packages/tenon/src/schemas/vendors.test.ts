import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type CheckResult, compileSchema } from './compile-schema.js';
import { withJsonSchema } from './json-schema.js';
import type { StandardSchema } from './standard.js';

describe('a Standard Schema', () => {
  it('applies defaults and transforms, at once', () => {
    const schema = z.object({ days: z.number().default(3), at: z.string().transform(Number) });
    const validator = compileSchema(
      withJsonSchema(schema, { type: 'object', properties: { days: {}, at: {} } }),
      'input',
    );
    expect(validator.check({ at: '5' })).toEqual({ ok: true, value: { days: 3, at: 5 } });
    expectTypeOf<Awaited<ReturnType<typeof validator.check>>>().toEqualTypeOf<
      CheckResult<{ days: number; at: number }>
    >();
    expect(validator.check({ at: 5 })).toMatchObject({ ok: false, issues: [{ path: ['at'] }] });
  });

  it('reports paths alike for every vendor', () => {
    const zod = compileSchema(z.object({ list: z.array(z.object({ a: z.string() })) }), 'input');
    const ark = compileSchema(type({ list: [{ a: 'string' }, '[]'] }), 'input');
    const valibot = compileSchema(
      withJsonSchema(v.object({ list: v.array(v.object({ a: v.string() })) }), { type: 'object' }),
      'input',
    );
    for (const { check } of [zod, ark, valibot]) {
      expect(check({ list: [{ a: 'x' }] })).toEqual({ ok: true, value: { list: [{ a: 'x' }] } });
      const checked = check({ list: [{ a: 'x' }, { a: 1 }] });
      expect(checked).toMatchObject({ ok: false, issues: [{ path: ['list', 1, 'a'] }] });
      const [issue] = (checked as Extract<CheckResult, { ok: false }>).issues;
      expect(Array.isArray(issue?.path) && Object.keys(issue ?? {})).toEqual(['path', 'message']);
    }
  });

  it('waits for asynchronous refinements', async () => {
    const validator = compileSchema(z.object({ a: z.string().refine(async value => value === 'x') }), 'input');
    const checked = validator.check({ a: 'y' });
    expect(checked).toBeInstanceOf(Promise);
    expect(await checked).toMatchObject({ ok: false, issues: [{ path: ['a'] }] });
    expect(await validator.check({ a: 'x' })).toEqual({ ok: true, value: { a: 'x' } });
  });

  it('rejects when the schema throws, at once or later', async () => {
    const boom = () => {
      throw new Error('secret');
    };
    const sync = compileSchema(z.object({ a: z.string().refine(boom) }), 'input');
    const vendor = (validate: () => unknown) =>
      compileSchema(
        withJsonSchema({ '~standard': { version: 1, vendor: 'x', validate } } as StandardSchema, {}),
        'input',
      );
    const later = vendor(async () => boom());
    const nothing = vendor(() => undefined);
    for (const { check } of [sync, later, nothing]) {
      await expect(check({ a: 'x' })).rejects.toMatchObject({ code: 'schema/threw' });
      await expect(check({ a: 'x' })).rejects.not.toMatchObject({ message: expect.stringContaining('secret') });
    }
  });

  it('validates unions and recursive schemas', () => {
    const tree = z.object({
      name: z.string(),
      get parts() {
        return z.array(tree).optional();
      },
    });
    const validator = compileSchema(z.union([tree, z.string()]), 'input');
    expect(validator.check({ name: 'a', parts: [{ name: 'b' }] })).toMatchObject({ ok: true });
    expect(validator.check('x')).toMatchObject({ ok: true });
    expect(validator.check(1)).toMatchObject({ ok: false });
  });
});
