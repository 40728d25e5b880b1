import { describe, expect, it } from 'vitest';
import { createRedirectCheck, type RedirectRule } from './redirect-rules.js';

const DOCUMENT = 'https://app.example.com/client.json';
const check = (rules: readonly RedirectRule[] | undefined, uri: string, client = 'registered') =>
  createRedirectCheck(rules, ['vscode'])(uri, client);

describe('createRedirectCheck', () => {
  it('allows every URI without rules, and none with an empty list', () => {
    expect(check(undefined, 'https://app.example.com/back')).toBe(true);
    expect(check([], 'https://app.example.com/back')).toBe(false);
    expect(check([], 'http://127.0.0.1:8123/callback')).toBe(false);
  });

  it.each([
    'https://app.example.com/back/',
    'https://app.example.com/back?x=1',
    'https://app.example.com/Back',
    'https://app.example.com.evil.example/back',
    'https://evil.example/https://app.example.com/back',
    'https://app.example.com:8443/back',
    'https://sub.app.example.com/back',
    'http://127.0.0.1/back',
  ])('allows an exact URI only, and not %s', uri => {
    expect(check(['https://app.example.com/back'], 'https://app.example.com/back')).toBe(true);
    expect(check(['https://app.example.com/back'], uri)).toBe(false);
  });

  it.each([
    ['http://127.0.0.1:8123/callback', true],
    ['http://localhost/any/path?x=1', true],
    ['http://[::1]:1/', true],
    ['http://127.0.0.1.evil.example/', false],
    ['http://localhost@evil.example/', false],
    ['http://localhost.evil.example/', false],
    ['https://127.0.0.1/', false],
    ['https://evil.example/?http://127.0.0.1/', false],
    ['vscode://127.0.0.1/', false],
  ])('decides with `loopback` about %s: %s', (uri, isAllowed) => {
    expect(check(['loopback'], uri)).toBe(isAllowed);
  });

  it.each([
    ['https://app.example.com/back', DOCUMENT, true],
    ['https://app.example.com:8443/back', DOCUMENT, false],
    ['https://evil.example/back', DOCUMENT, false],
    ['http://127.0.0.1:8123/', DOCUMENT, false],
    ['vscode://app.example.com/back', DOCUMENT, false],
    ['https://app.example.com/back', 'registered', false],
  ])('decides with `same-origin` about %s of %s: %s', (uri, client, isAllowed) => {
    expect(check(['same-origin'], uri, client)).toBe(isAllowed);
  });

  it('allows URIs for one client', () => {
    const rules = [{ client: DOCUMENT, redirects: ['loopback', 'vscode://app/back'] }];
    expect(check(rules, 'http://127.0.0.1:8123/callback', DOCUMENT)).toBe(true);
    expect(check(rules, 'vscode://app/back', DOCUMENT)).toBe(true);
    expect(check(rules, 'http://127.0.0.1:8123/callback', `${DOCUMENT}?`)).toBe(false);
    expect(check(rules, 'http://127.0.0.1:8123/callback')).toBe(false);
  });

  it.each<unknown>([
    'https://*.example.com/back',
    'https://app.example.com/*',
    'http://127.0.0.1:*',
    'http://app.example.com/back',
    'javascript:alert(1)',
    'other://back',
    'app.example.com',
    '',
    5,
    null,
    {},
    { client: DOCUMENT },
    { client: DOCUMENT, redirects: 'loopback' },
    { client: DOCUMENT, redirects: ['https://*/'] },
    { client: DOCUMENT, redirects: [], origin: 'x' },
  ])('refuses the rule %j', rule => {
    expect(() => check([rule as RedirectRule], 'https://app.example.com/')).toThrow(
      expect.objectContaining({ code: 'auth/issuer-options' }),
    );
  });
});
