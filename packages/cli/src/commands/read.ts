import type { Command } from 'commander';
import { expandTemplate } from '../calls/expand-template.js';
import { readPages } from '../calls/read-pages.js';
import { reportReadResult } from '../calls/report-contents.js';
import { runCall } from '../calls/run-call.js';
import type { CliContext } from '../cli-context.js';
import { formatExamples } from '../options/create-command.js';
import { createQuestions } from '../questions/questions.js';
import { summaries } from '../summaries.js';
import { runWithClient } from '../target/run-with-client.js';
import {
  createTargetCommand,
  refuseUnknownOptions,
  type TargetOptions,
  withArgumentOptions,
  withKeep,
  withTargetOptions,
} from '../target/target-options.js';
import { takeTarget } from '../target/target-reference.js';
import { parsePairs } from '../tools/parse-pairs.js';
import { createUsageError } from '../usage-error.js';

/** A URI begins with a scheme. In a template, a variable may follow immediately. */
const URI_BEGIN = /^[a-z][a-z0-9+.-]*:/i;

interface ReadCommandOptions extends TargetOptions {
  readonly save?: string;
}

export function createReadCommand(context: CliContext): Command {
  const command = createTargetCommand('read', summaries.read, 'URI [VARIABLE=VALUE…]').option(
    '--save <folder>',
    'save the contents into this folder',
  );
  return withTargetOptions(withKeep(withArgumentOptions(command)))
    .addHelpText(
      'after',
      formatExamples([
        ['tenon read notes note://Glue', 'print a text'],
        ["tenon read notes 'note://{title}' title=Glue", 'a resource of a template'],
        ['tenon read notes photo://pixel > pixel.png', 'write the bytes of one resource into a file'],
        ["tenon read gateway 'tenon-overflow://ID'", 'print a result that was too large, with all of its pages'],
        ["tenon read gateway 'tenon-overflow://ID?from=0&to=900'", 'print a part of it'],
      ]),
    )
    .action(async (words: string[], options: ReadCommandOptions) => {
      refuseUnknownOptions('read', words, context.serverCommand ? 1 : 2);
      const { reference, rest } = takeTarget(context, words);
      const uri = await createUri(rest);
      const questions = createQuestions(context, options);
      await runWithClient(
        context,
        reference,
        options,
        async connection => {
          const readPage = (page: string) => {
            const request = { method: 'resources/read' as const, params: { uri: page }, reference, options };
            return runCall(context, connection, request, questions);
          };
          await reportReadResult(context, uri, readPages(uri, readPage), options);
        },
        questions.handlers,
      );
    });
}

/** Creates the URI from the arguments: a URI, or a template with the values of its variables. */
async function createUri([template, ...words]: readonly string[]): Promise<string> {
  if (!template) throw createUsageError('no URI', 'see the resources of the server with `tenon list`');
  if (!URI_BEGIN.test(template))
    throw createUsageError(
      `${template}: not a URI, which begins with a scheme such as note:`,
      'see the URIs of the server with `tenon list`',
    );
  const values = parsePairs(words);
  return expandTemplate(template, new Map(values.map(({ name, value }) => [name, value])));
}
