// @ts-check
/** Starting what is measured, and what the operating system has counted of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { root } from '../scripts/process.mjs';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** Seconds of user and system time: of the process, and of it with all that it has started. @typedef {{ own: number, all: number }} Cpu */

/** The clock of /proc, in ticks per second. It is 100 on every Linux that Node runs on. */
const TICKS = 100;
const PATIENCE = 30_000;

/** What is up still is ended with this process, also when somebody interrupts it. @type {Set<ChildProcess>} */
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const [signal, code] of /** @type {const} */ ([
  ['SIGINT', 130],
  ['SIGTERM', 143],
])) {
  process.once(signal, () => process.exit(code));
}

/**
 * Starts a Node program, with pipes, in the root of this checkout.
 * @param {readonly string[]} args
 * @param {{ quiet?: boolean }} [options] `quiet`: what it logs is thrown away
 */
export const startNode = (args, options) => startCommand(process.execPath, args, options);

/** The same for other programs. @param {string} command @param {readonly string[]} args @param {{ quiet?: boolean }} [options] */
export function startCommand(command, args, { quiet = false } = {}) {
  const child = spawn(command, args, { cwd: root, stdio: ['pipe', 'pipe', quiet ? 'ignore' : 'inherit'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Waits for the first line of its output. @param {ChildProcess} child @returns {Promise<string>} */
export async function firstLine(child) {
  const [, line = ''] = await waitForOutput(child, /^(.*)\n/, PATIENCE);
  return line;
}

/**
 * Waits until its output from now on matches. One listener reads all chunks: between two listeners, a flowing stream
 * loses its data.
 * @param {ChildProcess} child @param {RegExp} pattern @param {number} timeout in milliseconds
 * @returns {Promise<RegExpExecArray>}
 */
export async function waitForOutput(child, pattern, timeout) {
  const name = child.spawnargs.slice(0, 3).join(' ');
  const output = /** @type {import('node:stream').Readable} */ (child.stdout);
  let text = '';
  return new Promise((resolve, reject) => {
    const finish = () => {
      clearTimeout(timer);
      output.off('data', read);
      child.off('exit', exit);
    };
    const read = (/** @type {unknown} */ chunk) => {
      text += chunk;
      const found = pattern.exec(text);
      if (!found) return;
      finish();
      resolve(found);
    };
    const fail = (/** @type {string} */ problem) => {
      finish();
      reject(new Error(`${name} ${problem}`));
    };
    const timer = setTimeout(fail, timeout, `printed no ${pattern} within ${timeout} ms`);
    const exit = (/** @type {number | null} */ code) => fail(`ended with ${code}`);
    output.on('data', read);
    child.on('exit', exit);
  });
}

/** Ends a process that was started here. @param {ChildProcess} child */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.stdin?.end();
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 8000);
  await gone;
  clearTimeout(timer);
}

/** A port that is free now. @returns {Promise<number>} */
export async function freePort() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * What the system has counted until now for these processes together, and for all that they have started.
 * @param {readonly number[]} pids
 * @returns {Cpu}
 */
export function readCpuTime(pids) {
  const all = allProcesses();
  const cost = { own: 0, all: 0 };
  for (const pid of pids) {
    const found = all.get(pid);
    if (!found) throw new Error(`the process ${pid} has ended`);
    cost.own += found.own / TICKS;
    cost.all += treeTicks(pid, all) / TICKS;
  }
  return cost;
}

/** Number of processes that a process has started and that still run, with their children. @param {number} pid */
export function countProcesses(pid) {
  const all = allProcesses();
  const count = (/** @type {number} */ parent) => {
    let found = 0;
    for (const [child, counted] of all) if (counted.parent === parent) found += 1 + count(child);
    return found;
  };
  return count(pid);
}

/** Resident memory in MB. @param {number} pid */
export function readResidentMemory(pid) {
  const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

/** @typedef {{ parent: number, own: number, ended: number }} Counted */

/** @returns {Map<number, Counted>} */
function allProcesses() {
  const found = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name of a program may hold anything; what follows it does not. `man 5 proc`, from the third field on.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const at = (/** @type {number} */ field) => Number(fields[field - 3]);
      found.set(Number(name), { parent: at(4), own: at(14) + at(15), ended: at(16) + at(17) });
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

/** @param {number} pid @param {Map<number, Counted>} all @returns {number} */
function treeTicks(pid, all) {
  const { own = 0, ended = 0 } = all.get(pid) ?? {};
  let ticks = own + ended;
  for (const [child, { parent }] of all) if (parent === pid) ticks += treeTicks(child, all);
  return ticks;
}
