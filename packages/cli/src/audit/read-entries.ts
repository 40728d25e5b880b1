import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { escapeJsonCharacter, isObject, parseDuration, parseJsonText } from '@tenon/base';
import { type AuditAction, readAudit } from '@tenon/host';
import { type Command, InvalidArgumentError } from 'commander';
import type { JsonObject } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { parseNames } from '../options/option-parsers.js';

/** Selection of the entries of an audit log. */
export interface EntryFilter {
  readonly denied?: boolean;
  /** Time of the first entry, in milliseconds since the epoch. */
  readonly since?: number;
  /** Time before which the last entry is, in milliseconds since the epoch. */
  readonly until?: number;
  readonly tool?: string | undefined;
  /** Name of the caller. `-`: callers without a name. */
  readonly caller?: string | undefined;
  /** Stages of an action, such as `denied`. */
  readonly action?: readonly string[] | undefined;
  /** Text in an entry, in any case. */
  readonly text?: string | undefined;
}

/** Actions that did not happen. */
const DENIED: readonly unknown[] = ['denied', 'refused', 'limited'];

/** Actions that an entry can have. */
const ACTIONS: Readonly<Record<AuditAction, true>> = {
  asked: true,
  allowed: true,
  denied: true,
  refused: true,
  limited: true,
  called: true,
  answered: true,
  failed: true,
  cancelled: true,
  drift: true,
  approved: true,
  started: true,
  stopped: true,
  'signed-in': true,
  'signed-out': true,
  sampled: true,
  elicited: true,
};

/** Adds the options that select entries. */
export const withEntryFilter = (command: Command): Command =>
  command
    .option('--denied', 'only actions that were denied, refused or limited')
    .option(
      '--since <time>',
      'only later entries: a date such as 2026-11-26T08:00Z, or a time before now such as 2h',
      parseTime,
    )
    .option('--until <time>', 'only earlier entries, with the same forms of a time', parseTime)
    .option('--tool <name>', 'only entries of this tool, prompt or resource: NAME or SERVER/NAME')
    .option('--caller <name>', 'only entries of this caller; - for callers without a name')
    .option('--action <names>', 'only entries with these actions, such as denied,failed', parseActions)
    .option('--text <text>', 'only entries that contain this text, in any case');

function parseTime(text: string): number {
  const date = /^\d{4}-\d\d/.test(text)
    ? Date.parse(text)
    : Date.now() - (parseDuration(text.trim().toLowerCase()) || NaN);
  if (Number.isNaN(date)) throw new InvalidArgumentError('Expected a date such as 2026-11-26, or a time such as 2h.');
  return date;
}

function parseActions(text: string): string[] {
  const actions = parseNames(text);
  if (actions.every(action => Object.hasOwn(ACTIONS, action))) return actions;
  throw new InvalidArgumentError(`Expected one or several of ${Object.keys(ACTIONS).join(', ')}.`);
}

/** Reads the selected entries of an audit log, over all its files. Reports lines that are no entries. */
export async function* readEntries(
  { screen, cwd }: Pick<CliContext, 'screen' | 'cwd'>,
  file: string,
  filter: EntryFilter,
): AsyncGenerator<JsonObject> {
  let invalid = 0;
  yield* readEntryLines(resolve(cwd, file), filter, () => (invalid += 1));
  if (invalid === 0) return;
  const what = invalid === 1 ? 'line is no entry' : 'lines are no entries';
  screen.note(`${file}: ${invalid} ${what}, and skipped`, 'warning');
}

/**
 * Reads the selected entries of an audit log, over all its files.
 *
 * @param onInvalid Called for each line that is no entry.
 */
export async function* readEntryLines(
  path: string,
  filter: EntryFilter,
  onInvalid: () => void,
): AsyncGenerator<JsonObject> {
  const wanted = filter.text === undefined ? undefined : toLineText(filter.text);
  const lines = createInterface({ input: Readable.from(readAudit(path)), crlfDelay: Infinity });
  for await (const line of lines) {
    if (wanted !== undefined && !line.toLowerCase().includes(wanted)) continue;
    const entry = parseEntry(line);
    if (entry === undefined) onInvalid();
    // Other lines connect files and replicas.
    else if (typeof entry.action === 'string' && isSelected(entry, filter)) yield entry;
  }
}

/** Writes a text as lines contain it: JSON in ASCII, here in lower case. */
const toLineText = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .toLowerCase()
    .replace(/[^ -~]/g, escapeJsonCharacter);

function parseEntry(line: string): JsonObject | undefined {
  try {
    const entry: unknown = parseJsonText(line);
    return isObject(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function isSelected(
  { action, time, server, name, principal }: JsonObject,
  { denied, since, until, tool, caller, action: actions }: EntryFilter,
): boolean {
  if (denied && !DENIED.includes(action)) return false;
  if (actions !== undefined && !actions.includes(String(action))) return false;
  if (caller !== undefined && caller !== (principal ?? '-')) return false;
  const at = Date.parse(String(time));
  if (since !== undefined && !(at >= since)) return false;
  if (until !== undefined && !(at < until)) return false;
  return tool === undefined || tool === name || tool === `${server}/${name}`;
}
