import { expect, it } from 'vitest';
import { findCallSite } from './stdout-guard.js';

it('finds the caller past the frames of Node, and leaves the trace limit unchanged', () => {
  const { stackTraceLimit } = Error;
  const places: (string | undefined)[] = [];
  const callee = () => void places.push(findCallSite(callee));
  callee();
  [1].forEach(callee);
  expect(places).toHaveLength(2);
  for (const place of places) expect(place).toMatch(/^\/.*call-site\.test\.ts:\d+:\d+$/);
  expect(places[0]).not.toBe(places[1]);
  expect(Error.stackTraceLimit).toBe(stackTraceLimit);
});
