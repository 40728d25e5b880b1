import type { Recording } from '@tenon/testing';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { parseDurationOption, parseNames, parsePort } from '../options/option-parsers.js';
import { noteFaults } from '../recording/note-faults.js';
import { readSourceFile } from '../recording/recording-file.js';
import { replayToTarget } from '../recording/replay-to-target.js';
import { serveHandler } from '../recording/serve-handler.js';
import { JUNIT_HELP } from '../reports/write-report.js';
import { summaries } from '../summaries.js';
import { type ConnectionOptions, withConnectionOptions } from '../target/target-options.js';
import { parseTarget, type TargetReference, takeTarget } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';

interface ReplayCommandOptions extends ConnectionOptions {
  readonly lenient?: boolean;
  readonly server?: string;
  readonly port?: number;
  readonly json?: boolean;
  readonly against?: string;
  readonly ignore?: string[];
  readonly timeout?: number;
  readonly junit?: string;
}

export function createReplayCommand(context: CliContext): Command {
  const command = createCommand('replay', summaries.replay)
    .usage(
      '[options] FILE\n       tenon replay [options] FILE --against TARGET\n       tenon replay [options] FILE -- COMMAND [ARGUMENTS…]',
    )
    .argument('<file>', 'recording: of tenon record, of --wire, or of mcporter')
    .option('--server <name>', 'server of the recording, if it has several')
    .option('--json', 'print the URL, or the report, as JSON')
    .optionsGroup('As a server:')
    .option('--lenient', 'answer with the nearest recorded request of the same method and name (default: strict order)')
    .option('--port <number>', 'serve over HTTP on this port, instead of stdin and stdout', parsePort)
    .optionsGroup('As a client:')
    .option('--against <target>', 'send the recorded requests to this server, and compare the responses')
    .option(
      '--ignore <paths>',
      'values that are not compared: names of members, or JSON Pointers such as /content/*/text',
      parseNames,
    )
    .option('--timeout <time>', 'time to wait for each response (default: 30s)', parseDurationOption)
    .option('--junit <file>', JUNIT_HELP);
  return withConnectionOptions(command)
    .addHelpText(
      'after',
      formatExamples([
        ['tenon replay bug.ndjson', 'as the command of a server in a client'],
        ['tenon replay bug.ndjson --port 3000 --lenient', 'for any client of that server'],
        ['tenon replay bug.ndjson -- node server.js', 'check that a server still answers the same'],
        ['tenon replay bug.ndjson --against https://example.com/mcp --ignore updatedAt', 'without a varying value'],
      ]),
    )
    .action(async (file: string, options: ReplayCommandOptions) => {
      const text = await readSourceFile(context, file);
      const { parseRecording } = await import('@tenon/testing');
      const recording = parseRecording(text);
      const reference = findTarget(context, options);
      if (reference) return replayToTarget(context, recording, reference, { ...options, file });
      const unused = (['ignore', 'timeout', 'junit'] as const).find(name => options[name] !== undefined);
      if (unused) throw createUsageError(`--${unused} needs a server to compare with`, 'pass --against TARGET');
      await serveRecording(context, file, recording, options);
    });
}

function findTarget(context: CliContext, { against }: ReplayCommandOptions): TargetReference | undefined {
  if (context.serverCommand) return takeTarget(context, []).reference;
  return against === undefined ? undefined : parseTarget(against, context.cwd);
}

async function serveRecording(
  context: CliContext,
  file: string,
  recording: Recording,
  { lenient = false, server, port, json }: ReplayCommandOptions,
): Promise<void> {
  const { createReplayServer } = await import('@tenon/testing');
  noteFaults(context.screen, file, recording, server);
  const replay = createReplayServer(recording, {
    mode: lenient ? 'lenient' : 'strict',
    server,
    onMismatch: ({ message }) => context.screen.note(message),
  });
  await serveHandler(context, replay, { port, json, title: `Replaying ${file}` });
  const { mismatches, remaining } = replay;
  if (!lenient && remaining.length > 0)
    context.screen.note(
      `${file}: ${remaining.length} recorded requests were not sent, the first of them ${remaining[0]}`,
    );
  context.code = mismatches.length > 0 ? exitCodes.failure : exitCodes.success;
}
