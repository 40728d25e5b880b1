// @ts-check
/** Workers that measure themselves, one process each: they are up at the same time, and work one at a time. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startNode, stop } from './processes.mjs';

/** @typedef {import('./worker.mjs').Order} Order */
/** @typedef {import('./worker.mjs').Found} Found */
/** Whom to start, and how: a script and its arguments. @typedef {{ name: string, revision: string, mode: string, args: string[] }} Member */
/** What it found in each round, in the order of the orders. @template {Member} M @typedef {M & { found: Found[][] }} Measured */

/**
 * Gives each member each order, `rounds` times over.
 * @template {Member} M
 * @param {readonly M[]} members
 * @param {{ rounds: number, orders: readonly Order[], warmUp: readonly Order[] }} plan
 * @returns {Promise<Measured<M>[]>}
 */
export async function employ(members, { rounds, orders, warmUp }) {
  /** @type {{ measured: Measured<M>, worker: Awaited<ReturnType<typeof startWorker>> }[]} */
  const crew = [];
  try {
    for (const member of members) {
      const worker = await startWorker(member);
      for (const order of warmUp) await worker.carryOut(order);
      crew.push({ measured: { ...member, found: orders.map(() => []) }, worker });
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { measured, worker } of crew) {
        for (const [at, order] of orders.entries()) measured.found[at]?.push(await worker.carryOut(order));
      }
    }
  } finally {
    await Promise.all(crew.map(({ worker }) => stop(worker.child)));
  }
  return crew.map(({ measured }) => measured);
}

/** @param {Member} member @param {readonly string[]} [flags] of Node */
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
    /** @param {Order} order @returns {Promise<Found>} */
    carryOut: async order => {
      const answer = line();
      child.stdin?.write(`${JSON.stringify(order)}\n`);
      return JSON.parse(await answer);
    },
  };
}
