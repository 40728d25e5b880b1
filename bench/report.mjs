// @ts-check
/** How results are written. */

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle) - 1] ?? Number.NaN)) / 2;
}

/** @param {readonly number[]} values */
export const spread = values => `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;

/** Three digits that mean something. @param {number} value */
export const formatNumber = value =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

/** The median, and from least to most. @param {readonly number[]} values */
export const range = values =>
  `${formatNumber(median(values))} (${formatNumber(Math.min(...values))} to ${formatNumber(Math.max(...values))})`;

/** `paired`: the median of the ratios of each round. `least`: the ratio of the least values. @typedef {{ paired: number, least: number }} Ratio */

/**
 * How many times as much one costs as another. Both were measured in the same rounds: what disturbs a round disturbs both.
 * @param {readonly number[]} values
 * @param {readonly number[]} base
 * @returns {Ratio}
 */
export function compare(values, base) {
  const rounds = Math.min(values.length, base.length);
  const each = values.slice(0, rounds).map((value, round) => value / (base[round] ?? Number.NaN));
  return { paired: median(each), least: Math.min(...values) / Math.min(...base) };
}

/** The median of the paired ratios, and in brackets the ratio of the least values. @param {Ratio} ratio */
export const formatRatio = ({ paired, least }) =>
  Number.isFinite(paired) ? `${formatNumber(paired)} (${formatNumber(least)})` : '–';

/** The same of one figure of the samples. `–` without a base. @template {string} K @param {readonly Record<K, number>[]} samples @param {readonly Record<K, number>[] | undefined} base @param {K} what */
export const formatRatios = (samples, base, what) =>
  formatRatio(
    compare(
      samples.map(each => each[what]),
      (base ?? []).map(each => each[what]),
    ),
  );

/** What a table says of its ratios. */
export const RATIOS_NOTE =
  'Ratios are medians of the ratios of each round; in brackets is the ratio of the least values.';

/** The subjects of a round, from another one on each time: the order favours none. @template S @param {readonly S[]} subjects @param {number} round @returns {S[]} */
export function rotate(subjects, round) {
  const first = round % subjects.length;
  return [...subjects.slice(first), ...subjects.slice(0, first)];
}

/** @param {number} level @param {string} text */
export const heading = (level, text) => `${'#'.repeat(level)} ${text}\n\n`;

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}
