import { describe, expect, it } from 'vitest';
import { declareType, TypeNames } from '../types/declare-type.js';
import { formatParameters, formatType } from './type-text.js';

/** A schema whose members each refer to the schema. */
const createRecursive = (count: number, $ref: string) => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { $ref }])),
});

describe('formatType', () => {
  it('limits the total number of types, not only depth and breadth', () => {
    const schema = createRecursive(30, '#');
    expect(formatType(schema).length).toBeLessThan(20_000);
    expect(formatType(schema)).toContain('…');
    expect(formatParameters(schema).join().length).toBeLessThan(20_000);
    const node = { anyOf: Array(30).fill({ $ref: '#/$defs/node' }) };
    const tuple = { type: 'array', prefixItems: Array(30).fill({ $ref: '#/$defs/tuple' }) };
    const $defs = { node, tuple };
    expect(formatType({ ...node, $defs }).length).toBeLessThan(20_000);
    expect(formatType({ ...tuple, $defs }).length).toBeLessThan(20_000);
  });

  it('shows a small schema completely', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' }, b: { $ref: '#/properties/a' } } };
    expect(formatType(schema)).toBe('{ a?: string; b?: string }');
    expect(formatParameters(schema)).toEqual(['a?: string', 'b?: string']);
  });

  it('accepts a reference that is not well encoded', () => {
    const schema = { properties: { off: { $ref: '#/$defs/50%' } }, $defs: { '50%': { type: 'number' } } };
    expect(formatType(schema)).toBe('{ off?: number }');
    expect(declareType('Sale', schema, new TypeNames()).join('\n')).toContain('type Sale50 = number');
  });
});
