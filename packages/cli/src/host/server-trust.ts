import { join } from 'node:path';
import { createFolder } from '@tenon/base/node';
import {
  type ConfiguredEntry,
  createTrust,
  loadTrustKey,
  sanitizeName,
  sanitizeText,
  type Trust,
  type TrustQuestion,
} from '@tenon/host';
import { memoryStores, type Stores, TenonError } from 'tenon';
import { sqliteStores } from 'tenon/sqlite';
import type { CliContext } from '../cli-context.js';
import { getFolders } from '../folders.js';
import { formatColumns } from '../screen.js';
import { reportDangers } from '../target/review-target.js';

/** Decision about the servers that may be started. */
export interface TrustDecision {
  readonly approved: readonly ConfiguredEntry[];
  /** Servers that are not approved. */
  readonly refused: readonly ConfiguredEntry[];
}

/**
 * Asks the user about each project server whose entry differs from the approved one, before the server is started.
 * Without a terminal, such servers are refused. With `trust`, all servers are accepted, and no approval is stored.
 */
export async function checkTrust(
  context: CliContext,
  entries: readonly ConfiguredEntry[],
  trust: boolean,
): Promise<TrustDecision> {
  const isAsked = (entry: ConfiguredEntry) => !trust && entry.origin?.scope === 'project';
  if (trust)
    for (const entry of entries)
      if (entry.origin?.scope === 'project') reportDangers(context, entry, sanitizeName(entry.name));
  if (!entries.some(isAsked)) return { approved: entries, refused: [] };
  const { settings, state } = getFolders(context.env);
  const stores = await openTrustStores(context, state);
  try {
    const trustStore = createTrust({ values: stores.values, key: await loadTrustKey(join(settings, 'trust.key')) });
    const granted = new Set<ConfiguredEntry>();
    for (const entry of entries)
      if (!isAsked(entry) || (await requestApproval(context, trustStore, entry))) granted.add(entry);
    return {
      approved: entries.filter(entry => granted.has(entry)),
      refused: entries.filter(entry => !granted.has(entry)),
    };
  } finally {
    await stores.close();
  }
}

async function openTrustStores({ screen }: CliContext, folder: string): Promise<Stores> {
  await createFolder(folder, 0o700);
  try {
    return sqliteStores(join(folder, 'trust.sqlite'));
  } catch (error) {
    if (!TenonError.is(error) || error.code !== 'store/no-driver') throw error;
    screen.note('approvals are not stored, because libsql is not available on this platform');
    return memoryStores();
  }
}

async function requestApproval(context: CliContext, trust: Trust, entry: ConfiguredEntry): Promise<boolean> {
  const { terminal, screen } = context;
  const question = await trust.getQuestion(entry);
  if (question === undefined) return true;
  const { name, origin } = entry;
  const where = `${origin?.file}:${origin?.line}`;
  if (!terminal.interactive) {
    const what = question.first ? 'was not approved yet' : 'has changed since its approval';
    screen.note(`${where}: the server "${sanitizeName(name)}" ${what}, and is skipped`);
    reportDangers(context, entry, sanitizeName(name));
    screen.note('Run this in a terminal to approve it, or pass --trust if the file is your own.');
    return false;
  }
  const isUrl = 'url' in entry.target;
  const action = isUrl ? 'connect to this server' : 'start this program';
  const title = `${where} configures the server "${sanitizeName(name)}"`;
  const details = describeTrustQuestion(title, action, question);
  if (!(await terminal.confirm({ message: isUrl ? 'Connect to it?' : 'Run it?', details }))) return false;
  await trust.approve(entry);
  return true;
}

/**
 * Describes an entry for the user: all members that decide which program runs, or their changes. Masks secrets and
 * shows invisible characters.
 */
function describeTrustQuestion(title: string, action: string, { first, changes, dangers }: TrustQuestion): string {
  const change = first ? '' : ', which has changed since you approved it';
  const lines = changes.map(({ key, before, after }) => {
    const is = after ?? '(removed)';
    return [key, first || before === undefined ? is : `${before} → ${is}`];
  });
  const warnings = dangers.map(each => `  ! ${sanitizeText(each)}`);
  return ['', `${title}${change}. The command will ${action}:`, formatColumns(lines), ...warnings].join('\n');
}
