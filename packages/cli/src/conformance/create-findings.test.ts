import { describe, expect, it } from 'vitest';
import { createScenarioFindings } from './create-findings.js';
import type { ScenarioResult } from './run-suite.js';
import { parseChecks } from './suite-check.js';

const URL = 'https://modelcontextprotocol.io/specification/2025-11-25/server/tools';
const createResult = (scenario: string, ...statuses: string[]): ScenarioResult => ({
  side: 'server',
  scenario,
  checks: parseChecks(
    JSON.stringify(
      statuses.map((status, index) => ({
        id: `c${index}`,
        name: 'Check',
        description: `Claim ${index}`,
        status,
        specReferences: [{ id: 'Tools', url: URL }],
        ...(status === 'FAILURE' ? { errorMessage: 'not a list' } : {}),
      })),
    ),
  ),
});
const nothing = { server: [], client: [] };
const list = (results: ScenarioResult[], expected: { server: string[]; client: string[] } = nothing) =>
  createScenarioFindings(results, expected).findings.map(({ id, severity }) => `${severity} ${id}`);

describe('the findings of the conformance suite', () => {
  it('have a severity, an observation, a cause, a fix and a page [cli.conformance]', () => {
    const { findings, skipped } = createScenarioFindings(
      [createResult('a/b', 'SUCCESS', 'FAILURE', 'WARNING', 'INFO', 'SKIPPED')],
      nothing,
    );
    expect(findings.map(({ id, severity }) => `${severity} ${id}`)).toEqual([
      'ok a/b.c0',
      'problem a/b.c1',
      'warning a/b.c2',
    ]);
    expect(findings[1]).toMatchObject({ title: 'Claim 1', seen: 'not a list', spec: URL });
    expect(findings[1]?.fix).toContain('tenon conformance TARGET --scenario a/b');
    expect(skipped).toEqual([{ check: 'a/b.c4', reason: 'Claim 4' }]);
  });

  it('become notes where a failure is expected, and problems where it does not occur', () => {
    const results = [createResult('fails', 'FAILURE'), createResult('passes', 'SUCCESS'), createResult('ends')];
    expect(list(results, { server: ['fails', 'passes', 'ends'], client: [] })).toEqual([
      'info fails.c0',
      'ok passes.c0',
      'problem passes.baseline',
      'info ends.no-checks',
    ]);
    expect(list(results, { server: [], client: ['fails'] })).toEqual([
      'problem fails.c0',
      'ok passes.c0',
      'problem ends.no-checks',
    ]);
  });

  it('drops entries of another shape', () => {
    expect(parseChecks('{"id":1}')).toEqual([]);
    expect(parseChecks('[null, 1, {"id":"x","status":"ELSE"}, {"id":"y","status":"SUCCESS"}]')).toMatchObject([
      { id: 'y', description: 'y', reference: undefined },
    ]);
  });
});
