// @ts-check
/** One that calls, in a process of its own, and measures what that costs the process. `measure-workers.mjs` tells it when. */
import { createInterface } from 'node:readline';

/** Gives back the text that the tool `echo` has given back. @typedef {(text: string) => Promise<unknown>} Call */
/** @typedef {{ inFlight: number, seconds: number }} LoadSettings */
/** Microseconds of CPU per call. @typedef {{ calls: number, seconds: number, cpu: number, megabytes: number }} Measurement */

/** Calls between two looks at the clock. */
const BATCH = 10;
let last = 0;

/** Says that it is ready, and carries out what comes on its standard input until that ends. @param {Call} call */
export async function runWorker(call) {
  await callOnce(call);
  console.log('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    const { inFlight, seconds } = /** @type {LoadSettings} */ (JSON.parse(line));
    console.log(JSON.stringify(await measure(call, inFlight, seconds)));
  }
  process.exit(0);
}

/** @param {Call} call @param {number} inFlight @param {number} seconds @returns {Promise<Measurement>} */
async function measure(call, inFlight, seconds) {
  let calls = 0;
  const callUntilEnd = async () => {
    while (performance.now() < end) {
      for (let n = 0; n < BATCH; n += 1) await callOnce(call);
      calls += BATCH;
    }
  };
  const before = process.cpuUsage();
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(Array.from({ length: inFlight }, callUntilEnd));
  const took = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { calls, seconds: took, cpu: (user + system) / calls, megabytes: process.memoryUsage().rss / 1024 / 1024 };
}

/** @param {Call} call */
async function callOnce(call) {
  last += 1;
  const text = `call ${last}`;
  const answer = await call(text);
  if (answer !== text) throw new Error(`${text} was answered with ${JSON.stringify(answer)}`);
}
