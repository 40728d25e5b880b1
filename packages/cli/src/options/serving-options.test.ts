import { Command } from 'commander';
import { expect, it } from 'vitest';
import { toDrainTime, withDrain } from './serving-options.js';

it('gives open calls the time that the help states', () => {
  const text = withDrain(new Command()).helpInformation();
  const seconds = Number(/time for open calls to finish\s+\(default:\s+(\d+)s\)/.exec(text)?.[1]);
  expect(toDrainTime({ health: true })).toBe(seconds * 1000);
  expect(seconds).toBe(10);
});
