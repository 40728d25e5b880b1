import { createFindingFactory, type Finding, type SkippedCheck } from '../doctor/finding.js';
import type { ExpectedFailures } from './expected-failures.js';
import type { ScenarioResult } from './run-suite.js';
import type { SuiteCheck } from './suite-check.js';

export interface ScenarioFindings {
  readonly findings: readonly Finding[];
  readonly skipped: readonly SkippedCheck[];
}

/** Turns the results of scenarios into findings. An expected failure is an `info`, and a scenario that no longer fails a problem. */
export function createScenarioFindings(
  results: readonly ScenarioResult[],
  expected: ExpectedFailures,
): ScenarioFindings {
  const findings = results.flatMap(result => createFindings(result, expected[result.side].includes(result.scenario)));
  const skipped = results.flatMap(({ scenario, checks }) =>
    checks.flatMap(({ id, status, errorMessage, description }) =>
      status === 'SKIPPED' ? [{ check: `${scenario}.${id}`, reason: errorMessage ?? description }] : [],
    ),
  );
  return { findings, skipped };
}

function createFindings(result: ScenarioResult, isExpected: boolean): Finding[] {
  const { scenario, side, checks } = result;
  const factory = createFindingFactory(scenario);
  if (checks.length === 0) {
    const details = {
      cause: 'the scenario ended early, or took too long',
      fix: `run it alone: ${createCommandLine(result)}`,
    };
    return [factory[isExpected ? 'info' : 'problem']('no-checks', 'the scenario has no result', details)];
  }
  const findings = checks.flatMap(check => toFinding(result, check, isExpected));
  if (!isExpected || checks.some(({ status }) => status === 'FAILURE')) return findings;
  return [
    ...findings,
    factory.problem('baseline', 'the scenario is expected to fail, and does not', {
      cause: 'an entry that stays would hide a later failure',
      fix: `remove "${scenario}" from the list "${side}" of the baseline`,
    }),
  ];
}

function toFinding(result: ScenarioResult, check: SuiteCheck, isExpected: boolean): Finding[] {
  const { id, status, description, errorMessage, reference } = check;
  const factory = createFindingFactory(result.scenario);
  const details = {
    ...(errorMessage === undefined ? {} : { seen: errorMessage }),
    ...(reference === undefined ? {} : { spec: reference }),
  };
  const advice = isMissingDefinition(errorMessage)
    ? {
        cause: 'the scenario uses a tool, prompt or resource with a fixed name, which the server does not have',
        fix: 'add it to a server for this test, or list the scenario in a --baseline',
      }
    : {
        cause: `the ${result.side} does not do this in the scenario ${result.scenario}`,
        fix: `${reference === undefined ? 'compare' : 'read the page below, compare'} the messages, and run it alone: ${createCommandLine(result)}`,
      };
  if (status === 'SUCCESS') return [factory.ok(id, description, details)];
  if (status === 'WARNING') return [factory.warning(id, description, { ...details, ...advice })];
  if (status !== 'FAILURE') return [];
  if (isExpected) return [factory.info(id, `expected to fail: ${description}`, details)];
  return [factory.problem(id, description, { ...details, ...advice })];
}

const createCommandLine = ({ side, scenario }: ScenarioResult): string =>
  side === 'server'
    ? `tenon conformance TARGET --scenario ${scenario}`
    : `tenon conformance --client COMMAND --scenario ${scenario}`;

const isMissingDefinition = (message: string | undefined): boolean =>
  message !== undefined &&
  /\b(unknown|invalid) (tool|prompt|resource)\b|\b(tool|prompt|resource)\b.* not found/i.test(message);
