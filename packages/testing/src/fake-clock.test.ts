import { expect, it } from 'vitest';
import { fakeClock } from './fake-clock.js';

it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('refuses to advance by %s, and keeps its time', ms => {
  const clock = fakeClock(100);
  let runs = 0;
  clock.after(10, () => runs++);
  expect(() => clock.advance(ms)).toThrow(expect.objectContaining({ code: 'options/invalid' }));
  expect([clock.now(), runs]).toEqual([100, 0]);
  clock.advance(10);
  expect([clock.now(), runs]).toEqual([110, 1]);
});

it('changes neither timers nor elapsed time when the time of day is set', () => {
  const clock = fakeClock(1000);
  const start = clock.elapsed();
  let runs = 0;
  clock.after(10, () => runs++);
  clock.advance(5);
  clock.setTime(90);
  expect([clock.now(), clock.elapsed() - start, runs]).toEqual([90, 5, 0]);
  clock.advance(5);
  expect([clock.now(), clock.elapsed() - start, runs]).toEqual([95, 10, 1]);
  expect(() => clock.setTime(-1)).toThrow(expect.objectContaining({ code: 'options/invalid' }));
});

it('runs due timers in order, each at its time', () => {
  const clock = fakeClock();
  const runs: number[] = [];
  for (const ms of [30, 10, 20]) clock.after(ms, () => runs.push(clock.now()));
  clock.advance(20);
  expect([runs, clock.timers]).toEqual([[10, 20], 1]);
});
