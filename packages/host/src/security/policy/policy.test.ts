import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import type { ActionRequest } from './action-request.js';
import { call } from './fixtures/call.js';
import { lintPolicy as lintAll } from './lint-policy.js';
import { getHints } from './matching/hints.js';
import { createPolicy } from './policy.js';
import { allow, ask, deny, type Rule } from './rules.js';

/** The rules that decide nothing; other findings are of rules that do. */
const lint = (policy: { readonly rules: readonly Rule[] }) =>
  lintAll(policy).filter(({ kind: error }) => error === 'never' || error === 'shadowed');

const judge = (rules: readonly Rule[], more?: Partial<ActionRequest>) => createPolicy(rules).evaluate(call(more));

const name = fc.constantFrom('a', 'ab', 'b', 'ba');
const globs = fc.constantFrom('a', 'a*', '*', '?b', 'b?', '*a');
/** Mostly absent: a rule of many members fits hardly anything. */
const maybe = <T>(key: string, value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: value.map(each => ({ [key]: each })) });
const rule: fc.Arbitrary<Rule> = fc
  .tuple(
    fc.record({ action: fc.constantFrom('allow', 'ask', 'deny') }),
    maybe('server', globs),
    maybe('tool', globs),
    maybe('name', globs),
    maybe('prompt', globs),
    maybe('resource', globs),
    maybe('principal', fc.oneof(globs, fc.constant(null))),
    maybe('readOnly', fc.boolean()),
    maybe('destructive', fc.boolean()),
    maybe('idempotent', fc.boolean()),
    maybe('arguments', fc.constantFrom({ p: 'a*' }, { p: { max: 1 } }, { p: { min: 2, max: 1 } }, { p: 'a*', q: '*' })),
  )
  .map(parts => Object.assign({}, ...parts) as Rule);
const proposal: fc.Arbitrary<ActionRequest> = fc
  .record({
    kind: fc.constantFrom('tool', 'resource', 'prompt'),
    server: name,
    name,
    arguments: fc.constantFrom({}, { p: 'a' }, { p: ['ab', 'b'] }, { p: 1 }, { p: '1', q: 'x' }),
    annotations: fc.record({ readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() }, { requiredKeys: [] }),
    trusted: fc.boolean(),
    principal: fc.option(name, { nil: undefined }),
  })
  .map(each => (each.kind === 'resource' ? { ...each, arguments: {} } : each)) as fc.Arbitrary<ActionRequest>;

describe('a policy', () => {
  it('is decided by the first matching rule, in their order [security.consent.flows]', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 6 }), proposal, (rules, each) => {
        const alone = rules.findIndex(one => createPolicy([one]).evaluate(each).rule === 1);
        const verdict = createPolicy(rules, { fallback: 'deny' }).evaluate(each);
        expect(verdict.rule).toBe(alone < 0 ? undefined : alone + 1);
        expect(verdict.action).toBe(rules[alone]?.action ?? 'deny');
      }),
      { numRuns: takeRuns(2000) },
    );
  });

  it('asks when no rule matches [security.consent.tool-invocation] [tools.host.confirmation]', () => {
    expect(judge([])).toMatchObject({ action: 'ask', rule: undefined });
    expect(judge([allow('other/*'), allow({ principal: 'bob' })])).toMatchObject({ action: 'ask', rule: undefined });
    expect(createPolicy([], { fallback: 'deny' }).evaluate(call()).action).toBe('deny');
  });

  it('asks before data is read, from resources and prompts too [security.consent.data-access] [security.consent.before-exposure]', () => {
    const policy = createPolicy([allow({ server: 'notes', tool: '*' }), deny({ resource: 'file:///etc/*' })]);
    expect(policy.evaluate(call()).action).toBe('allow');
    expect(policy.evaluate(call({ kind: 'resource', name: 'file:///notes/a' })).action).toBe('ask');
    expect(policy.evaluate(call({ kind: 'resource', name: 'file:///notes/../etc/passwd' })).action).toBe('deny');
    expect(policy.evaluate(call({ kind: 'prompt', name: 'add' })).action).toBe('ask');
  });

  it('reads server/name up to the first slash', () => {
    expect(judge([allow('notes/*')]).rule).toBe(1);
    expect(judge([allow('notes/a/b')], { name: 'a/b' }).rule).toBe(1);
    expect(judge([deny('*/delete_all')], { name: 'delete_all' }).action).toBe('deny');
    expect(judge([allow('notes/add', { principal: 'ann' })]).rule).toBe(1);
    expect(judge([allow('notes/add', { principal: 'bob' })]).rule).toBeUndefined();
    expect(() => allow('add')).toThrowError(/policy\/rule|has no server/);
  });

  it('distinguishes known principals from anonymous callers', () => {
    expect(judge([allow({ principal: '*' })], { principal: undefined }).rule).toBeUndefined();
    expect(judge([allow({ principal: null })], { principal: undefined }).rule).toBe(1);
    expect(judge([allow({ principal: null })]).rule).toBeUndefined();
    expect(judge([allow({ principal: ['bob', 'a*'] })]).rule).toBe(1);
  });

  it('matches resources by folder and host', () => {
    const under = [allow({ resource: { under: 'file:///work' } })];
    expect(judge(under, { kind: 'resource', name: 'file:///work/a' }).rule).toBe(1);
    expect(judge(under, { kind: 'resource', name: 'file:///work/%2e%2e/etc' }).rule).toBeUndefined();
    expect(
      judge([allow({ resource: 'file:///work/*' })], { kind: 'resource', name: 'file:///work/..%2f/etc' }).rule,
    ).toBeUndefined();
    const host = [deny({ resource: { host: 'evil.com' } })];
    expect(judge(host, { kind: 'resource', name: 'HTTPS://EVIL.com/' }).rule).toBe(1);
  });

  it('ignores later changes of its rules', () => {
    const rules: { action: 'deny'; tool: string }[] = [{ action: 'deny', tool: 'add' }];
    const policy = createPolicy(rules);
    (rules[0] as { tool: string }).tool = 'other';
    expect(policy.evaluate(call()).action).toBe('deny');
  });

  it('evaluates a call without side effects', () => {
    const tried = createPolicy([deny('*/add')]).dryRun([call(), call({ name: 'list' })]);
    expect(tried.map(({ verdict }) => verdict.action)).toEqual(['deny', 'ask']);
    expect(tried[0]?.request).toEqual(call());
  });

  it('explains each rule up to the matching one, and shows no secrets', () => {
    const policy = createPolicy([
      allow('other/*'),
      allow({ readOnly: true }),
      deny({ arguments: { password: 'swordfish', path: { under: '/etc' } } }),
      ask({ because: 'somebody has to look' }),
      deny(),
    ]);
    const text = policy.explain(
      call({ annotations: { readOnlyHint: true }, arguments: { password: 'hunter2', path: '/etc\u202e' } }),
    );
    expect(text.split('\n')).toHaveLength(6);
    expect(text).toContain('1. allow {"server":"other"}: server is "notes", not "other"');
    expect(text).toContain('not trusted, so its annotations do not count');
    expect(text).toContain('argument password is …');
    expect(text).toContain('→ approval required by rule 4: somebody has to look');
    expect(text).not.toMatch(/hunter2|swordfish/);
    expect(text).not.toContain('\u202e');
  });

  it('names the matching rule, and marks it', () => {
    const one = judge([ask('notes/add', { because: 'it writes' })]);
    const other = judge([deny('x/y'), ask('notes/add', { because: 'other words' })]);
    expect(one.reason).toBe('approval required by rule 1: it writes');
    expect(other.mark).toBe(one.mark);
    expect(judge([ask('notes/*')]).mark).not.toBe(one.mark);
  });

  it.each<[unknown, string]>([
    [{ action: 'maybe' }, '/rules/0/action'],
    [{ tool: 'a' }, '/rules/0'],
    [{ action: 'deny', tool: 3 }, '/rules/0/tool'],
    [{ action: 'deny', tool: ['a', 3] }, '/rules/0/tool/1'],
    [{ action: 'deny', arguments: { 'a/b': { under: '../x' } } }, '/rules/0/arguments/a~1b/under'],
    [{ action: 'deny', arguments: { a: { in: [1, {}] } } }, '/rules/0/arguments/a/in/1'],
    [{ action: 'deny', readOnly: 'yes' }, '/rules/0/readOnly'],
    [null, '/rules/0'],
    [Object.create({ action: 'allow' }), '/rules/0'],
  ])('names the place of an unreadable rule: %j', (wrong, place) => {
    expect(() => createPolicy([wrong as Rule])).toThrowError(new RegExp(`^${place}: invalid value`));
  });

  it('names an unknown key of a rule', () => {
    const rule: unknown = { action: 'deny', host: '127.0.0.1' };
    expect(() => createPolicy([rule as Rule])).toThrowError(/^\/rules\/0\/host: unknown key/);
  });

  it.each([
    ['kind', 'resources'],
    ['server', undefined],
    ['name', 5],
    ['arguments', null],
  ])('decides about no action whose %s is %j', (member, value) => {
    const policy = createPolicy([deny({ resource: 'file:///etc/passwd' }), allow('*/*')]);
    const action = { kind: 'resource', server: 'files', name: 'file:///etc/passwd', arguments: {}, trusted: false };
    const wrong: unknown = { ...action, [member]: value };
    for (const decide of [policy.evaluate, policy.isAlwaysDenied, policy.explain])
      expect(() => decide(wrong as ActionRequest)).toThrowError(expect.objectContaining({ code: 'options/invalid' }));
    expect(() => policy.dryRun([wrong as ActionRequest])).toThrowError(`invalid at ${member}`);
  });
});

describe('annotations of tools', () => {
  it('have the defaults of the specification when they are missing [schema.type.tool-annotations.defaults]', () => {
    const defaults = { readOnly: false, destructive: true, idempotent: false, openWorld: true };
    expect(getHints({ trusted: true })).toEqual(defaults);
    expect(getHints({ trusted: true, annotations: {} })).toEqual(defaults);
    expect(getHints({ trusted: true, annotations: { readOnlyHint: 'yes' as never } })).toEqual(defaults);
    const all = { destructiveHint: false, idempotentHint: true, openWorldHint: false };
    const result = { readOnly: false, destructive: false, idempotent: true, openWorld: false };
    expect(getHints({ trusted: true, annotations: all })).toEqual(result);
    const reads = { readOnlyHint: true, destructiveHint: true, idempotentHint: false };
    expect(getHints({ trusted: true, annotations: reads })).toMatchObject({ destructive: false, idempotent: true });
  });

  it('count from trusted servers only [tools.annotations.untrusted]', () => {
    const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false, idempotentHint: true };
    for (const match of [{ readOnly: true }, { destructive: false }, { openWorld: false }, { idempotent: true }]) {
      expect(judge([allow(match)], { annotations, trusted: false }).rule).toBeUndefined();
      expect(judge([allow(match)], { annotations, trusted: true }).rule).toBe(1);
    }
    expect(judge([deny({ destructive: true })], { annotations, trusted: false }).rule).toBe(1);
  });

  it('apply to tools only', () => {
    expect(judge([deny({ destructive: true })], { kind: 'resource' }).rule).toBeUndefined();
    expect(judge([allow({ readOnly: false })], { kind: 'prompt' }).rule).toBeUndefined();
  });
});

describe('lintPolicy', () => {
  it('reports only rules that never decide', () => {
    const numRuns = takeRuns(2000);
    let count = 0;
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 5 }), fc.array(proposal, { maxLength: 20 }), (rules, proposals) => {
        const policy = createPolicy(rules);
        const found = new Set(lint(policy).map(each => each.rule));
        count += found.size;
        for (const each of proposals) expect(found).not.toContain(policy.evaluate(each).rule);
      }),
      { numRuns },
    );
    expect(count).toBeGreaterThan(numRuns / 4);
  });

  it.each<[string, Rule[], unknown]>([
    ['the same twice', [allow('a/b'), deny('a/b')], { rule: 2, kind: 'shadowed', by: 1 }],
    ['a wider one before', [allow('*/list_*'), deny('a/list_all')], { rule: 2, kind: 'shadowed', by: 1 }],
    ['the short form before a server', [ask('a/*'), deny({ server: 'a' })], { rule: 2, kind: 'shadowed', by: 1 }],
    ['another case before', [deny('A/LIST_*'), allow('a/list_all')], { rule: 2, kind: 'shadowed', by: 1 }],
    ['one for everything', [ask(), deny({ resource: 'x' })], { rule: 2, kind: 'shadowed', by: 1 }],
    ['reads only', [deny({ destructive: false }), allow({ readOnly: true })], { rule: 2, kind: 'shadowed' }],
    ['two kinds', [deny({ tool: 'a', resource: 'b' })], { rule: 1, kind: 'never' }],
    ['contradicting hints', [allow({ readOnly: true, destructive: true })], { rule: 1, kind: 'never' }],
    ['an empty list', [allow({ server: [] })], { rule: 1, kind: 'never' }],
    ['nothing between', [allow({ arguments: { n: { min: 2, max: 1 } } })], { rule: 1, kind: 'never' }],
    ['arguments of a resource', [deny({ resource: '*', arguments: { a: 1 } })], { rule: 1, kind: 'never' }],
    ['a hint of a prompt', [deny({ prompt: '*', readOnly: true })], { rule: 1, kind: 'never' }],
  ])('reports %s', (_, rules, finding) => expect(lint({ rules })).toMatchObject([finding]));

  it('accepts rules that may decide', () => {
    const strict: Rule[] = [allow({ arguments: { p: '/work/*' } }), deny({ arguments: { p: '/work/*' } })];
    expect(lint({ rules: strict })).toEqual([]);
    expect(lint({ rules: [...strict].reverse() })).toMatchObject([{ rule: 2, by: 1 }]);
    expect(lint({ rules: [allow({ principal: null }), ask({ principal: 'ann' }), deny()] })).toEqual([]);
    expect(lint({ rules: [allow({ principal: '*' }), ask({ principal: null })] })).toEqual([]);
    expect(
      lint({ rules: [allow('a/b'), ask({ server: 'a', tool: '*' }), deny({ server: 'a' }), deny('x/*')] }),
    ).toEqual([]);
  });
});
