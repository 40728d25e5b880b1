/** The memory of a request, and of an idle session, does not depend on the number of others. */
import { beforeAll, describe, expect, it } from 'vitest';
import { compareBytes, nodeVersion, readBaseline, takeSmallest } from './baseline.js';
import { type Measurement, readBytes, readBytesOf } from './measurements.js';
import { constantWorkloads } from './workloads.js';

let workloads: ReadonlyMap<string, readonly Measurement[]>;
beforeAll(async () => {
  workloads = await readBytes();
}, 600_000);

it.skipIf(readBaseline().node !== nodeVersion)(
  'measures the bytes of baseline.json, which npm run baseline writes',
  () => {
    expect(compareBytes(takeSmallest(workloads), readBaseline().bytes)).toEqual([]);
  },
);

describe('memory per unit of work', () => {
  it.each(Object.keys(constantWorkloads))('stays the same for any number of others: %s', async name => {
    const compare = (measured: readonly Measurement[]) => {
      const costs = measured.map(({ cost }) => cost);
      return { most: costs.at(-1) ?? Number.NaN, limit: (costs[0] ?? 0) * 1.05 + 256 };
    };
    const first = compare(workloads.get(name) ?? []);
    // In a rare measurement, the engine frees something of its own. Work that grows exceeds the limit each time.
    const { most, limit } = first.most < first.limit ? first : compare(await readBytesOf(name));
    expect(most).toBeLessThan(limit);
  });
});

it('stays below 800 bytes for an idle session', () => {
  expect(workloads.get('an idle session')?.[0]?.cost).toBeLessThan(800);
});

it('stays below 5,000 bytes for an idle stream, with the request that opened it', () => {
  expect(workloads.get('an idle stream')?.[0]?.cost).toBeLessThan(5000);
});
