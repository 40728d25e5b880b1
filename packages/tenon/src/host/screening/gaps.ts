import type { Sink } from './finding.js';
import { stackedMarks } from './visible.js';

/** Layout as a hiding place. */

/** Of whitespace that is longer than this, what follows is out of sight: blanks in a row, and line breaks. */
export const widestGap = 100;
export const tallestGap = 20;

const anyGap = /\s{20}/;
const anyMarks = /[^\0-\u02ff]/;

export function eachGap(text: string, sink: Sink): void {
  for (const match of anyGap.test(text) ? text.matchAll(/\s+/g) : []) {
    const [run, at] = [match[0], match.index];
    const isLast = at + run.length === text.length;
    if (!isLast && isGap(run)) sink({ kind: 'whitespace', severity: 'warn', at, length: run.length, shown: told(run) });
  }
  for (const match of anyMarks.test(text) ? text.matchAll(stackedMarks) : []) {
    sink({ kind: 'stacked-marks', severity: 'warn', at: match.index, length: match[0].length });
  }
}

function isGap(run: string): boolean {
  if (run.length < tallestGap) return false;
  const lines = run.split('\n');
  return lines.length > tallestGap || lines.some(line => line.length >= widestGap);
}

function told(run: string): string {
  const breaks = run.split('\n').length - 1;
  return breaks > 0 ? `${breaks} lines` : `${run.length} spaces`;
}
