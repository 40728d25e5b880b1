// @ts-check
/** The programs that the smoke tests start: each is stopped by its id, and what it said is at hand when it fails. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const START_MS = 55_000;
const STOP_MS = 5000;
/** The longest that any program but a server may run. */
const RUN_MS = 60_000;

/**
 * Starts a server. Resolves when it has said what it has to say: its first line of JSON.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, speaksOn?: 'stdout' | 'control' }} options `control` is descriptor 3
 * @returns {Promise<{ said: any, stop: () => Promise<void>, heard: () => string }>}
 */
export async function startServer(command, args, { cwd, speaksOn = 'stdout' }) {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', speaksOn === 'control' ? 'pipe' : 'ignore'],
  });
  const heard = listen(child);
  const stop = () => stopChild(child);
  const source = /** @type {import('node:stream').Readable} */ (child.stdio[speaksOn === 'control' ? 3 : 1]);
  try {
    const lines = createInterface({ input: source });
    const [line] = await inTime(START_MS, Promise.race([once(lines, 'line'), ended(child)]));
    return { said: JSON.parse(String(line)), stop, heard };
  } catch (error) {
    await stop();
    throw new Error(`${command} ${args.join(' ')} did not start: ${error}\n${heard()}`);
  }
}

/**
 * Runs a program to its end.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string }} options
 * @returns {Promise<string[]>} the lines that it wrote
 */
export async function runProgram(command, args, { cwd }) {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const heard = listen(child);
  /** @type {string[]} */
  const written = [];
  const lines = createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) });
  lines.on('line', line => written.push(line));
  try {
    const [code] = await inTime(RUN_MS, once(child, 'close'));
    if (code !== 0) throw new Error(`exit code ${code}`);
    return written;
  } catch (error) {
    await stopChild(child);
    throw new Error(`${command} ${args[0]}: ${error}\n${heard()}`);
  }
}

/** @param {import('node:child_process').ChildProcess} child */
function listen(child) {
  let text = '';
  child.stderr?.on('data', chunk => {
    text = (text + chunk).slice(-4000);
  });
  return () => text.trim();
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<never>} */
async function ended(child) {
  const [code] = await once(child, 'exit');
  throw new Error(`it exited with ${code}`);
}

/** @param {import('node:child_process').ChildProcess} child */
async function stopChild(child) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await inTime(STOP_MS, gone).catch(() => child.kill('SIGKILL'));
  await gone;
}

/** @template T @param {number} ms @param {Promise<T>} promise @returns {Promise<T>} */
async function inTime(ms, promise) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${ms} ms`)), ms);
  });
  return /** @type {Promise<T>} */ (Promise.race([promise, late])).finally(() => clearTimeout(timer));
}
