import type { Command } from 'commander';
import { printServerText } from '../calls/format-content.js';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { summaries } from '../summaries.js';
import { runWithClient } from '../target/run-with-client.js';
import { createTargetCommand, type TargetOptions, withKeep, withTargetOptions } from '../target/target-options.js';
import { takeTarget } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';
import { formatExamples } from './command.js';

export function completeCommand(context: CliContext): Command {
  const own = createTargetCommand('complete', summaries.complete, 'PROMPT|TEMPLATE NAME=START [OTHER=VALUE…]');
  return withTargetOptions(withKeep(own))
    .addHelpText(
      'after',
      formatExamples([
        ['tenon complete notes summarize title=Gl', 'an argument of a prompt'],
        ["tenon complete notes 'note://{title}' title=Gl", 'a variable of a resource template'],
        ['tenon complete trips plan town=B country=Italy', 'with the values of other arguments'],
      ]),
    )
    .action(async (words: string[], options: TargetOptions) => {
      const { reference, rest } = takeTarget(context, words);
      const [name, ...pairs] = rest;
      const [argument, ...others] = pairs.map(parsePair);
      if (name === undefined || argument === undefined)
        throw createUsageError('nothing to complete', 'pass a prompt or template, and NAME=START');
      const ref = name.includes('://')
        ? ({ type: 'ref/resource', uri: name } as const)
        : ({ type: 'ref/prompt', name } as const);
      const values = Object.fromEntries(others.map(other => [other.name, other.value]));
      await runWithClient(context, reference, options, async ({ client, signal }) => {
        const given = others.length > 0 ? { context: { arguments: values } } : {};
        const completion = await client.complete({ ref, argument, ...given }, { signal });
        context.code = exitCodes.success;
        if (options.json) context.screen.printJson(completion);
        else if (completion.values.length > 0) await printServerText(context.screen, completion.values.join('\n'));
        if (!options.json && completion.hasMore) context.screen.note('there are more values');
      });
    });
}

function parsePair(word: string): { readonly name: string; readonly value: string } {
  const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(word) ?? [];
  if (name === undefined || value === undefined)
    throw createUsageError(`argument without a name: ${word}`, 'write NAME=START');
  return { name, value };
}
