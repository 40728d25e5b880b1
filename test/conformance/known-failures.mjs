// @ts-check
import { readFileSync } from 'node:fs';

/**
 * What is known to fail, by side. An entry names a scenario, or a scenario and where it fails: `name@2026-07-28`.
 * @typedef {{ side: string, entry: string, area: string }} Known
 */

/**
 * Reads the file of known failures: areas, in them sides, in them lists. No more of YAML is understood.
 * @param {string | URL} path
 * @returns {Known[]}
 */
export function readKnownFailures(path) {
  const known = [];
  let area = '';
  let side = '';
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const text = line.replace(/(^|\s)#.*$/, '').trimEnd();
    const [, indent = '', dash, word = ''] = /^( *)(- )?(.+?):?$/.exec(text) ?? [];
    if (word === '') continue;
    if (dash !== undefined) known.push({ area, side, entry: word });
    else if (indent === '') area = word;
    else side = word;
  }
  return known;
}

/** @param {Known} known @param {string} side @param {string} scenario @param {string} where */
export function covers(known, side, scenario, where) {
  return known.side === side && (known.entry === scenario || known.entry === `${scenario}@${where}`);
}
