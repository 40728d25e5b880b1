import { describe, expect, it } from 'vitest';
import { formatHost, isAbsoluteAddress, parseLinkTarget } from './link-target.js';

describe('isAbsoluteAddress', () => {
  it.each(['https://a.example', 'https:\\\\a.example', '//a.example', 'java&#115;cript:x', 'java\tscript:x', 'data:x'])(
    'returns true for %j',
    text => {
      expect(isAbsoluteAddress(text, 0)).toBe(true);
    },
  );

  it.each(['', 'a', 'https', '/a', 'a/b', 'c:x', '9a:x', 'note: see', 'a b:c'])('returns false for %j', text => {
    expect(isAbsoluteAddress(text, 0)).toBe(false);
  });

  it('accepts a scheme of at most 39 characters', () => {
    expect(isAbsoluteAddress(`${'a'.repeat(39)}:x`, 0)).toBe(true);
    expect(isAbsoluteAddress(`${'a'.repeat(40)}:x`, 0)).toBe(false);
  });
});

describe('parseLinkTarget', () => {
  it('returns undefined for paths, anchors and drive letters', () => {
    for (const written of ['', 'a/b', '/a', '#a', 'c:\\a', '?q']) expect(parseLinkTarget(written)).toBeUndefined();
  });

  it('returns the host to which a browser goes', () => {
    expect(parseLinkTarget('HTTPS://Bank.com@Evil.example:8443/x')).toMatchObject({
      scheme: 'https',
      host: 'evil.example',
      writtenHost: 'Evil.example',
      hasUser: true,
    });
    expect(parseLinkTarget('//evil.example/x')).toMatchObject({
      scheme: 'https',
      host: 'evil.example',
      hasUser: false,
    });
    expect(parseLinkTarget('mailto:a@b.example')).toMatchObject({ scheme: 'mailto', host: '', hasUser: false });
  });

  it('decodes character references, and drops those of no character', () => {
    expect(parseLinkTarget('&#x6A;avascript&colon;x')).toMatchObject({ scheme: 'javascript', url: 'javascript:x' });
    expect(parseLinkTarget('ht&#0;tps&#58;//e.example/&#x10ffff;')?.url).toBe('https://e.example/\u{10ffff}');
    expect(parseLinkTarget('https://e.example/&#x110000;&nothing;')?.url).toBe('https://e.example/&nothing;');
  });

  it('returns a host for display, with its scheme where that is not http', () => {
    expect(formatHost('http://a.example/x')).toBe('a.example');
    expect(formatHost('https://a.example/x')).toBe('a.example');
    expect(formatHost('ftp://a.example/x')).toBe('ftp://a.example');
    expect(formatHost('mailto:x')).toBe('mailto:…');
    expect(formatHost('a/b')).toBe('nowhere');
    const host = (length: number) => `${'a'.repeat(50)}.${'b'.repeat(length - 51)}`;
    expect(formatHost(`https://${host(80)}/`)).toBe(host(80));
    expect(formatHost(`https://${host(81)}/`)).toBe(`${host(80)}…`);
  });
});
