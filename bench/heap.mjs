// @ts-check
/** What is in use in another process when all that can go has gone. It must have been started with `countable`. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Bytes, and the number of active handles, requests and timers. @typedef {{ heap: number, outside: number, rss: number, handles: number }} Heap */

/** What Node has to be given beside the program. */
export const countable = ['--expose-gc', '--require', fileURLToPath(new URL('heap-counter.cjs', import.meta.url))];

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<Heap>} */
export async function readHeap(child) {
  const output = /** @type {import('node:stream').Readable} */ (child.stdout);
  let text = '';
  child.kill('SIGUSR2');
  for (;;) {
    const [chunk] = await once(output, 'data', { signal: AbortSignal.timeout(60_000) });
    text += chunk;
    const [, found] = /^heap (.*)\n/m.exec(text) ?? [];
    if (found !== undefined) return JSON.parse(found);
  }
}
