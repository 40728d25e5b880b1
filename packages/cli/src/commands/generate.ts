import type { Command } from 'commander';
import { version } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { collectAll } from '../collect-all.js';
import { exitCodes } from '../exit-codes.js';
import { createGeneratedTarget } from '../generate/create-target.js';
import { writeCli } from '../generate/write-cli.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { writeProjectFile } from '../project-file.js';
import { summaries } from '../summaries.js';
import { runWithClient } from '../target/run-with-client.js';
import { createTargetCommand, type TargetOptions, withTargetOptions } from '../target/target-options.js';
import { type TargetReference, takeOnlyTarget } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';
import { checkWrittenFile } from '../written-file.js';

interface GenerateCliOptions extends TargetOptions {
  readonly out?: string;
  readonly name?: string;
  readonly check?: boolean;
}

export function createGenerateCommand(context: CliContext): Command {
  return createCommand('generate', summaries.generate).addCommand(createCliCommand(context));
}

function createCliCommand(context: CliContext): Command {
  const command = createTargetCommand('cli', 'write a command with a sub-command for each tool of a server', '')
    .usage('[options] TARGET\n       tenon generate cli [options] -- COMMAND [ARGUMENTS…]')
    .option('-o, --out <file>', 'JavaScript file to write (default: standard output)')
    .option('--name <name>', 'name of the command (default: the name of the server)')
    .option('--check', 'write nothing, and fail with 7 if the file differs from the server');
  return withTargetOptions(command)
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
          target: createGeneratedTarget(reference, target, options),
          libraryVersion: version,
        });
        warnAboutFile(context, reference);
        if (check && out !== undefined)
          await checkWrittenFile(context, { out, text, command: 'tenon generate cli' }, options);
        else await reportText(context, text, out, options);
      });
    });
}

/** Warns for a server file, because its path and that of the runtime belong to this machine. */
function warnAboutFile({ screen }: CliContext, reference: TargetReference): void {
  if (reference.kind === 'file')
    screen.note(
      `the command starts ${reference.path}, so it works on this machine only. Pass a URL or a command after -- to share it`,
      'warning',
    );
}

async function reportText(context: CliContext, text: string, out: string | undefined, { json }: TargetOptions) {
  if (out !== undefined) await writeProjectFile(context.cwd, out, text, 0o755);
  context.code = exitCodes.success;
  if (json) context.screen.printJson(out === undefined ? { text } : { file: out });
  else if (out === undefined) context.screen.print(text.trimEnd());
  else context.screen.note(`wrote ${out}. It needs \`npm install tenon@${version}\`. Run \`node ${out} --help\`.`);
}
