import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTemplate } from '../../server/uri-template/template.js';
import { createResourceNames } from './resources.js';

/** RFC 3986, appendix A, for a URI with a rootless path: no character that may not stand where it stands. */
const VALID =
  /^[a-z][a-z0-9+.-]*:(?:[\w.~!$&'()*+,;=:@/-]|%[\dA-F]{2})*(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[\dA-F]{2})*)?(?:#(?:[\w.~!$&'()*+,;=:@/?-]|%[\dA-F]{2})*)?$/i;

const uris = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.constantFrom(
    'note://a',
    'http://u:p@[::1]:80/x?y#z',
    'http://[v1.a:b]',
    'urn:a:b',
    'a:',
    'tenon:a/note://a',
    'tenon:a;ip/x',
  ),
  fc.constantFrom(
    'http://%5B::1%5D/',
    'http://%5Ba@[::1]/%5B',
    'TENON:b/x',
    'tenon:zzz/x',
    'no uri',
    '',
    '[::1]',
    'x://[a%5Db]',
  ),
);
const servers = ['a', 'B b', 'c'];

describe('URIs of resources', () => {
  it('lead back to their server, untouched, and no two are the same', () => {
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(uris, { maxLength: 6 }), { minLength: 3, maxLength: 3 }), lists => {
        const names = createResourceNames({ servers });
        for (const [at, list] of lists.entries()) names.see(servers[at]!, list, []);
        const seen = new Set<string>();
        for (const [at, list] of lists.entries()) {
          for (const uri of list) {
            const outer = names.outer(servers[at]!, uri);
            expect(names.inner(outer)).toEqual({ server: servers[at], uri });
            expect(names.owners(outer)).toEqual([servers[at]]);
            expect(seen.has(outer)).toBe(false);
            seen.add(outer);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are URIs when wrapped, if they were before', () => {
    const names = createResourceNames({ servers });
    for (const uri of [
      'note://a%20b?x=[1]'.replace(/[[\]]/g, ''),
      'http://u@[::1]:80/x?y#z',
      'urn:a:b',
      'file:///c:/x',
    ]) {
      const outer = names.outer('B b', uri);
      expect(outer).toMatch(VALID);
      expect(new URL(outer).protocol).toBe('tenon:');
      expect(names.inner(outer.replace('tenon:', 'TENON:'))).toEqual({ server: 'B b', uri });
    }
    expect(names.outer('a', 'note://x')).toBe('tenon:a/note://x');
    expect(names.outer('a', 'http://[::1]/')).toBe('tenon:a;ip/http://%5B::1%5D/');
  });

  it('stay as they are while only one server can have them', () => {
    const names = createResourceNames({ servers });
    names.see('a', ['note://1', 'note://2'], []);
    names.see('c', ['note://2'], []);
    expect(names.outer('a', 'note://1')).toBe('note://1');
    expect(names.outer('a', 'note://2')).toBe('tenon:a/note://2');
    expect(names.outer('c', 'note://2')).toBe('tenon:c/note://2');
    expect(names.outer('c', 'note://1')).toBe('tenon:c/note://1');
    expect(names.owners('note://2')).toEqual(['a', 'c']);
    expect(names.inner('note://2')).toBeUndefined();
  });

  it('that no list names go to the owner of the template, and to nobody when there is none', () => {
    const names = createResourceNames({ servers });
    names.see('a', ['note://listed'], ['note://{title}', '{broken']);
    names.see('c', [], ['file:///{+path}']);
    expect(names.owners('note://x')).toEqual(['a']);
    expect(names.owners('file:///a/../b')).toEqual(['c']);
    expect(names.owners('other://x')).toEqual([]);
    expect(names.inner('file:///x')).toEqual({ server: 'c', uri: 'file:///x' });
    expect(names.outer('a', 'other://x')).toBe('tenon:a/other://x');
    names.see('c', [], ['note://{+any}']);
    expect(names.owners('note://x')).toEqual(['a', 'c']);
    expect(names.owners('note://listed')).toEqual(['a']);
    expect(names.outer('c', 'note://x')).toBe('tenon:c/note://x');
  });

  it('of one server are its own', () => {
    const names = createResourceNames({ servers: ['only'] });
    for (const uri of ['note://x', 'tenon:only/x', '']) {
      expect(names.outer('only', uri)).toBe(uri);
      expect(names.inner(uri)).toEqual({ server: 'only', uri });
    }
    expect(names.outerTemplate('only', 'a{b}')).toBe('a{b}');
  });
});

describe('templates of resources', () => {
  it('are wrapped when their URIs could be those of another server, and expand as they did', () => {
    const names = createResourceNames({ servers });
    names.see('a', [], ['note://{title}', 'mine://{x}']);
    names.see('c', [], ['note://{+name}{?q}', 'http://[::1]/{y}', 'tenon:a/{z}']);
    expect(names.outerTemplate('a', 'mine://{x}')).toBe('mine://{x}');
    expect(names.outerTemplate('a', 'note://{title}')).toBe('tenon:a/note://{title}');
    const outer = names.outerTemplate('c', 'note://{+name}{?q}');
    const uri = parseTemplate(outer).expand({ name: 'a/b c', q: 'd&e' });
    expect(names.inner(uri)).toEqual({ server: 'c', uri: 'note://a/b%20c?q=d%26e' });
    expect(names.innerTemplate(outer)).toEqual({ server: 'c', uri: 'note://{+name}{?q}' });
    expect(names.outerTemplate('c', 'http://[::1]/{y}')).toBe('http://[::1]/{y}');
    expect(names.outerTemplate('c', 'tenon:a/{z}')).toBe('tenon:c/tenon:a/{z}');
    expect(names.outerTemplate('a', 'unlisted://{x}')).toBe('tenon:a/unlisted://{x}');
    expect(names.innerTemplate('unlisted://{x}')).toBeUndefined();
  });

  it('that are the same are told apart', () => {
    const names = createResourceNames({ servers });
    for (const server of ['a', 'c']) names.see(server, [], ['note://{title}', '{broken']);
    const outers = ['a', 'c'].map(server => names.outerTemplate(server, 'note://{title}'));
    expect(outers).toEqual(['tenon:a/note://{title}', 'tenon:c/note://{title}']);
    expect(names.outerTemplate('a', '{broken')).toBe('tenon:a/{broken');
    expect(names.innerTemplate('note://{title}')).toBeUndefined();
  });

  it('are not wrapped for a server that is not there', () => {
    expect(() => createResourceNames({ servers }).outer('d', 'x:y')).toThrow(
      expect.objectContaining({ code: 'names/unknown-server' }),
    );
  });
});
