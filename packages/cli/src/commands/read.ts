import type { Command } from 'commander';
import { readPages } from '../calls/read-pages.js';
import { reportReadResult } from '../calls/report-contents.js';
import { runCall } from '../calls/run-call.js';
import type { CliContext } from '../cli-context.js';
import { createQuestions } from '../questions/questions.js';
import { summaries } from '../summaries.js';
import { runWithClient } from '../target/run-with-client.js';
import { createTargetCommand, type TargetOptions, withKeep, withTargetOptions } from '../target/target-options.js';
import { takeTarget } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';
import { formatExamples } from './command.js';

interface ReadCommandOptions extends TargetOptions {
  readonly save?: string;
}

export function readCommand(context: CliContext): Command {
  const own = createTargetCommand('read', summaries.read, 'URI').option(
    '--save <folder>',
    'save the contents into this folder',
  );
  return withTargetOptions(withKeep(own))
    .addHelpText(
      'after',
      formatExamples([
        ['tenon read notes note://Glue', 'print a text'],
        ['tenon read notes photo://pixel > pixel.png', 'write the bytes of one resource into a file'],
        ["tenon read gateway 'tenon-overflow://ID'", 'print a result that was too large, with all of its pages'],
        ["tenon read gateway 'tenon-overflow://ID?from=0&to=900'", 'print a part of it'],
      ]),
    )
    .action(async (words: string[], options: ReadCommandOptions) => {
      const { reference, rest } = takeTarget(context, words);
      const [uri, ...more] = rest;
      if (uri === undefined || more.length > 0)
        throw createUsageError('read takes one URI', 'see the resources of the server with `tenon list`');
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
