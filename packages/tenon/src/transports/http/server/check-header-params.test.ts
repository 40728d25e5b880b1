import { describe, expect, it } from 'vitest';
import { checkHeaderParams } from './check-header-params.js';

const params = [{ path: ['n'], header: 'mcp-param-n', type: 'integer' }] as const;
const check = (value: unknown, header: string) => () =>
  checkHeaderParams(params, { n: value }, { header: () => header });

describe('checkHeaderParams for a number', () => {
  it.each([
    [42, '42'],
    [42, '42.0'],
    [42, '4.2e1'],
    [42, ' 42 '],
    [-1, '-1'],
    [0, '-0'],
    [9007199254740991, '9007199254740991'],
  ])('accepts for %d: %j', (value, header) => {
    expect(check(value, header)).not.toThrow();
  });

  it.each([
    [42, '0x2a'],
    [42, '0b101010'],
    [42, '0o52'],
    [42, '+42'],
    [42, '042'],
    [42, '42.'],
    [42, '43'],
    [42, ''],
    [42, '4 2'],
    [0, 'false'],
    [0.5, '.5'],
    [Number('9007199254740993'), '9007199254740993'],
    [9007199254740992, '9007199254740993'],
  ])('rejects for %d: %j', (value, header) => {
    expect(check(value, header)).toThrow(expect.objectContaining({ rpcCode: -32020 }));
  });
});
