import { describe, expect, it } from 'vitest';
import { findMatchFault, findRuleFault, MAX_RULES } from './rule-faults.js';

const at = (match: { readonly [name: string]: unknown }) => findMatchFault(match)?.at;
const texts = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
const byPath = (count: number) => Object.fromEntries(texts(count).map(path => [path, 1]));

describe('findRuleFault', () => {
  it('requires an object with an action', () => {
    expect(findRuleFault('deny')).toEqual({ at: [], expected: 'an object', got: 'deny' });
    expect(findRuleFault({})).toEqual({ at: [], expected: 'an action: "allow", "ask" or "deny"' });
    expect(findRuleFault({ action: 'forbid' })).toEqual({
      at: ['action'],
      expected: '"allow", "ask" or "deny"',
      got: 'forbid',
    });
    for (const action of ['allow', 'ask', 'deny']) expect(findRuleFault({ action })).toBeUndefined();
  });

  it('names the members of rules for an unknown one', () => {
    expect(findRuleFault({ action: 'deny', toool: 'a' })).toEqual({
      at: ['toool'],
      summary: 'unknown key',
      expected: expect.stringMatching(/^one of action, because, server, name, tool, .* only$/),
    });
    expect(at({ toString: 1 })).toEqual(['toString']);
  });

  it('ignores members that are undefined', () => {
    expect(findRuleFault({ action: 'deny', tool: undefined, only: undefined })).toBeUndefined();
  });

  it('limits rules to 1000', () => {
    expect(MAX_RULES).toBe(1000);
  });
});

describe('findMatchFault', () => {
  it('accepts a reason of at most 500 characters', () => {
    expect(at({ because: 'x'.repeat(500) })).toBeUndefined();
    expect(at({ because: 'x'.repeat(501) })).toEqual(['because']);
    expect(at({ because: 1 })).toEqual(['because']);
  });

  it.each(['server', 'name', 'tool', 'prompt', 'method', 'resource', 'principal'])('checks the texts of `%s`', name => {
    for (const globs of ['a*', [], ['a', 'b?'], { exact: 'a' }, { exact: ['a', 'b'] }, texts(1000)])
      expect(at({ [name]: globs })).toBeUndefined();
    expect(findMatchFault({ [name]: 1 })).toEqual({
      at: [name],
      expected: 'a text, a list of texts, or { exact }',
      got: 1,
    });
    expect(findMatchFault({ [name]: ['a', 1] })).toEqual({ at: [name, 1], expected: 'a text', got: 1 });
    expect(findMatchFault({ [name]: texts(1001) })).toEqual({ at: [name], expected: 'at most 1000 texts' });
    expect(at({ [name]: { exact: 1 } })?.[0]).toBe(name);
    expect(at({ [name]: 'x'.repeat(10_000) })?.[0]).toBe(name);
    expect(at({ [name]: ['a', 'x'.repeat(10_000)] })?.slice(0, 2)).toEqual([name, 1]);
  });

  it('accepts `null` for the principal only', () => {
    expect(at({ principal: null })).toBeUndefined();
    expect(at({ server: null })).toEqual(['server']);
  });

  it('accepts folders and hosts for resources only', () => {
    for (const resource of [{ under: 'file:///a' }, { host: 'example.com' }]) {
      expect(at({ resource })).toBeUndefined();
      expect(at({ tool: resource })).toEqual(['tool']);
    }
    for (const resource of [{ in: ['a'] }, { min: 1 }, { max: 1 }, { other: 1 }])
      expect(at({ resource })?.[0]).toBe('resource');
  });

  it.each(['readOnly', 'destructive', 'idempotent', 'openWorld'])('requires a boolean for `%s`', name => {
    expect(at({ [name]: true })).toBeUndefined();
    expect(at({ [name]: false })).toBeUndefined();
    expect(findMatchFault({ [name]: 'yes' })).toEqual({ at: [name], expected: 'true or false', got: 'yes' });
  });

  it('checks the patterns of at most 100 arguments', () => {
    expect(at({ arguments: byPath(100) })).toBeUndefined();
    expect(findMatchFault({ arguments: byPath(101) })).toEqual({
      at: ['arguments'],
      expected: 'at most 100 arguments',
    });
    expect(findMatchFault({ arguments: [] })).toEqual({
      at: ['arguments'],
      expected: 'an object of patterns by their paths',
      got: [],
    });
    for (const path of ['', '/'])
      expect(findMatchFault({ arguments: { [path]: 1 } })).toEqual({
        at: ['arguments', path],
        expected: 'the path of an argument',
      });
    expect(findMatchFault({ arguments: { a: { in: ['b', {}] } } })).toMatchObject({
      at: ['arguments', 'a', 'in', 1],
      got: {},
    });
  });

  it('checks at most 100 paths of `only`', () => {
    expect(at({ only: texts(100) })).toBeUndefined();
    expect(at({ only: [] })).toBeUndefined();
    expect(findMatchFault({ only: texts(101) })).toEqual({ at: ['only'], expected: 'at most 100 arguments' });
    expect(findMatchFault({ only: 'a' })).toMatchObject({ at: ['only'], got: 'a' });
    for (const path of [1, '', '/'])
      expect(findMatchFault({ only: ['a', path] })).toEqual({
        at: ['only', 1],
        expected: 'the path of an argument',
        got: path,
      });
  });
});
