import { countFindings, type DoctorReport, getReportExit } from '../doctor/finding.js';
import { createScenarioFindings } from './create-findings.js';
import type { ExpectedFailures } from './expected-failures.js';
import { type RunSuiteOptions, runSuite, type ScenarioResult } from './run-suite.js';

/** Report of `tenon conformance`: the one of `tenon doctor`, and the version of the suite. */
export interface ConformanceReport extends DoctorReport {
  readonly suite: { readonly name: string; readonly version: string };
  /** Scenarios that ran, in their order. */
  readonly scenarios: readonly string[];
}

export interface ConformanceOptions extends Omit<RunSuiteOptions, 'side' | 'args'> {
  /** URL of the server to examine. */
  readonly url?: string | undefined;
  /** Command line of the client to examine. */
  readonly client?: string | undefined;
  /** Name of the server or client in the report. */
  readonly label: string;
  /** Scenarios to run. Empty for those of the suite. */
  readonly scenarios: readonly string[];
  /** Group of scenarios, as the suite names it. */
  readonly group?: string | undefined;
  readonly requirements?: string | undefined;
  readonly protocolVersion?: string | undefined;
  /** Timeout of each scenario, in milliseconds. */
  readonly timeout?: number | undefined;
  readonly expected: ExpectedFailures;
  readonly strict: boolean;
}

/** Group of client scenarios that runs if none is chosen: the suite has no default. */
const CLIENT_GROUP = 'core';

/** Runs the official suite against a server, a client, or both. */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const { suite, url, client, label, scenarios, group, protocolVersion, requirements, expected, strict } = options;
  const results: ScenarioResult[] = [];
  const run = async (side: RunSuiteOptions['side'], args: readonly string[], defaults: readonly string[]) => {
    const chosen = group === undefined ? defaults : ['--suite', group];
    const runs =
      scenarios.length > 0
        ? scenarios.map(scenario => ['--scenario', scenario])
        : [requirements === undefined ? chosen : []];
    for (const selection of runs)
      results.push(...(await runSuite({ ...options, side, args: [...args, ...selection, ...createFilters(options)] })));
  };
  if (url !== undefined) await run('server', ['--url', url], []);
  if (client !== undefined) await run('client', ['--command', client], ['--suite', CLIENT_GROUP]);
  const { findings, skipped } = createScenarioFindings(results, expected);
  const counts = countFindings(findings);
  return {
    suite: { name: '@modelcontextprotocol/conformance', version: suite.version },
    target: label,
    server: null,
    protocolVersion: protocolVersion ?? requirements ?? null,
    counts,
    scenarios: results.map(({ scenario }) => scenario),
    findings,
    skipped,
    exit: getReportExit(counts, { strict }),
  };
}

const createFilters = ({ protocolVersion, requirements, timeout }: ConformanceOptions): string[] => [
  ...(protocolVersion === undefined ? [] : ['--spec-version', protocolVersion]),
  ...(requirements === undefined ? [] : ['--requirements', requirements]),
  ...(timeout === undefined ? [] : ['--timeout', String(timeout)]),
];
