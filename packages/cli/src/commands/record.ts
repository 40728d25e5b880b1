import { type Command, Option } from 'commander';
import type { StdioTarget } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { formatExamples } from '../options/create-command.js';
import { parsePort, parseSize } from '../options/option-parsers.js';
import { openRecordingFile } from '../recording/recording-file.js';
import { serveHandler } from '../recording/serve-handler.js';
import { toServerName } from '../recording/wire-output.js';
import { logError } from '../serving/log-error.js';
import { summaries } from '../summaries.js';
import { resolveServer } from '../target/resolve-target.js';
import { type ConnectionOptions, createTargetCommand, withConnectionOptions } from '../target/target-options.js';
import { takeOnlyTarget } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';

interface RecordOptions extends ConnectionOptions {
  readonly out?: string;
  /** Former name of `out`. */
  readonly output?: string;
  readonly append?: boolean;
  readonly maxSize?: number;
  readonly name?: string;
  readonly port?: number;
  readonly json?: boolean;
}

export function createRecordCommand(context: CliContext): Command {
  const command = createTargetCommand('record', summaries.record, '')
    .option('-o, --out <file>', 'file to write, which only you can read')
    .addOption(new Option('--output <file>', 'former name of --out').hideHelp())
    .option('--append', 'add to the file instead of replacing it')
    .option('--max-size <size>', 'maximum size of the recording in characters, such as 20M (default: 100M)', parseSize)
    .option('--name <name>', 'name of the server in the recording (default: from the target)')
    .option('--port <number>', 'serve the client over HTTP on this port, instead of stdin and stdout', parsePort)
    .option('--json', 'print the URL as a line of JSON; with --port');
  return withConnectionOptions(command)
    .addHelpText(
      'after',
      formatExamples([
        ['tenon record -o bug.ndjson -- node server.js', 'as the command of a server in a client'],
        ['tenon record https://example.com/mcp -o bug.ndjson', 'the same, for a server at a URL'],
        ['tenon record --port 3000 -o bug.ndjson -- node server.js', 'for a client that calls a URL'],
      ]),
    )
    .action(async (words: string[], options: RecordOptions) => {
      const { out = options.output } = options;
      if (out === undefined) throw createUsageError('no file for the recording', 'pass -o FILE');
      if (options.name === '') throw createUsageError('--name is empty', 'pass the name of the server');
      const reference = takeOnlyTarget(context, words);
      // The client owns the terminal's streams, so no question can be asked.
      const resolved = await resolveServer(context, reference, { ...options, input: false });
      const { target, label } = resolved;
      const [{ openTransport }, { createRecordingProxy }] = await Promise.all([
        import('tenon/node'),
        import('@tenon/testing'),
      ]);
      const { append = false, maxSize, name = toServerName(resolved), port, json } = options;
      const file = openRecordingFile(context, out, { server: name, append, maxSize });
      const server = 'command' in target ? withEnvironment(context, target) : target;
      const proxy = createRecordingProxy({
        recorder: file.recorder,
        openUpstream: () => openTransport(server),
        onError: error => logError(context.screen, error),
      });
      await serveHandler(context, proxy, {
        port,
        json,
        title: `Recording ${label} into ${out}`,
        async onEnd() {
          await proxy.close();
          file.close();
        },
      });
      context.code = exitCodes.success;
    });
}

/** Passes the environment and standard error of this process on, as if the client had started the server itself. */
function withEnvironment({ env }: CliContext, target: StdioTarget): StdioTarget {
  return { ...target, env: { ...env, ...target.env }, stderr: 'inherit' };
}
