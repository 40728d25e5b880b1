import { readFileSync, writeFileSync } from 'node:fs';
import type { Measurement } from './measurements.js';

/** Costs of one run of each workload in its smallest size, by the names of the workloads. */
export interface Baseline {
  /** Major version of Node. Another one counts other steps. */
  readonly node: string;
  readonly steps: { readonly [name: string]: number };
  readonly bytes: { readonly [name: string]: number };
}

const FILE = new URL('baseline.json', import.meta.url);
const TOLERANCE = 0.05;
/** Bytes that differ between runs, because a page of the heap has an unused end. */
const ROUNDING = 256;

export const nodeVersion = process.versions.node.split('.', 1)[0] ?? '';

export const readBaseline = (): Baseline => JSON.parse(readFileSync(FILE, 'utf8'));

export function writeBaseline(baseline: Baseline): void {
  writeFileSync(FILE, `${JSON.stringify(baseline, null, 2)}\n`);
}

/** Returns the cost of the smallest size of each workload. */
export function takeSmallest(workloads: ReadonlyMap<string, readonly Measurement[]>): { [name: string]: number } {
  return Object.fromEntries(
    [...workloads].flatMap(([name, [smallest]]) => (smallest === undefined ? [] : [[name, Math.round(smallest.cost)]])),
  );
}

/** Lists the workloads whose cost differs by more than a twentieth, in either direction. */
export function compareWithBaseline(
  costs: { readonly [name: string]: number },
  baseline: { readonly [name: string]: number },
  rounding = 0,
): string[] {
  const names = new Set([...Object.keys(costs), ...Object.keys(baseline)]);
  return [...names].flatMap(name => {
    const [cost, before] = [costs[name], baseline[name]];
    if (cost === undefined || before === undefined) return [`${name}: ${before ?? 'absent'} → ${cost ?? 'absent'}`];
    return Math.abs(cost - before) > before * TOLERANCE + rounding ? [`${name}: ${before} → ${cost}`] : [];
  });
}

export const compareBytes = (
  costs: { readonly [name: string]: number },
  baseline: { readonly [name: string]: number },
) => compareWithBaseline(costs, baseline, ROUNDING);
