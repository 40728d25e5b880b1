import { afterAll, describe, expect, it, vi } from 'vitest';

/** All digests are the same, until they are counted up. */
const digestShort = vi.fn((text: string) => {
  const attempt = /,(\d+)\]$/.exec(text)?.[1] ?? '0';
  return `aaaaaaaaa${'abcdefghij'[Number(attempt)]}`;
});

// The modules may have been loaded by another file of the same worker, with the real digest.
vi.resetModules();
vi.doMock('./short-digest.js', () => ({ digestShort }));
const { createNameMapper } = await import('./name-mapper.js');
const { createResourceNameMapper } = await import('./resource-name-mapper.js');
afterAll(() => {
  vi.doUnmock('./short-digest.js');
  vi.resetModules();
  expect(digestShort).toHaveBeenCalled();
});

describe('names with equal digests', () => {
  it.each(['always', 'never'] as const)('stay separate, with prefix %s', prefix => {
    const servers = ['a b', 'a.b', 'c'];
    const inners = ['x.y', 'x/y', 'x y'];
    const names = createNameMapper({ servers, prefix });
    for (const server of servers) names.update(server, inners);
    const pairs = servers.flatMap(server => inners.map(name => ({ server, name })));
    const outers = pairs.map(({ server, name }) => names.toPublic(server, name));
    expect(new Set(outers).size).toBe(9);
    expect(outers.map(names.toServer)).toEqual(pairs);
  });

  it('separate the resources of two servers', () => {
    const resources = createResourceNameMapper({ servers: ['a b', 'a.b'] });
    expect(['a b', 'a.b'].map(server => resources.toServer(resources.toPublic(server, 'x:y'))?.server)).toEqual([
      'a b',
      'a.b',
    ]);
  });
});
