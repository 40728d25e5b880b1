// @ts-check
/** Targets of a server: what authorization adds to a call, and what open streams take. */
import { formatNumber, median } from '../report.mjs';

/** @typedef {import('./rows.mjs').Json} Json */
/** @typedef {Omit<import('./targets.mjs').TargetStatus, 'work'>} Status */

const MAX_ADDED = 8;
const MAX_STREAM_HEAP = 6;
const MAX_TURN = 10;

/** @param {Json} results @returns {Status} */
export function protection({ measured }) {
  const find = (/** @type {string} */ name) => measured.find((/** @type {Json} */ each) => each.name === name).samples;
  const base = find('no authorization');
  const added = median(
    find('`protect`').map((/** @type {Json} */ { cpu }, /** @type {number} */ round) => cpu - base[round].cpu),
  );
  return {
    peer: '–',
    official: '–',
    tenon: `${formatNumber(added)} µs`,
    target: `≤ ${MAX_ADDED} µs more`,
    figures: [added],
    isMet: added <= MAX_ADDED,
  };
}

/** @param {Json} results @param {'heap' | 'cpu'} what @param {number} limit @param {string} unit @returns {Status} */
function streams({ measured }, what, limit, unit) {
  const of = (/** @type {string} */ subject) =>
    measured
      .filter((/** @type {Json} */ { name }) => name === subject)
      .map((/** @type {Json} */ { samples }) => median(samples.map((/** @type {Json} */ sample) => sample[what])));
  const tell = (/** @type {number[]} */ figures) => figures.map(formatNumber).join(' / ');
  const figures = of('tenon');
  return {
    peer: '–',
    official: '–',
    tenon: `${tell(figures)} ${unit} (floor ${tell(of('floor'))})`,
    target: `≤ ${limit} ${unit}`,
    figures,
    isMet: figures.every((/** @type {number} */ figure) => figure <= limit),
  };
}

/** @param {Json} results */
export const streamHeap = results => streams(results, 'heap', MAX_STREAM_HEAP, 'KiB');

/** @param {Json} results */
export const longestTurn = results => streams(results, 'cpu', MAX_TURN, 'ms');

/** @param {readonly Json[]} results @returns {Status} */
export function idleSessions(results) {
  const heap = (/** @type {string} */ name, least = 0) => {
    const found = results.find(each => each.name === name && each.sessions >= least);
    return median(found?.rounds.map((/** @type {Json} */ each) => each.heap) ?? []);
  };
  const most = Math.max(...results.map(({ sessions }) => sessions));
  const all = [heap('tenon'), heap('tenon', most)];
  return {
    peer: `tmcp ${formatNumber(heap('tmcp'))} KiB`,
    official: `${formatNumber(heap('v2'))} KiB`,
    tenon: `${formatNumber(all[0] ?? Number.NaN)} KiB, of ${most.toLocaleString('en')} ${formatNumber(all[1] ?? Number.NaN)}`,
    target: `≤ 1 KiB, ${(100_000).toLocaleString('en')} in one process`,
    figures: all,
    isMet: Math.max(...all) <= 1 && most >= 100_000,
  };
}
