// @ts-check
/** How much of a large message a server holds while it cannot be done with it. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startPeer } from '../http/subjects.mjs';
import { closeConnections, load } from '../load.mjs';
import { stop } from '../processes.mjs';
import { argument, MIB, page } from './calls.mjs';

/** @typedef {import('../http/subjects.mjs').Subject} Subject */
/** Times the size of the message, for each that is held. @typedef {{ argument: number, result: number }} Held */

const CALLS = 4;
/** More than what the system takes off the server's hands for a reader who does not read. */
const RESULT = 12 * MIB;
/** Bytes by which two looks at the same may differ. */
const SAME = 0.1 * MIB;
const preload = fileURLToPath(new URL('memory.mjs', import.meta.url));

/** @param {Subject} subject @returns {Promise<Held>} */
export async function measureHeld(subject) {
  const offer = { tools: ['length', 'hold', 'page'], more: 0 };
  const started = await startPeer(subject, 'json', offer, CALLS, ['--expose-gc', '--import', preload]);
  const { child, caller } = started;
  const left = async () => {
    const said = once(/** @type {import('node:stream').Readable} */ (child.stdout), 'data');
    child.stdin?.write('\n');
    return Number((await said)[0]);
  };
  const doing = (/** @type {import('../load.mjs').Call} */ call, most = CALLS) =>
    load(caller, CALLS, 60, { most, call });
  try {
    await doing(argument('length', MIB), 4 * CALLS);
    await doing(page(RESULT));
    const before = await left();

    const waiting = doing(argument('hold', MIB));
    const during = await settled(left);
    child.kill('SIGUSR2');
    await waiting;

    const calm = await left();
    for (const { setReading } of caller.connections) setReading(false);
    const unread = doing(page(RESULT));
    const full = await settled(left);
    for (const { setReading } of caller.connections) setReading(true);
    await unread;
    return { argument: (during - before) / CALLS / MIB, result: (full - calm) / CALLS / RESULT };
  } finally {
    closeConnections(caller);
    await stop(child);
  }
}

/**
 * What is left once all that was sent has arrived, and all that is answered is on its way: when it is the same twice.
 * @param {() => Promise<number>} left
 */
async function settled(left) {
  let last = Number.NaN;
  for (;;) {
    await new Promise(resolve => setTimeout(resolve, 250));
    const now = await left();
    if (Math.abs(now - last) < SAME) return now;
    last = now;
  }
}
