import { describe, expect, it } from 'vitest';
import { tool } from './definitions/tool.js';
import { createServer } from './server.js';

const withMeta = (_meta: Record<string, unknown>) => () =>
  createServer({ name: 'a', version: '1', tools: { add: tool({ _meta, run: () => 'done' }) } });

describe('the _meta keys of a definition', () => {
  it('accept plain names and prefixes of the author [base.meta.prefix-labels-then-slash]', () => {
    for (const key of ['ui', 'com.example/thing', 'com.example.mcp/thing', 'example/'])
      expect(withMeta({ [key]: 1 })).not.toThrow();
  });

  it('accept keys of the official extensions', () => {
    for (const key of ['io.modelcontextprotocol/ui', 'io.modelcontextprotocol.skills/version'])
      expect(withMeta({ [key]: {} })).not.toThrow();
  });

  it('refuse malformed keys [base.meta.label-characters] [base.meta.name-characters]', () => {
    for (const key of ['', '-a', 'a/b/c', '1.example/thing', 'com..example/thing', 'com.example/-']) {
      expect(withMeta({ [key]: 1 })).toThrow(expect.objectContaining({ code: 'meta/key' }));
    }
  });

  it('refuse other reserved keys [base.meta.reserved-prefix-second-label] [base.meta.reserved-prefix-domain-order]', () => {
    const newer = ['dev.mcp/thing', 'com.mcp.tools/thing', 'org.modelcontextprotocol/thing'];
    for (const key of [...newer, 'mcp/x', 'modelcontextprotocol/x', 'mcp.dev/x', 'a.b.mcp.dev/x']) {
      expect(withMeta({ [key]: 1 })).toThrow(expect.objectContaining({ code: 'meta/reserved' }));
    }
  });

  it('have only values that JSON represents', () => {
    for (const [value, received] of [
      [5n, 'bigint at /n'],
      [{ of: new Map() }, 'Map at /n/of'],
      [[new Error('no')], 'Error at /n/0'],
    ] as const)
      expect(withMeta({ n: value })).toThrow(expect.objectContaining({ code: 'meta/value', received }));
    expect(withMeta({ n: new Date(0) })).not.toThrow();
  });
});
