// @ts-check
/** @typedef {{ leg: string, side: string, where: string, scenario: string, checks: import('./suite.mjs').Check[], error?: string | undefined, known?: string | undefined }} Run */

/** Says of whatever was sent that it was well formed, and not that anything was. */
const FORM_ONLY = 'wire-schema-valid';

/** Why a run does not count as passed, if it does not. A scenario in which nothing was checked shows nothing. @param {Run} run */
export function faultsOf({ checks, error }) {
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  const faults = bad.map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage ?? 'no reason given'}`);
  if (error !== undefined) faults.push(error);
  if (!checks.some(({ id, status }) => status === 'SUCCESS' && id !== FORM_ONLY))
    faults.push('nothing was checked with success');
  return faults;
}

/** @param {readonly Run[]} runs */
export function table(runs) {
  const rows = [['leg', 'scenarios', 'passed', 'failed', 'known', 'checks passed', 'failed', 'warnings', 'skipped']];
  for (const leg of new Set(runs.map(run => run.leg))) rows.push([leg, ...counts(runs.filter(run => run.leg === leg))]);
  rows.push(['all', ...counts(runs)]);
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? [];
  const pad = (/** @type {string} */ cell, /** @type {number} */ column) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map(row => row.map(pad).join('  ')).join('\n');
}

/** @param {readonly Run[]} runs */
function counts(runs) {
  const checks = runs.flatMap(run => run.checks);
  const withStatus = (/** @type {string} */ status) => checks.filter(check => check.status === status).length;
  const known = runs.filter(run => run.known !== undefined).length;
  const failed = runs.filter(run => run.known === undefined && faultsOf(run).length > 0).length;
  const numbers = [runs.length, runs.length - known - failed, failed, known];
  return [...numbers, ...['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED'].map(withStatus)].map(String);
}
