import { INSUFFICIENT_SCOPE } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { checkScopes, getRequiredScopes, hasScopes, insufficientScope } from './scopes.js';

const invalid = (details = {}) => expect.objectContaining({ code: 'auth/scope', ...details });

describe('checkScopes', () => {
  it('accepts visible ASCII of at most 200 characters, and no scopes', () => {
    expect(() => checkScopes('a tool')).not.toThrow();
    expect(() => checkScopes('a tool', ['notes:write', '!', 'x'.repeat(200)])).not.toThrow();
  });

  it.each(['', 'a b', '"', '\\', 'é', 'x'.repeat(201)])('rejects %j', scope => {
    expect(() => checkScopes('the tool add', ['ok', scope])).toThrow(
      invalid({ summary: 'invalid scope of the tool add', received: JSON.stringify(scope).slice(0, 100) }),
    );
  });

  it('rejects values that are not strings', () => {
    expect(() => checkScopes('a tool', [1 as unknown as string])).toThrow(invalid({ received: '1' }));
  });
});

describe('hasScopes', () => {
  it('requires all scopes', () => {
    const auth = { principal: 'ann', scopes: ['a', 'b'] };
    expect(hasScopes(auth, ['a', 'b'])).toBe(true);
    expect(hasScopes(auth, ['a', 'c'])).toBe(false);
  });

  it('requires nothing by default, and finds no scopes without authorization', () => {
    expect(hasScopes(undefined)).toBe(true);
    expect(hasScopes(undefined, ['a'])).toBe(false);
    expect(hasScopes({ principal: 'ann' }, ['a'])).toBe(false);
  });
});

describe('getRequiredScopes', () => {
  it('returns the scopes of an insufficient scope error, without invalid ones', () => {
    const { rpcCode, data } = insufficientScope(['a', 'b']);
    expect(getRequiredScopes({ code: rpcCode ?? 0, message: '', data })).toEqual(['a', 'b']);
    expect(getRequiredScopes({ code: INSUFFICIENT_SCOPE, message: '', data: { scopes: ['a', 1, 'b c'] } })).toEqual([
      'a',
    ]);
  });

  it.each([
    ['another code', { code: -32603, message: '', data: { scopes: ['a'] } }],
    ['no data', { code: INSUFFICIENT_SCOPE, message: '' }],
    ['data without a list', { code: INSUFFICIENT_SCOPE, message: '', data: { scopes: 'a' } }],
  ])('returns undefined for %s', (_, error) => {
    expect(getRequiredScopes(error)).toBeUndefined();
  });

  it('tells the caller to sign in with the scopes that are required', () => {
    const text = 'Insufficient scope: the request requires notes:read notes:write. Sign in again with these scopes';
    expect(insufficientScope(['notes:read', 'notes:write']).message).toContain(text);
  });

  it('rejects invalid scopes of a handler', () => {
    expect(() => insufficientScope(['a b'])).toThrow(invalid());
  });
});
