// @ts-check
/** Servers side by side: all are up at the same time, and one at a time is called, round after round. */
import { hangUp, load, quantile } from './load.mjs';
import { cpuOf, firstLine, residentOf, startNode, stop } from './processes.mjs';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** Microseconds of CPU per call and of latency, calls per second, MB; how busy the server and the one who calls are, as parts of a core. @typedef {{ cpu: number, p50: number, p99: number, rate: number, megabytes: number, busy: number, driver: number }} Sample */
/** A server, and who calls it: one, or one for each piece of work, by its id. @typedef {{ child: ChildProcess, caller: Caller | Record<string, Caller> }} Started */
/** @typedef {import('./load.mjs').Caller} Caller */
/** What is called again and again: for so many seconds, by so many at once. @typedef {{ id: string, call: import('./load.mjs').Call, inFlight: number, seconds: number, warmUp: { most: number, seconds: number } }} Work */

/** Seconds before each sample, in which connections are made and what was cold gets warm. */
const SETTLE = 1;
const MICRO = 1_000_000;

/**
 * Has each subject do each piece of work in each round. One that cannot be started, or answers wrongly, ends it all: a
 * table without it would be a lie.
 * @template S
 * @param {readonly S[]} subjects
 * @param {(subject: S) => Promise<Started>} start
 * @param {number} rounds
 * @param {(subject: S) => readonly Work[]} worksOf
 * @returns {Promise<(S & { samples: Record<string, Sample[]> })[]>} the samples by the id of the work
 */
export async function playRounds(subjects, start, rounds, worksOf) {
  /** @type {{ started: Started, works: readonly Work[], samples: Record<string, Sample[]>, subject: S }[]} */
  const up = [];
  try {
    for (const subject of subjects) {
      const works = worksOf(subject);
      const started = await start(subject);
      up.push({ started, works, subject, samples: Object.fromEntries(works.map(({ id }) => [id, []])) });
      for (const { id, call, inFlight, warmUp } of works)
        await load(callerOf(started, id), inFlight, warmUp.seconds, { most: warmUp.most, call });
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { started, works, samples } of up) {
        for (const work of works) samples[work.id]?.push(await sample(started, work));
      }
    }
  } finally {
    for (const { started, works } of up) for (const { id } of works) hangUp(callerOf(started, id));
    await Promise.all(up.map(({ started }) => stop(started.child)));
  }
  return up.map(({ subject, samples }) => ({ ...subject, samples }));
}

/** @param {Started} started @param {string} id @returns {Caller} */
function callerOf({ caller }, id) {
  const found = 'lanes' in caller ? caller : caller[id];
  if (!found) throw new Error(`nobody is there to do ${id}`);
  return /** @type {Caller} */ (found);
}

/** @param {Started} started @param {Work} work @returns {Promise<Sample>} */
async function sample(started, { id, call, inFlight, seconds }) {
  const { child } = started;
  const caller = callerOf(started, id);
  const pid = /** @type {number} */ (child.pid);
  await load(caller, inFlight, SETTLE, { call });
  const before = cpuOf([pid]).own;
  const own = process.cpuUsage();
  const { calls, seconds: took, latencies } = await load(caller, inFlight, seconds, { call });
  const cpu = cpuOf([pid]).own - before;
  const { user, system } = process.cpuUsage(own);
  return {
    cpu: (cpu * MICRO) / calls,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    rate: calls / took,
    megabytes: residentOf(pid),
    busy: cpu / took,
    driver: (user + system) / MICRO / took,
  };
}

/** Starts a program that says on its first line where it listens. @param {readonly string[]} args */
export async function startProgram(args) {
  const child = startNode(args);
  return { child, url: await firstLine(child) };
}
