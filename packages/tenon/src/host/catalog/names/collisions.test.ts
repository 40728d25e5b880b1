import { describe, expect, it, vi } from 'vitest';
import { createNameMapper } from './name-mapper.js';
import { createResourceNameMapper } from './resource-name-mapper.js';

/** All digests are the same, until they are counted up. */
vi.mock('./short-digest.js', () => ({
  digestShort: (text: string) => {
    const attempt = /,(\d+)\]$/.exec(text)?.[1] ?? '0';
    return `aaaaaaaaa${'abcdefghij'[Number(attempt)]}`;
  },
}));

describe('names whose digests are the same', () => {
  it.each(['always', 'never'] as const)('are told apart, with prefix %s', prefix => {
    const servers = ['a b', 'a.b', 'c'];
    const inners = ['x.y', 'x/y', 'x y'];
    const names = createNameMapper({ servers, prefix });
    for (const server of servers) names.update(server, inners);
    const pairs = servers.flatMap(server => inners.map(name => ({ server, name })));
    const outers = pairs.map(({ server, name }) => names.toPublic(server, name));
    expect(new Set(outers).size).toBe(9);
    expect(outers.map(names.toServer)).toEqual(pairs);
  });

  it('do not mix the resources of two servers', () => {
    const resources = createResourceNameMapper({ servers: ['a b', 'a.b'] });
    expect(['a b', 'a.b'].map(server => resources.toServer(resources.toPublic(server, 'x:y'))?.server)).toEqual([
      'a b',
      'a.b',
    ]);
  });
});
