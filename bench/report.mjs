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

/**
 * How many times as much the one costs as the other, by their medians.
 * @template {string} K
 * @param {readonly Record<K, number>[]} samples
 * @param {readonly Record<K, number>[] | undefined} base
 * @param {K} what
 */
export const ratio = (samples, base, what) =>
  median(samples.map(each => each[what])) / median((base ?? []).map(each => each[what]));

/** The same as text: `–` where there is nothing to compare with. @template {string} K @param {readonly Record<K, number>[]} samples @param {readonly Record<K, number>[] | undefined} base @param {K} what */
export const ratios = (samples, base, what) => (base === undefined ? '–' : ratio(samples, base, what).toFixed(2));

/** @param {number} level @param {string} text */
export const heading = (level, text) => `${'#'.repeat(level)} ${text}\n\n`;

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}
