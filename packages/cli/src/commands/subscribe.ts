import type { Command } from 'commander';
import type { ChangeEvent, Client } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { summaries } from '../summaries.js';
import { runWithClient } from '../target/run-with-client.js';
import { createTargetCommand, type TargetOptions, withTargetOptions } from '../target/target-options.js';
import { takeTarget } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';
import { formatExamples } from './command.js';

interface SubscribeOptions extends TargetOptions {
  readonly tools?: boolean;
  readonly prompts?: boolean;
  readonly resources?: boolean;
  readonly read?: boolean;
}

export function subscribeCommand(context: CliContext): Command {
  const own = createTargetCommand('subscribe', summaries.subscribe, '[URI…]')
    .option('--tools', 'watch the list of tools')
    .option('--prompts', 'watch the list of prompts')
    .option('--resources', 'watch the list of resources')
    .option('--read', 'read a resource after each change, and print its contents, too');
  return withTargetOptions(own)
    .addHelpText(
      'after',
      formatExamples([
        ['tenon subscribe notes note://Glue --read', 'a resource, with its contents'],
        ['tenon subscribe notes --tools --resources', 'two lists'],
      ]),
    )
    .action(async (words: string[], options: SubscribeOptions) => {
      const { reference, rest: uris } = takeTarget(context, words);
      const { tools = false, prompts = false, resources = false } = options;
      if (uris.length === 0 && !tools && !prompts && !resources)
        throw createUsageError('nothing to watch', 'pass URIs, --tools, --prompts or --resources');
      await runWithClient(context, reference, options, async ({ client, signal }) => {
        // Watching is ended by Ctrl-C only, which is success.
        context.code = exitCodes.success;
        for await (const change of client.watch({ uris, tools, prompts, resources }, { signal })) {
          context.screen.printJson(options.read ? await addContents(client, change) : change);
        }
      });
      if (context.code === exitCodes.interrupted) context.code = exitCodes.success;
    });
}

async function addContents(client: Client, change: ChangeEvent): Promise<object> {
  return 'uri' in change ? { ...change, contents: (await client.readResource(change.uri)).contents } : change;
}
