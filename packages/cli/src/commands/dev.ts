import { resolve } from 'node:path';
import type { Command } from 'commander';
import { TenonError } from 'tenon';
import { serveHttp } from 'tenon/node';
import type { CliContext } from '../cli-context.js';
import { type DevEvent, DevServer } from '../dev/dev-server.js';
import { formatModuleError } from '../dev/format-module-error.js';
import { exitCodes } from '../exit-codes.js';
import { createHttpAuth } from '../http/http-auth.js';
import { type CallerOptions, refuseUnauthenticated, withBearer, withProtection } from '../options/auth-options.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { parseDurationOption, parseNames, parsePort } from '../options/option-parsers.js';
import { type RunningServer, runUntilSignal } from '../run-until-signal.js';
import { formatColumns } from '../screen.js';
import { requireModuleFile } from '../serve/load-server.js';
import { logError } from '../serving/log-error.js';
import { summaries } from '../summaries.js';
import { createUsageError } from '../usage-error.js';

interface DevCommandOptions extends CallerOptions {
  readonly port: number;
  readonly stdio?: boolean;
  readonly watch?: readonly string[];
  readonly drainTimeout?: number;
  readonly json?: boolean;
}

const DEFAULT_PORT = 3000;
/** Time for open requests after Ctrl-C, in milliseconds. */
const CLOSE_TIMEOUT = 500;

export function createDevCommand(context: CliContext): Command {
  const command = createCommand('dev', summaries.dev)
    .argument('<file>', 'JavaScript or TypeScript module that exports a server; FILE#NAME chooses an export')
    .option('--port <number>', 'where to serve over HTTP; 0 selects a free port', parsePort, DEFAULT_PORT)
    .option('--stdio', 'serve on standard input and output instead')
    .option('--watch <paths>', 'other files and folders whose changes reload the module', parseNames)
    .option(
      '--drain-timeout <time>',
      'time for open calls to finish on the former code (default: 60s)',
      parseDurationOption,
    );
  withBearer(command, 'admit only callers that send the token in this environment variable');
  return withProtection(command)
    .option('--json', 'print events as lines of JSON: listening, loaded, reloaded, failed, crashed')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon dev server.ts', 'serve at http://127.0.0.1:3000/mcp'],
        ['tenon dev server.ts#admin --port 8080', 'serve another export at another port'],
        ['tenon dev --stdio server.ts', 'serve the host that starts it'],
        ['tenon dev server.ts --watch data,.env', 'also reload when these change'],
      ]),
    )
    .action(async (reference: string, options: DevCommandOptions) => {
      await runDev(context, reference, options);
      context.code = exitCodes.success;
    });
}

async function runDev(context: CliContext, reference: string, options: DevCommandOptions): Promise<void> {
  const { screen, env, cwd } = context;
  const { stdio = false, json = false, watch = [], drainTimeout } = options;
  const path = resolve(cwd, reference);
  requireModuleFile(path.replace(/#[\w$]+$/, ''));
  if (stdio && json)
    throw createUsageError('--stdio cannot be used with --json, because stdout carries the protocol', 'remove --json');
  if (stdio) {
    screen.releaseStdout();
    context.terminal.releaseStdin();
  } else refuseUnauthenticated(context, options);
  let unusable: TenonError | undefined;
  let end = () => {};
  const ended = new Promise<void>(resolve => {
    end = resolve;
  });
  const dev = new DevServer({
    reference: path,
    folder: cwd,
    env,
    drainTimeout,
    watch: watch.map(each => resolve(cwd, each)),
    onEvent: event => (json ? screen.printEvent(event) : screen.note(formatEvent(event, cwd))),
    onUnusable(error) {
      unusable = error;
      end();
    },
  });
  // A developer reads the text, so only lines of JSON have times.
  if (json) screen.startLog({ json });
  dev.start();
  const serve = () => (stdio ? serveOverStdio(dev) : serveOverHttp(context, dev, options));
  const start = async () => {
    const { ended: closed = ended, close } = await serve();
    return { ended: Promise.race([closed, ended]), close };
  };
  await runUntilSignal(context, dev, start, CLOSE_TIMEOUT);
  if (unusable) throw unusable;
}

async function serveOverStdio({ server }: DevServer): Promise<RunningServer> {
  const { serveStdio } = await import('tenon/stdio');
  const { closed, close } = await serveStdio(server, { exit: false });
  return { ended: closed, close };
}

async function serveOverHttp(
  context: CliContext,
  { server }: DevServer,
  options: DevCommandOptions,
): Promise<RunningServer> {
  const { screen, env } = context;
  const { port, host, allowedHosts, json } = options;
  const http = await serveHttp(server, {
    port,
    host,
    allowedHosts,
    ...createHttpAuth(options, env),
    onError: error => logError(screen, error),
    // The command itself refuses to serve other machines without authorization.
    allowUnauthenticated: true,
  });
  const { url, sseUrl } = http;
  const event: DevEvent = { event: 'listening', url, sseUrl, pid: process.pid };
  // Programs that read the events need no page.
  const page = json ? undefined : await openDevConsole(context, url);
  const rows = [[url, 'Streamable HTTP'], ...(sseUrl === undefined ? [] : [[sseUrl, 'HTTP+SSE']])];
  // The address is longer than the others by its token.
  const shownPage = page ? `\n\nConsole: ${page.url}` : '';
  if (json) screen.printEvent(event);
  else screen.print(`\n${formatColumns(rows)}${shownPage}\n\nCtrl-C ends it.`);
  return {
    async close() {
      await page?.close();
      await http.close({ timeout: CLOSE_TIMEOUT });
    },
  };
}

/** Opens the console. It connects when its page is opened. A checkout that is not built has no page. */
async function openDevConsole(context: CliContext, url: string) {
  const { openConsole } = await import('../console/open-console.js');
  const reference = { kind: 'url', url } as const;
  const targets = [{ name: 'dev', target: { reference, asks: false } }];
  return openConsole(context, { port: 0, targets, isLazy: true }).catch(error => {
    if (TenonError.is(error) && error.code === 'console/no-page') return undefined;
    throw error;
  });
}

function formatEvent(event: Exclude<DevEvent, { event: 'listening' }>, folder: string): string {
  switch (event.event) {
    case 'loaded':
      return `loaded in ${event.duration} ms`;
    case 'reloaded': {
      const files = event.files.length > 0 ? `${event.files.join(', ')}: ` : '';
      const lists = event.lists.length > 0 ? `, clients were notified of changed ${event.lists.join(', ')}` : '';
      return `${files}reloaded in ${event.duration} ms${lists}`;
    }
    case 'failed': {
      const next = event.serving ? 'The former code keeps running. ' : '';
      return `\n${formatModuleError(event, folder)}\n\n${next}Save a file to load the module again.\n`;
    }
    case 'crashed': {
      const next = event.restarting ? 'The module is loaded again.' : 'Save a file to load the module again.';
      return `\n${formatModuleError(event, folder)}\n\nThe server ended. ${next}\n`;
    }
  }
}
