import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type AuditFileVerdict, type AuditHead, verifyAuditFile } from 'tenon/host';
import { type ExitCode, exit } from '../exit.js';
import { misuse, variable } from '../misuse.js';
import type { World } from '../world.js';
import { command, examples } from './command.js';

interface VerifyOptions {
  readonly keyEnv?: string;
  readonly through?: string;
  readonly json?: boolean;
}

export function auditCommand(world: World): Command {
  const verify = command('verify', 'check that a record is whole, over all its files')
    .argument('<file...>', 'the path that the gateway was given, of each record')
    .option('--key-env <VARIABLE>', 'the variable with the key that the record was written with')
    .option('--through <SEQ:HASH>', 'a head that was kept elsewhere: the record must go through it')
    .option('--json', 'print what was found as JSON, a line for each record')
    .addHelpText('after', examples([['tenon audit verify audit.jsonl', 'prints its head, or the line that is wrong']]))
    .action(async (files: string[], options: VerifyOptions) => {
      world.code = await verifyAll(world, files, options);
    });
  return command('audit', 'records of what was done').addCommand(verify);
}

async function verifyAll(world: World, files: readonly string[], options: VerifyOptions): Promise<ExitCode> {
  const { screen } = world;
  const key = options.keyEnv === undefined ? undefined : variable(world.env, options.keyEnv, '--key-env');
  const through = options.through === undefined ? undefined : headOf(options.through);
  let code: ExitCode = exit.fine;
  for (const file of files) {
    const verdict = await verifyAuditFile(resolve(world.cwd, file), { key, through });
    if (options.json) screen.json({ file, ...verdict });
    else screen.print(described(file, verdict));
    if (!verdict.ok) code = exit.no;
  }
  return code;
}

function described(file: string, { ok, lines, head, problem, at, torn, unshown, files }: AuditFileVerdict): string {
  const over = files.length > 1 ? ` in ${files.length} files` : '';
  const place = at ? `${at.file}:${at.line}` : `line ${problem?.line}`;
  const first = ok ? `${file}: whole, ${lines} lines${over}` : `${file}: broken at ${place}: ${problem?.what}`;
  return [
    first,
    ...(ok ? [] : [`  the ${lines} lines before it are to be believed`]),
    ...(head ? [`  head ${head.seq}:${head.hash}`] : []),
    ...(torn > 0 ? [`  ${torn} bytes at its end are half a line: it is being written, or its writer died`] : []),
    ...unshown.map(each => `  not shown: ${each}`),
  ].join('\n');
}

function headOf(text: string): AuditHead {
  const [, seq, hash] = /^(\d{1,15}):([\w-]{20,100})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined)
    throw misuse('--through is no head', 'give it as `tenon audit verify` prints it');
  return { seq: Number(seq), hash };
}
