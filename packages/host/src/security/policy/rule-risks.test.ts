import { describe, expect, it } from 'vitest';
import { findRisks } from './rule-risks.js';
import { allow, ask, deny, type Rule } from './rules.js';

const listKinds = (rule: Rule) => findRisks(rule).map(({ kind: error }) => error);
const messages = (rule: Rule) => findRisks(rule).map(({ message }) => message);

describe('a rule that allows', () => {
  it('is reported when it checks some arguments and ignores others', () => {
    const rule = allow({ tool: 'add', arguments: { a: 1, '/b': 2 } });
    expect(messages(rule)).toEqual([expect.stringMatching(/^checks a, \/b and .*"only": \["a","\/b"\]/)]);
    expect(listKinds(rule)).toEqual(['unnamed-arguments']);
  });

  it.each<[string, Rule]>([
    ['every tool of every server', allow('*/*')],
    ['every tool', allow({ tool: ['a', '*'], because: 'x' })],
    ['everything', allow()],
  ])('is reported when it matches %s', (_, rule) => {
    expect(messages(rule)).toEqual([expect.stringMatching(/^matches every tool/)]);
    expect(listKinds({ ...rule, principal: 'ann' })).toEqual([]);
    expect(listKinds({ ...rule, server: 'db' })).toEqual([]);
    expect(listKinds({ ...rule, readOnly: true })).toEqual([]);
  });

  it.each<[string, Rule]>([
    ['names all arguments', allow({ tool: 'add', arguments: { a: 1 }, only: ['a'] })],
    ['checks no arguments', allow({ tool: 'add', arguments: {} })],
    ['has no arguments', allow({ tool: 'a*' })],
    ['checks all arguments', allow({ tool: 'add', arguments: { a: 1, '*': 'x' } })],
    ['checks all arguments by a pointer', allow({ tool: 'add', arguments: { '/**': 'x' } })],
  ])('is not reported when it %s', (_, rule) => {
    expect(listKinds(rule)).toEqual([]);
  });
});

describe.each([
  ['denies', deny],
  ['asks', ask],
])('a rule that %s', (_, create) => {
  it.each([
    ['tool', 'prompts and resources'],
    ['prompt', 'tools and resources'],
    ['resource', 'tools and prompts'],
  ])('is reported when it covers all of the kind %s, because the others pass', (kind, others) => {
    expect(messages(create({ [kind]: '*' }))).toEqual([
      expect.stringContaining(`${kind}s only, and not the ${others}. `),
    ]);
    expect(messages(create({ [kind]: ['x', '**'], server: ['db', 'files'] }))[0]).toContain(`${others} of db, files. `);
  });

  it.each<[string, Partial<Rule>]>([
    ['some tools', { tool: 'a*' }],
    ['a tool with the name *', { tool: { exact: '*' } }],
    ['all tools with an argument', { tool: '*', arguments: { a: 1 } }],
    ['resources in a folder', { resource: { under: '/etc' } }],
    ['resources of a host', { resource: { host: '*' } }],
    ['anonymous callers', { principal: null }],
    ['one caller', { principal: 'ann' }],
  ])('is not reported for %s', (__, match) => {
    expect(listKinds(create(match))).toEqual([]);
  });

  it('is reported for `only`, because another argument escapes it', () => {
    expect(listKinds(create({ tool: 'add', only: [] }))).toEqual(['escapable-only']);
  });

  it.each(['/etc', '~/a', './a', '../a', '..\\a', 'C:\\a', 'c:/a', 'file:///etc'])(
    'is reported for the path %s as a text',
    text => {
      for (const pattern of [text, { in: ['x', text] }, { exact: text }, { exact: ['x', text] }])
        expect(listKinds(create({ tool: 'read', arguments: { path: pattern } }))).toEqual(['path-as-text']);
    },
  );

  it('is reported with the place of a path', () => {
    expect(messages(create({ tool: 'read', arguments: { path: '/etc' } }))[0]).toContain(
      'the argument path with the text "/etc"',
    );
    expect(messages(create({ resource: 'file:///etc/*' }))[0]).toMatch(/^compares the resource with/);
    expect(listKinds(create({ name: 'FILE:///etc/*' }))).toEqual(['path-as-text']);
  });

  it('is not reported for texts that are not paths', () => {
    const values = ['a/b', '.a', 'https://h/a', { under: '/etc' }, 1, null];
    for (const value of values) expect(listKinds(create({ tool: 'a', arguments: { a: value } }))).toEqual([]);
    expect(listKinds(create({ resource: '/etc' }))).toEqual([]);
  });

  it('is reported for a fragment, which servers drop', () => {
    expect(messages(create({ resource: 'memo://a#b' }))).toEqual([expect.stringContaining('"memo://a#b"')]);
    expect(listKinds(create({ resource: 'memo://a#b' }))).toEqual(['fragment']);
    expect(listKinds(create({ tool: 'a', arguments: { a: 'b#c' } }))).toEqual([]);
  });

  it('is reported for all known callers, because anonymous callers pass', () => {
    expect(listKinds(create({ principal: '*' }))).toEqual(['anonymous']);
  });
});
