import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { writeCsvCell, writeJson } from '@tenon/base/writers';
import { type Command, Option } from 'commander';
import type { JsonObject } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { createUsageError } from '../usage-error.js';
import { type EntryFilter, readEntries, withEntryFilter } from './read-entries.js';

interface ExportOptions extends EntryFilter {
  readonly format: 'jsonl' | 'csv';
  readonly output?: string;
  readonly json?: boolean;
}

/** Columns of a CSV file, in their order. `details` has all other members of an entry as JSON. */
const COLUMNS = [
  ...['time', 'replica', 'seq', 'action', 'principal', 'server', 'kind', 'name', 'call', 'rule', 'reason', 'outcome'],
  ...['ms', 'details'],
] as const;
/** Members that connect lines with each other, and have no meaning outside of the log. */
const CHAIN: readonly string[] = ['prev', 'hash', 'mac'];

export function createExportAuditCommand(context: CliContext): Command {
  const command = createCommand(
    'export',
    'export the entries of audit logs as JSON lines or CSV, without verifying them',
  )
    .argument('<file...>', 'paths of the audit logs')
    .addOption(new Option('--format <format>', 'format of the export').choices(['jsonl', 'csv']).default('jsonl'))
    .option('--output <file>', 'file to write, which must not exist (default: standard output)');
  return withEntryFilter(command)
    .option('--json', 'print the number of exported entries as JSON; requires --output')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon audit export audit.jsonl --format csv --output calls.csv', 'a file for a spreadsheet'],
        ['tenon audit export a.jsonl b.jsonl --since 2026-11-01 --until 2026-12-01', 'the entries of a month'],
      ]),
    )
    .action(async (files: string[], options: ExportOptions) => {
      await exportAudit(context, files, options);
      context.code = exitCodes.success;
    });
}

async function exportAudit(context: CliContext, files: readonly string[], options: ExportOptions): Promise<void> {
  const { format, output, json, ...filter } = options;
  const { screen, cwd } = context;
  if (json && output === undefined)
    throw createUsageError('--json without --output', 'pass --output FILE, or --format jsonl for JSON lines');
  const stream =
    output === undefined ? undefined : createWriteStream(resolve(cwd, output), { flags: 'wx', mode: 0o600 });
  const opened =
    stream && new Promise<void>((resolve, reject) => stream.once('open', () => resolve()).once('error', reject));
  await opened?.catch((error: NodeJS.ErrnoException) => {
    const hint =
      error.code === 'EEXIST'
        ? 'pass the path of a file that does not exist yet'
        : 'check the path and its permissions';
    throw createUsageError(`cannot write ${output}: ${error.code}`, hint);
  });
  const write = async (line: string) => {
    if (stream === undefined) screen.printData(line);
    // Rejects if the rest cannot be written, for example on a full disk.
    else if (!stream.write(`${line}\n`)) await once(stream, 'drain');
  };
  let entries = 0;
  if (format === 'csv') await write(COLUMNS.join(','));
  for (const file of files)
    for await (const entry of readEntries(context, file, filter)) {
      entries += 1;
      await write(format === 'csv' ? formatRow(entry) : writeJson(withoutChain(entry)));
    }
  if (stream) {
    stream.end();
    await finished(stream);
  }
  if (json) screen.printJson({ file: output, entries });
  else
    screen.note(
      `${entries} ${entries === 1 ? 'entry' : 'entries'}, not verified. Run \`tenon audit verify ${files.join(' ')}\``,
    );
}

const withoutChain = (entry: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => !CHAIN.includes(name)));

function formatRow(entry: JsonObject): string {
  const known: readonly string[] = COLUMNS;
  const others = Object.entries(withoutChain(entry)).filter(([name]) => !known.includes(name) || name === 'details');
  const details = others.length > 0 ? writeJson(Object.fromEntries(others)) : '';
  return COLUMNS.map(column => formatCell(column === 'details' ? details : entry[column])).join(',');
}

function formatCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  return writeCsvCell(typeof value === 'string' ? value : writeJson(value));
}
