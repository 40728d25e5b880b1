import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bundle } from '../support/bundle.js';
import { constantWorkloads, IDLE_SESSION, IDLE_STREAM } from './workloads.js';

/** Cost of one run of a workload in one of its sizes. */
export interface Measurement {
  readonly name: string;
  readonly size: number;
  readonly cost: number;
  /** How often each function ran, where that was counted. */
  readonly byFunction?: { readonly [place: string]: number };
}

/** Optimized code is not counted, and collections of garbage would change the measured bytes. */
const FLAGS = ['--no-opt', '--expose-gc', '--min-semi-space-size=128', '--max-semi-space-size=128'];

const PROGRAM = 'test/complexity/work-program.ts';

/** Counts the steps of each workload, from the least size to the greatest. */
export const readSteps = (): Promise<ReadonlyMap<string, readonly Measurement[]>> =>
  // Steps are counted without optimizations, so large sizes would take minutes.
  runProgram(PROGRAM, { flags: FLAGS, args: ['steps'], withSmallSizes: true });

/**
 * Measures the bytes of each workload in a process of its own. The thousands of names of one workload change the shapes that
 * the engine gives to the objects of the next, and an object in another shape can take twice as many bytes.
 */
export async function readBytes(): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const workloads = new Map<string, readonly Measurement[]>();
  for (const name of [...Object.keys(constantWorkloads), IDLE_SESSION, IDLE_STREAM])
    workloads.set(name, await readBytesOf(name));
  return workloads;
}

/** Measures the bytes of one workload. */
export async function readBytesOf(name: string): Promise<readonly Measurement[]> {
  const measured = await runProgram(PROGRAM, { flags: FLAGS, args: ['bytes', name] });
  return measured.get(name) ?? [];
}

interface RunOptions {
  /** Flags of Node. */
  readonly flags: readonly string[];
  readonly args?: readonly string[];
  /** Uses the sizes of a short run, also in a full one. */
  readonly withSmallSizes?: boolean;
}

/** Runs a program that writes one measurement in each line. */
export async function runProgram(
  source: string,
  { flags, args = [], withSmallSizes = false }: RunOptions,
): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const child = spawn(process.execPath, [...flags, bundle(source), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: withSmallSizes ? { ...process.env, TENON_TEST_EXTENT: 'cover' } : process.env,
  });
  const workloads = new Map<string, Measurement[]>();
  createInterface({ input: child.stdout }).on('line', line => {
    const each = JSON.parse(line) as Measurement;
    workloads.set(each.name, [...(workloads.get(each.name) ?? []), each]);
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the workloads did not run: ${code}`);
  return workloads;
}
