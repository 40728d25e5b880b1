// @ts-check
/** Runs the tests of the test runner, and reads its report. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bin, readJson, root, runNode } from './process.mjs';

/** Report of the last run. */
const report = join(root, '.cache/vitest.json');

/**
 * Runs test files, or all files without a list.
 * @param {readonly string[]} files
 * @returns {Promise<{ passed: number, failed: number, skipped: number, held: boolean, failures: string[] }>}
 */
export async function runUnitTests(files) {
  rmSync(report, { force: true });
  /** @type {unknown} */
  const failure = await runNode([bin('vitest'), 'run', ...files], {
    env: { ...process.env, TENON_TEST_REPORT: report },
  }).catch(error => error);
  if (!existsSync(report)) throw failure ?? new Error('vitest wrote no report');
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, testResults } = readJson(report);
  const failures = [];
  for (const { name, message, assertionResults } of testResults) {
    if (message) failures.push(`${relative(root, name)}: ${message}`);
    for (const { status, fullName, failureMessages } of assertionResults) {
      if (status === 'failed') failures.push([`${relative(root, name)} > ${fullName}`, ...failureMessages].join('\n'));
    }
  }
  // Vitest also fails when a file cannot be read or an error is thrown outside of all tests.
  return { passed, failed, skipped, held: failure === undefined, failures };
}

/** What a file of tests uses that tries more in a full run: combinations, or the command as a process. */
const TRIES_MORE = /support\/extent\.js|\brunTenon\b/;

/** Lists the files with tests of which each run tries a part, or none. */
export function listProductSuites() {
  const folders = ['test', ...readdirSync(join(root, 'packages')).map(name => join('packages', name, 'src'))];
  const files = folders.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(file => join(root, folder, file)),
  );
  return files.filter(
    file =>
      file.endsWith('.full.test.ts') || (file.endsWith('.test.ts') && TRIES_MORE.test(readFileSync(file, 'utf8'))),
  );
}

/** Lists the files of which the last run skipped tests. @returns {string[]} */
export function listSkippedFiles() {
  if (!existsSync(report)) throw new Error('There is no report of an earlier run. Run `npm test` first.');
  /** @type {{ name: string, assertionResults: { status: string }[] }[]} */
  const results = readJson(report).testResults;
  const hasRun = new Set(['passed', 'failed']);
  return results
    .filter(({ assertionResults }) => assertionResults.some(({ status }) => !hasRun.has(status)))
    .map(({ name }) => name);
}
