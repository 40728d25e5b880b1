import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type AuditFileVerification, type AuditHead, verifyAuditFile } from 'tenon/host';
import type { CliContext } from '../cli-context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { createUsageError, readVariable } from '../usage-error.js';
import { createCommand, formatExamples } from './command.js';

interface VerifyOptions {
  readonly keyEnv?: string;
  readonly through?: string;
  readonly json?: boolean;
}

export function auditCommand(context: CliContext): Command {
  const verify = createCommand('verify', 'verify that an audit log is complete and unchanged, over all its files')
    .argument('<file...>', 'path of the audit log (the --audit of the gateway); several are verified one by one')
    .option('--key-env <VARIABLE>', 'environment variable with the key of the log')
    .option('--through <SEQ:HASH>', 'entry that was noted elsewhere and must be part of the log')
    .option('--json', 'print one JSON object per log')
    .addHelpText(
      'after',
      formatExamples([['tenon audit verify audit.jsonl', 'print the last entry, or the first invalid line']]),
    )
    .action(async (files: string[], options: VerifyOptions) => {
      context.code = await verifyAll(context, files, options);
    });
  return createCommand('audit', 'verify audit logs').addCommand(verify);
}

async function verifyAll(context: CliContext, files: readonly string[], options: VerifyOptions): Promise<ExitCode> {
  const { screen } = context;
  const key = options.keyEnv === undefined ? undefined : readVariable(context.env, options.keyEnv, '--key-env');
  const through = options.through === undefined ? undefined : parseHead(options.through);
  let code: ExitCode = exitCodes.success;
  for (const file of files) {
    const verification = await verifyAuditFile(resolve(context.cwd, file), { key, through });
    if (options.json) screen.printJson({ file, ...verification });
    else screen.print(describeVerification(file, verification));
    if (!verification.ok) code = exitCodes.failure;
  }
  return code;
}

function describeVerification(
  file: string,
  { ok, lines, head, problem, at, torn, unshown, files }: AuditFileVerification,
): string {
  const over = files.length > 1 ? ` in ${files.length} files` : '';
  const place = at ? `${at.file}:${at.line}` : `line ${problem?.line}`;
  const first = ok ? `${file}: whole, ${lines} lines${over}` : `${file}: broken at ${place}: ${problem?.what}`;
  return [
    first,
    ...(ok ? [] : [`  the ${lines} lines before it are valid`]),
    ...(head ? [`  head ${head.seq}:${head.hash}`] : []),
    ...(torn > 0 ? [`  ${torn} bytes at its end are half a line: it is being written, or its writer died`] : []),
    ...unshown.map(each => `  not ruled out: ${each}`),
  ].join('\n');
}

function parseHead(text: string): AuditHead {
  const [, seq, hash] = /^(\d{1,15}):([\w-]{20,100})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined)
    throw createUsageError('--through: invalid head', 'pass the value that `tenon audit verify` prints');
  return { seq: Number(seq), hash };
}
