/** Cost grows with the work, in bytes too: neither a request nor an idle session holds what belongs to others. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Measurement, readBytes } from './measurements.js';
import { flatWorkloads } from './workloads.js';

let workloads: ReadonlyMap<string, readonly Measurement[]>;
beforeAll(async () => {
  workloads = await readBytes();
}, 600_000);

describe('memory per unit of work', () => {
  it.each(Object.keys(flatWorkloads))('stays the same for any number of others: %s', name => {
    const costs = (workloads.get(name) ?? []).map(({ cost }) => cost);
    expect(costs.at(-1)).toBeLessThan((costs[0] as number) * 1.05 + 256);
  });
});

it('stays below 800 bytes for an idle session', () => {
  expect(workloads.get('a session that idles')?.[0]?.cost).toBeLessThan(800);
});

it('stays below 5,000 bytes for an idle stream, with the request that opened it', () => {
  expect(workloads.get('a stream that idles')?.[0]?.cost).toBeLessThan(5000);
});
