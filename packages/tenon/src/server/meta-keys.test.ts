import { describe, expect, it } from 'vitest';
import { tool } from './definitions/tool.js';
import { createServer } from './server.js';

const withMeta = (_meta: Record<string, unknown>) => () =>
  createServer({ name: 'a', version: '1', tools: { add: tool({ _meta, run: () => 'done' }) } });

describe('the _meta of an author', () => {
  it('has names, and prefixes of the author [base.meta.prefix-labels-then-slash]', () => {
    for (const key of ['ui', 'com.example/thing', 'com.example.mcp/thing', 'example/'])
      expect(withMeta({ [key]: 1 })).not.toThrow();
  });

  it('may have the keys of the extensions that the protocol itself defines', () => {
    for (const key of ['io.modelcontextprotocol/ui', 'io.modelcontextprotocol.skills/version'])
      expect(withMeta({ [key]: {} })).not.toThrow();
  });

  it('has no key that is none [base.meta.label-characters] [base.meta.name-characters]', () => {
    for (const key of ['', '-a', 'a/b/c', '1.example/thing', 'com..example/thing', 'com.example/-']) {
      expect(withMeta({ [key]: 1 })).toThrow(expect.objectContaining({ code: 'meta/key' }));
    }
  });

  it('defines none of the reserved ones [base.meta.reserved-prefix-second-label] [base.meta.reserved-prefix-domain-order]', () => {
    const newer = ['dev.mcp/thing', 'com.mcp.tools/thing', 'org.modelcontextprotocol/thing'];
    for (const key of [...newer, 'mcp/x', 'modelcontextprotocol/x', 'mcp.dev/x', 'a.b.mcp.dev/x']) {
      expect(withMeta({ [key]: 1 })).toThrow(expect.objectContaining({ code: 'meta/reserved' }));
    }
  });
});
