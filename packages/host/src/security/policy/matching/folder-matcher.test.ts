import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../../test/support/extent.js';
import { createFolderMatcher } from './folder-matcher.js';

const work = createFolderMatcher('/work');
const windows = createFolderMatcher('C:\\work');
const docs = createFolderMatcher('https://api.example.com/docs');
const relative = createFolderMatcher('docs');

describe('a path that is certainly in a folder', () => {
  it.each([
    '/work',
    '/work/',
    '/work/a.txt',
    '/work/./a',
    '/work//a',
    '/work/a/../b',
    '/work/100%25',
    '/work/..a',
    '/work/~/a',
    'file:///work/a',
    'FILE:///work/a%20b',
    '/work/\u00e4.txt',
  ])('includes for /work %s', path => expect(work?.contains(path)).toBe(true));

  it.each([
    '',
    'work/a',
    '/workshop/a',
    '/Work/a',
    '/work/..',
    '/work/../etc/passwd',
    '/work/a/../../etc',
    '/work/%2e%2e/etc',
    '/work/%2E./etc',
    '/work/..%2fetc',
    '/work%2f..%2fetc',
    '/work/%252e%252e/etc',
    '/work/%25252e%25252e/etc',
    '/work/%2525252525252e%2525252525252e/etc',
    '/work/%c0%ae%c0%ae/etc',
    '/work/..%c0%afetc',
    '/work/%u002e%u002e/etc',
    '/work/\uff0e\uff0e/etc',
    '/work/..\uff0fetc',
    '/work/%ef%bc%8e%ef%bc%8e/etc',
    '/work\\..\\etc',
    '/work/..\\etc',
    '/work/..%5cetc',
    '/work/..;/etc',
    '/work/.. /etc',
    '/work/.../etc',
    '/work./etc',
    '/work/a\0/../etc',
    '/work/a%00.txt',
    '/work/a:stream',
    ' /work/a',
    '//work/a',
    '\\\\work\\a',
    '~/work',
    'C:/work/a',
    'file://work/a',
    'file:/work/a',
    'file:work/a',
    'file:///work/../etc',
    'file:///work/%2e%2e/etc',
    'file:///work/a?/../../etc',
    'file:///work/a#/../../etc',
    'file://host/work/a',
    'https://work/work/a',
  ])('excludes for /work %j', path => expect(work?.contains(path)).toBe(false));

  it('excludes text that is too long', () => {
    expect(work?.contains(`/work/${'a/'.repeat(40_000)}`)).toBe(false);
    expect(work?.mayContain(`/${'a/../'.repeat(20_000)}work`)).toBe(true);
  });

  it('may have a drive', () => {
    for (const path of ['C:\\work\\a', 'c:/work/a', 'file:///C:/work/a']) expect(windows?.contains(path)).toBe(true);
    for (const path of ['C:work\\a', 'D:\\work\\a', '\\work\\a', 'C:\\work\\..\\x', '\\\\?\\C:\\work\\a', '/work/a'])
      expect(windows?.contains(path)).toBe(false);
  });

  it('may be a URL with any case of its host', () => {
    for (const url of ['https://api.example.com/docs/a?q=1', 'HTTPS://API.example.com:443/docs/'])
      expect(docs?.contains(url)).toBe(true);
    for (const url of [
      'http://api.example.com/docs/a',
      'https://api.example.com.evil.com/docs/a',
      'https://api.example.com@evil.com/docs/a',
      'https://evil.com\\@api.example.com/docs/a',
      'https://api.example.com:8443/docs/a',
      'https://api.example.com/docs/../admin',
      'https://api.example.com/docs/%2e%2e/admin',
      'https://api.example.com/docs//../admin',
      'https://api.example.com/docs/..%2fadmin',
      'https://api.example.com/Docs/a',
      'https://api.example.com',
      'https://api.example.com?/docs/a',
    ])
      expect(docs?.contains(url)).toBe(false);
  });

  it('may be relative', () => {
    for (const path of ['docs/a', './docs/a', 'docs']) expect(relative?.contains(path)).toBe(true);
    for (const path of ['docs/../a', '../../../../../../docs/a', '/docs/a', 'a/docs/b'])
      expect(relative?.contains(path)).toBe(false);
    expect(createFolderMatcher('.')?.contains('a/b')).toBe(true);
    expect(createFolderMatcher('.')?.contains('../b')).toBe(false);
    expect(createFolderMatcher('.')?.contains('/b')).toBe(false);
  });

  it('is inside on every system, however the path is written', () => {
    const part = fc.constantFrom(
      'work',
      'etc',
      '..',
      '.',
      '%2e',
      '%2E%2e',
      '%252e.',
      '/',
      '%2f',
      '\\',
      '%5c',
      ' ',
      'a',
    );
    const path = fc.array(part, { maxLength: 10 }).map(parts => `/work/${parts.join('')}`);
    let held = 0;
    fc.assert(
      fc.property(path, each => {
        if (!work?.contains(each)) return;
        held++;
        for (let read = each, times = 0; times < 4; times++, read = read.replace(/%[\da-f]{2}/gi, decodeURIComponent)) {
          expect(`${posix.resolve('/', read)}/`).toMatch(/^\/work\//);
          expect(`${win32.resolve('C:\\', read)}\\`).toMatch(/^C:\\work\\/);
        }
      }),
      { numRuns: takeRuns(5000) },
    );
    expect(held).toBeGreaterThan(100);
  });
});

describe('a path that may be in a folder', () => {
  const etc = createFolderMatcher('/etc/ssh');

  it.each([
    '/etc/ssh/key',
    '/etc/ssh',
    '/etc//ssh/./key',
    '/ETC/SSH/key',
    '/work/../etc/ssh/key',
    '/work/%2e%2e/etc/ssh/key',
    '/%65tc/ssh',
    '/%2565tc/ssh',
    '\\etc\\ssh\\key',
    'C:\\etc\\ssh\\key',
    '//etc/ssh',
    '\\\\?\\C:\\etc\\ssh',
    '../../../etc/ssh/key',
    'etc/ssh/key',
    'ssh/key',
    ' /etc/ssh/key ',
    '/etc/ssh./key',
    '/etc/ssh::$DATA',
    '/work/.. /etc/ssh',
    '/etc/ssh\0.txt',
    '/work/../etc/ssh\0/../../x',
    'file:///etc/ssh/key',
    'file:/etc/ssh/key',
    'file:etc/ssh/key',
    'FILE://localhost/etc/ssh/key',
    'file:///etc/%73sh/key',
    '/e\uff54c/ssh',
    '/%2525252525252565tc/ssh',
  ])('includes %j', path => expect(etc?.mayContain(path)).toBe(true));

  it.each(['/etc/sshd', '/etc', '/work/a', 'notes.txt', 'https://example.com/etc/ssh', ''])('excludes %j', path =>
    expect(etc?.mayContain(path)).toBe(false),
  );

  it('includes every path that is certainly inside', () => {
    const part = fc.constantFrom(
      'work',
      'etc',
      '..',
      '.',
      '%2e',
      '/',
      '%2f',
      '\\',
      'C:',
      'file://',
      'https://',
      '?',
      'a',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), parts => {
        const path = parts.join('');
        for (const folder of [work, windows, docs, relative])
          if (folder?.contains(path)) expect(folder.mayContain(path)).toBe(true);
      }),
      { numRuns: takeRuns(5000) },
    );
  });

  it('includes relative folders and hosts', () => {
    for (const path of ['/home/me/docs/a', 'docs/a', '../DOCS/a']) expect(relative?.mayContain(path)).toBe(true);
    expect(relative?.mayContain('/home/me/docs2/a')).toBe(false);
    for (const url of [
      'https://API.example.com/Docs/a',
      'https://me@api.example.com/x/../docs/',
      '//api.example.com/docs',
    ])
      expect(docs?.mayContain(url)).toBe(true);
    expect(createFolderMatcher('C:\\work')?.mayContain('D:\\work')).toBe(false);
  });
});

describe('createFolderMatcher', () => {
  it.each(['', '/work/*', '../work', 'a/../../b', '/work%2fa', '/a\0', 'file:work', 'https://me@host/x'])(
    'refuses %j',
    text => expect(createFolderMatcher(text)).toBeUndefined(),
  );
  it('accepts dots within the folder', () =>
    expect(createFolderMatcher('/work/./a/../')?.contains('/work/b')).toBe(true));
});

describe('a file URL with fewer than three slashes', () => {
  it('is certainly in no folder, because programs read it differently', () => {
    const folder = createFolderMatcher('/x');
    expect(folder?.contains('file:///x/x/a')).toBe(true);
    expect(folder?.contains('file:/x/x/a')).toBe(false);
    expect(folder?.mayContain('file:/x/x/a')).toBe(true);
  });
});
