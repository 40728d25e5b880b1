import { createExcerpt } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { maskArguments } from './mask-arguments.js';

describe('maskArguments', () => {
  it.each([
    'password',
    'dbPassword',
    'passwd',
    'token',
    'accessToken',
    'secret',
    'client_secret',
    'Authorization',
    'apiKey',
    'api-key',
    'private_key',
    'cookie',
    'credentials',
    'x-auth-token',
    'sessionId',
    'otp',
    'pin',
  ])('hides the value of %s', name => {
    const shown = maskArguments({ [name]: 'hunter2', deep: [{ [name]: { a: 'hunter2' } }] });
    expect(JSON.stringify(shown)).not.toContain('hunter2');
    expect(shown).toHaveProperty(name);
  });

  it('keeps ordinary values', () => {
    const args = { path: '/a', author: 'ann', keyboard: 'us', shopping: ['x', 1, null, true], passenger: 2 };
    expect(maskArguments(args)).toEqual(args);
  });

  it('hides values that look secret', () => {
    const shown = JSON.stringify(
      maskArguments({
        a: 'Bearer abcdefghijkl',
        b: 'ghp_abcdefghijklmnop',
        c: 'https://me:hunter2@host/',
        d: 'https://h/?token=hunter2&x=1',
      }),
    );
    for (const secret of ['abcdefghijkl', 'hunter2']) expect(shown).not.toContain(secret);
    expect(shown).toContain('x=1');
  });

  it('limits its output', () => {
    let deep: Record<string, unknown> = {};
    for (let depth = 0; depth < 1000; depth++) deep = { deep };
    const args = { text: 'a'.repeat(1e6), list: Array(1e5).fill(Array(100).fill('abc')), deep };
    expect(JSON.stringify(maskArguments(args)).length).toBeLessThan(20_000);
    expect(
      JSON.stringify(maskArguments(Object.fromEntries(Array.from({ length: 1e4 }, (_, n) => [`k${n}`, n])))).length,
    ).toBeLessThan(5000);
  });
});

describe('a shown text', () => {
  it('escapes hidden characters', () => {
    expect(createExcerpt('a\u202eb\u200b\u001b[31m\n')).toBe('a\\u{202E}b\\u{200B}\\u{1B}[31m\\u{A}');
    expect(createExcerpt('ä 😀')).toBe('ä 😀');
    expect(createExcerpt('abc', 2)).toBe('ab…');
  });
});
