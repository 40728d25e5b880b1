import { describe, expect, it } from 'vitest';
import { createPolicy } from './policy.js';
import { parsePolicy } from './policy-file.js';
import { allow, ask, deny } from './rules.js';

describe('a policy file', () => {
  it('may contain short and full rules, comments, and trailing commas', () => {
    const text = `{
      // first match wins
      "$schema": "policy.json",
      "fallback": "deny",
      "rules": [
        { "deny": "*/delete_all", "because": "never" },
        { "allow": "notes/*", "readOnly": true },
        { "action": "ask", "server": "files", "arguments": { "path": { "under": "/work" } } },
      ],
    }`;
    const read = parsePolicy(text);
    expect(read).toEqual({
      fallback: 'deny',
      rules: [
        deny('*/delete_all', { because: 'never' }),
        allow('notes/*', { readOnly: true }),
        ask({ server: 'files', arguments: { path: { under: '/work' } } }),
      ],
    });
    expect(createPolicy(read.rules, read).fallback).toBe('deny');
  });

  it('reports the errors of rules', () => {
    const { rules } = createPolicy([allow('a/*', { principal: null }), deny({ resource: { host: ['a', 'b'] } })]);
    expect(parsePolicy(JSON.stringify({ rules })).rules).toEqual(rules);
    expect(parsePolicy({ rules: [...rules] }).rules).toEqual(rules);
  });

  it.each<[string, string]>([
    ['{\n "rules": [\n  { "deny": "x" } ] }', 'policy.json:3:13 /rules/0/deny'],
    ['{\n "rules": [ { "deny": "a/b", "tool": "c" } ] }', 'policy.json:2:38 /rules/0/tool'],
    ['{\n "rules": [ { "deny": "a/b", "allow": "a/b" } ] }', 'policy.json:2:23 /rules/0/deny'],
    [
      '{\n "rules": [ { "action": "deny",\n "arguments": { "a": { "under": "../b" } } } ] }',
      'policy.json:3:33 /rules/0/arguments/a/under',
    ],
    ['{\n "rules": [ {\n "action": "deny", "tols": "a" } ] }', 'policy.json:3:28 /rules/0/tols'],
    ['{ "rules": [], "rules": [] }', 'policy.json:1:12 /rules'],
    ['{ "rules": [ { "action": "deny", "tool": "a", "tool": "b" } ] }', '/rules/0/tool'],
    ['{ "rules": [ { "__proto__": { "action": "allow" } } ] }', '/rules/0: invalid value'],
    ['{ "rule": [] }', '/rule: invalid value'],
    ['{ "rules": {} }', '/rules: invalid value'],
    ['{ "rules": [], "fallback": "maybe" }', '/fallback: invalid value'],
    ['[]', '/: invalid value'],
    [`{ "rules": [${'['.repeat(30)}${']'.repeat(30)}] }`, 'less nesting'],
  ])('reports the place of an error: %s', (text, where) => {
    expect(() => parsePolicy(text, 'policy.json')).toThrowError(
      expect.objectContaining({ code: 'policy/rule', message: expect.stringContaining(where) }),
    );
  });

  it.each(['', '{', '{ "rules": [ }', 'rules', '['.repeat(200_000), `"${'a'.repeat(2 ** 20)}"`])(
    'is refused unless it is JSON',
    text => {
      expect(() => parsePolicy(text, 'policy.json')).toThrowError(
        expect.objectContaining({ code: 'policy/syntax', message: expect.stringContaining('policy.json') }),
      );
    },
  );

  it.each([
    ['*', '"*/*"'],
    ['delete_all', '"*/delete_all"'],
  ])('names the pattern for all servers in place of %s', (pattern, named) => {
    expect(() => parsePolicy({ rules: [{ allow: pattern }] })).toThrowError(
      new RegExp(`Expected "server/name", or ${named.replaceAll('*', '[*]')} for any server`),
    );
    expect(() => parsePolicy({ rules: [{ allow: named.slice(1, -1) }] })).not.toThrow();
  });

  it('reports the place of an error in an object', () => {
    const inexact = '{ "rules": [{ "deny": "a/b", "match": { "id": 9007199254740993 } }] }';
    expect(() => parsePolicy(inexact)).toThrowError(/^policy:1:47 .*Expected an integer of at most 9007199254740991/);
    expect(() => parsePolicy({ rules: [{ deny: 3 }] })).toThrowError(/^policy: \/rules\/0\/deny: invalid value/);
    expect(() => parsePolicy({ rules: Array(1001).fill({ action: 'deny' }) })).toThrowError(/at most 1000 rules/);
  });
});
