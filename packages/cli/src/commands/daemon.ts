import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context.js';
import { requestDaemon } from '../daemon/daemon-request.js';
import type { DaemonServerState } from '../daemon/daemon-servers.js';
import { ensureDaemon, findDaemon } from '../daemon/find-daemon.js';
import { exitCodes } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { parseCount, parseDurationOption } from '../options/option-parsers.js';
import { formatColumns } from '../screen.js';
import { summaries } from '../summaries.js';

interface DaemonCommandOptions {
  readonly idle: number;
  readonly max: number;
  readonly json?: boolean;
}

const MINUTE = 60_000;

export function createDaemonCommand(context: CliContext): Command {
  const withLimits = (command: Command) =>
    command
      .addOption(
        new Option('--idle <time>', 'time after which an unused server is closed')
          .argParser(parseDurationOption)
          .default(10 * MINUTE, '10m'),
      )
      .option('--max <number>', 'maximum number of servers', parseCount, 20);
  const create = (name: string, summary: string) => createCommand(name, summary).option('--json', 'print JSON');
  const run = withLimits(createCommand('run', 'keep servers in this process, until Ctrl-C'));
  return createCommand('daemon', summaries.daemon)
    .addHelpText(
      'after',
      `\nCommands with --keep start the daemon themselves. It ends when no server was used for a while.\n${formatExamples(
        [
          ['tenon call --keep echo message=hi -- node server.js', 'start the server once, and use it again'],
          ['TENON_KEEP=1', 'as if all these commands had --keep'],
          ['tenon daemon status', 'list the servers that are kept'],
        ],
      )}`,
    )
    .addCommand(
      withLimits(create('start', 'start the daemon')).action(async ({ idle, max, json }: DaemonCommandOptions) => {
        const { pid } = await ensureDaemon(context, ['--idle', `${idle}ms`, '--max', String(max)]);
        reportState(context, { running: true, pid }, `running, process ${pid}`, json);
      }),
    )
    .addCommand(create('stop', 'close all servers, and end the daemon').action(({ json }) => stop(context, json)))
    .addCommand(
      create('status', 'list the servers that are kept; ends with 1 if the daemon is not running').action(({ json }) =>
        reportStatus(context, json),
      ),
    )
    .addCommand(
      run.action(async ({ idle, max }: DaemonCommandOptions) => {
        const { runDaemon } = await import('../daemon/run-daemon.js');
        await runDaemon(context, { idle, max });
        context.code = exitCodes.success;
      }),
    );
}

async function stop(context: CliContext, json: boolean | undefined): Promise<void> {
  const running = await findDaemon(context);
  if (!running) return reportState(context, { running: false }, 'not running', json);
  await requestDaemon(running.record, 'POST', '/stop');
  const { listWaitingCalls } = await import('../questions/waiting-calls.js');
  const waiting = (await listWaitingCalls(context)).filter(({ options }) => options.keep).length;
  reportState(context, { running: false, ...(waiting > 0 ? { waitingCalls: waiting } : {}) }, 'stopped', json);
  if (waiting === 0) return;
  const calls = waiting === 1 ? '1 call of a kept server waits' : `${waiting} calls of kept servers wait`;
  context.screen.note(`${calls} for an answer, which fails if the server has lost its state: see \`tenon answer\``);
}

async function reportStatus(context: CliContext, json: boolean | undefined): Promise<void> {
  const running = await findDaemon(context);
  if (!running) {
    reportState(context, { running: false }, 'not running', json);
    context.code = exitCodes.failure;
    return;
  }
  const { pid, version, servers } = running.status as {
    readonly pid: number;
    readonly version: string;
    readonly servers: readonly DaemonServerState[];
  };
  const { sanitizeText } = await import('@tenon/host');
  const rows = servers.map(({ label, active, unused }) => [
    sanitizeText(label, { max: 80 }),
    active > 0 ? `${active} open` : `unused for ${Math.round(unused / 1000)} s`,
  ]);
  const text = [`running, process ${pid}, version ${version}`, ...(rows.length > 0 ? [formatColumns(rows)] : [])];
  reportState(context, { running: true, pid, version, servers }, text.join('\n'), json);
}

function reportState(context: CliContext, state: object, text: string, json: boolean | undefined): void {
  context.code = exitCodes.success;
  if (json) context.screen.printJson(state);
  else context.screen.print(text);
}
