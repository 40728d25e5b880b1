import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { createNameMapper, MAX_DIGEST_NAMES, type Prefix } from './name-mapper.js';

const FITS = /^[A-Za-z0-9_-]{1,64}$/;

/** Names as servers have them: plain, over-long, empty, in every script, and made to look like what the host makes. */
const nasty = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_.-]{1,20}$/),
  fc.string({ unit: 'binary', maxLength: 130 }),
  fc.constantFrom('', '_', '__', '___', 'a', 'a__', 'a__b', '__b', 'a___b', 'b__a__x', 'a-b', 'a.b', 'a b', 'a/b'),
  fc.constantFrom('x'.repeat(64), 'x'.repeat(65), 'x'.repeat(128), 'y'.repeat(61), 'ünï', '工具', '😀', '\ud800'),
  fc.constantFrom('a_habcdefghij', 'hproductions', 'x_hproduction', '_habcdefghij', 'constructor', '__proto__'),
);
const catalogs = fc.dictionary(nasty, fc.uniqueArray(nasty, { maxLength: 8 }), { minKeys: 1, maxKeys: 5 });
const prefixes = fc.constantFrom<Prefix>('always', 'never', 'auto');

function named(catalog: Readonly<Record<string, readonly string[]>>, prefix: Prefix, servers = Object.keys(catalog)) {
  const names = createNameMapper({ servers, prefix });
  for (const server of servers) names.update(server, catalog[server] ?? []);
  const pairs = servers.flatMap(server => (catalog[server] ?? []).map(inner => ({ server, inner })));
  return {
    names,
    pairs,
    outers: new Map(pairs.map(pair => [JSON.stringify(pair), names.toPublic(pair.server, pair.inner)])),
  };
}

describe('the name mapper [tools.name-aggregation-disambiguated] [tools.server-name-not-disambiguator]', () => {
  it('returns unique, reversible names of limited length', () => {
    fc.assert(
      fc.property(catalogs, prefixes, (catalog, prefix) => {
        const { names, pairs, outers } = named(catalog, prefix);
        expect(new Set(outers.values()).size).toBe(pairs.length);
        for (const { server, inner } of pairs) {
          const outer = names.toPublic(server, inner);
          expect(names.toServer(outer)).toEqual({ server, name: inner });
          expect(names.hasName(outer)).toBe(true);
          if (Object.keys(catalog).length > 1 || prefix === 'always') expect(outer).toMatch(FITS);
          else expect(outer).toBe(inner);
        }
      }),
      { numRuns: takeRuns(1000) },
    );
  });

  it('returns the same names in every process, in any order', () => {
    const shuffled = catalogs.chain(catalog =>
      fc
        .shuffledSubarray(Object.keys(catalog), { minLength: Object.keys(catalog).length })
        .map(order => ({ catalog, order })),
    );
    fc.assert(
      fc.property(shuffled, prefixes, ({ catalog, order }, prefix) => {
        const turned = Object.fromEntries(Object.entries(catalog).map(([name, inners]) => [name, inners.toReversed()]));
        const [here, there] = [named(catalog, prefix).outers, named(turned, prefix, order).outers];
        for (const [pair, outer] of here) expect(there.get(pair)).toBe(outer);
      }),
    );
  });

  it('keeps prefixed names when servers and tools are added', () => {
    fc.assert(
      fc.property(catalogs, catalogs, (catalog, more) => {
        const before = named(catalog, 'always').outers;
        const grown = Object.entries(catalog).map(([name, inners]) => {
          return [name, [...new Set([...inners, ...(Object.hasOwn(more, name) ? more[name]! : [])])]] as const;
        });
        const both = Object.fromEntries([...Object.entries(more), ...grown]);
        const after = named(both, 'always').outers;
        for (const [pair, outer] of before) expect(after.get(pair)).toBe(outer);
      }),
    );
  });

  it('keeps plain names unchanged', () => {
    const names = createNameMapper({ servers: ['github', 'my_notes'], prefix: 'auto' });
    expect(names.toPublic('github', 'create-issue')).toBe('github__create-issue');
    expect(names.toPublic('my_notes', '_add__all')).toBe('my_notes___add__all');
    expect(names.toServer('my_notes___add__all')).toEqual({ server: 'my_notes', name: '_add__all' });
    expect(names.toPublic('github', 'x'.repeat(56))).toBe(`github__${'x'.repeat(56)}`);
    expect(names.toPublic('github', 'x'.repeat(57))).toMatch(/^github__x{44}_h[a-z2-7]{10}$/);
    expect(names.toPublic('github', 'repos/list')).toMatch(/^github__repos_list_h[a-z2-7]{10}$/);
  });

  it('returns the same names as earlier releases', () => {
    const names = createNameMapper({ servers: ['My Server!', 'ünï'], prefix: 'always' });
    expect(names.toPublic('My Server!', 'files/read')).toBe('My_Server_hv2j5bl7e3p__files_read_hr5uarkvn5i');
    expect(names.toPublic('ünï', '😀')).toBe('n_hfts2uvbtgd___hdn2owkxn5y');
  });

  it('keeps all names for a single server, and calls it for any name', () => {
    const names = createNameMapper({ servers: ['only'], prefix: 'auto' });
    for (const name of ['', 'a.b', 'x'.repeat(128), '工具', 'only__x']) {
      expect(names.toPublic('only', name)).toBe(name);
      expect(names.toServer(name)).toEqual({ server: 'only', name });
    }
    expect(createNameMapper({ servers: ['only'], prefix: 'always' }).toPublic('only', 'a')).toBe('only__a');
  });

  it('resolves a plain name that no list contains yet, and none of unknown servers', () => {
    const names = createNameMapper({ servers: ['a', 'b'], prefix: 'auto' });
    expect(names.toServer('a__later')).toEqual({ server: 'a', name: 'later' });
    expect(names.toServer('a__hproductions')).toEqual({ server: 'a', name: 'hproductions' });
    for (const outer of ['c__x', 'x', '', '__x', 'a__', 'a__x_habcdefghij', 'a__x.y', `a__${'x'.repeat(62)}`]) {
      expect(names.toServer(outer)).toBeUndefined();
      expect(names.hasName(outer)).toBe(false);
    }
  });

  it('adds a prefix with `never` only where two servers offer the same name', () => {
    const names = createNameMapper({ servers: ['a', 'b'], prefix: 'never' });
    names.update('b', ['search', 'only_b', 'a__x']);
    expect(names.toPublic('b', 'search')).toBe('search');
    expect(names.toPublic('b', 'a__x')).toBe('b__a__x');
    names.update('a', ['search', 'x']);
    expect(['a', 'b'].map(server => names.toPublic(server, 'search'))).toEqual(['a__search', 'b__search']);
    expect(names.toServer('search')).toBeUndefined();
    expect(names.toServer('only_b')).toEqual({ server: 'b', name: 'only_b' });
    names.update('a', []);
    expect(names.toPublic('b', 'search')).toBe('search');
  });

  it('forgets names that are no longer offered, and limits their number', () => {
    const names = createNameMapper({ servers: ['a', 'b'], prefix: 'auto' });
    const outer = names.toPublic('a', 'x.y');
    expect(names.toServer(outer)).toEqual({ server: 'a', name: 'x.y' });
    names.update('a', ['z']);
    expect(names.toServer(outer)).toBeUndefined();
    const first = names.toPublic('a', '.0');
    for (let i = 1; i <= MAX_DIGEST_NAMES; i++) names.toPublic('a', `.${i}`);
    expect(names.toServer(first)).toBeUndefined();
    expect(names.toServer(names.toPublic('a', '.1'))).toEqual({ server: 'a', name: '.1' });
  });

  it('refuses unknown servers', () => {
    const names = createNameMapper({ servers: ['a'], prefix: 'auto' });
    expect(() => names.toPublic('b', 'x')).toThrow(expect.objectContaining({ code: 'names/unknown-server' }));
    expect(() => names.update('b', [])).toThrow(expect.objectContaining({ code: 'names/unknown-server' }));
  });
});
