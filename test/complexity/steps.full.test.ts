/** The steps of a request do not depend on what it does not use. Steps are counted, so no time is measured. */
import { beforeAll, describe, expect, it } from 'vitest';
import { compareWithBaseline, nodeVersion, readBaseline, takeSmallest } from './baseline.js';
import { type Measurement, readSteps } from './measurements.js';
import { constantWorkloads, linearWorkloads, listWorkloads, logarithmicWorkloads } from './workloads.js';

let workloads: ReadonlyMap<string, readonly Measurement[]>;
beforeAll(async () => {
  workloads = await readSteps();
}, 300_000);

it.skipIf(readBaseline().node !== nodeVersion)(
  'counts the steps of baseline.json, which npm run baseline writes',
  () => {
    expect(compareWithBaseline(takeSmallest(workloads), readBaseline().steps)).toEqual([]);
  },
);

describe('steps with any number of others', () => {
  it.each(Object.keys({ ...constantWorkloads, ...listWorkloads }))('stay the same: %s', name => {
    const [least, ...more] = workloads.get(name) as [Measurement, ...Measurement[]];
    expect(least.cost).toBeGreaterThan(5);
    expect(more.map(each => grown(least, each))).toEqual(more.map(() => []));
  });
});

describe('steps with a large number of others', () => {
  it.each(Object.keys(logarithmicWorkloads))('grow by less than a tenth: %s', name => {
    const costs = (workloads.get(name) ?? []).map(({ cost }) => cost);
    expect(costs.at(-1)).toBeLessThan((costs[0] as number) * 1.1);
  });
});

describe('steps in proportion to the number of others', () => {
  it.each(Object.keys(linearWorkloads))('grow linearly at most: %s', name => {
    const [least, middle, most] = workloads.get(name) as [Measurement, Measurement, Measurement];
    expect(middle.cost).toBeGreaterThan(least.cost);
    const growth = (most.size - middle.size) / (middle.size - least.size);
    expect(most.cost - middle.cost).toBeLessThan((growth + 0.1) * (middle.cost - least.cost));
  });
});

it('prepares the schema of a repeated form once, in the server and in the client', () => {
  const [, middle, most] = workloads.get('an input request with a form of N fields') as Measurement[];
  const stepsOfField = ((most?.cost ?? 0) - (middle?.cost ?? 0)) / ((most?.size ?? 0) - (middle?.size ?? 0));
  // Writing, copying and sending a field takes 20 steps, and the client's check of it 18. Preparing its schema takes 40 more.
  expect(stepsOfField).toBeLessThan(48);
});

/** Lists the functions that ran more often in the larger size. */
function grown(least: Measurement, other: Measurement): string[] {
  return Object.entries(other.byFunction ?? {}).flatMap(([place, count]) => {
    const before = least.byFunction?.[place] ?? 0;
    return count > before ? [`${place}: ${before} → ${count} with ${other.size}`] : [];
  });
}
