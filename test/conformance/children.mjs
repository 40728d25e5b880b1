// @ts-check
/** Other programs, each in a process group of its own, so that whatever they start ends with them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/** @param {string} command @param {readonly string[]} args @param {import('node:child_process').SpawnOptions} [options] */
function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
function end({ pid }, signal) {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** Ends all that still runs. */
export function endAll() {
  for (const child of running) end(child, 'SIGKILL');
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, () => {
    endAll();
    process.exit(1);
  });
}

/**
 * Runs a program to its end, for at most `timeout` milliseconds.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {number} timeout
 * @returns {Promise<{ code: number | null, output: string }>}
 */
export async function finish(command, args, timeout) {
  const child = start(command, args);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', text => (output += text));
  const timer = setTimeout(() => end(child, 'SIGKILL'), timeout);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return { code, output };
}

/**
 * Starts a program that says on its first line where it serves.
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<{ address: string, stop: () => Promise<void> }>}
 */
export async function serve(command, args) {
  const child = start(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const first = once(/** @type {import('node:stream').Readable} */ (child.stdout).setEncoding('utf8'), 'data');
  const [line] = await Promise.race([first, closed]);
  if (typeof line !== 'string') throw new Error(`${args.join(' ')} ended before it served`);
  return {
    address: line.trim(),
    async stop() {
      end(child, 'SIGTERM');
      const late = setTimeout(() => end(child, 'SIGKILL'), 5000);
      await closed;
      clearTimeout(late);
    },
  };
}
