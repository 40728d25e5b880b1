import { describe, expect, it } from 'vitest';
import type { AuthInfo } from './auth-info.js';
import { getOwnerKey, identifyCaller, isSameOwner } from './caller-identity.js';

describe('isSameOwner', () => {
  const ada: AuthInfo = { principal: 'ada', issuer: 'https://a', clientId: 'editor' };

  it('compares user, client and issuer', () => {
    const all: (AuthInfo | undefined)[] = [
      undefined,
      { principal: '' },
      { principal: 'ada' },
      { principal: 'ada', clientId: 'editor' },
      { principal: 'ada', issuer: 'editor' },
      { principal: 'ada', issuer: 'https://a', clientId: 'reader' },
      { principal: 'ada', issuer: 'https://b', clientId: 'editor' },
      { principal: 'eve', issuer: 'https://a', clientId: 'editor' },
      { principal: '["ada","editor","https://a"]' },
      ada,
    ];
    const keys = all.map(auth => getOwnerKey(identifyCaller(auth)));
    expect(new Set(keys).size).toBe(all.length);
    for (const [n, one] of all.entries())
      for (const [m, other] of all.entries()) expect(isSameOwner(one, other)).toBe(n === m);
  });

  it('ignores scopes and other claims', () => {
    const more = { ...ada, scopes: ['write'], claims: { jti: '1' } };
    expect(isSameOwner(ada, more)).toBe(true);
  });

  it('reads issuer and client from the claims where no member names them', () => {
    const claims = { iss: 'https://a', client_id: 'editor', azp: 'reader' };
    expect(identifyCaller({ principal: 'ada', claims })).toEqual({ ...ada });
    expect(identifyCaller({ principal: 'ada', claims: { azp: 'reader' } })).toEqual({
      principal: 'ada',
      clientId: 'reader',
    });
    expect(identifyCaller({ ...ada, claims: { iss: 'https://b', client_id: 'reader' } })).toEqual(ada);
    expect(identifyCaller({ principal: 'ada', claims: { iss: 1, client_id: '', azp: null } })).toEqual({
      principal: 'ada',
    });
  });
});
