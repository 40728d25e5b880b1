import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { checkProgram, createHost, type Host, type HostServer } from 'tenon/host';
import { serveUntilEnded } from '../ending.js';
import { exit } from '../exit.js';
import { count, duration, names, pairs, port, variableNames, webUrl } from '../given.js';
import { guardsOf } from '../guarding.js';
import { describeError } from '../hints.js';
import { hasToken } from '../hosting.js';
import { listen } from '../listening.js';
import { misuse, variable } from '../misuse.js';
import { noticesOn } from '../reporting.js';
import { signsIn } from '../signing-in.js';
import type { World } from '../world.js';
import { command, examples } from './command.js';
import { type CallerOptions, refuseUnauthenticated, withBearer, withProtection } from './protecting.js';

interface BridgeOptions extends CallerOptions {
  readonly header?: Record<string, string>;
  readonly clientId?: string;
  readonly clientSecretEnv?: string;
  readonly browser?: boolean;
  readonly transport?: 'http' | 'http-sse';
  readonly port: number;
  readonly max: number;
  readonly idle: number;
  readonly env?: Record<string, string>;
  readonly pass?: string[];
  readonly cwd?: string;
  readonly json?: boolean;
}

const MINUTE = 60_000;

export function bridgeCommand(world: World): Command {
  const toUrl = command('bridge', 'a client on stdio to a server at a URL, or a server on stdio to clients over HTTP')
    .usage('[options] URL\n       tenon bridge [options] -- COMMAND [ARGUMENTS…]')
    .argument('<target...>', 'the URL of a server; or, after --, the command of one');
  withBearer(
    toUrl,
    'the variable with the token: sent to the URL instead of signing in, or required of callers of the command',
  )
    .optionsGroup('To a URL:')
    .option('--header <NAME=VALUE>', 'send this header with every request; several times', pairs('--header'))
    .option('--client-id <id>', 'a client that was registered by hand, to sign in with')
    .option('--client-secret-env <VARIABLE>', 'the variable that has its secret')
    .option('--no-browser', 'open no browser to sign in: show the URL, and paste what the browser ends at')
    .addOption(new Option('--transport <name>', 'speak only this one').choices(['http', 'http-sse']))
    .optionsGroup('To a command:')
    .option('--port <number>', 'where to serve over HTTP', port, 8080)
    .option('--max <number>', 'how many processes there may be at once', count, 100)
    .addOption(
      new Option('--idle <time>', 'when a process that nobody uses is ended')
        .argParser(duration)
        .default(30 * MINUTE, '30m'),
    )
    .option('--env <NAME=VALUE>', 'a variable for the process; several times', pairs('--env'))
    .option('--pass <names>', 'variables of this environment that the process gets', variableNames)
    .option('--cwd <folder>', 'the folder that the process works in');
  return withProtection(toUrl, names)
    .option('--json', 'say where it serves as a line of JSON')
    .addHelpText(
      'after',
      examples([
        ['tenon bridge https://example.com/mcp', 'for a client that can only start programs'],
        ['tenon bridge --port 3000 -- node server.js', 'for clients that can only call URLs'],
      ]),
    )
    .action(async (target: string[], options: BridgeOptions) => {
      const [first = '', ...rest] = target;
      const url = webUrl(first);
      if (url !== undefined && rest.length > 0)
        throw misuse('a bridge leads to one URL', 'leave out what stands behind it');
      if (url === undefined && /^\w+:\/\//.test(first))
        throw misuse(`this is no URL of a server: ${first}`, 'give one of https: or http:');
      if (url !== undefined) await fromStdio(world, url, options);
      else await fromHttp(world, first, rest, options);
      world.code = exit.fine;
    });
}

/** The only server of a bridge: its names are passed on as they are. */
async function hostOf(
  { screen }: World,
  name: string,
  server: HostServer,
  more: Parameters<typeof createHost>[0] = {},
): Promise<Host> {
  return createHost({
    name: 'tenon-bridge',
    prefix: 'never',
    servers: { [name]: server },
    ...noticesOn(screen),
    ...more,
  });
}

/** A client on stdio, a server at a URL. */
async function fromStdio(world: World, url: string, options: BridgeOptions): Promise<void> {
  world.screen.yield();
  world.terminal.yield();
  const { header: headers = {}, transport } = options;
  const target: HostServer = { url, headers, ...(transport === undefined ? {} : { transport }) };
  const name = new URL(url).hostname;
  const credentials = credentialsOf(world, options);
  const host = await hostOf(world, name, target, credentials === undefined ? {} : { credentials: () => credentials });
  await serveUntilEnded(world, host, async () => {
    const { serveStdio } = await import('tenon/stdio');
    const { close, closed } = await serveStdio(host.asServer(), { exit: false });
    return { ended: closed, close };
  });
}

function credentialsOf(world: World, options: BridgeOptions) {
  const { bearerEnv, header, browser = true, clientId, clientSecretEnv } = options;
  if (bearerEnv !== undefined) return variable(world.env, bearerEnv, '--bearer-env');
  if (hasToken(header)) return undefined;
  const clientSecret =
    clientSecretEnv === undefined ? undefined : variable(world.env, clientSecretEnv, '--client-secret-env');
  return signsIn(world, { browser, clientSecret, ...(clientId === undefined ? {} : { clientId }) });
}

/** Clients over HTTP, a server on stdio: a process for each session, and one for all requests that belong to none. */
async function fromHttp(world: World, program: string, args: readonly string[], options: BridgeOptions): Promise<void> {
  const { screen } = world;
  const { port: wanted, max, idle, cwd, host: address, allowedHosts, json } = options;
  const target = {
    command: program,
    args,
    share: false,
    env: environmentOf(world, options),
    ...(cwd === undefined ? {} : { cwd }),
  };
  refuseUnauthenticated(world, options);
  checkProgram(target);
  const host = await hostOf(world, basename(program), target, { maxLines: max, maxProcesses: max, restTime: idle });
  await serveUntilEnded(world, host, async () => {
    const { places, close } = await listen(host, {
      port: wanted,
      ...(address === undefined ? {} : { host: address }),
      ...(allowedHosts ? { allowedHosts } : {}),
      bounds: { sessions: max, sessionIdle: idle },
      guards: () => guardsOf(options, world.env),
      onError: error => screen.note(describeError(error)),
    });
    const [{ url, sseUrl } = { url: '' }] = places;
    const shown = [program, ...args].join(' ');
    if (json) screen.json({ event: 'listening', url, sseUrl });
    else screen.print(`\n${shown}\n\n  ${url}\n  ${sseUrl}   the same by HTTP+SSE\n\nCtrl-C ends it.`);
    return { close };
  });
}

function environmentOf({ env }: World, { pass = [], env: given = {} }: BridgeOptions): Record<string, string> {
  return { ...Object.fromEntries(pass.map(name => [name, variable(env, name, '--pass')])), ...given };
}
