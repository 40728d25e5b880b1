import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { citationsIn } from './citations.js';
import { cover, type Evidence, readEvidence, table } from './coverage.js';
import { type Requirement, readTable } from './ledger.js';

describe('the requirements', () => {
  const evidence = readEvidence();
  const coverage = cover(evidence);
  console.log(table(evidence.requirements, coverage));

  it('are cited by existing ids', () => expect(coverage.unknown).toEqual([]));
  it('are waived only with a reason and without a test', () => expect(coverage.staleWaivers).toEqual([]));
  it('are covered, or listed as uncovered', () => expect(coverage.undeclared).toEqual([]));
  it('leave the list of uncovered ones when they are covered: npm run requirements -- --write', () => {
    expect(coverage.settled).toEqual([]);
  });
});

const row = (id: string, more: Partial<Requirement> = {}): Requirement => ({
  ...{ id, version: '2025-06-18', role: 'server', level: 'MUST', area: 'tools', text: 'It does.' },
  ...more,
});

const nothing: Evidence = { requirements: [], citations: [], byConformance: new Map(), waivers: [], uncovered: [] };
const judge = (more: Partial<Evidence>) => cover({ ...nothing, ...more });

describe('the scenarios', () => {
  it('exist in the official suite', () => {
    const suite = readFileSync(
      createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js'),
      'utf8',
    );
    const names = readTable('by-conformance.tsv').map(([scenario = '']) => scenario);
    expect(names.filter(name => !new RegExp(`["'\`]${name}["'\`]`).test(suite))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('computeCoverage', () => {
  it('requires a test, a scenario, a waiver or an entry as uncovered', () => {
    const requirements = [row('tools.a')];
    expect(judge({ requirements }).undeclared).toEqual(['tools.a']);
    expect(judge({ requirements, citations: [{ id: 'tools.a', file: 'a.test.ts' }] }).debts).toEqual([]);
    expect(judge({ requirements, byConformance: new Map([['list', ['tools.a']]]) }).debts).toEqual([]);
    expect(judge({ requirements, waivers: [{ id: 'tools.a', version: '*', reason: 'r' }] }).debts).toEqual([]);
    expect(judge({ requirements, uncovered: ['tools.a'] }).undeclared).toEqual([]);
  });

  it('covers requirements of all protocol versions and extensions', () => {
    const outside = [
      row('tools.b', { level: 'SHOULD' }),
      row('apps.a', { area: 'apps' }),
      row('mtls.a', { version: 'extensions', area: 'ext-other' }),
    ];
    expect(judge({ requirements: outside }).debts).toEqual([]);
    expect(judge({ requirements: [row('tools.b', { level: 'MUST NOT' })] }).debts).toEqual(['tools.b']);
    expect(judge({ requirements: [row('tasks.a', { area: 'tasks' })] }).debts).toEqual(['tasks.a']);
    for (const role of ['auth-client', 'auth-resource-server', 'auth-server', 'both'])
      expect(judge({ requirements: [row('auth.a', { area: 'auth', role })] }).debts).toEqual(['auth.a']);
    for (const area of ['ext-tasks', 'ext-client-credentials', 'ext-ema', 'ext-skills']) {
      const extension = row(`${area}.a`, { version: 'extensions', area });
      expect(judge({ requirements: [extension] }).debts).toEqual([`${area}.a`]);
    }
    for (const id of ['dpop.a', 'wif.a'])
      expect(judge({ requirements: [row(id, { version: 'extensions', area: 'ext-other' })] }).debts).toEqual([id]);
  });

  it('reports unknown ids', () => {
    expect(judge({ citations: [{ id: 'tools.z', file: 'a.test.ts' }] }).unknown).toEqual(['tools.z in a.test.ts']);
    expect(judge({ byConformance: new Map([['list', ['tools.z']]]) }).unknown).toHaveLength(1);
  });

  it('reports unneeded waivers', () => {
    const requirements = [row('tools.a'), row('tools.b', { level: 'SHOULD' })];
    const stale = (id: string, version: string, reason: string, more: Partial<Evidence> = {}) =>
      judge({ requirements, waivers: [{ id, version, reason }], ...more }).staleWaivers;
    expect(stale('tools.a', '2025-06-18', 'r')).toEqual([]);
    expect(stale('tools.a', '2026-07-28', 'r')).toHaveLength(1);
    expect(stale('tools.a', '*', '')).toHaveLength(1);
    expect(stale('tools.b', '*', 'r')).toHaveLength(1);
    expect(stale('tools.z', '*', 'r')).toHaveLength(1);
    expect(stale('tools.a', '*', 'r', { citations: [{ id: 'tools.a', file: 'a.test.ts' }] })).toHaveLength(1);
  });

  it('requires a test beside a waiver of a part', () => {
    const requirements = [row('tools.a')];
    const waivers = [{ id: 'tools.a', version: '*', reason: 'In part: r' }];
    const citations = [{ id: 'tools.a', file: 'a.test.ts' }];
    expect(judge({ requirements, waivers, citations }).staleWaivers).toEqual([]);
    expect(judge({ requirements, waivers }).staleWaivers).toHaveLength(1);
  });

  it('reports covered requirements that are listed as uncovered', () => {
    const requirements = [row('tools.a')];
    const citations = [{ id: 'tools.a', file: 'a.test.ts' }];
    expect(judge({ requirements, citations, uncovered: ['tools.a'] }).settled).toEqual(['tools.a']);
    expect(judge({ uncovered: ['tools.z'] }).settled).toEqual(['tools.z']);
  });

  it('applies a waiver only to its protocol version', () => {
    const requirements = [row('tools.a'), row('tools.a', { version: '2026-07-28' })];
    const waivers = [{ id: 'tools.a', version: '2026-07-28', reason: 'r' }];
    const { standing, debts } = judge({ requirements, waivers });
    expect(requirements.map(standing)).toEqual(['uncovered', 'waived']);
    expect(debts).toEqual(['tools.a']);
  });
});

describe('readCitations', () => {
  const ids = (text: string) => citationsIn('a.test.ts', text, new Set(['tools', 'http'])).map(({ id }) => id);

  it('finds ids in brackets in titles, strings and comments', () => {
    expect(ids("it('lists [tools.list.a]', () => {});")).toEqual(['tools.list.a']);
    expect(ids("// [tools.list.a, http.b-c http.d]\nconst a = 'x';")).toEqual(['tools.list.a', 'http.b-c', 'http.d']);
    expect(ids('/** [tools.list.a] */\nfunction f() {}')).toEqual(['tools.list.a']);
    expect(ids(`it.each([1])(\`\${x} [http.b]\`, () => { /* [tools.a] */ f(); });`)).toEqual(['http.b', 'tools.a']);
  });

  it('ignores code, other brackets, and skipped tests', () => {
    expect(ids('const a = b[tools.list];')).toEqual([]);
    expect(ids("it('reads [a.b] and [1]', () => {});")).toEqual([]);
    expect(ids("it.skip('lists [tools.list.a]', () => {});")).toEqual([]);
    expect(ids("it.todo('lists [tools.list.a]');")).toEqual([]);
  });
});
