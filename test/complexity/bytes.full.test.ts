/** Cost grows with the work, in bytes too: neither a request nor an idle session holds what belongs to others. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Measurement, readMeasurements } from './measurements.js';
import { flatWorkloads } from './workloads.js';

let scenes: ReadonlyMap<string, readonly Measurement[]>;
beforeAll(async () => {
  scenes = await readMeasurements('bytes');
}, 600_000);

describe('no more bytes of the heap, for any number of others', () => {
  it.each(Object.keys(flatWorkloads))('%s', name => {
    const costs = (scenes.get(name) ?? []).map(({ cost }) => cost);
    expect(costs.at(-1)).toBeLessThan((costs[0] as number) * 1.05 + 256);
  });
});

it('a session that idles holds less than 800 bytes', () => {
  expect(scenes.get('a session that idles')?.[0]?.cost).toBeLessThan(800);
});

it('a stream that idles holds less than 5,000 bytes, with the request that opened it', () => {
  expect(scenes.get('a stream that idles')?.[0]?.cost).toBeLessThan(5000);
});
