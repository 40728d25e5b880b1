import { describe, expect, it } from 'vitest';
import type { ActionRequest } from './action-request.js';
import { call } from './fixtures/call.js';
import { createPolicy } from './policy.js';
import { parsePolicy } from './policy-file.js';
import { allow, ask, deny, type Rule } from './rules.js';

const judge = (rule: Rule, more: Partial<ActionRequest> = {}) =>
  createPolicy([rule], { fallback: rule.action === 'allow' ? 'deny' : 'allow' }).evaluate(call(more)).action;
const onArguments = (rule: Rule, args: object) => judge(rule, { arguments: { ...args } });

describe('the short form of a rule', () => {
  const kinds = ['tool', 'resource', 'prompt'] as const;
  const rules = parsePolicy('{ "rules": [ { "deny": "db/*" } ] }').rules;

  it.each(kinds)('`server/*` covers each %s of the server', kind => {
    const policy = createPolicy(rules, { fallback: 'allow' });
    expect(policy.evaluate(call({ kind, server: 'db', name: 'db:users' })).action).toBe('deny');
    expect(policy.evaluate(call({ kind, server: 'other', name: 'db:users' })).action).toBe('allow');
    expect(judge(allow('notes/*'), { kind, name: 'x:y' })).toBe('allow');
  });

  it.each(kinds)('`server/name` covers each %s of that name', kind => {
    expect(judge(deny('notes/secret*'), { kind, name: 'secret:users' })).toBe('deny');
    expect(judge(deny('notes/secret*'), { kind, name: 'public:users' })).toBe('allow');
  });

  it('reads the text after the first slash as a URI too', () => {
    const rule = deny('notes/https://h/private/*');
    expect(judge(rule, { kind: 'resource', name: 'HTTPS://H:443/private/a' })).toBe('deny');
  });

  it('limits a rule for one kind to that kind', () => {
    expect(judge(deny({ server: 'notes', tool: '*' }), { kind: 'prompt' })).toBe('allow');
    expect(judge(deny({ name: 'add' }), { kind: 'prompt' })).toBe('deny');
  });
});

describe('letter case in rules', () => {
  it.each<[string, Rule, Partial<ActionRequest>]>([
    ['a tool', { action: 'deny', tool: 'delete_*' }, { name: 'Delete_File' }],
    ['a prompt', { action: 'deny', prompt: 'Secret' }, { kind: 'prompt', name: 'sECRET' }],
    ['a name', { action: 'deny', name: 'delete_*' }, { name: 'DELETE_ALL' }],
    ['a server', { action: 'deny', server: 'db' }, { server: 'DB' }],
    ['a principal', { action: 'deny', principal: 'ann@example.com' }, { principal: 'Ann@Example.com' }],
    ['a resource', { action: 'deny', resource: 'memo://Keys/*' }, { kind: 'resource', name: 'MEMO://keys/A' }],
    ['a text', { action: 'deny', arguments: { sql: 'DROP *' } }, { arguments: { sql: 'drop table a' } }],
    ['a listed text', { action: 'deny', arguments: { sql: { in: ['DROP'] } } }, { arguments: { sql: 'Drop' } }],
    [
      'an argument',
      { action: 'deny', arguments: { 'options.force': true } },
      { arguments: { Options: { FORCE: true } } },
    ],
    ['wide letters', { action: 'deny', arguments: { sql: 'drop *' } }, { arguments: { sql: '\u{ff24}\u{ff32}OP a' } }],
    ['a letter without a dot', { action: 'deny', tool: 'insert' }, { name: '\u0131nsert' }],
  ])('is ignored for %s in deny and ask, and significant in allow', (_, rule, proposal) => {
    expect(judge(rule, proposal)).toBe('deny');
    expect(judge({ ...rule, action: 'ask' }, proposal)).toBe('ask');
    expect(judge({ ...rule, action: 'allow' }, proposal)).toBe('deny');
  });

  it.each<[string, Rule, Partial<ActionRequest>, Partial<ActionRequest>]>([
    ['a tool', deny({ tool: { exact: 'delete_*' } }), { name: 'delete_*' }, { name: 'Delete_*' }],
    ['several tools', deny({ tool: { exact: ['a', 'b'] } }), { name: 'b' }, { name: 'B' }],
    ['a server', deny({ server: { exact: 'db' } }), { server: 'db' }, { server: 'DB' }],
    [
      'a resource',
      deny({ resource: { exact: 'memo:A' } }),
      { kind: 'resource', name: 'memo:A' },
      { kind: 'resource', name: 'memo:a' },
    ],
    [
      'a text',
      deny({ arguments: { sql: { exact: 'DROP *' } } }),
      { arguments: { sql: 'DROP *' } },
      { arguments: { sql: 'DROP a' } },
    ],
    [
      'a text in another case',
      deny({ arguments: { sql: { exact: ['DROP'] } } }),
      { arguments: { sql: 'DROP' } },
      { arguments: { sql: 'drop' } },
    ],
  ])('and each character of %s are significant with `exact`', (_, rule, same, other) => {
    expect(judge(rule, same)).toBe('deny');
    expect(judge(rule, other)).toBe('allow');
    expect(judge({ ...rule, action: 'allow' }, same)).toBe('allow');
  });

  it('is significant for an exact URI, and for no other part of its spelling', () => {
    const rule = deny({ resource: { exact: 'https://h/Keys' } });
    expect(judge(rule, { kind: 'resource', name: 'HTTPS://H:443/Keys#a' })).toBe('deny');
    expect(judge(rule, { kind: 'resource', name: 'https://h/keys' })).toBe('allow');
  });

  it.each([{ exact: 3 }, { exact: ['a', 3] }, { exact: 'a', in: [] }, { exacts: 'a' }])(
    'is refused with an invalid `exact`: %j',
    tool => {
      expect(() => createPolicy([{ action: 'deny', tool } as never])).toThrowError(/\/rules\/0\/tool/);
    },
  );
});

describe('a wildcard in the path of an argument', () => {
  const nested = { a: 'x', options: { list: [{ path: 'ok' }, { path: '/etc/passwd' }] } };

  it('covers with `*` at the end every value below it', () => {
    expect(onArguments(deny({ arguments: { '*': { under: '/etc' } } }), nested)).toBe('deny');
    expect(onArguments(deny({ arguments: { '/options/*': { under: '/etc' } } }), nested)).toBe('deny');
    expect(onArguments(deny({ arguments: { 'a.*': { under: '/etc' } } }), nested)).toBe('allow');
    expect(onArguments(allow({ arguments: { '*': { under: '/work' } } }), { a: '/work/a', b: ['/work/b'] })).toBe(
      'allow',
    );
    expect(onArguments(allow({ arguments: { '*': { under: '/work' } } }), { a: '/work/a', b: { c: '/etc' } })).toBe(
      'deny',
    );
    expect(onArguments(allow({ arguments: { '*': '*' } }), {})).toBe('deny');
    expect(onArguments(deny({ arguments: { '*': 1 } }), {})).toBe('allow');
  });

  it('covers with `*` in the middle each member', () => {
    const rule = deny({ arguments: { '*.path': '/etc/*' } });
    expect(onArguments(rule, { one: { path: '/etc/a' } })).toBe('deny');
    expect(onArguments(rule, { one: { two: { path: '/etc/a' } } })).toBe('allow');
    const all = allow({ arguments: { 'files.*.path': '/work/*' } });
    expect(onArguments(all, { files: { a: { path: '/work/a' }, b: { path: '/work/b' } } })).toBe('allow');
    expect(onArguments(all, { files: { a: { path: '/work/a' }, b: {} } })).toBe('deny');
  });

  it('covers with `**` any number of members', () => {
    const rule = deny({ arguments: { '**.path': '/etc/*' } });
    for (const args of [{ path: '/etc/a' }, { one: { path: '/etc/a' } }, { a: [{ b: { path: '/etc/a' } }] }])
      expect(onArguments(rule, args)).toBe('deny');
    expect(onArguments(rule, { one: { file: '/etc/a' } })).toBe('allow');
  });

  it('covers a part of a name', () => {
    const rule = deny({ arguments: { '*path*': { under: '/etc' } } });
    expect(onArguments(rule, { sourcePath: '/etc/a' })).toBe('deny');
    expect(onArguments(rule, { text: '/etc/a' })).toBe('allow');
    expect(
      onArguments(allow({ arguments: { 'path?': { under: '/work' } } }), { path1: '/work/a', path2: '/etc' }),
    ).toBe('deny');
  });

  it('applies for any size or depth of the arguments', () => {
    let deep: unknown = '/etc';
    for (let depth = 0; depth < 200; depth++) deep = { deep };
    const wide = Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`a${n}`, {}]));
    for (const args of [{ deep }, { wide }]) {
      expect(onArguments(deny({ arguments: { '**.a': '/etc' } }), args)).toBe('deny');
      expect(onArguments(allow({ arguments: { '*': '*' } }), args)).toBe('deny');
    }
  });
});

describe('`only` of a rule', () => {
  const rule = allow({
    tool: 'add',
    arguments: { path: { under: '/work' } },
    only: ['path', 'options.force', '/list/n'],
  });

  it.each([
    { path: '/work/a' },
    { path: '/work/a', options: { force: true } },
    { path: '/work/a', list: [{ n: 1 }, { n: 2 }] },
  ])('allows the arguments that it names: %j', args => expect(onArguments(rule, args)).toBe('allow'));

  it.each([
    { path: '/work/a', mode: 'w' },
    { path: '/work/a', options: { force: true, other: 1 } },
    { path: '/work/a', options: 'force' },
    { path: '/work/a', options: ['force'] },
    { path: '/work/a', list: [{ n: 1 }, { m: 2 }] },
    { path: '/work/a', Path: '/etc' },
  ])('refuses any other argument: %j', args => expect(onArguments(rule, args)).toBe('deny'));

  it('refuses every argument when empty', () => {
    expect(onArguments(allow({ only: [] }), {})).toBe('allow');
    expect(onArguments(allow({ only: [] }), { a: 1 })).toBe('deny');
  });

  it('covers all members below an argument, and may contain wildcards', () => {
    expect(onArguments(allow({ only: ['options'] }), { options: { a: { b: 1 } } })).toBe('allow');
    expect(onArguments(allow({ only: ['a*'] }), { a1: 1, a2: { b: 1 } })).toBe('allow');
    expect(onArguments(allow({ only: ['a*'] }), { a1: 1, b: 1 })).toBe('deny');
  });

  it('is refused when it is no list of paths, and explained when it does not fit', () => {
    for (const only of ['path', [3], [''], ['/'], {}])
      expect(() => createPolicy([{ action: 'allow', only } as never])).toThrowError(/\/rules\/0\/only/);
    expect(createPolicy([rule]).explain(call({ arguments: { path: '/work/a', mode: 'w' } }))).toContain(
      'argument /mode is not in `only`',
    );
    expect(createPolicy([ask({ only: ['a'] })]).evaluate(call({ arguments: { A: 1 } })).rule).toBe(1);
  });
});
