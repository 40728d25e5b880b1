import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { summaries } from '../summaries.js';
import { createUnknownNameError } from '../tools/create-unknown-name-error.js';

/** Folder of the schemas, in the package of the command. */
const FOLDER = join(dirname(createRequire(import.meta.url).resolve('@tenon/cli/package.json')), 'schemas');

/** Lists the commands with a schema of their output. */
export async function listSchemaNames(): Promise<string[]> {
  return (await readdir(FOLDER)).map(file => file.replace(/\.json$/, '')).sort();
}

export function createSchemaCommand(context: CliContext): Command {
  return createCommand('schema', summaries.schema)
    .argument('[command]', 'name of a command, or `error` for the line that each command prints when it fails')
    .option('--json', 'print the names as a JSON object, and a schema in one line')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon schema', 'the names of all schemas'],
        ['tenon schema list', 'the output of `tenon list --json`'],
      ]),
    )
    .action(async (name: string | undefined, { json }: { readonly json?: boolean }) => {
      const names = await listSchemaNames();
      if (name !== undefined && !names.includes(name)) {
        // The other schemas are not those of commands, so they are no better guess.
        const listed = names.filter(each => Object.hasOwn(summaries, each));
        throw await createUnknownNameError('schema of a command', name, listed);
      }
      const text = name === undefined ? names.join('\n') : await readFile(join(FOLDER, `${name}.json`), 'utf8');
      if (json) context.screen.printJson(name === undefined ? { names } : JSON.parse(text));
      else context.screen.print(text.trimEnd());
      context.code = exitCodes.success;
    });
}
