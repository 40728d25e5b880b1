import { resolve } from 'node:path';
import {
  type AuditAnchor,
  type AuditFilesVerification,
  type AuditFileVerification,
  type AuditHead,
  readAuditAnchors,
  verifyAuditFile,
  verifyAuditFiles,
} from '@tenon/host';
import type { Command } from 'commander';
import { createExportAuditCommand } from '../audit/export-audit.js';
import { createShowAuditCommand } from '../audit/show-audit.js';
import type { CliContext } from '../cli-context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { withStore } from '../options/serving-options.js';
import { openGatewayStores, type StoreOptions } from '../stores/open-stores.js';
import { summaries } from '../summaries.js';
import { createUsageError, readVariable } from '../usage-error.js';

interface VerifyOptions extends StoreOptions {
  readonly keyEnv?: string;
  readonly through?: string;
  readonly json?: boolean;
}

export function createAuditCommand(context: CliContext): Command {
  const verify = createCommand('verify', 'verify that audit logs are complete and unchanged, over all their files')
    .argument('<file...>', 'paths of the audit logs (the --audit of each gateway), of all replicas with one store')
    .option('--key-env <VARIABLE>', 'environment variable with the key of the logs')
    .option('--through <SEQ:HASH>', 'entry that was noted elsewhere and must be part of the log')
    .option('--json', 'print one JSON object per log, and one per missing log');
  withStore(
    verify,
    'store of the gateways, whose anchors show missing entries and logs: redis://…, postgres://… or a path',
  )
    .addHelpText(
      'after',
      formatExamples([
        ['tenon audit verify audit.jsonl', 'print the last entry, or the first invalid line'],
        ['tenon audit verify a.jsonl b.jsonl --store state.sqlite', 'also find missing entries and logs'],
      ]),
    )
    .action(async (files: string[], options: VerifyOptions) => {
      context.code = await verifyAll(context, files, options);
    });
  return createCommand('audit', summaries.audit)
    .addCommand(createShowAuditCommand(context))
    .addCommand(createExportAuditCommand(context))
    .addCommand(verify);
}

async function verifyAll(context: CliContext, files: readonly string[], options: VerifyOptions): Promise<ExitCode> {
  const { screen } = context;
  const { ok, logs, missing } = await verifyLogs(context, files, options);
  const absence = hasStore(options) ? 'missing' : 'not given';
  for (const [index, log] of logs.entries()) {
    const file = files[index] as string;
    if (options.json) screen.printJson({ file, ...log });
    else screen.print(describeVerification(file, log));
  }
  for (const { replica, seq } of missing) {
    if (options.json) screen.printJson({ replica, ok: !hasStore(options), absent: true, lines: seq + 1 });
    else screen.print(`${absence}: the log of the replica ${replica}, with at least ${seq + 1} lines`);
  }
  return ok ? exitCodes.success : exitCodes.failure;
}

const hasStore = ({ store, storeEnv }: VerifyOptions): boolean => store !== undefined || storeEnv !== undefined;

async function verifyLogs(
  context: CliContext,
  files: readonly string[],
  options: VerifyOptions,
): Promise<AuditFilesVerification> {
  const paths = files.map(file => resolve(context.cwd, file));
  const key = options.keyEnv === undefined ? undefined : readVariable(context.env, options.keyEnv, '--key-env');
  if (options.through === undefined)
    return verifyAuditFiles(paths, { key, anchors: await readStoredAnchors(context, options) });
  const [path, ...others] = paths;
  if (path === undefined || others.length > 0 || hasStore(options))
    throw createUsageError('--through belongs to one log', 'pass one file, or --store instead of --through');
  const log = await verifyAuditFile(path, { key, through: parseHead(options.through) });
  return { ok: log.ok, logs: [log], missing: [] };
}

/** Reads the anchors in the store that the options name. Returns `undefined` if they name none. */
async function readStoredAnchors(context: CliContext, options: VerifyOptions): Promise<AuditAnchor[] | undefined> {
  if (!hasStore(options)) return undefined;
  const stores = await openGatewayStores(context, options);
  try {
    return await readAuditAnchors(stores.values);
  } finally {
    await stores.close();
  }
}

function describeVerification(
  file: string,
  { ok, lines, head, replica, finding, at, torn, unshown, files }: AuditFileVerification,
): string {
  const over = files.length > 1 ? ` in ${files.length} files` : '';
  const place = at ? `${at.file}:${at.line}` : `line ${finding?.line}`;
  const first = ok
    ? `${file}: valid, ${lines} ${lines === 1 ? 'line' : 'lines'}${over}`
    : `${file}: invalid at ${place}: ${finding?.what}`;
  return [
    first,
    ...(ok ? [] : [lines === 1 ? '  the line before it is valid' : `  the ${lines} lines before it are valid`]),
    ...(head ? [`  head ${head.seq}:${head.hash}`] : []),
    ...(replica === undefined ? [] : [`  replica ${replica}`]),
    ...(torn > 0
      ? [
          `  ${torn} ${torn === 1 ? 'byte' : 'bytes'} at the end are an incomplete line: the gateway is still writing, or it stopped while writing`,
        ]
      : []),
    ...unshown.map(each => `  cannot be verified: ${each}`),
  ].join('\n');
}

function parseHead(text: string): AuditHead {
  const [, seq, hash] = /^(\d{1,15}):([\w-]{20,100})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined)
    throw createUsageError('--through: invalid head', 'pass the value that `tenon audit verify` prints');
  return { seq: Number(seq), hash };
}
