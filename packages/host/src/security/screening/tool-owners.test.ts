import { describe, expect, it } from 'vitest';
import { collectToolOwners, createOwnerIndex } from './tool-owners.js';

const list = (server: string, ...names: string[]) => ({ server, tools: names.map(name => ({ name })) });
const sort = (owners: ReturnType<typeof collectToolOwners>) =>
  [...owners]
    .map(([skeleton, its]) => [skeleton, its.map(({ server, name }) => `${server}/${name}`).toSorted()])
    .toSorted();

describe('createOwnerIndex', () => {
  it('returns the same owners when lists change one by one as when all are read at once', () => {
    const index = createOwnerIndex();
    const lists = new Map<string, ReturnType<typeof list>>();
    const steps = [
      list('a', 'add', 'remove'),
      list('b', 'add', 'аdd'),
      list('c', 'add'),
      list('b', 'remove'),
      list('a', 'other'),
      list('c'),
    ];
    for (const step of steps) {
      index.update(step.server, step.tools);
      lists.set(step.server, step);
      expect(sort(index.current)).toEqual(sort(collectToolOwners([...lists.values()] as never)));
    }
    expect(sort(index.current)).toEqual([
      ['other', ['a/other']],
      ['remove', ['b/remove']],
    ]);
  });
});
