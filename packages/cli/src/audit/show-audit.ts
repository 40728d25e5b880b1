import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import type { JsonObject } from 'tenon';
import { readAudit, sanitizeText } from 'tenon/host';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { isJsonObject } from '../json-object.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { parseDuration } from '../options/option-parsers.js';

/** Entry of an audit log, as `tenon audit show` prints it. It may have other members. */
export interface AuditEntryLine {
  readonly seq: number;
  /** Time as ISO 8601. */
  readonly time: string;
  /** Stage of the action: `called`, `denied`, … */
  readonly action: string;
  /** User on whose behalf the action happens. */
  readonly principal?: string;
  readonly server?: string;
  readonly kind?: string;
  readonly name?: string;
  /** Number of the deciding policy rule, from 1. */
  readonly rule?: number;
  readonly reason?: string;
  readonly outcome?: string;
  /** Duration in milliseconds. */
  readonly ms?: number;
  readonly [member: string]: unknown;
}

interface ShowOptions {
  readonly denied?: boolean;
  readonly since?: number;
  readonly tool?: string;
  readonly json?: boolean;
}

/** Actions that did not happen. */
const DENIED: readonly unknown[] = ['denied', 'refused', 'limited'];
const MAX_TEXT = 500;

export function createShowAuditCommand(context: CliContext): Command {
  return createCommand('show', 'print the entries of audit logs, without verifying them')
    .argument('<file...>', 'paths of the audit logs')
    .option('--denied', 'only actions that were denied, refused or limited')
    .option(
      '--since <time>',
      'only later entries: a date such as 2026-11-26T08:00Z, or a time before now such as 2h',
      parseSince,
    )
    .option('--tool <name>', 'only entries of this tool, prompt or resource: NAME or SERVER/NAME')
    .option('--json', 'print the entries as they are, as one JSON object per line')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon audit show audit.jsonl --since 2h', 'one line for each entry'],
        ['tenon audit show audit.jsonl --denied --tool fs/write_file', 'denied calls of one tool'],
      ]),
    )
    .action(async (files: string[], options: ShowOptions) => {
      for (const file of files) await showFile(context, file, options);
      context.code = exitCodes.success;
    });
}

function parseSince(text: string): number {
  const date = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Date.now() - parseDuration(text);
  if (Number.isNaN(date)) throw new InvalidArgumentError('Expected a date such as 2026-11-26, or a time such as 2h.');
  return date;
}

async function showFile({ screen, cwd }: CliContext, file: string, options: ShowOptions): Promise<void> {
  let invalid = 0;
  const lines = createInterface({ input: Readable.from(readAudit(resolve(cwd, file))), crlfDelay: Infinity });
  for await (const line of lines) {
    const entry = parseEntry(line);
    if (entry === undefined) invalid += 1;
    // Other lines connect files and replicas.
    else if (typeof entry.action === 'string' && isSelected(entry, options))
      if (options.json) screen.printJson(entry);
      else screen.print(formatEntry(entry));
  }
  if (invalid > 0)
    screen.note(
      `${file}: ${invalid} ${invalid === 1 ? 'line is no entry' : 'lines are no entries'}, and skipped`,
      'warning',
    );
  if (!options.json) screen.note(`${file}: not verified. Run \`tenon audit verify ${file}\``);
}

function parseEntry(line: string): JsonObject | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return isJsonObject(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function isSelected({ action, time, server, name }: JsonObject, { denied, since, tool }: ShowOptions): boolean {
  if (denied && !DENIED.includes(action)) return false;
  if (since !== undefined && !(Date.parse(String(time)) >= since)) return false;
  return tool === undefined || tool === name || tool === `${server}/${name}`;
}

/** Formats an entry: time, caller, server and tool, decision, reason, duration. */
function formatEntry({ time, principal, server, name, action, outcome, reason, rule, ms }: JsonObject): string {
  const subject = [server, name].filter(each => each !== undefined).join('/');
  const isRuleNamed = typeof reason === 'string' && reason.includes('rule');
  const cells = [
    ...[time, principal ?? '-', subject || '-', action, outcome, reason],
    rule === undefined || isRuleNamed ? undefined : `rule ${rule}`,
    typeof ms === 'number' ? `${Math.round(ms)} ms` : undefined,
  ];
  const texts = cells.filter(each => each !== undefined).map(each => sanitizeText(String(each), { max: MAX_TEXT }));
  return texts.join('  ');
}
