import { describe, expect, it } from 'vitest';
import { isExtensionId, isMetaKey, isReservedKey } from './meta.js';

describe('isMetaKey', () => {
  it.each([
    'name',
    'a',
    'n.a_m-e9',
    'com.example/name',
    'a/',
    'a-b.c1/x',
    'io.modelcontextprotocol/related-task',
    'x9/9',
  ])('accepts %s [base.meta.prefix-labels-then-slash base.meta.name-characters]', key =>
    expect(isMetaKey(key)).toBe(true),
  );

  it.each([
    '',
    '/name',
    '.a/name',
    'a..b/name',
    '1a/name',
    'a-/name',
    '-a/name',
    'a/-name',
    'a/name.',
    'a/b/c',
    'na me',
    'ü',
    'a_b/name',
    '__proto__',
  ])('rejects %j [base.meta.label-characters base.meta.name-characters]', key => expect(isMetaKey(key)).toBe(false));

  it.each([
    ['io.modelcontextprotocol/x', true],
    ['dev.mcp/x', true],
    ['com.mcp.tools/x', true],
    ['com.example.mcp/x', false],
    ['mcp/x', true],
    ['modelcontextprotocol/x', true],
    ['mcp.dev/x', true],
    ['modelcontextprotocol.io/x', true],
    ['tools.mcp.com/x', true],
    ['a.b.mcp.dev/x', true],
    ['a.b.mcp.dev.example/x', false],
    ['mcp', false],
    ['com.example/mcp', false],
  ])(
    'isReservedKey returns for %s: %s [base.meta.reserved-prefix-second-label] [base.meta.reserved-prefix-domain-order]',
    (key, reserved) => {
      expect(isReservedKey(key)).toBe(reserved);
    },
  );

  it.each([
    ['com.example/thing', true],
    ['io.modelcontextprotocol/tasks', true],
    ['thing', false],
    ['com.example/', false],
    ['/thing', false],
    ['com..example/thing', false],
  ])('isExtensionId returns for %s: %s [versioning.extension-id-rules]', (id, is) =>
    expect(isExtensionId(id)).toBe(is),
  );
});
