import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { Action } from '../action-request.js';
import { createPolicy } from '../policy.js';
import type { ArgumentPattern } from './argument-pattern.js';
import { findPatternFault } from './find-pattern-fault.js';

/** Whether a rule on one argument fits these arguments. */
function fits(action: Action, path: string, pattern: ArgumentPattern, args: JsonObject): boolean {
  const policy = createPolicy([{ action, arguments: { [path]: pattern } }]);
  const proposal = {
    kind: 'tool',
    server: 's',
    name: 't',
    arguments: args,
    trusted: false,
    principal: undefined,
  } as const;
  return policy.evaluate(proposal).rule === 1;
}
const allows = (pattern: ArgumentPattern, value: unknown) => fits('allow', 'a', pattern, { a: value });
const denies = (pattern: ArgumentPattern, value: unknown) => fits('deny', 'a', pattern, { a: value });

describe('the path of an argument pattern', () => {
  const args = { options: { path: '/x', 'a.b': 1, 'c/d': 2, list: [{ n: 1 }, { n: 2 }] }, 'x.y': true };

  it.each<[string, ArgumentPattern]>([
    ['options.path', '/x'],
    ['/options/path', '/x'],
    ['/options/a.b', 1],
    ['/options/c~1d', 2],
    ['/x.y', true],
    ['options.list.1.n', 2],
  ])('finds %s', (path, pattern) => expect(fits('allow', path, pattern, args)).toBe(true));

  it.each(['options.a.b', 'toString', 'constructor.name', '__proto__', 'options.list.2.n', 'options.path.length'])(
    'does not find %s',
    path => {
      expect(fits('allow', path, '*', args)).toBe(false);
      expect(fits('deny', path, '*', args)).toBe(false);
    },
  );
});

it('ignores members of Object.prototype', () => {
  for (const action of ['allow', 'deny'] as const) expect(fits(action, '__proto__.__proto__', null, {})).toBe(false);
});

describe('an array in a pattern', () => {
  const all = { paths: ['/work/a', '/work/b'] };
  const some = { paths: ['/work/a', '/etc/b'] };

  it('is allowed when all of its elements are', () => {
    expect(fits('allow', 'paths', { under: '/work' }, all)).toBe(true);
    expect(fits('allow', 'paths', { under: '/work' }, some)).toBe(false);
    expect(fits('allow', 'paths', '*', { paths: [] })).toBe(false);
    expect(fits('allow', 'files.path', '*', { files: [{ path: 'a' }, {}] })).toBe(false);
    expect(fits('allow', 'files.path', '*', { files: [{ path: 'a' }, { path: 'b' }] })).toBe(true);
  });

  it('is denied, or asked about, when one of its elements is', () => {
    for (const action of ['deny', 'ask'] as const) {
      expect(fits(action, 'paths', { under: '/etc' }, some)).toBe(true);
      expect(fits(action, 'paths', { under: '/etc' }, all)).toBe(false);
      expect(fits(action, 'files.path', '/etc', { files: [{}, { path: '/etc' }] })).toBe(true);
      expect(fits(action, 'paths', '/etc', { paths: [[['/etc']]] })).toBe(true);
    }
  });

  it('is checked at any size and depth', () => {
    const many = [...Array(20_000).fill('a'), '/etc'];
    let deep: unknown = '/etc';
    for (let depth = 0; depth < 200; depth++) deep = [deep];
    for (const paths of [many, deep]) {
      expect(fits('deny', 'paths', '/etc', { paths })).toBe(true);
      expect(fits('allow', 'paths', '*', { paths })).toBe(false);
    }
  });
});

describe('a value in a pattern', () => {
  it('is allowed exactly, and denied in any equivalent form', () => {
    expect(allows(1, 1)).toBe(true);
    expect(allows(1, '1')).toBe(false);
    expect(denies(1, '1')).toBe(true);
    expect(denies(true, 'true')).toBe(true);
    expect(denies('12*', 123)).toBe(true);
    expect(allows('12*', 123)).toBe(false);
    expect(allows(null, null)).toBe(true);
    expect(allows(null, undefined)).toBe(false);
    expect(denies('*', { a: 1 })).toBe(false);
  });

  it('is compared with a list', () => {
    expect(allows({ in: ['a*b', 2] }, 'a*b')).toBe(true);
    expect(allows({ in: ['a*b', 2] }, 'axb')).toBe(false);
    expect(allows({ in: ['a*b', 2] }, 2)).toBe(true);
    expect(allows({ in: [2] }, '2')).toBe(false);
    expect(denies({ in: [2] }, '2')).toBe(true);
    expect(denies({ in: ['main'] }, 'm%61in')).toBe(true);
  });

  it('is compared with a folder', () => {
    expect(allows({ under: ['/work', '/tmp'] }, '/tmp/a')).toBe(true);
    expect(allows({ under: '/work' }, 'work/a')).toBe(false);
    expect(allows({ under: '/work' }, '/WORK/a')).toBe(false);
    expect(denies({ under: '/work' }, '/WORK/a')).toBe(true);
    expect(denies({ under: '/work' }, 1)).toBe(false);
  });

  it('is compared with inclusive limits', () => {
    for (const [value, fit] of [
      [1, true],
      [10, true],
      [0.9, false],
      [10.1, false],
    ] as const)
      expect(allows({ min: 1, max: 10 }, value)).toBe(fit);
    expect(allows({ max: 10 }, '5')).toBe(false);
    expect(denies({ min: 100 }, '1e3')).toBe(true);
    expect(denies({ min: 0 }, '')).toBe(false);
    expect(denies({ min: 0 }, true)).toBe(false);
  });

  it('is denied in other spellings of a glob', () => {
    expect(allows('/work/*', '/work/a')).toBe(true);
    for (const path of ['/work/../etc', '/work/%2e%2e/etc', '/work/..\\etc'])
      expect(allows('/work/*', path)).toBe(false);
    for (const path of ['/work/../etc/x', '/%65tc/x', '\\etc\\x', '/./etc/x'])
      expect(denies('/etc/*', path)).toBe(true);
    expect(allows('*', '/work/../etc')).toBe(true);
    expect(allows('SELECT *', 'SELECT a')).toBe(true);
  });
});

describe('a host in a pattern', () => {
  const example: ArgumentPattern = { host: ['*.example.com', 'example.com'] };

  it.each([
    'https://example.com',
    'http://api.example.com:8080/a?b',
    'https://API.Example.COM/',
    'https://example.com./',
  ])('allows %s', url => expect(allows(example, url)).toBe(true));

  it.each([
    'https://evil.com',
    'https://example.com.evil.com',
    'https://notexample.com',
    'https://example.com@evil.com',
    'https://evil.com#@example.com',
    'https://evil.com\\@example.com',
    'https://evil.com\\.example.com',
    'https:/example.com',
    'https:example.com',
    '//example.com',
    'example.com',
    'https://user@example.com',
    'https://ex%61mple.com',
    'https://example\u3002com',
    'https://\uff45xample.com',
    ' https://example.com',
    'https://exa\tmple.com',
    'javascript://example.com/%0aalert(1)',
  ])('does not allow %j', url => expect(allows(example, url)).toBe(false));

  it.each([
    'https://evil.com',
    'HTTPS://EVIL.COM./',
    'https://good.com@evil.com',
    'https://evil.com\\@good.com',
    'https://good.com\\@evil.com',
    'https:evil.com',
    'https:/evil.com',
    'https:\\\\evil.com',
    '//evil.com/a',
    'evil.com',
    'evil.com:8080/a',
    'https://ev%69l.com',
    'https://ev%2569l.com',
    'https://evil\u3002com',
    'https://\uff45vil.com',
    ' https://ev\til.com',
    'ftp://evil.com',
  ])('denies %j', url => expect(denies({ host: 'evil.com' }, url)).toBe(true));

  it('denies a text that is too long', () => {
    const url = `https://example.com/${'a'.repeat(70_000)}`;
    expect(allows(example, url)).toBe(false);
    expect(denies({ host: 'evil.com' }, url)).toBe(true);
  });

  it('denies an address in any form', () => {
    for (const url of ['http://127.0.0.1', 'http://2130706433', 'http://0x7f.1', 'http://0177.0.0.1'])
      expect(denies({ host: '127.*' }, url)).toBe(true);
    for (const host of ['[::1]', '::1', '0:0:0:0:0:0:0:1', '[0:0::1]'])
      for (const url of ['http://[0:0:0:0:0:0:0:1]/', 'http://[::1]:80/', '::1', '[::1]:8080'])
        expect([host, url, denies({ host }, url)]).toEqual([host, url, true]);
    for (const host of ['::ffff:127.0.0.1', '::ffff:7f00:1', '2130706433', '0x7f.1'])
      expect([host, denies({ host }, 'http://127.0.0.1/')]).toEqual([host, true]);
    expect(allows({ host: '2001:DB8::1' }, 'http://[2001:db8::1]/')).toBe(true);
    expect(allows({ host: '2001:DB8::1' }, 'http://[2001:db8::2]/')).toBe(false);
  });

  it('does not deny another host', () => {
    for (const url of ['https://good.com/evil.com', 'https://good.com?evil.com', 'notevil.com', ''])
      expect(denies({ host: 'evil.com' }, url)).toBe(false);
  });
});

describe('findPatternFault', () => {
  it.each([
    [[]],
    [{}],
    [{ pattern: '^a' }],
    [{ in: 'a' }],
    [{ in: [{}] }],
    [{ min: 'a' }],
    [{ min: 1, in: [] }],
    [{ min: Number.NaN }],
    [{ under: '../a' }],
    [{ under: ['/a', 1] }],
    [{ host: 'https://a' }],
    [{ host: 'b\u00fccher.example' }],
    [{ under: '/a', host: 'a' }],
    ['a'.repeat(513)],
    [undefined],
  ])('refuses %j', pattern => expect(findPatternFault(pattern)).toBeDefined());
});
