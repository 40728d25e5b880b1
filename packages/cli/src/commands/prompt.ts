import type { Command } from 'commander';
import type { JsonObject, Prompt } from 'tenon';
import { reportPromptResult } from '../calls/report-prompt.js';
import { runCall } from '../calls/run-call.js';
import type { CliContext } from '../cli-context.js';
import { collectAll } from '../collect-all.js';
import { storeKnownNames } from '../completion/known-names.js';
import { formatExamples } from '../options/create-command.js';
import { createQuestions } from '../questions/questions.js';
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
import { type TargetReference, takeTarget } from '../target/target-reference.js';
import { checkArguments } from '../tools/check-arguments.js';
import { createUnknownNameError } from '../tools/create-unknown-name-error.js';
import { explainUnknownName, OPEN_SCHEMA } from '../tools/explain-unknown-name.js';
import { parseArguments } from '../tools/parse-arguments.js';
import { formatPromptSignature } from '../tools/signature.js';
import { createUsageError } from '../usage-error.js';

interface PromptCommandOptions extends TargetOptions {
  readonly args?: string;
  readonly save?: string;
}

export function createPromptCommand(context: CliContext): Command {
  const command = createTargetCommand('prompt', summaries.prompt, 'NAME [ARGUMENT=VALUE…]')
    .option('--args <json>', 'arguments as a JSON object; @FILE reads a file, - standard input')
    .option('--save <folder>', 'save images, audio and resources of the messages into this folder');
  return withTargetOptions(withKeep(withArgumentOptions(command)))
    .addHelpText(
      'after',
      formatExamples([['tenon prompt notes summarize title=Glue', 'print the messages of a prompt']]),
    )
    .action(async (words: string[], options: PromptCommandOptions) => {
      refuseUnknownOptions('prompt', words, context.serverCommand ? 1 : 2);
      const { reference, rest } = takeTarget(context, words);
      const [name, ...argumentWords] = rest;
      if (name === undefined) throw createUsageError('no prompt', 'see the prompts of the server with `tenon list`');
      const questions = createQuestions(context, options);
      await runWithClient(
        context,
        reference,
        options,
        async connection => {
          const prompts = await listPrompts(context, reference, connection);
          const prompt = prompts.find(each => each.name === name);
          const send = async (schema: JsonObject) => {
            const args = await parseArguments(schema, { words: argumentWords, json: options.args, cwd: context.cwd });
            if (prompt) await checkArguments(args, schema, () => formatPromptSignature(prompt));
            const request = { method: 'prompts/get' as const, params: { name, arguments: args }, reference, options };
            return runCall(context, connection, request, questions);
          };
          const names = prompts.map(each => each.name);
          const result = prompt
            ? await send(createArgumentSchema(prompt))
            : await explainUnknownName(
                () => send(OPEN_SCHEMA),
                () => createUnknownNameError('prompt', name, names),
              );
          if (result) await reportPromptResult(context, result, options);
        },
        questions.handlers,
      );
    });
}

async function listPrompts(
  context: CliContext,
  reference: TargetReference,
  { client, signal }: TargetConnection,
): Promise<Prompt[]> {
  const prompts = await collectAll(client.listPrompts({ signal }));
  await storeKnownNames(context, reference, { prompts });
  return prompts;
}

/** Arguments of prompts are texts. */
function createArgumentSchema({ arguments: parameters = [] }: Prompt): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name }) => [name, { type: 'string' }])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}
