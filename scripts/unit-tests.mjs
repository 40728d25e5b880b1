// @ts-check
/** Runs the tests of the test runner, and reads its report. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bin, readJson, root, runNode } from './process.mjs';

/** Reports of the last run of all tests. */
const lastReports = ['vitest', 'rules'].map(name => join(root, `.cache/${name}.json`));

/**
 * Tests to run: those in `files`, or all without one, but those in the files and folders `excluded`. The reports are in files with the name.
 * @typedef {{ name: string, files: readonly string[], excluded?: readonly string[], workers?: number }} TestSelection
 */

/**
 * Runs test files.
 * @param {TestSelection} selection
 * @returns {Promise<{ passed: number, failed: number, skipped: number, held: boolean, failures: string[] }>}
 */
export async function runUnitTests({ name, files, excluded = [], workers }) {
  const report = join(root, `.cache/${name}.json`);
  const failureReport = join(root, `.cache/${name}-failures.json`);
  for (const file of [report, failureReport]) rmSync(file, { force: true });
  const options = [
    ...excluded.flatMap(path => [`--exclude=${path}`, `--exclude=${path}/**`]),
    ...(workers === undefined ? [] : [`--maxWorkers=${workers}`]),
  ];
  /** @type {unknown} */
  const failure = await runNode([bin('vitest'), 'run', ...options, ...files], {
    env: { ...process.env, TENON_TEST_REPORT: report, TENON_TEST_FAILURES: failureReport },
  }).catch(error => error);
  if (!existsSync(report)) throw failure ?? new Error('vitest wrote no report');
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = readJson(report);
  const failures = existsSync(failureReport) ? readJson(failureReport) : [];
  // Vitest also fails when a file cannot be read or an error is thrown outside of all tests.
  return { passed, failed, skipped, held: failure === undefined, failures };
}

/** Lists the files with tests of which each run tries a part, or none. */
export function listProductSuites() {
  const folders = ['test', ...readdirSync(join(root, 'packages')).map(name => join('packages', name, 'src'))];
  const files = folders.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(file => join(root, folder, file)),
  );
  /** @type {Map<string, boolean>} */
  const known = new Map([[join(root, 'test/support/extent.ts'), true]]);
  return files.filter(file => file.endsWith('.full.test.ts') || (file.endsWith('.test.ts') && usesExtent(file, known)));
}

/**
 * Tells if a file imports `test/support/extent.ts`, or a file of `test` that does.
 * @param {string} file @param {Map<string, boolean>} known @returns {boolean}
 */
function usesExtent(file, known) {
  const found = known.get(file);
  if (found !== undefined) return found;
  known.set(file, false);
  const imports = existsSync(file) ? readFileSync(file, 'utf8').matchAll(/from '(\.[^']*)\.js'/g) : [];
  const uses = [...imports]
    .map(([, path = '']) => `${join(dirname(file), path)}.ts`)
    .some(path => path.startsWith(join(root, 'test')) && usesExtent(path, known));
  known.set(file, uses);
  return uses;
}

/** Lists the files of which the last run skipped tests. @returns {string[]} */
export function listSkippedFiles() {
  const reports = lastReports.filter(existsSync);
  if (reports.length === 0) throw new Error('There is no report of an earlier run. Run `npm test` first.');
  /** @type {{ name: string, assertionResults: { status: string }[] }[]} */
  const results = reports.flatMap(report => readJson(report).testResults);
  const hasRun = new Set(['passed', 'failed']);
  return results
    .filter(({ assertionResults }) => assertionResults.some(({ status }) => !hasRun.has(status)))
    .map(({ name }) => name);
}
