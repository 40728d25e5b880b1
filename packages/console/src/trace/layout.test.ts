import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TraceBar } from '../api.js';
import { listTicks, placeBar } from './layout.js';

const bar = (start: number, end: number | null, times: readonly number[] = []): TraceBar => ({
  id: 0,
  parent: null,
  depth: 0,
  kind: 'request',
  hop: '',
  label: '',
  start,
  end,
  state: 'ok',
  outcome: '',
  join: '',
  isCertain: true,
  recording: null,
  shift: 0,
  late: 0,
  proofs: [],
  marks: times.map(time => ({ kind: 'progress', time, label: '', proof: null })),
});

it('places a bar and its marks in percent of the axis', () => {
  expect(placeBar({ start: 100, end: 300 }, bar(150, 200, [175]))).toEqual({
    left: 25,
    width: 25,
    isOpen: false,
    marks: [37.5],
  });
});

it('draws a bar without an end until the end of the axis', () => {
  expect(placeBar({ start: 0, end: 100 }, bar(40, null))).toMatchObject({ left: 40, width: 60, isOpen: true });
});

it('places every bar on the axis', () => {
  fc.assert(
    fc.property(fc.nat(1e6), fc.nat(1e6), fc.nat(1e6), (start, first, length) => {
      const { left, width } = placeBar({ start, end: start + 1000 }, bar(first, first + length));
      expect(left).toBeGreaterThanOrEqual(0);
      expect(left + width).toBeLessThanOrEqual(100 + 1e-9);
    }),
  );
});

it('lists round durations', () => {
  expect(listTicks(347, 6)).toEqual([0, 100, 200, 300]);
  expect(listTicks(1200, 6)).toEqual([0, 200, 400, 600, 800, 1000, 1200]);
  expect(listTicks(0, 6)).toEqual([0, 0.2, 0.4, 0.6000000000000001, 0.8, 1]);
});

it('lists no duration beyond the axis, and at most the wanted number', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 1, max: 12 }), (duration, max) => {
      const ticks = listTicks(duration, max);
      expect(ticks.length).toBeLessThanOrEqual(max + 1);
      expect(Math.max(...ticks)).toBeLessThanOrEqual(Math.max(1, duration) * (1 + 1e-9));
    }),
  );
});
