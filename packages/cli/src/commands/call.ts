import { type Command, Option } from 'commander';
import type { Tool } from 'tenon';
import { reportToolResult } from '../calls/report-result.js';
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
import { nameValues, parseArguments } from '../tools/parse-arguments.js';
import { createUsageError } from '../usage-error.js';

interface CallCommandOptions extends TargetOptions {
  readonly args?: string;
  readonly save?: string;
  readonly output: 'text' | 'json' | 'raw';
}

export function createCallCommand(context: CliContext): Command {
  const command = createTargetCommand('call', summaries.call, 'TOOL [NAME=VALUE…]')
    .option('--args <json>', 'arguments as a JSON object; @FILE reads a file, - standard input')
    .addOption(
      new Option('--output <format>', 'raw writes texts and binary content as they are; json is the same as --json')
        .choices(['text', 'json', 'raw'])
        .default('text'),
    )
    .option('--save <folder>', 'save images, audio and resources of the result into this folder');
  return withTargetOptions(withKeep(withArgumentOptions(command)))
    .addHelpText(
      'after',
      `\nArguments of the tool:\n  name=value    text, converted into the type of the schema; repeated for a list\n  name:=json    JSON; name:=@file reads it from a file\n  name=@file    content of a file; name=@@text for a text that begins with @\n  name:value    the same as name=value; also --name value\n  'tool(a: 1)'  all arguments as a function call\n${formatExamples(
        [
          ['tenon call https://example.com/mcp echo message=hi', 'call a tool at a URL'],
          ['tenon call notes add title=Glue tags:=\'["wood"]\' text=@glue.md', 'a server of ./mcp.json'],
          [`tenon call server.ts 'add(a: 1, b: 2)'`, 'arguments as a function call'],
          ['tenon call echo message=hi -- node server.js', 'a server that is started'],
          ['tenon call notes export --save out --json', 'save files, and print JSON'],
          ['tenon call browser screenshot --output raw > page.png', 'the image itself'],
        ],
      )}`,
    )
    .action(async (words: string[], { output, ...given }: CallCommandOptions) => {
      const options = { ...given, json: given.json || output === 'json', raw: output === 'raw' };
      refuseUnknownOptions('call', words, context.serverCommand ? 1 : 2);
      const { reference, rest } = takeTarget(context, words);
      const [toolText, ...argumentWords] = rest;
      if (toolText === undefined) throw createUsageError('no tool', 'see the tools of the server with `tenon list`');
      const expression = await readExpression(toolText);
      const name = expression?.name ?? toolText;
      const questions = createQuestions(context, options);
      await runWithClient(
        context,
        reference,
        options,
        async connection => {
          const tools = await listTools(context, reference, connection);
          const tool = tools.find(each => each.name === name);
          const send = async (inputSchema: Tool['inputSchema']) => {
            const values = { ...nameValues(inputSchema, expression?.positional ?? []), ...expression?.named };
            const { args: json } = options;
            const args = await parseArguments(inputSchema, { words: argumentWords, values, json, cwd: context.cwd });
            if (tool) await checkArguments(args, inputSchema, () => formatSignature(tool));
            const params = { name, arguments: args };
            const request = { method: 'tools/call' as const, params, reference, options };
            return runCall(context, connection, request, questions);
          };
          const sendByName = async () => (await import('../calls/send-unlisted.js')).sendUnlisted(name, tools, send);
          const result = await (tool ? send(tool.inputSchema) : sendByName());
          if (result) await reportToolResult(context, name, result, options);
        },
        questions.handlers,
      );
    });
}

/** Reads a tool with its arguments in the form of a function. Most calls need no parser for it. */
async function readExpression(text: string) {
  if (!text.includes('(')) return undefined;
  const { parseCallExpression } = await import('../tools/value-syntax.js');
  return parseCallExpression(text);
}

async function formatSignature(tool: Tool): Promise<string> {
  const { formatToolSignature } = await import('../tools/signature.js');
  return formatToolSignature(tool);
}

async function listTools(
  context: CliContext,
  reference: TargetReference,
  { client, signal }: TargetConnection,
): Promise<Tool[]> {
  const tools = await collectAll(client.listTools({ signal }));
  await storeKnownNames(context, reference, { tools });
  return tools;
}
