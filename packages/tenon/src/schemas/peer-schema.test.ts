import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { compilePeerSchema } from './peer-schema.js';

describe('a schema of a peer', () => {
  it('validates as JSON Schema does [tools.output-schema.client-validates]', () => {
    const judge = compilePeerSchema({ type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] });
    expect(judge.check({ uri: 'x' })).toEqual({ ok: true, value: { uri: 'x' } });
    expect(judge.check({ uri: 1 })).toEqual({
      ok: false,
      issues: [{ path: ['uri'], message: 'expected string, got number' }],
    });
  });

  it('validates nothing when the schema is unusable', () => {
    const cases: [unknown, unknown, string][] = [
      [{ $schema: 'https://example.com/mine' }, 1, 'unsupported "$schema"'],
      [{ pattern: '(' }, 'x', 'not a regular expression'],
      [{ $ref: 'https://example.com/x' }, 1, 'never fetched'],
      [{ $ref: '#' }, 1, 'nested too deeply'],
      [{ allOf: 1 }, 1, ''],
      [{ properties: { a: null } }, { a: 1 }, ''],
    ];
    for (const [schema, value, why] of cases) {
      const judged = compilePeerSchema(schema as JsonObject).check(value);
      expect([schema, judged]).toEqual([
        schema,
        { ok: null, code: expect.stringMatching(/^schema\//), reason: expect.stringContaining(why) },
      ]);
    }
  });

  it('ends soon, whatever the schema', () => {
    const defs: JsonObject = { d0: { type: 'number' } };
    for (let i = 1; i < 40; i++)
      defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
    const fan = compilePeerSchema({ $ref: '#/$defs/d39', $defs: defs });
    expect(fan.check(1)).toEqual({
      ok: null,
      code: 'schema/work-limit',
      reason: 'the validation takes too many steps',
    });
    let deep: JsonObject = {};
    for (let i = 0; i < 100; i++) deep = { not: deep };
    expect(compilePeerSchema(deep).check(1)).toMatchObject({ ok: null, reason: expect.stringContaining('levels') });
    const wide = { enum: Array.from({ length: 30_000 }, (_, i) => i) };
    expect(compilePeerSchema(wide).check(1)).toMatchObject({ ok: null, reason: expect.stringContaining('values') });
  });

  it('tries expensive patterns on short strings only', () => {
    const text = `${'a'.repeat(40)}!`;
    for (const schema of [{ pattern: '^(a+)+$' }, { propertyNames: { pattern: '^(a|a)*$' } }]) {
      const value = 'pattern' in schema ? text : { [text]: 1 };
      expect(compilePeerSchema(schema).check(value)).toMatchObject({
        ok: null,
        reason: expect.stringContaining('too long'),
      });
    }
    const keys = compilePeerSchema({ patternProperties: { '^(a+)+$': { type: 'string' } } });
    expect(keys.check({ [text]: 1 })).toMatchObject({ ok: null });
    expect(keys.check({ aa: 1 })).toMatchObject({ ok: false, issues: [{ path: ['aa'] }] });
    const beside = compilePeerSchema({ properties: { id: { pattern: '^(a+)+$' }, body: { type: 'string' } } });
    expect(beside.check({ id: 'aa', body: text.repeat(1000) })).toMatchObject({ ok: true });
  });

  it('counts its work anew for each check', () => {
    const judge = compilePeerSchema({ items: { type: 'number' } });
    const value = Array.from({ length: 300_000 }, () => 1);
    for (let i = 0; i < 2; i++) expect(judge.check(value)).toMatchObject({ ok: true });
  });
});
