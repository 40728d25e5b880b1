import type { Command } from 'commander';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import type { NamedTarget } from '../console/open-console.js';
import { exitCodes } from '../exit-codes.js';
import { formatExamples } from '../options/create-command.js';
import { parsePort } from '../options/option-parsers.js';
import { readSourceFile } from '../recording/recording-file.js';
import { runUntilSignal } from '../run-until-signal.js';
import { summaries } from '../summaries.js';
import { createTargetCommand, type TargetOptions, withTargetOptions } from '../target/target-options.js';
import { parseTarget, takeTarget } from '../target/target-reference.js';

interface ConsoleCommandOptions extends TargetOptions {
  readonly port: number;
}

export function createConsoleCommand(context: CliContext): Command {
  const command = createTargetCommand('console', summaries.console, '', false)
    .usage('[options] [TARGET…]\n       tenon console [options] [TARGET…] -- COMMAND [ARGUMENTS…]')
    .option('--port <number>', 'port of the page on 127.0.0.1; 0 selects a free port', parsePort, 0);
  return withTargetOptions(command, { hasWire: false })
    .addHelpText(
      'after',
      formatExamples([
        ['tenon console', 'the servers of ./mcp.json'],
        ['tenon console https://example.com/mcp notes', 'a server at a URL, and one of ./mcp.json'],
        ['tenon console server.ts', 'the server in a file'],
        ['tenon console server.ts --port 9000', 'on this port'],
        ['tenon console -- node server.js', 'the server that a command starts'],
      ]),
    )
    .action(async (words: string[], { port, ...options }: ConsoleCommandOptions) => {
      const { openConsole } = await import('../console/open-console.js');
      const { targets, recordings } = await listSources(context, words, options);
      const page = await openConsole(context, { port, targets, recordings, connection: options });
      await runUntilSignal(
        context,
        page,
        async () => {
          if (options.json) context.screen.printEvent({ event: 'listening', url: page.url });
          else context.screen.print(`Console: ${page.url}\n\nCtrl-C ends it.`);
          return { close: async () => {} };
        },
        0,
      );
      context.code = exitCodes.success;
    });
}

/** Separates the recordings that the user names from the servers. */
async function listSources(context: CliContext, words: readonly string[], options: TargetOptions) {
  const isRecording = (word: string) => parseTarget(word, context.cwd).kind === 'recording';
  const recorded = words.filter(isRecording);
  const recordings = recorded.map(async name => ({ name, text: await readSourceFile(context, name) }));
  const isOnlyRecordings = recorded.length > 0 && recorded.length === words.length && !context.serverCommand;
  const others = words.filter(word => !isRecording(word));
  const targets = isOnlyRecordings ? [] : await listTargets(context, others, options);
  return { targets, recordings: await Promise.all(recordings) };
}

/** Lists the servers that the user names. Without any: those of the configuration, or none if there is no file. */
async function listTargets(
  context: CliContext,
  words: readonly string[],
  options: TargetOptions,
): Promise<NamedTarget[]> {
  const named = words.map(word => ({ target: { reference: parseTarget(word, context.cwd), asks: false } }));
  for (const { reference } of named.map(({ target }) => target)) {
    if (reference.kind !== 'name') continue;
    const { requireConfiguredServer } = await import('../host/find-configured-server.js');
    await requireConfiguredServer(context, reference.name, options);
  }
  if (context.serverCommand) {
    const { reference } = takeTarget(context, []);
    return [...named, { target: { reference, asks: false } }];
  }
  return named.length > 0 ? named : listConfigured(context, options.config ?? []);
}

async function listConfigured(context: CliContext, config: readonly string[]): Promise<NamedTarget[]> {
  const { readConfiguration } = await import('../host/read-configuration.js');
  const { getPlaceholder } = await import('../host/placeholders.js');
  try {
    const { entries } = await readConfiguration(context, config, { inputs: getPlaceholder });
    return entries.map(({ name }) => ({ name, target: { reference: { kind: 'name', name }, asks: false } }));
  } catch (error) {
    if (config.length === 0 && TenonError.is(error) && error.code === 'cli/no-config') return [];
    throw error;
  }
}
