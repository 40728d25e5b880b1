import { describe, expect, it } from 'vitest';
import { createScopeExpander, getDefaultPrincipal, isAudience, readClaims } from './claims.js';

const read = (claims: object, { expiresAt = 2000, principal = 'ann' as string | undefined } = {}) =>
  readClaims(
    { ...claims },
    { expiresAt, expires: 1000 },
    { getPrincipal: () => principal, expandScopes: scopes => scopes },
  );
const invalid = (reason: RegExp) => ({ error: 'invalid-token', reason: expect.stringMatching(reason) });

describe('readClaims', () => {
  it('returns the caller of an access token', () => {
    expect(read({ scope: 'a b' })).toEqual({
      auth: { principal: 'ann', expiresAt: 2000, scopes: ['a', 'b'], claims: { scope: 'a b' } },
      jkt: undefined,
      expires: 1000,
    });
    expect(read({}, { expiresAt: Number.POSITIVE_INFINITY })).toMatchObject({ auth: { scopes: [] } });
    expect(read({}, { expiresAt: Number.POSITIVE_INFINITY })).not.toHaveProperty('auth.expiresAt');
  });

  it('reads the scopes of `scope` and `scp`, as texts or lists, each once', () => {
    expect(read({ scope: ' a  b ', scp: ['b', 'c', '', 1] })).toMatchObject({ auth: { scopes: ['a', 'b', 'c'] } });
    expect(read({ scope: 1 })).toMatchObject({ auth: { scopes: [] } });
  });

  it.each(['token_type', 'token_use', 'typ'])('requires the type of an access token in `%s`', name => {
    for (const type of ['Bearer', 'DPoP', 'access', 'at+JWT']) expect(read({ [name]: type })).toHaveProperty('auth');
    for (const type of ['Refresh', 'id', 1, null])
      expect(read({ [name]: type })).toEqual(invalid(/not an access token/));
  });

  it.each(['at_hash', 'c_hash'])('rejects an ID token, which has `%s`', name => {
    expect(read({ [name]: 'x' })).toEqual(invalid(/not an access token/));
  });

  it('rejects a token without a principal', () => {
    for (const principal of ['', null as unknown as string])
      expect(read({}, { principal })).toEqual(invalid(/does not name its principal/));
  });

  it('returns the key of a bound token, and rejects other bindings', () => {
    expect(read({ cnf: { jkt: 'k' } })).toMatchObject({ jkt: 'k' });
    expect(read({ cnf: {} })).toMatchObject({ jkt: undefined });
    for (const cnf of [null, 'k', { jkt: 1 }, { 'x5t#S256': 'x' }, { jkt: 'k', other: 'x' }])
      expect(read({ cnf })).toEqual(invalid(/unsupported method/));
  });
});

describe('isAudience', () => {
  it('requires one equal audience', () => {
    expect(isAudience('a', ['a', 'b'])).toBe(true);
    expect(isAudience(['x', 'b'], ['a', 'b'])).toBe(true);
    for (const audience of [undefined, 'A', [], ['x']]) expect(isAudience(audience, ['a'])).toBe(false);
  });
});

describe('getDefaultPrincipal', () => {
  it('returns the subject at its issuer, else the client', () => {
    expect(getDefaultPrincipal({ iss: 'i', sub: 's', client_id: 'c' })).toBe('i|s');
    expect(getDefaultPrincipal({ iss: 'i', client_id: 'c' })).toBe('i#c');
  });

  it.each([
    {},
    { sub: '' },
    { sub: '', client_id: 'c' },
    { sub: 1, client_id: 'c' },
    { client_id: '' },
    { client_id: 1 },
  ])('returns undefined for %j', claims => {
    expect(getDefaultPrincipal({ iss: 'i', ...claims })).toBeUndefined();
  });
});

describe('createScopeExpander', () => {
  it('adds narrower scopes recursively, also in a loop', () => {
    const expand = createScopeExpander({ admin: ['write'], write: ['read', 'admin'] });
    expect(expand(['admin'])).toEqual(['admin', 'write', 'read']);
    expect(expand(['read', 'toString'])).toEqual(['read', 'toString']);
  });
});
