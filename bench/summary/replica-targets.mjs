// @ts-check
/** Targets of replicas with sessions in Redis. */
import { formatNumber, median } from '../report.mjs';

/** @typedef {import('./rows.mjs').Json} Json */
/** @typedef {Omit<import('./targets.mjs').TargetStatus, 'work'>} Status */

const MAX_ADDED = 1;
const MAX_COMMANDS = 1;
const MIN_RATE = 1.8;
const MAX_CPU = 1.3;
const MAX_RESUME = 1000;
const MAX_SESSION = 1536;
const MILLI = 1000;
const NONE = '–';

/** @param {Json} results @param {string} id @returns {Json[]} */
const readSamples = ({ calls }, id) => calls.find((/** @type {Json} */ each) => each.id === id)?.samples ?? [];

/** What a session in Redis adds to a call. @param {Json} results @returns {Status} */
export function sharedSession(results) {
  const base = readSamples(results, 'memory');
  const samples = readSamples(results, 'redis');
  const added = median(samples.map(({ p50 }, round) => (p50 - (base[round]?.p50 ?? Number.NaN)) / MILLI));
  const commands = median(samples.map(sample => sample.commands));
  return {
    peer: NONE,
    official: NONE,
    tenon: `${formatNumber(added)} ms, ${formatNumber(commands)} round trips`,
    target: `≤ ${MAX_ADDED} ms, ${MAX_COMMANDS} round trip`,
    figures: [added, commands],
    isMet: added <= MAX_ADDED && commands <= MAX_COMMANDS + 0.01,
  };
}

/** Round trips of a call without a session. @param {Json} results @returns {Status} */
export function statelessCall(results) {
  const commands = median(readSamples(results, 'stateless').map(sample => sample.commands));
  return {
    peer: NONE,
    official: NONE,
    tenon: formatNumber(commands),
    target: '0',
    figures: [commands],
    isMet: commands < 0.01,
  };
}

/** @param {Json} results @returns {Status} */
export function secondReplica(results) {
  const read = (/** @type {string} */ id) => {
    const samples = readSamples(results, id);
    return {
      rate: median(samples.map(({ rate }) => rate[1] / rate[0])),
      cpu: median(samples.map(({ cpu }) => cpu[1] / cpu[0])),
    };
  };
  const tell = (/** @type {{ rate: number, cpu: number }} */ { rate, cpu }) =>
    `${formatNumber(rate)} × calls per second, ${formatNumber(cpu)} × CPU`;
  const own = read('redis');
  return {
    peer: NONE,
    official: `sticky: ${tell(read('v1'))}`,
    tenon: tell(own),
    target: `≥ ${MIN_RATE} × calls per second, or ≤ ${MAX_CPU} × CPU of a call`,
    figures: [own.cpu],
    isMet: own.rate >= MIN_RATE || own.cpu <= MAX_CPU,
  };
}

/** @param {Json} results @returns {Status} */
export function resumeAfterKill({ resumed }) {
  const figures = ['call', 'listening'].map(kind => {
    const sorted = resumed
      .map((/** @type {Json} */ each) => each[kind])
      .sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
    return sorted[Math.floor(0.99 * (sorted.length - 1))] ?? Number.NaN;
  });
  return {
    peer: NONE,
    official: NONE,
    tenon: `${figures.map(formatNumber).join(' / ')} ms`,
    target: `≤ ${MAX_RESUME} ms`,
    figures,
    isMet: figures.every(figure => figure <= MAX_RESUME),
  };
}

/** @param {Json} results @returns {Status} */
export function storedSession({ stored }) {
  return {
    peer: NONE,
    official: NONE,
    tenon: `${formatNumber(stored.bytes)} bytes`,
    target: `≤ ${MAX_SESSION} bytes`,
    figures: [stored.bytes],
    isMet: stored.bytes <= MAX_SESSION,
  };
}
