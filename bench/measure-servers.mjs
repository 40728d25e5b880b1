// @ts-check
/** Servers side by side: all are running at the same time, and one at a time is called, round after round. */
import { closeConnections, load, quantile } from './load.mjs';
import { firstLine, readCpuTime, readResidentMemory, startNode, stop } from './processes.mjs';
import { rotate } from './report.mjs';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** Microseconds of CPU per call and of latency, calls per second, MB; how busy the server and the one who calls are, as parts of a core. @typedef {{ cpu: number, p50: number, p99: number, rate: number, megabytes: number, busy: number, driver: number }} Sample */
/** A server, and who calls it: one, or one for each piece of work, by its id. @typedef {{ child: ChildProcess, caller: Caller | Record<string, Caller> }} Started */
/** @typedef {import('./load.mjs').Caller} Caller */
/** What is called again and again: for so many seconds, by so many at once. @typedef {{ id: string, call: import('./load.mjs').Call, inFlight: number, seconds: number, warmUp: { most: number, seconds: number } }} Workload */

/** Seconds before each sample, in which connections are made and what was cold gets warm. */
const SETTLE = 0.4;
const MICRO = 1_000_000;

/**
 * Has each subject do each piece of work in each round. One that cannot be started, or answers wrongly, ends it all: a
 * table without it would be a lie.
 * @template S
 * @param {readonly S[]} subjects
 * @param {(subject: S) => Promise<Started>} start
 * @param {number} rounds
 * @param {(subject: S) => readonly Workload[]} getWorkloads
 * @returns {Promise<(S & { samples: Record<string, Sample[]> })[]>} the samples by the id of the work
 */
export async function measureServers(subjects, start, rounds, getWorkloads) {
  /** @type {{ started: Started, workloads: readonly Workload[], samples: Record<string, Sample[]>, subject: S }[]} */
  const running = [];
  try {
    for (const subject of subjects) {
      const workloads = getWorkloads(subject);
      const started = await start(subject);
      running.push({ started, workloads, subject, samples: Object.fromEntries(workloads.map(({ id }) => [id, []])) });
      for (const { id, call, inFlight, warmUp } of workloads)
        await load(getCaller(started, id), inFlight, warmUp.seconds, { most: warmUp.most, call });
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { started, workloads, samples } of rotate(running, round)) {
        for (const workload of workloads) samples[workload.id]?.push(await takeSample(started, workload));
      }
    }
  } finally {
    for (const { started, workloads } of running)
      for (const { id } of workloads) closeConnections(getCaller(started, id));
    await Promise.all(running.map(({ started }) => stop(started.child)));
  }
  return running.map(({ subject, samples }) => ({ ...subject, samples }));
}

/** @param {Started} started @param {string} id @returns {Caller} */
function getCaller({ caller }, id) {
  const found = 'connections' in caller ? caller : caller[id];
  if (!found) throw new Error(`nobody is there to do ${id}`);
  return /** @type {Caller} */ (found);
}

/** @param {Started} started @param {Workload} workload @returns {Promise<Sample>} */
async function takeSample(started, { id, call, inFlight, seconds }) {
  const { child } = started;
  const caller = getCaller(started, id);
  const pid = /** @type {number} */ (child.pid);
  await load(caller, inFlight, SETTLE, { call });
  const before = readCpuTime([pid]).own;
  const own = process.cpuUsage();
  const { calls, seconds: took, latencies } = await load(caller, inFlight, seconds, { call });
  const cpu = readCpuTime([pid]).own - before;
  const { user, system } = process.cpuUsage(own);
  return {
    cpu: (cpu * MICRO) / calls,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    rate: calls / took,
    megabytes: readResidentMemory(pid),
    busy: cpu / took,
    driver: (user + system) / MICRO / took,
  };
}

/** Starts a program that says on its first line where it listens. @param {readonly string[]} args */
export async function startProgram(args) {
  const child = startNode(args);
  return { child, url: await firstLine(child) };
}
