import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { storeKnownNames } from '../completion/known-names.js';
import { exitCodes } from '../exit-codes.js';
import { requireUrlWithoutSecrets } from '../generate/create-target.js';
import { formatExamples } from '../options/create-command.js';
import { writeProjectFile } from '../project-file.js';
import { summaries } from '../summaries.js';
import { runWithClient, type TargetConnection } from '../target/run-with-client.js';
import { createTargetCommand, type TargetOptions, withTargetOptions } from '../target/target-options.js';
import { takeOnlyTarget } from '../target/target-reference.js';
import { readServerLists } from '../tools/read-server-lists.js';
import { type TypedDefinitions, writeTypes } from '../types/write-types.js';
import { createUsageError } from '../usage-error.js';
import { checkWrittenFile } from '../written-file.js';

interface TypesCommandOptions extends TargetOptions {
  readonly out?: string;
  readonly name?: string;
  readonly check?: boolean;
}

export function createTypesCommand(context: CliContext): Command {
  const command = createTargetCommand('types', summaries.types, '')
    .option('-o, --out <file>', 'file to write: .d.ts for the types, .ts for the types and a function that connects')
    .option('--name <name>', 'base of the exported names (default: the name of the server)')
    .option('--check', 'write nothing, and fail with 7 if the file differs from the server');
  return withTargetOptions(command)
    .addHelpText(
      'after',
      formatExamples([
        ['tenon types https://example.com/mcp --out notes.d.ts', 'for connect<NotesTypes>(url)'],
        ['tenon types https://example.com/mcp --out notes.ts', 'with the function connectNotes'],
        ['tenon types notes --out notes.d.ts --check', 'in CI'],
      ]),
    )
    .action(async (words: string[], options: TypesCommandOptions) => {
      const { out, check = false } = options;
      const reference = takeOnlyTarget(context, words);
      if (out !== undefined && !/\.[mc]?ts$/.test(out))
        throw createUsageError(`not a TypeScript file: ${out}`, 'pass a name that ends in .d.ts or .ts');
      if (check && out === undefined) throw createUsageError('--check without --out', 'pass the file to check');
      await runWithClient(context, reference, options, async connection => {
        const definitions = await readDefinitions(connection);
        await storeKnownNames(context, reference, definitions);
        const server = connection.client.server.info?.name ?? connection.target.label;
        const hasClient = out !== undefined && !/\.d\.[mc]?ts$/.test(out);
        const url = hasClient ? readUrl(connection.target) : undefined;
        const text = writeTypes(definitions, { server, name: options.name ?? server, url });
        if (check && out !== undefined) await checkWrittenFile(context, { out, text, command: 'tenon types' }, options);
        else await reportTypes(context, text, out, options);
      });
    });
}

/** Reads the definitions. A list that fails is an error, because its types would look like removed ones. */
async function readDefinitions({ client, signal }: TargetConnection): Promise<TypedDefinitions> {
  const { tools, prompts, resources, failures } = await readServerLists(client, { signal });
  const failed = failures.find(({ list }) => list !== 'resourceTemplates');
  if (failed) throw failed.error;
  return { tools, prompts, resources };
}

/** Returns the URL of a target. Refuses one that may contain a secret, because the file is shared. */
function readUrl({ target }: TargetConnection['target']): string {
  const hint = 'write a .d.ts file, and pass the target to connect';
  if (!('url' in target)) throw createUsageError('a function that connects needs the URL of a server', hint);
  return requireUrlWithoutSecrets(String(target.url), hint);
}

async function reportTypes(context: CliContext, text: string, out: string | undefined, { json }: TargetOptions) {
  if (out !== undefined) await writeProjectFile(context.cwd, out, text);
  context.code = exitCodes.success;
  if (json) context.screen.printJson(out === undefined ? { text } : { file: out });
  else if (out === undefined) context.screen.print(text.trimEnd());
  else context.screen.note(`wrote ${out}`);
}
