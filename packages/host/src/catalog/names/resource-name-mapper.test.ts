import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { parseTemplate } from '../../../../tenon/src/server/uri-template/template.js';
import { createResourceNameMapper, type ResourceNameMapper } from './resource-name-mapper.js';

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

const update = (
  names: ResourceNameMapper,
  server: string,
  resources: readonly string[],
  templates: readonly string[] = [],
) =>
  names.update(
    server,
    resources.map(uri => ({ uri })),
    templates.map(uriTemplate => ({ uriTemplate })),
  );

describe('the mapper of resource URIs', () => {
  it('maps URIs back unchanged, and returns no two equal ones', () => {
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(uris, { maxLength: 6 }), { minLength: 3, maxLength: 3 }), lists => {
        const names = createResourceNameMapper({ servers });
        for (const [at, list] of lists.entries()) update(names, servers[at]!, list);
        const seen = new Set<string>();
        for (const [at, list] of lists.entries()) {
          for (const uri of list) {
            const outer = names.toPublic(servers[at]!, uri);
            expect(names.toServer(outer)).toEqual({ server: servers[at], uri });
            expect(names.findOwners(outer)).toEqual([servers[at]]);
            expect(seen.has(outer)).toBe(false);
            seen.add(outer);
          }
        }
      }),
      { numRuns: takeRuns(1000) },
    );
  });

  it('returns URIs for URIs when it wraps them', () => {
    const names = createResourceNameMapper({ servers });
    for (const uri of [
      'note://a%20b?x=[1]'.replace(/[[\]]/g, ''),
      'http://u@[::1]:80/x?y#z',
      'urn:a:b',
      'file:///c:/x',
    ]) {
      const outer = names.toPublic('B b', uri);
      expect(outer).toMatch(VALID);
      expect(new URL(outer).protocol).toBe('tenon:');
      expect(names.toServer(outer.replace('tenon:', 'TENON:'))).toEqual({ server: 'B b', uri });
    }
    expect(names.toPublic('a', 'note://x')).toBe('tenon:a/note://x');
    expect(names.toPublic('a', 'http://[::1]/')).toBe('tenon:a;ip/http://%5B::1%5D/');
  });

  it('keeps URIs that only one server can have', () => {
    const names = createResourceNameMapper({ servers });
    update(names, 'a', ['note://1', 'note://2']);
    update(names, 'c', ['note://2']);
    expect(names.toPublic('a', 'note://1')).toBe('note://1');
    expect(names.toPublic('a', 'note://2')).toBe('tenon:a/note://2');
    expect(names.toPublic('c', 'note://2')).toBe('tenon:c/note://2');
    expect(names.toPublic('c', 'note://1')).toBe('tenon:c/note://1');
    expect(names.findOwners('note://2')).toEqual(['a', 'c']);
    expect(names.toServer('note://2')).toBeUndefined();
  });

  it('reads a list of entries once for all mappers', () => {
    let reads = 0;
    const entry = {
      get uri() {
        reads += 1;
        return 'note://1';
      },
      get uriTemplate() {
        reads += 1;
        return 'note://{title}';
      },
    };
    const entries = [entry];
    for (let mappers = 0; mappers < 3; mappers++) {
      const names = createResourceNameMapper({ servers });
      names.update('a', entries, entries);
      expect(names.findOwners('note://1')).toEqual(['a']);
      expect(names.findTemplateOwners('note://{title}')).toEqual(['a']);
    }
    expect(reads).toBe(2);
  });

  it('resolves an unlisted URI to the owner of its template, and to no server without one', () => {
    const names = createResourceNameMapper({ servers });
    update(names, 'a', ['note://listed'], ['note://{title}', '{broken']);
    update(names, 'c', [], ['file:///{+path}']);
    expect(names.findOwners('note://x')).toEqual(['a']);
    expect(names.findOwners('file:///a/../b')).toEqual(['c']);
    expect(names.findOwners('other://x')).toEqual([]);
    expect(names.toServer('file:///x')).toEqual({ server: 'c', uri: 'file:///x' });
    expect(names.toPublic('a', 'other://x')).toBe('tenon:a/other://x');
    update(names, 'c', [], ['note://{+any}']);
    expect(names.findOwners('note://x')).toEqual(['a', 'c']);
    expect(names.findOwners('note://listed')).toEqual(['a']);
    expect(names.toPublic('c', 'note://x')).toBe('tenon:c/note://x');
  });

  it('keeps all URIs for a single server', () => {
    const names = createResourceNameMapper({ servers: ['only'] });
    for (const uri of ['note://x', 'tenon:only/x', '']) {
      expect(names.toPublic('only', uri)).toBe(uri);
      expect(names.toServer(uri)).toEqual({ server: 'only', uri });
    }
    expect(names.toPublicTemplate('only', 'a{b}')).toBe('a{b}');
  });
});

describe('the mapper of resource templates', () => {
  it('wraps templates whose URIs another server could have, with the same expansion', () => {
    const names = createResourceNameMapper({ servers });
    update(names, 'a', [], ['note://{title}', 'mine://{x}']);
    update(names, 'c', [], ['note://{+name}{?q}', 'http://[::1]/{y}', 'tenon:a/{z}']);
    expect(names.toPublicTemplate('a', 'mine://{x}')).toBe('mine://{x}');
    expect(names.toPublicTemplate('a', 'note://{title}')).toBe('tenon:a/note://{title}');
    const outer = names.toPublicTemplate('c', 'note://{+name}{?q}');
    const uri = parseTemplate(outer).expand({ name: 'a/b c', q: 'd&e' });
    expect(names.toServer(uri)).toEqual({ server: 'c', uri: 'note://a/b%20c?q=d%26e' });
    expect(names.toServerTemplate(outer)).toEqual({ server: 'c', uri: 'note://{+name}{?q}' });
    expect(names.toPublicTemplate('c', 'http://[::1]/{y}')).toBe('http://[::1]/{y}');
    expect(names.toPublicTemplate('c', 'tenon:a/{z}')).toBe('tenon:c/tenon:a/{z}');
    expect(names.toPublicTemplate('a', 'unlisted://{x}')).toBe('tenon:a/unlisted://{x}');
    expect(names.toServerTemplate('unlisted://{x}')).toBeUndefined();
  });

  it('separates equal templates', () => {
    const names = createResourceNameMapper({ servers });
    for (const server of ['a', 'c']) update(names, server, [], ['note://{title}', '{broken']);
    const outers = ['a', 'c'].map(server => names.toPublicTemplate(server, 'note://{title}'));
    expect(outers).toEqual(['tenon:a/note://{title}', 'tenon:c/note://{title}']);
    expect(names.toPublicTemplate('a', '{broken')).toBe('tenon:a/{broken');
    expect(names.toServerTemplate('note://{title}')).toBeUndefined();
  });

  it('refuses unknown servers', () => {
    expect(() => createResourceNameMapper({ servers }).toPublic('d', 'x:y')).toThrow(
      expect.objectContaining({ code: 'names/unknown-server' }),
    );
  });
});
