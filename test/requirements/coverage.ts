import { type Citation, readCitations } from './citations.js';
import {
  isGuarded,
  type Requirement,
  readByConformance,
  readRequirements,
  readUncovered,
  readWaivers,
  type Waiver,
} from './ledger.js';

export interface Evidence {
  readonly requirements: readonly Requirement[];
  readonly citations: readonly Citation[];
  readonly byConformance: ReadonlyMap<string, readonly string[]>;
  readonly waivers: readonly Waiver[];
  readonly uncovered: readonly string[];
}

export interface Coverage {
  /** Ids that are cited or mapped and in no ledger, with the place. */
  readonly unknown: readonly string[];
  /** Waivers without a reason, of unknown or covered ids, or of nothing that is guarded. */
  readonly staleWaivers: readonly string[];
  /** Guarded ids with neither test nor waiver. */
  readonly debts: readonly string[];
  /** Debts that the list does not have, and entries of the list that are no debt any more. */
  readonly undeclared: readonly string[];
  readonly settled: readonly string[];
  /** How a requirement stands. */
  standing(requirement: Requirement): 'tested' | 'waived' | 'uncovered';
}

export function readEvidence(): Evidence {
  const requirements = readRequirements();
  const areas = new Set(requirements.map(({ id }) => id.split('.')[0] ?? ''));
  return {
    requirements,
    citations: readCitations(areas),
    byConformance: readByConformance(),
    waivers: readWaivers(),
    uncovered: readUncovered(),
  };
}

export function cover({ requirements, citations, byConformance, waivers, uncovered }: Evidence): Coverage {
  const known = new Set(requirements.map(({ id }) => id));
  const mapped = [...byConformance].flatMap(([scenario, ids]) => ids.map(id => ({ id, file: `scenario ${scenario}` })));
  const claims = [...citations, ...mapped];
  const tested = new Set(claims.map(({ id }) => id));
  const waived = new Set(waivers.map(({ id, version }) => `${id} ${version}`));
  const standing = ({ id, version }: Requirement): 'tested' | 'waived' | 'uncovered' => {
    if (tested.has(id)) return 'tested';
    return waived.has(`${id} *`) || waived.has(`${id} ${version}`) ? 'waived' : 'uncovered';
  };
  const guarded = requirements.filter(isGuarded);
  const debts = unique(guarded.filter(row => standing(row) === 'uncovered').map(({ id }) => id));
  return {
    unknown: unique(claims.filter(({ id }) => !known.has(id)).map(({ id, file }) => `${id} in ${file}`)),
    staleWaivers: waivers.flatMap(waiver => whyStale(waiver, tested, guarded)),
    debts,
    undeclared: debts.filter(id => !uncovered.includes(id)),
    settled: uncovered.filter(id => !debts.includes(id)),
    standing,
  };
}

function whyStale(
  { id, version, reason }: Waiver,
  tested: ReadonlySet<string>,
  guarded: readonly Requirement[],
): string[] {
  const rows = guarded.filter(row => row.id === id && (version === '*' || row.version === version));
  if (rows.length === 0) return [`${id} (${version}): no such requirement is guarded`];
  // A deviation in one case. Tests show the rest of the requirement.
  if (reason.startsWith('In part: '))
    return tested.has(id) ? [] : [`${id} (${version}): no test covers the part that is not waived`];
  if (tested.has(id)) return [`${id} (${version}): a test covers it`];
  return reason.trim() === '' ? [`${id} (${version}): no reason`] : [];
}

/** Counts the tested, waived and uncovered of the guarded rows: by protocol version, then by role. */
export function table(requirements: readonly Requirement[], { standing }: Coverage): string {
  const guarded = requirements.filter(isGuarded);
  const roles = unique(guarded.map(({ role }) => role)).sort();
  const lines = [
    ...unique(guarded.map(({ version }) => version)).map(
      name => [name, guarded.filter(({ version }) => version === name)] as const,
    ),
    ...roles.map(name => [name, guarded.filter(({ role }) => role === name)] as const),
    ['all', guarded] as const,
  ].map(([name, rows]) => {
    const count = (wanted: string) => rows.filter(row => standing(row) === wanted).length;
    const share = (100 * count('tested')) / (rows.length - count('waived') || 1);
    const cells = [rows.length, count('tested'), count('waived'), count('uncovered')];
    return `${name.padEnd(14)}${cells.map(cell => String(cell).padStart(10)).join('')}${share.toFixed(1).padStart(9)} %`;
  });
  const head = [
    'MUST, MUST NOT',
    ...['rows', 'tested', 'waived', 'uncovered'].map(title => title.padStart(10)),
    'tested/due'.padStart(11),
  ];
  return [head.join(''), ...lines].join('\n');
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
