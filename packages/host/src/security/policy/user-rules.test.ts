import { describe, expect, it } from 'vitest';
import type { ActionRequest } from './action-request.js';
import { call } from './fixtures/call.js';
import { lintPolicy } from './lint-policy.js';
import { createPolicy } from './policy.js';
import { allow, deny, type UserMatch } from './rules.js';

const token: Partial<ActionRequest> = {
  scopes: ['files:read', 'files:write'],
  claims: { groups: ['Admins', 'staff'], tenant: 'acme', roles: ['editor'], realm_access: { roles: ['owner'] } },
};
const matches = (user: UserMatch, request: Partial<ActionRequest> = token) =>
  createPolicy([allow({ user })]).evaluate(call(request)).action === 'allow';

describe('a rule about the token of the caller', () => {
  it.each<[string, UserMatch, boolean]>([
    ['one of the groups', { groups: ['Admins', 'owners'] }, true],
    ['a group by a pattern', { groups: 'st*' }, true],
    ['a group in another case, for allow', { groups: 'admins' }, false],
    ['no group', { groups: 'owners' }, false],
    ['all scopes', { scopes: ['files:read', 'files:write'] }, true],
    ['one of two scopes', { scopes: ['files:read', 'files:delete'] }, false],
    ['a scope that only begins so', { scopes: 'files' }, false],
    ['a pattern, which scopes do not have', { scopes: 'files:*' }, false],
    ['a claim', { claims: { tenant: 'acme' } }, true],
    ['another value', { claims: { tenant: 'acm' } }, false],
    ['one value of several', { claims: { roles: 'editor' } }, true],
    ['a claim in a claim', { claims: { 'realm_access.roles': 'owner' } }, true],
    ['a claim that is absent', { claims: { 'realm_access.groups': '*' } }, false],
    ['a member of the prototype', { claims: { constructor: '*' } }, false],
    ['all conditions', { groups: 'staff', scopes: 'files:read', claims: { tenant: 'acme' } }, true],
    ['all conditions but one', { groups: 'staff', scopes: 'files:read', claims: { tenant: 'other' } }, false],
    ['any token', {}, true],
  ])('matches %s', (_, user, expected) => expect(matches(user)).toBe(expected));

  it('never matches an anonymous caller, also with claims', () => {
    const anonymous = { ...token, principal: undefined };
    for (const user of [{}, { groups: '*' }, { scopes: 'files:read' }, { claims: { tenant: '*' } }])
      expect(matches(user, anonymous)).toBe(false);
  });

  it('ignores the case of groups for deny', () => {
    const policy = createPolicy([deny({ user: { groups: 'ADMINS' } })], { fallback: 'allow' });
    expect(policy.evaluate(call(token)).action).toBe('deny');
  });

  it('explains itself, without values of secret claims', () => {
    const claims = { groups: ['staff'], api_key: 'abcdefgh' };
    const user = [
      { groups: 'admins' },
      { scopes: 'files:write' },
      { claims: { tenant: 'acme' } },
      { claims: { api_key: 'x' } },
    ];
    const text = createPolicy(user.map(each => allow({ user: each }))).explain(call({ scopes: [], claims }));
    expect(text).toContain('1. allow {"user":{"groups":"admins"}}: groups are ["staff"], none of them in ["admins"]');
    expect(text).toContain('the token does not have the scope files:write');
    expect(text).toContain('the token does not have the claim tenant');
    expect(text).not.toContain('abcdefgh');
    const anonymous = createPolicy([allow({ user: {} })]).explain(call({ principal: undefined }));
    expect(anonymous).toContain('the caller is anonymous');
  });

  it.each<[UserMatch, string]>([
    [{ group: 'a' } as UserMatch, '/rules/0/user/group'],
    [{ scopes: [] }, '/rules/0/user/scopes'],
    [{ claims: { a: { near: 1 } } } as never, '/rules/0/user/claims/a/near'],
    ['admins' as never, '/rules/0/user'],
    [{ groups: [1] } as never, '/rules/0/user/groups/0'],
  ])('refuses an invalid value with its position: %j', (user, position) => {
    expect(() => createPolicy([allow({ user })])).toThrow(`${position}: invalid value`);
  });

  it('passes lint checks', () => {
    const admins = { user: { groups: 'admins' } };
    const find = (...rules: Parameters<typeof createPolicy>[0]) =>
      lintPolicy(createPolicy(rules)).map(each => each.kind);
    expect(find(allow(admins), deny(admins))).toEqual(['shadowed']);
    expect(find(allow(admins), deny({ user: { groups: 'staff' } }))).toEqual([]);
    expect(find(deny({ user: {} }))).toEqual(['anonymous']);
    expect(find(allow({ principal: null, user: {} }))).toEqual(['never']);
    expect(find(allow({ user: { claims: { a: { in: [] } } } }))).toEqual(['never']);
  });
});
