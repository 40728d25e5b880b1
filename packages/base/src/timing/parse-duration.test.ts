import { expect, it } from 'vitest';
import { DURATION_PATTERN, parseDuration } from './parse-duration.js';

it.each([
  ['500ms', 500],
  ['10s', 10_000],
  ['1.5 minutes', 90_000],
  ['2hrs', 7_200_000],
  ['1d', 86_400_000],
  ['1 day', 86_400_000],
  ['7 days', 604_800_000],
])('reads %s', (text, time) => {
  expect(parseDuration(text)).toBe(time);
  expect(text).toMatch(new RegExp(DURATION_PATTERN));
});

it.each(['', 'day', '1', '1 month', '-1d', '1d 2h', '1e9d', '1  day'])('refuses %j', text => {
  expect(parseDuration(text)).toBeUndefined();
  expect(text).not.toMatch(new RegExp(DURATION_PATTERN));
});
