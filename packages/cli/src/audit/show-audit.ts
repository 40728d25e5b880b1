import { sanitizeText } from '@tenon/host';
import type { Command } from 'commander';
import type { JsonObject } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { type EntryFilter, readEntries, withEntryFilter } from './read-entries.js';

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

interface ShowOptions extends EntryFilter {
  readonly json?: boolean;
}

const MAX_TEXT = 500;

export function createShowAuditCommand(context: CliContext): Command {
  const command = createCommand('show', 'print the entries of audit logs, without verifying them').argument(
    '<file...>',
    'paths of the audit logs',
  );
  return withEntryFilter(command)
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

async function showFile(context: CliContext, file: string, { json, ...filter }: ShowOptions): Promise<void> {
  const { screen } = context;
  for await (const entry of readEntries(context, file, filter))
    if (json) screen.printJson(entry);
    else screen.print(formatEntry(entry));
  if (!json) screen.note(`${file}: not verified. Run \`tenon audit verify ${file}\``);
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
