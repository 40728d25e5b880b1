import { describe, expect, it } from 'vitest';
import { checkMeta, checkNestedMeta } from './check-meta.js';

const reserved = { 'mcp.dev/x': 1 };
const error = (code: string) => expect.objectContaining({ code });
/** Nests a value in arrays, so that its own `_meta` is found at this depth. */
const nest = (depth: number): unknown => (depth === 0 ? { _meta: reserved } : [nest(depth - 1)]);

describe('checkMeta', () => {
  it('accepts own keys, keys of official extensions, and values without keys', () => {
    for (const meta of [undefined, 'text', {}, { plain: 1, 'com.example/thing': 1, 'io.modelcontextprotocol/x': 1 }])
      expect(() => checkMeta('a tool', meta)).not.toThrow();
  });

  it('rejects an invalid key', () => {
    expect(() => checkMeta('the tool add', { 'a b': 1 })).toThrow(
      expect.objectContaining({ code: 'meta/key', summary: 'invalid key "a b" in the _meta of the tool add' }),
    );
  });

  it('rejects a key that is reserved for the protocol', () => {
    expect(() => checkMeta('a tool', reserved)).toThrow(error('meta/reserved'));
    expect(() => checkMeta('a tool', { 'modelcontextprotocol/x': 1 })).toThrow(error('meta/reserved'));
  });
});

describe('checkNestedMeta', () => {
  it.each(['content', 'contents', 'messages', 'resource', 'roots', 'tools', 'params'])('checks `%s`', name => {
    expect(() => checkNestedMeta('a result', { [name]: { _meta: reserved } })).toThrow(error('meta/reserved'));
    expect(() => checkNestedMeta('a result', { [name]: [{}, { _meta: reserved }] })).toThrow(error('meta/reserved'));
  });

  it('checks input requests and their params', () => {
    const inputRequests = { one: { params: { messages: [{ content: { _meta: reserved } }] } } };
    expect(() => checkNestedMeta('a result', { inputRequests })).toThrow(error('meta/reserved'));
  });

  it('ignores other members, and values that are not objects', () => {
    for (const value of [undefined, null, 'text', 1, { structuredContent: { _meta: reserved } }, { content: null }])
      expect(() => checkNestedMeta('a result', value)).not.toThrow();
    expect(() => checkNestedMeta('a result', { inputRequests: null })).not.toThrow();
  });

  it('checks a depth of 12', () => {
    expect(() => checkNestedMeta('a result', nest(12))).toThrow(error('meta/reserved'));
    expect(() => checkNestedMeta('a result', nest(13))).not.toThrow();
  });
});
