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

/** @param {number} level @param {string} text */
export const heading = (level, text) => `${'#'.repeat(level)} ${text}\n\n`;

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}
