import type { ServerFault } from '@tenon/testing';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { parseCount, parseDurationOption, parsePort } from '../options/option-parsers.js';
import { readSourceFile } from '../recording/recording-file.js';
import { closeConnection, serveHandler } from '../recording/serve-handler.js';
import { summaries } from '../summaries.js';

interface MockOptions {
  readonly server?: string;
  readonly port?: number;
  readonly json?: boolean;
  readonly refuseUnrecorded?: boolean;
  readonly seed?: number;
  readonly delay?: number;
  readonly fail?: number;
  readonly fault?: Readonly<Record<string, ServerFault>>;
}

const FAULTS: readonly ServerFault[] = ['error', 'timeout', 'close', 'malformed'];

export function createMockCommand(context: CliContext): Command {
  return createCommand('mock', summaries.mock)
    .argument('<file>', 'recording, output of `tenon list --json`, or lock file')
    .option('--server <name>', 'server of the file, if it has several')
    .option('--port <number>', 'serve over HTTP on this port, instead of stdin and stdout', parsePort)
    .option('--refuse-unrecorded', 'answer unrecorded requests with an error instead of a generated value')
    .option('--seed <number>', 'number from which generated values and failures follow (default: 1)', parseCount)
    .option('--json', 'print the URL as a line of JSON; with --port')
    .optionsGroup('Faults:')
    .option('--delay <time>', 'time before each response, such as 200ms', parseDurationOption)
    .option('--fail <rate>', 'share of calls, reads and prompts that fail, such as 0.1 or 10%', parseRate)
    .option(
      '--fault <METHOD=FAULT>',
      'fault of a method, or of METHOD:NAME: error, timeout, close or malformed; repeatable',
      parseFault,
    )
    .addHelpText(
      'after',
      formatExamples([
        ['tenon mock bug.ndjson', 'as the command of a server in a client'],
        ['tenon list --json notes > notes.json && tenon mock notes.json --port 3000', 'without a recording'],
        ['tenon mock bug.ndjson --delay 2s --fault tools/call:search=timeout', 'a slow server, and a tool that hangs'],
      ]),
    )
    .action(async (file: string, options: MockOptions) => {
      const { refuseUnrecorded = false, server, seed = 1, delay = 0, fail = 0, fault = {}, port, json } = options;
      const text = await readSourceFile(context, file);
      const { createMockServer, withServerFaults } = await import('@tenon/testing');
      const mock = createMockServer(text, { server, seed, unrecorded: refuseUnrecorded ? 'refuse' : 'generate' });
      const faulty = withServerFaults(mock, {
        delay,
        failRate: fail,
        faults: fault,
        seed,
        closeConnection,
      });
      await serveHandler(context, faulty, { port, json, title: `Mock of ${file}`, onEnd: () => mock.close() });
      context.code = exitCodes.success;
    });
}

/** Parses a share: `0.1` or `10%`. */
function parseRate(text: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? [];
  const rate = Number(number) / (percent ? 100 : 1);
  if (!(rate <= 1)) throw new InvalidArgumentError('Expected a share from 0 to 1, or a percentage.');
  return rate;
}

function parseFault(
  text: string,
  before: Readonly<Record<string, ServerFault>> = {},
): Readonly<Record<string, ServerFault>> {
  const equals = text.lastIndexOf('=');
  const fault = FAULTS.find(each => each === text.slice(equals + 1));
  if (equals < 1 || fault === undefined) {
    throw new InvalidArgumentError(`Expected METHOD=FAULT or METHOD:NAME=FAULT with one of ${FAULTS.join(', ')}.`);
  }
  return { ...before, [text.slice(0, equals)]: fault };
}
