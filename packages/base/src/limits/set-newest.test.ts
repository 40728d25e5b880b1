import { expect, it } from 'vitest';
import { setNewest } from './set-newest.js';

it('deletes the entry that was set the longest time ago, above the maximum', () => {
  const map = new Map<string, number>();
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const)
    setNewest(map, key, value, 2);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});
