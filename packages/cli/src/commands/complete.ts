import type { Command } from 'commander';
import { TenonError } from 'tenon';
import { listVariables } from '../calls/expand-template.js';
import { printServerText } from '../calls/format-content.js';
import type { CliContext } from '../cli-context.js';
import { collectAll } from '../collect-all.js';
import { exitCodes } from '../exit-codes.js';
import { formatExamples } from '../options/create-command.js';
import { summaries } from '../summaries.js';
import { runWithClient, type TargetConnection } from '../target/run-with-client.js';
import {
  createTargetCommand,
  refuseUnknownOptions,
  type TargetOptions,
  withArgumentOptions,
  withKeep,
  withTargetOptions,
} from '../target/target-options.js';
import { takeTarget } from '../target/target-reference.js';
import { checkNames } from '../tools/check-names.js';
import { createUnknownNameError } from '../tools/create-unknown-name-error.js';
import { parsePairs } from '../tools/parse-pairs.js';
import { createUsageError } from '../usage-error.js';

export function createCompleteCommand(context: CliContext): Command {
  const command = createTargetCommand('complete', summaries.complete, 'PROMPT|TEMPLATE NAME=START [OTHER=VALUE…]');
  return withTargetOptions(withKeep(withArgumentOptions(command)))
    .addHelpText(
      'after',
      formatExamples([
        ['tenon complete notes summarize title=Gl', 'an argument of a prompt'],
        ["tenon complete notes 'note://{title}' title=Gl", 'a variable of a resource template'],
        ['tenon complete trips plan town=B country=Italy', 'with the values of other arguments'],
      ]),
    )
    .action(async (words: string[], options: TargetOptions) => {
      refuseUnknownOptions('complete', words, context.serverCommand ? 1 : 2);
      const { reference, rest } = takeTarget(context, words);
      const [name, ...pairs] = rest;
      const [argument, ...others] = parsePairs(pairs);
      if (name === undefined || argument === undefined)
        throw createUsageError('nothing to complete', 'pass a prompt or template, and NAME=START');
      const ref = isTemplate(name)
        ? ({ type: 'ref/resource', uri: name } as const)
        : ({ type: 'ref/prompt', name } as const);
      const values = Object.fromEntries(others.map(other => [other.name, other.value]));
      await runWithClient(context, reference, options, async connection => {
        const { client, signal } = connection;
        const names = [argument, ...others].map(each => each.name);
        await checkCompletion(connection, name, names);
        const given = others.length > 0 ? { context: { arguments: values } } : {};
        const completion = await client.complete({ ref, argument, ...given }, { signal });
        context.code = exitCodes.success;
        if (options.json) context.screen.printJson(completion);
        else if (completion.values.length > 0) await printServerText(context.screen, completion.values.join('\n'));
        if (!options.json && completion.hasMore) context.screen.note('there are more values');
      });
    });
}

/** Checks the names of arguments, because servers answer an unknown one with no values. */
async function checkCompletion(
  { client, signal }: TargetConnection,
  name: string,
  names: readonly string[],
): Promise<void> {
  if (isTemplate(name)) return checkKnown(listVariables(name), names);
  const prompts = await collectOffered(client.listPrompts({ signal }));
  const prompt = prompts.find(each => each.name === name);
  if (prompt)
    return checkKnown(
      (prompt.arguments ?? []).map(each => each.name),
      names,
    );
  const tools = await collectOffered(client.listTools({ signal }));
  if (tools.some(each => each.name === name))
    throw createUsageError(
      `${name} is a tool, whose arguments cannot be completed`,
      'pass a prompt or a resource template of `tenon list`',
    );
  throw await createUnknownNameError(
    'prompt',
    name,
    prompts.map(each => each.name),
  );
}

const isTemplate = (name: string): boolean => /:\/\/|\{/.test(name);

const checkKnown = (known: readonly string[], names: readonly string[]): Promise<void> =>
  checkNames({ properties: Object.fromEntries(known.map(each => [each, {}])), additionalProperties: false }, { names });

/** Collects a list. It is empty if the server does not offer it. */
async function collectOffered<T>(list: AsyncIterable<T>): Promise<T[]> {
  try {
    return await collectAll(list);
  } catch (error) {
    if (TenonError.is(error) && error.code === 'call/not-offered') return [];
    throw error;
  }
}
