// @ts-check
/** Workers that measure themselves, one process each: they are up at the same time, and work one at a time. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startNode, stop } from './processes.mjs';
import { rotate } from './report.mjs';

/** @typedef {import('./worker.mjs').LoadSettings} LoadSettings */
/** @typedef {import('./worker.mjs').Measurement} Measurement */
/** What to start: a script and its arguments. @typedef {{ name: string, revision: string, mode: string, args: string[] }} WorkerSpec */
/** What was measured in each round, by load. @template {WorkerSpec} M @typedef {M & { found: Measurement[][] }} Measured */

/**
 * Has each worker do each load, `rounds` times over.
 * @template {WorkerSpec} M
 * @param {readonly M[]} specs
 * @param {{ rounds: number, loads: readonly LoadSettings[], warmUp: readonly LoadSettings[] }} plan
 * @returns {Promise<Measured<M>[]>}
 */
export async function measureWorkers(specs, { rounds, loads, warmUp }) {
  /** @type {{ measured: Measured<M>, worker: Awaited<ReturnType<typeof startWorker>> }[]} */
  const workers = [];
  try {
    for (const spec of specs) {
      const worker = await startWorker(spec);
      for (const load of warmUp) await worker.runLoad(load);
      workers.push({ measured: { ...spec, found: loads.map(() => []) }, worker });
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { measured, worker } of rotate(workers, round)) {
        for (const [index, load] of loads.entries()) measured.found[index]?.push(await worker.runLoad(load));
      }
    }
  } finally {
    await Promise.all(workers.map(({ worker }) => stop(worker.child)));
  }
  return workers.map(({ measured }) => measured);
}

/** @param {WorkerSpec} spec @param {readonly string[]} [flags] of Node */
export async function startWorker({ name, args }, flags = []) {
  // Some peers warn thousands of times of one thing, and pay for it.
  const child = startNode(['--no-warnings', ...flags, ...args]);
  const lines = createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${code}`);
  });
  // Who asks for a line is told of it; that it ends when nobody does is as it should be.
  ended.catch(() => {});
  const line = () => Promise.race([once(lines, 'line').then(([text]) => String(text)), ended]);
  const ready = await line();
  if (ready !== 'ready') throw new Error(`${name} began with ${ready}`);
  return {
    child,
    /** @param {LoadSettings} load @returns {Promise<Measurement>} */
    runLoad: async load => {
      const answer = line();
      child.stdin?.write(`${JSON.stringify(load)}\n`);
      return JSON.parse(await answer);
    },
  };
}
