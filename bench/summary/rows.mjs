// @ts-check
/** Rows of all measurements in one form: the peer, the protocol version, and the cost of each round. */
import { compare } from '../report.mjs';

/** @typedef {{ [key: string]: any }} Json */
/** @typedef {import('../report.mjs').Ratio} Ratio */
/** @typedef {{ name: string, revision: string, values: number[] }} Row */
/** By the names of the parts; what has not been measured is not there. @typedef {Record<string, { when: string, machine: Record<string, string>, results: any } | undefined>} Parts */

export const versions = ['2025-11-25', '2026-07-28'];
/** A peer without the first protocol version is compared by the second. */
const nearest = /** @type {Record<string, string>} */ ({ '2025-06-18': '2025-11-25' });

/** @param {readonly Json[]} measured @param {(each: Json) => readonly Json[] | undefined} samples @param {string} what @returns {Row[]} */
export const toRows = (measured, samples, what) =>
  measured.flatMap(each => {
    const found = samples(each);
    if (found === undefined || found.length === 0) return [];
    const version = nearest[each.revision] ?? each.revision;
    return [{ name: each.name, revision: version, values: found.map(sample => sample[what]) }];
  });

/** Reads of each part what its calls have cost. @type {Record<string, (results: any) => Row[]>} */
export const callRows = {
  http: results => scenarioRows(results, 'call'),
  stdio: results => toRows(results, each => each.together, 'cpu'),
  memory: results => toRows(results, each => each.found[1], 'cpu'),
  client: results => toRows(results, each => each.found[1], 'cpu'),
};

/** @param {Json} results @param {string} id */
export function scenarioRows({ scenes }, id) {
  const scenario = scenes.find((/** @type {Json} */ each) => each.id === id);
  return toRows(scenario?.measured ?? [], each => each.samples[id], 'cpu');
}

/** A floor may be the same for all protocol versions. @param {readonly Row[]} rows @param {string} name @param {string} version */
export const findRow = (rows, name, version) =>
  rows.find(each => each.name === name && (each.revision === version || each.revision === '–'));

/** Who they are: ours, the official ones, floors, and the others. @param {string} name */
export function getKind(name) {
  if (name.startsWith('tenon')) return 'tenon';
  if (/^v2\b/.test(name)) return 'v2';
  if (/^v1\b/.test(name)) return 'v1';
  return /floor|^node$/.test(name) ? 'floor' : 'peer';
}

/** The cheapest of a kind, as a multiple of the base. @param {readonly Row[]} rows @param {string} kind @param {string} base @param {string} version @returns {{ name: string, ratio: Ratio } | undefined} */
export function cheapest(rows, kind, base, version) {
  const floor = findRow(rows, base, version)?.values ?? [];
  const found = rows
    .filter(row => row.revision === version && getKind(row.name) === kind)
    .map(({ name, values }) => ({ name, ratio: compare(values, floor) }))
    .sort((a, b) => a.ratio.paired - b.ratio.paired);
  return found[0];
}
