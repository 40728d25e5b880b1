// @ts-check
/**
 * Everything that must hold; a step that fails does not stop the next. Arguments name the steps to run, one after the other
 * (`npm test -- types lint`). Without any, all run: the build and the search for a browser first, the others together. The last line
 * says how many passed and failed: each step counts as one, and so does each test of the test runner. The summary above it
 * names what was skipped.
 *
 * Some suites are products of clients, servers and transports: each run tries a cover of them. Tests in files named
 * `*.full.test.ts` take long or start many processes, and so do some other checks. With `--full`, exactly these run, with all combinations.
 * With `--full --skipped`, also those that the last run skipped, because programs were missing then.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  aiAdaptersWork,
  appsWork,
  bundlesSmall,
  bundlesWithinBudget,
  commandAnswers,
  consumeTypes,
  createdProjectsWork,
  exportsMatch,
  hostWorks,
  install,
  issuerWorks,
  lintPackage,
  loads,
  openapiWorks,
  removeInstalled,
  sharesItsErrors,
  skillsWork,
  startsSmall,
  testingWorks,
} from '../test/package/checks.mjs';
import { ensureBrowser, skipMessage } from './browser.mjs';
import { isBuilt, lacksAi } from './is-built.mjs';
import { bin, root, runCompiler, runNode } from './process.mjs';
import { installRuntimes } from './runtimes.mjs';
import { installTools } from './tools.mjs';
import { listProductSuites, listSkippedFiles, runUnitTests } from './unit-tests.mjs';

/** What a step counted beside itself, and whether it held. @typedef {{ passed: number, failed: number, skipped: number, held: boolean }} Counts */
/** Steps with `isFull` are left to full runs. @typedef {{ id: string, title: string, needs?: string, isFull?: boolean, run: () => Promise<Counts | 'skipped' | void> }} Step */

/**
 * The compiler would check with four threads, which repeat work of each other: one takes 60% of their processor time, and other
 * steps run meanwhile.
 * @param {string} project
 */
const typecheck = project => runCompiler(['-p', project, '--checkers', '1']);
/** @param {string[]} args */
const biome = (...args) => runNode([bin('@biomejs/biome', 'biome'), ...args]);
/** @param {string} script @param {readonly string[]} [args] */
const script = (script, args = []) => ({ needs: script, run: () => runNode([script, ...args]) });

/** @type {Step[]} */
const steps = [
  { id: 'build', title: 'Build', run: build },
  {
    id: 'types',
    title: 'Types',
    async run() {
      for (const project of ['tsconfig.json', 'packages/console/tsconfig.json']) await typecheck(project);
    },
  },
  { id: 'portable', title: 'Types without those of any platform', run: () => typecheck('tsconfig.portable.json') },
  { id: 'package', title: 'The package installs into an empty project', run: install },
  {
    id: 'package',
    title: 'Published types under TypeScript 5.9',
    isFull: true,
    run: () => consumeTypes('typescript-5'),
  },
  { id: 'package', title: 'Published types under TypeScript 7', run: () => consumeTypes('typescript') },
  { id: 'package', title: 'The package loads by import', run: () => loads('import') },
  { id: 'package', title: 'The package loads by require', run: () => loads('require') },
  { id: 'package', title: 'Both forms of the package export the same', run: exportsMatch },
  { id: 'package', title: 'All entries share their errors', run: sharesItsErrors },
  { id: 'package', title: 'A server on stdio starts from few files', run: startsSmall },
  { id: 'package', title: 'A bundle has what is used alone', run: bundlesSmall },
  { id: 'package', title: 'Bundles are within their budgets', run: bundlesWithinBudget },
  { id: 'package', title: 'The package by publint', run: () => lintPackage('publint', 'run', '--strict') },
  {
    id: 'package',
    title: 'The package by are-the-types-wrong',
    isFull: true,
    run: () => lintPackage('@arethetypeswrong/cli'),
  },
  { id: 'package', title: 'The adapters for the AI SDK install, and work', isFull: true, run: aiAdaptersWork },
  { id: 'package', title: 'The authorization servers install, and issue tokens', isFull: true, run: issuerWorks },
  { id: 'package', title: 'The host installs, and calls a tool', isFull: true, run: hostWorks },
  { id: 'package', title: 'The package for tests installs, and replays a call', isFull: true, run: testingWorks },
  { id: 'package', title: 'The apps install, and are small', isFull: true, run: appsWork },
  { id: 'package', title: 'The skills install, and are read', isFull: true, run: skillsWork },
  { id: 'package', title: 'The servers of OpenAPI documents install, and work', isFull: true, run: openapiWorks },
  { id: 'package', title: 'The command installs, and answers', run: commandAnswers },
  { id: 'package', title: 'A project of npm create tenon installs, and works', isFull: true, run: createdProjectsWork },
  { id: 'lint', title: 'Lint', run: () => biome('lint', '--error-on-warnings') },
  { id: 'format', title: 'Format', run: () => biome('format') },
  { id: 'unused', title: 'Dead code and unused dependencies', isFull: true, run: () => runNode([bin('knip')]) },
  {
    id: 'structure',
    title: 'Shape of the code',
    run: () => runNode(['--import', 'tsx', 'test/house/report-structure.ts']),
  },
  { id: 'browser', title: 'A browser for the tests', run: prepareBrowser },
  {
    id: 'rules',
    title: 'Rules for code and types',
    run: () => takeUnitTests({ name: 'rules', files: RULES, workers: 1 }),
  },
  { id: 'unit', title: 'Tests', run: () => ensureBrowser().then(() => takeUnitTests(chooseTests())) },
  { id: 'runtimes', title: 'Other runtimes', ...afterRuntimes('test/runtimes/run.mjs', ensureBrowser) },
  {
    id: 'chromium',
    title: 'Chromium',
    isFull: true,
    ...afterRuntimes('test/runtimes/run.mjs', ensureBrowser, ['chromium']),
  },
  { id: 'conformance', title: 'Conformance', ...afterRuntimes('test/conformance/run.mjs') },
];

/** `npm install` has built the packages, and so may an earlier run have. */
async function build() {
  if (!isBuilt()) await runNode(['scripts/build.mjs']);
  else if (lacksAi()) await runNode(['scripts/build.mjs', 'ai']);
  else console.log('the packages are built from these sources');
}

/** @param {string} path @param {() => Promise<unknown>} [prepare] @param {readonly string[]} [args] */
function afterRuntimes(path, prepare, args) {
  const { needs, run } = script(path, args);
  return { needs, run: () => installRuntimes().then(prepare).then(run) };
}

/** @returns {Promise<'skipped' | void>} */
async function prepareBrowser() {
  const { browser, errors } = await ensureBrowser();
  console.log(browser?.executablePath ?? skipMessage(errors));
  if (browser === undefined) return 'skipped';
}

/** Tests that read the sources by a compiler. In one worker, they parse them once. */
const RULES = [
  'test/house',
  'test/types',
  ...['import-openapi', 'json-output', 'migrate', 'types'].map(name => `test/cli/${name}.test.ts`),
];

/** In a run of all steps, the rules have a lane of their own. @returns {import('./unit-tests.mjs').TestSelection} */
const chooseTests = () => ({
  name: 'vitest',
  files: isFull ? [...listProductSuites(), ...skippedFiles] : [],
  excluded: isCover ? RULES : [],
});

/** @param {import('./unit-tests.mjs').TestSelection} selection @returns {Promise<Counts>} */
async function takeUnitTests(selection) {
  const { failures: found, ...counts } = await runUnitTests(selection);
  failures.push(...found);
  return counts;
}

/** Steps that use tools which `npm install` does not install. */
const USES_TOOLS = new Set(['build', 'types', 'package', 'unused', 'rules', 'unit', 'conformance']);

const SKIPPED = { passed: 0, failed: 0, verdict: 'skipped' };

/** @param {Step} step @returns {Promise<{ passed: number, failed: number, verdict: string }>} */
async function take({ title, needs, run }) {
  console.log(`\n━━ ${title}`);
  if (needs !== undefined && !existsSync(join(root, needs))) {
    console.log(`SKIPPED: there is no ${needs}`);
    return SKIPPED;
  }
  const started = performance.now();
  const counts = await run().catch(error => {
    const failure = error instanceof Error ? error.message : String(error);
    console.error(failure);
    failures.push(`${title}: ${failure}`);
    return { passed: 0, failed: 0, skipped: 0, held: false };
  });
  if (counts === 'skipped') return SKIPPED;
  const { passed, failed, skipped, held } = counts ?? { passed: 0, failed: 0, skipped: 0, held: true };
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const verdict = `${held ? 'passed' : 'FAILED'} in ${seconds} s${skipped > 0 ? `; ${skipped} skipped` : ''}`;
  return { passed: passed + (held ? 1 : 0), failed: failed + (held ? 0 : 1), verdict };
}

/** A line with the verdict of a step, or about the number of test files that have ended. */
const PROGRESS = /^── (.*)\n/gm;
const FILE_COUNT = /^\d+ of \d+ files/;

/**
 * Steps by their ids, for a process of its own. Its verdicts are printed at once, for those who wait.
 * @param {readonly string[]} ids @returns {Promise<string>} its output
 */
function runLane(ids) {
  return new Promise((resolve, reject) => {
    const lane = spawn(process.execPath, [fileURLToPath(import.meta.url), ...ids], {
      env: { ...process.env, TENON_TEST_LANE: 'cover' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [lane.stdout, lane.stderr])
      stream.setEncoding('utf8').on('data', text => {
        for (const [, line = ''] of `${output.slice(output.lastIndexOf('\n') + 1)}${text}`.matchAll(PROGRESS))
          if (FILE_COUNT.test(line)) console.log(`── ${line}`);
          else reportEnd(line);
        output += text;
      });
    lane.on('error', reject);
    lane.on('close', () => resolve(output));
  });
}

/**
 * Runs lanes at the same time, and prints the output of each when all have ended.
 * @param {readonly string[][]} lanes those that may begin at once
 * @param {Promise<void>} prepared what the other lanes wait for
 * @param {readonly string[][]} later
 */
async function takeTogether(lanes, prepared, later) {
  const running = [...lanes.map(runLane), ...later.map(ids => prepared.then(() => runLane(ids)))];
  for (const output of await Promise.all(running)) {
    const [, failed = ''] = /^━━ Failures\n([\s\S]*?)\n\n━━ Summary/m.exec(output) ?? [];
    const [, lines, count, wrong] = /^━━ Summary.*\n([\s\S]*?)\n\n(\d+) passed, (\d+) failed$/m.exec(output) ?? [];
    console.log(output.slice(0, output.search(/^━━ (Failures|Summary)/m)).replace(/^── .*\n/gm, ''));
    if (lines === undefined) throw new Error(`a lane ended without a summary: ${output}`);
    if (failed !== '') failures.push(failed);
    summary.push(lines);
    total.passed += Number(count);
    total.failed += Number(wrong);
  }
}

/** Prints the verdict of a step, and how many of all have ended. A lane leaves the count to the process that started it. */
function reportEnd(/** @type {string} */ verdict) {
  ended += 1;
  console.log(isCover ? `── ${verdict}` : `── ${ended} of ${count}: ${verdict}`);
}

/** @param {(id: string) => boolean} isWanted */
async function takeInTurn(isWanted) {
  for (const step of steps) {
    if (!isWanted(step.id) || (step.isFull && isCover)) continue;
    const { passed, failed, verdict } = await take(step);
    reportEnd(`${step.title}: ${verdict}`);
    summary.push(`${step.title}: ${verdict}`);
    total.passed += passed;
    total.failed += failed;
  }
}

/** Several lanes use the tools, the runtimes, the browser and what is built, and only one can make them. */
async function prepare() {
  await Promise.all([installTools(), installRuntimes()]);
  await takeInTurn(id => id === 'build' || id === 'browser');
}

const isFull = process.argv.includes('--full');
process.env.TENON_TEST_EXTENT = isFull ? 'full' : 'cover';
/** A lane of `npm test`, or all of it. Steps that are named run whole. */
const isCover = process.env.TENON_TEST_LANE === 'cover';
const withSkipped = process.argv.includes('--skipped');
const skippedFiles = withSkipped ? listSkippedFiles() : [];
const named = process.argv.slice(2).filter(argument => !argument.startsWith('--'));
const fullSteps = [
  'build',
  'package',
  'unused',
  'browser',
  'unit',
  'runtimes',
  ...(withSkipped ? ['chromium'] : []),
  'conformance',
];
const wanted = new Set(isFull && named.length === 0 ? fullSteps : named);
const unknown = [...wanted].filter(id => !steps.some(step => step.id === id));
if (unknown.length > 0) {
  console.error(
    `no such step: ${unknown.join(', ')}; there are ${[...new Set(steps.map(step => step.id))].join(', ')}`,
  );
  process.exit(2);
}

/** What each step came to. @type {string[]} */
const summary = [];
/** The tests that failed, with their errors. @type {string[]} */
const failures = [];
const total = { passed: 0, failed: 0 };
/** Steps that need nothing but `npm install`: they run while npm downloads the tools and the runtimes. */
const earlyLanes = [['lint', 'format', 'portable']];
/** Steps that run at the same time after that. */
const lanes = [['unit'], ['types', 'conformance'], ['package', 'runtimes'], ['rules']];
const planned = new Set(wanted.size > 0 ? wanted : ['build', 'browser', ...earlyLanes.flat(), ...lanes.flat()]);
/** Number of steps, and of those that have ended. */
const count = steps.filter(step => planned.has(step.id) && !(step.isFull && wanted.size === 0)).length;
let ended = 0;
if (wanted.size > 0) {
  if ([...wanted].some(id => USES_TOOLS.has(id))) await installTools();
  await takeInTurn(id => wanted.has(id));
} else {
  await takeTogether(earlyLanes, prepare(), lanes);
}
await removeInstalled();

if (failures.length > 0) console.log(`\n━━ Failures\n${failures.join('\n\n')}`);
console.log(`\n━━ Summary on Node ${process.version}\n${summary.join('\n')}\n`);
process.exitCode = total.failed === 0 ? 0 : 1;
console.log(`${total.passed} passed, ${total.failed} failed`);
