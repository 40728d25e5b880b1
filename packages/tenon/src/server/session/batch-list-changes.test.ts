import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { HasVisibility } from '../registry.js';
import { batchListChanges } from './batch-list-changes.js';

function listening(clock = fakeClock()) {
  const announced: [string, readonly HasVisibility[]][] = [];
  const changed = batchListChanges(clock, (list, items) => announced.push([list, [...items]]));
  return { clock, announced, changed };
}

const item = (): HasVisibility => ({ visible: () => true });

describe('batchListChanges', () => {
  it('announces changes once after an interval', () => {
    const { clock, announced, changed } = listening();
    const [a, b] = [item(), item()];
    changed('tools', [a]);
    clock.advance(19);
    changed('tools', [b]);
    expect(announced).toEqual([]);
    clock.advance(1);
    expect(announced).toEqual([['tools', [a, b]]]);
    clock.advance(1000);
    expect(announced).toHaveLength(1);
    expect(clock.timers).toBe(0);
  });

  it('announces different lists separately, and later changes again', () => {
    const { clock, announced, changed } = listening();
    changed('tools', [item()]);
    changed('prompts', [item()]);
    clock.advance(20);
    changed('tools', [item()]);
    clock.advance(20);
    expect(announced.map(([list]) => list)).toEqual(['tools', 'prompts', 'tools']);
  });

  it('announces changes with the next one when their timer is lost with its request', () => {
    const clock = fakeClock();
    const mortal = { ...clock, now: () => clock.now(), after: () => () => {} };
    let alive = false;
    const announced: number[] = [];
    const changed = batchListChanges(
      { ...mortal, after: (ms, run) => (alive ? clock.after(ms, run) : mortal.after()) },
      (_, items) => announced.push(items.length),
    );
    changed('tools', [item()]);
    clock.advance(1000);
    alive = true;
    changed('tools', [item()]);
    clock.advance(20);
    expect(announced).toEqual([2]);
  });
});
