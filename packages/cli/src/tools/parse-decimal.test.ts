import { expect, it } from 'vitest';
import { parseDecimal } from './parse-decimal.js';

it.each([
  ['5', 5],
  ['+5', 5],
  [' -0.5 ', -0.5],
  ['.5', 0.5],
  ['2.', 2],
  ['1e3', 1000],
] as const)('parses "%s" to %s', (text, value) => {
  expect(parseDecimal(text)).toBe(value);
});

it.each(['', ' ', '0x10', '0b1', 'Infinity', '-Infinity', '1e400', 'NaN', '1_000', '1,5', '.'])(
  'refuses "%s"',
  text => {
    expect(parseDecimal(text)).toBeUndefined();
  },
);
