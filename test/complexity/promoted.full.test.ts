/** A call leaves next to nothing in the old generation, where garbage is expensive and lasts long. */
import { beforeAll, expect, it } from 'vitest';
import { type Measurement, runProgram } from './measurements.js';

/** The heap is large enough that no full collection occurs while calls are measured. */
const FLAGS = ['--expose-gc', '--initial-heap-size=1024'];
/** Bytes. A call and its response take more than 30,000 in all. */
const MOST = 3_000;

let workloads: ReadonlyMap<string, readonly Measurement[]>;
beforeAll(async () => {
  workloads = await runProgram('test/complexity/promoted-program.ts', { flags: FLAGS });
}, 120_000);

it.each(['2025-11-25', '2026-07-28'].flatMap(version => [`a client on ${version}`, `a gateway on ${version}`]))(
  'needs a limited number of steps for a call of %s, with 16 concurrent calls',
  name => {
    expect(workloads.get(name)?.[0]?.cost).toBeLessThan(MOST);
  },
);
