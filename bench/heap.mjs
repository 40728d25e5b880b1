// @ts-check
/** What is in use in another process when all that can go has gone. It must have been started with `countable`. */
import { fileURLToPath } from 'node:url';
import { waitForOutput } from './processes.mjs';

/** Maximum time until a process has counted, in milliseconds. A busy machine collects its garbage slowly. */
const PATIENCE = 300_000;

/** Bytes, and the number of active handles, requests and timers. @typedef {{ heap: number, outside: number, rss: number, handles: number }} Heap */

/** What Node has to be given beside the program. */
export const countable = ['--expose-gc', '--require', fileURLToPath(new URL('heap-counter.cjs', import.meta.url))];

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<Heap>} */
export async function readHeap(child) {
  const output = waitForOutput(child, /^heap (.*)\n/m, PATIENCE);
  child.kill('SIGUSR2');
  const [, found = ''] = await output;
  return JSON.parse(found);
}
