import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { TenonError } from 'tenon';
import { createUsageError } from '../usage-error.js';
import type { ConformanceSuite } from './find-suite.js';
import { parseChecks, type SuiteCheck } from './suite-check.js';

/** Sides that the suite examines. */
export type Side = 'server' | 'client';

export interface ScenarioResult {
  readonly side: Side;
  readonly scenario: string;
  /** Checks of the scenario. Empty if it ended before the first. */
  readonly checks: readonly SuiteCheck[];
}

export interface RunSuiteOptions {
  readonly suite: ConformanceSuite;
  /** Node that runs the suite. */
  readonly node: string;
  readonly side: Side;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Receives the name of each scenario when it starts. */
  readonly onScenario: (scenario: string) => void;
}

/** Maximum time of a run, in milliseconds. */
const MAX_TIME = 60 * 60_000;
/** Maximum number of lines of output that are kept for errors. */
const MAX_LINES = 12;
const MAX_SCENARIOS = 1000;
/** Maximum size of the results of one scenario, in bytes. */
const MAX_SIZE = 20 * 1024 ** 2;

/** Runs the suite, and returns the results of its scenarios in their order. Throws if none ran. */
export async function runSuite(options: RunSuiteOptions): Promise<ScenarioResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-conformance-'));
  try {
    const { started, lines } = await runProgram(options, folder);
    const results = await readResults(folder, options.side);
    const missing = [...started].filter(scenario => !results.some(each => each.scenario === scenario));
    const all = [...results, ...missing.map(scenario => ({ side: options.side, scenario, checks: [] }))];
    if (results.length === 0) throw createNoResultsError(options, lines);
    const order = [...started];
    return all.toSorted((a, b) => order.indexOf(a.scenario) - order.indexOf(b.scenario));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface ProgramOutput {
  readonly started: ReadonlySet<string>;
  /** Last lines of its output. */
  readonly lines: readonly string[];
}

function runProgram(
  { suite, node, side, args, cwd, env, signal, onScenario }: RunSuiteOptions,
  folder: string,
): Promise<ProgramOutput> {
  const child = spawn(node, [suite.program, side, ...args, '-o', folder], {
    cwd,
    signal,
    timeout: MAX_TIME,
    env: { ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const started = new Set<string>();
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', line => {
      const scenario = readScenarioName(line);
      if (scenario !== undefined && started.size < MAX_SCENARIOS) {
        started.add(scenario);
        onScenario(scenario);
      }
      lines.push(line.slice(0, 200));
      if (lines.length > MAX_LINES) lines.shift();
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', cause => {
      if (signal.aborted) reject(cause);
      else reject(createUsageError(`cannot start ${node}: ${cause.message}`, 'pass the path of Node with --node'));
    });
    child.once('close', () => resolve({ started, lines }));
  });
}

/** Reads the name from `=== Running scenario: NAME ===` or `Running client scenario 'NAME' against …`. */
function readScenarioName(line: string): string | undefined {
  const [, inSuite, alone] = /^(?:=== Running scenario: (\S+) ===|Running client scenario '([^']+)')/.exec(line) ?? [];
  return inSuite ?? alone;
}

/** The suite writes `[server-]SCENARIO-TIME/checks.json`. Names of scenarios may contain a slash. */
async function readResults(folder: string, side: Side): Promise<ScenarioResult[]> {
  const files = (await readdir(folder, { recursive: true })).filter(each => /[\\/]checks\.json$/.test(each)).sort();
  const results = files.slice(0, MAX_SCENARIOS).map(async file => {
    const path = join(folder, file);
    if ((await stat(path)).size > MAX_SIZE) throw new TenonError('cli/conformance', `${file}: results are too large`);
    const [, scenario = file] = /^(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(file.slice(0, -'/checks.json'.length)) ?? [];
    const name = scenario
      .split(sep)
      .join('/')
      .replace(side === 'server' ? /^server-/ : '', '');
    return { side, scenario: name, checks: parseChecks(await readFile(path, 'utf8')) };
  });
  return Promise.all(results);
}

function createNoResultsError({ suite, node, side }: RunSuiteOptions, lines: readonly string[]): TenonError {
  const output = lines.filter(line => line.trim() !== '').join('\n');
  // Node reports an import that it does not have as a syntax error.
  if (/does not provide an export named|Unsupported engine/.test(output))
    return createUsageError(
      `version ${suite.version} of the suite needs a later Node than ${node === process.execPath ? process.version : node}`,
      'install Node 22 or later, and pass its path with --node',
    );
  return new TenonError('cli/conformance', `the suite ran no ${side} scenario`, {
    received: output.slice(-1000) || 'no output',
    hint: 'check the names of scenarios and suites',
  });
}
