import type { OnFindingCandidate } from '../finding.js';
import { countScanSteps, SCAN_STEPS, type StepCounter, UNICODE_SEARCH_STEPS } from '../scan-steps.js';
import { STACKED_MARKS } from '../visible-text.js';

/** Detection of text that is hidden by whitespace. */

/** Maximum width of whitespace, in characters. Text after more spaces or line breaks counts as hidden. */
export const MAX_GAP_WIDTH = 100;
export const MAX_GAP_LINES = 20;

const anyGap = /\s{20}/;
const anyMarks = /[^\0-\u02ff]/;

export function findGaps(text: string, sink: OnFindingCandidate, meter: StepCounter): void {
  countScanSteps(meter, text.length * SCAN_STEPS);
  for (const match of anyGap.test(text) ? text.matchAll(/\s+/g) : []) {
    const [run, at] = [match[0], match.index];
    const isLast = at + run.length === text.length;
    if (!isLast && isGap(run))
      sink({ kind: 'whitespace', severity: 'warn', at, length: run.length, shown: describeGap(run) });
  }
  if (!anyMarks.test(text)) return;
  countScanSteps(meter, text.length * UNICODE_SEARCH_STEPS);
  for (const match of text.matchAll(STACKED_MARKS)) {
    sink({ kind: 'stacked-marks', severity: 'warn', at: match.index, length: match[0].length });
  }
}

function isGap(run: string): boolean {
  if (run.length < MAX_GAP_LINES) return false;
  const lines = run.split('\n');
  return lines.length > MAX_GAP_LINES || lines.some(line => line.length >= MAX_GAP_WIDTH);
}

function describeGap(run: string): string {
  const breaks = run.split('\n').length - 1;
  return breaks > 0 ? `${breaks} lines` : `${run.length} spaces`;
}
