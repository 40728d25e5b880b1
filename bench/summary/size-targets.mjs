// @ts-check
/** Targets of what users download: bundles and packages. */

/** @typedef {import('./rows.mjs').Json} Json */
/** @typedef {Omit<import('./targets.mjs').TargetStatus, 'work'>} Status */

const KIB = 1024;
const NONE = '–';

/** @param {Json} results @returns {Status} */
export function bundles({ bundles: all }) {
  const kib = (/** @type {RegExp} */ name, what = 'gzipped') =>
    all.filter((/** @type {Json} */ each) => name.test(each.name)).map((/** @type {Json} */ each) => each[what] / KIB);
  const names = [/Tenon: stdio/, /Tenon: (HTTP|fetch)/, /Tenon: client/];
  const ours = names.map(name => Math.max(...kib(name)));
  const first = names.map(name => Math.max(...kib(name, 'atStart')));
  const theirs = [/official v2: stdio/, /official v2: (HTTP|fetch)/, /official v2: client/].map(
    name => kib(name)[0] ?? NaN,
  );
  const tell = (/** @type {number[]} */ values) => `${values.map(value => value.toFixed(1)).join(' / ')} KiB`;
  const limits = [40, 45, 42];
  const limitsAtStart = [28, 32, 34];
  return {
    peer: NONE,
    official: tell(theirs),
    tenon: `${tell(ours)} (at start, where it is split: ${tell(first)})`,
    target: `≤ ${limits.join(' / ')} KiB (${limitsAtStart.join(' / ')})`,
    figures: [...ours, ...first],
    isMet: [...ours, ...first].every((size, at) => size <= ([...limits, ...limitsAtStart][at] ?? 0)),
  };
}

/** @param {Json} results @returns {Status} */
export function installed({ footprints }) {
  const [ours, theirs] = footprints;
  const tell = (/** @type {Json} */ { packages, megabytes }) => `${packages}, ${megabytes.toFixed(1)} MB`;
  const isMet = ours.packages <= 8 && ours.megabytes <= 4;
  return {
    peer: NONE,
    official: tell(theirs),
    tenon: tell(ours),
    target: '≤ 8 packages, 4 MB',
    figures: [ours.packages, ours.megabytes],
    isMet,
  };
}
