// @ts-check
/** Whose time it was, of what a profile has seen. */

/** @typedef {{ functionName: string, url: string, lineNumber: number }} Frame */
/** @typedef {{ nodes: { id: number, callFrame: Frame }[], samples?: number[], timeDeltas?: number[] }} Profile */
/** Microseconds, by owner and by function of the library. @typedef {{ owners: Map<string, number>, functions: Map<string, number> }} Shares */

/** In the order in which they are shown. */
export const OWNERS = ['system', 'Node', 'garbage', 'zod', 'Tenon', 'other'];
const LIBRARY = /\/packages\/(?:base|tenon)\//;

/** @param {Profile} profile @returns {Shares} */
export function sharesOf({ nodes, samples = [], timeDeltas = [] }) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const owners = new Map();
  const functions = new Map();
  for (const [at, id] of samples.entries()) {
    const frame = frames.get(id);
    const owner = frame && getOwner(frame);
    if (frame === undefined || owner === undefined) continue;
    const took = timeDeltas[at] ?? 0;
    add(owners, owner, took);
    if (owner === 'Tenon') add(functions, getFrameName(frame), took);
  }
  return { owners, functions };
}

/** @param {Frame} frame */
function getOwner({ functionName, url }) {
  if (functionName === '(idle)') return undefined;
  // The inspector itself: it lists all functions when the profile begins.
  if (functionName === 'dispatch' && url === '') return undefined;
  if (functionName === '(garbage collector)') return 'garbage';
  // What has no source is compiled: reading and writing above all, and what no function of JavaScript is on top of.
  if (url === '') return 'system';
  if (url.startsWith('node:')) return 'Node';
  if (LIBRARY.test(url)) return 'Tenon';
  return url.includes('/node_modules/zod/') ? 'zod' : 'other';
}

/** @param {Frame} frame */
const getFrameName = ({ functionName, url, lineNumber }) =>
  `${functionName || 'anonymous'} (${url.slice(url.lastIndexOf('/') + 1)}:${lineNumber + 1})`;

/** @param {Map<string, number>} to @param {string} key @param {number} took */
function add(to, key, took) {
  to.set(key, (to.get(key) ?? 0) + took);
}
