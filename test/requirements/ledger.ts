import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Each ledger is named by its protocol version. Others have the extensions, the work of several replicas of a server, and the command. */
const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
const ledgers = [...versions, 'extensions', 'apps-additions', 'skills', 'scale-out', 'cli', 'telemetry'] as const;

/** One requirement of a protocol version: a row of its ledger. README.md explains the columns. */
export interface Requirement {
  readonly version: (typeof ledgers)[number];
  readonly id: string;
  readonly role: string;
  readonly level: string;
  readonly area: string;
  readonly text: string;
}

export interface Waiver {
  readonly id: string;
  /** `*`, or the one protocol version in which it is waived. */
  readonly version: string;
  readonly reason: string;
}

/** Reads a tab-separated file: a header line, no quoting. A file that is missing has no rows. */
export function readTable(name: string): string[][] {
  const path = join(folder, name);
  if (!existsSync(path)) return [];
  const [, ...lines] = readFileSync(path, 'utf8').split('\n');
  return lines.filter(line => line !== '').map(line => line.split('\t'));
}

export function readRequirements(): Requirement[] {
  return ledgers.flatMap(version =>
    readTable(`${version}.tsv`).map(([id = '', role = '', level = '', area = '', text = '']) => ({
      ...{ version, id, role, level, area, text },
    })),
  );
}

export function readWaivers(): Waiver[] {
  return readTable('waivers.tsv').map(([id = '', version = '', reason = '']) => ({ id, version, reason }));
}

/**
 * The ids that each scenario of the official suite checks. A scenario counts while the suite is run, and when it is
 * not among its known failures.
 */
export function readByConformance(): Map<string, string[]> {
  const suite = join(folder, '../conformance');
  if (!existsSync(join(suite, 'run.mjs'))) return new Map();
  const lists = readdirSync(suite).filter(name => name.startsWith('known-failures'));
  const failing = lists.flatMap(name => readFileSync(join(suite, name), 'utf8').split(/[^\w/.-]+/));
  const rows = readTable('by-conformance.tsv').filter(([scenario = '']) => !failing.includes(scenario));
  return new Map(rows.map(([scenario = '', ids = '']) => [scenario, ids.split(' ')]));
}

/** The list of debts: ids that nothing covers yet. */
export function readUncovered(): string[] {
  return readTable('uncovered.tsv').map(([id = '']) => id);
}

export const uncoveredPath = join(folder, 'uncovered.tsv');

/** The extensions that are there: the gate holds them to what it holds the protocol versions to. Of others it only knows the ids. */
const extensions = ['ext-tasks', 'ext-client-credentials', 'ext-ema', 'ext-apps', 'ext-skills'];
/** Those among them that share an area with others. */
const drafts = /^(?:dpop|wif)\./;

/** The requirements that the gate guards: those with MUST. */
export function isGuarded({ version, id, level, area }: Requirement): boolean {
  if (!level.startsWith('MUST')) return false;
  if (version === 'extensions') return extensions.includes(area) || drafts.test(id);
  return area !== 'apps';
}
