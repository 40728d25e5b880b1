import { expect, it } from 'vitest';
import { v20241105 } from './2024-11-05.js';

it.each([
  [200, false],
  [399, false],
  [400, true],
  [405, true],
  [499, true],
  [500, false],
])('a POST with status %i lets a client try HTTP+SSE: %s', (status, isFallback) => {
  expect(v20241105.http.isFallbackStatus(status)).toBe(isFallback);
});
