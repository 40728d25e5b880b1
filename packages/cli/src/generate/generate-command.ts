import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { version } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { collectAll } from '../collect-all.js';
import { createCommand, formatExamples } from '../commands/command.js';
import { exitCodes } from '../exit-codes.js';
import { summaries } from '../summaries.js';
import { runWithClient, type TargetConnection } from '../target/run-with-client.js';
import { createTargetCommand, type TargetOptions, withTargetOptions } from '../target/target-options.js';
import { takeOnlyTarget } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';
import { checkWrittenFile } from '../written-file.js';
import { type GeneratedTarget, writeCli } from './write-cli.js';

interface GenerateCliOptions extends TargetOptions {
  readonly out?: string;
  readonly name?: string;
  readonly check?: boolean;
}

export function createGenerateCommand(context: CliContext): Command {
  return createCommand('generate', summaries.generate).addCommand(createCliCommand(context));
}

function createCliCommand(context: CliContext): Command {
  const own = createTargetCommand('cli', 'write a command with a sub-command for each tool of a server', '')
    .usage('[options] TARGET\n       tenon generate cli [options] -- COMMAND [ARGUMENTS…]')
    .option('--out <file>', 'JavaScript file to write (default: standard output)')
    .option('--name <name>', 'name of the command (default: the name of the server)')
    .option('--check', 'write nothing, and fail with 7 if the file differs from the server');
  return withTargetOptions(own)
    .addHelpText(
      'after',
      formatExamples([
        ['tenon generate cli https://example.com/mcp --out notes.mjs', 'then: node notes.mjs --help'],
        ['tenon generate cli --out notes.mjs -- npx notes-server', 'for a server that is started'],
        ['tenon generate cli https://example.com/mcp --out notes.mjs --check', 'in CI'],
      ]),
    )
    .action(async (words: string[], options: GenerateCliOptions) => {
      const { out, check = false } = options;
      const reference = takeOnlyTarget(context, words);
      if (out !== undefined && !/\.m?js$/.test(out))
        throw createUsageError(`not a JavaScript file: ${out}`, 'pass a name that ends in .mjs or .js');
      if (check && out === undefined) throw createUsageError('--check without --out', 'pass the file to check');
      await runWithClient(context, reference, options, async ({ client, target, signal }) => {
        const { info, capabilities } = client.server;
        const tools = capabilities.tools ? await collectAll(client.listTools({ signal })) : [];
        const text = writeCli(tools, {
          name: options.name ?? info?.name ?? target.label,
          version: info?.version ?? '0.0.0',
          target: createTarget(target, options),
          libraryVersion: version,
        });
        if (check && out !== undefined)
          await checkWrittenFile(context, { out, text, command: 'tenon generate cli' }, options);
        else await reportText(context, text, out, options);
      });
    });
}

/** Returns the target to write. Refuses one that may contain a secret, because the file is shared. */
function createTarget({ target }: TargetConnection['target'], { pass = [], env }: TargetOptions): GeneratedTarget {
  if ('command' in target) {
    if (env !== undefined)
      throw createUsageError('--env: its value may be secret, and the file is shared', 'pass names with --pass');
    return { command: target.command, args: target.args ?? [], pass };
  }
  if (!('url' in target)) throw createUsageError('a recording cannot be connected to', 'pass a URL or a command');
  const { href, username, password, search } = new URL(target.url);
  if (username === '' && password === '' && search === '') return { url: href };
  throw createUsageError(
    'the URL of the server has a user, a password or a query, which may be secret',
    'remove it, and pass the token when the command runs',
  );
}

async function reportText(context: CliContext, text: string, out: string | undefined, { json }: TargetOptions) {
  if (out !== undefined) await writeFile(resolve(context.cwd, out), text, { mode: 0o755 });
  context.code = exitCodes.success;
  if (json) context.screen.printJson(out === undefined ? { text } : { file: out });
  else if (out === undefined) context.screen.print(text.trimEnd());
  else context.screen.note(`wrote ${out}. It needs \`npm install tenon@${version}\`. Run \`node ${out} --help\`.`);
}
