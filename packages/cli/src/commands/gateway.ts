import { type Command, Option } from 'commander';
import { TenonError } from 'tenon';
import type { Host } from 'tenon/host';
import { MANNERS } from '../approving.js';
import { readConfiguration } from '../configuration.js';
import { type Running, serveUntilEnded } from '../ending.js';
import { exit } from '../exit.js';
import { count, duration, names, port, publicUrl, selections } from '../given.js';
import { guardsOf } from '../guarding.js';
import { describeError } from '../hints.js';
import { type HostingOptions, hostOf } from '../hosting.js';
import { type Listening, listen, type Place } from '../listening.js';
import { misuse } from '../misuse.js';
import { shortReason, standing, statesTable } from '../reporting.js';
import { columns } from '../screen.js';
import { type CallerSignInCommandOptions, createCallersSignIn } from '../signing-in.js';
import { judge } from '../trusting.js';
import type { World } from '../world.js';
import { command, examples } from './command.js';
import { type CallerOptions, refuseUnauthenticated, withBearer, withProtection } from './protecting.js';

interface GatewayOptions extends HostingOptions, CallerOptions, CallerSignInCommandOptions {
  readonly port?: number;
  readonly stdio?: boolean;
  readonly servers?: string[];
  readonly virtual?: Record<string, string[]>;
  readonly trust?: boolean;
  readonly json?: boolean;
}

const PORT = 8080;

export function gatewayCommand(world: World): Command {
  const own = command('gateway', 'serve all servers of a configuration as one')
    .argument(
      '[config...]',
      'configurations: mcp.json, .vscode/mcp.json, … (default: ./mcp.json, else what this folder has)',
    )
    .option('--port <number>', `where to serve over HTTP (default: ${PORT}; with --stdio: only when given)`, port)
    .option('--stdio', 'serve the program that has started this, on standard input and output')
    .option('--servers <names>', 'offer these servers only', names)
    .option('--virtual <name=servers>', 'offer these servers at /NAME as well; several times', selections)
    .option('--max-processes <number>', 'how many processes of servers there may be at once (default: 100)', count)
    .option('--idle <time>', 'when the process of a server that nobody uses is stopped (default: 30m)', duration)
    .option('--trust', 'run what the configurations name without asking: they are your own');
  withBearer(own, 'admit only callers that send the token in this environment variable');
  return guarded(withCallerSignIn(withProtection(own, names)))
    .option('--json', 'say on standard output, line by line as JSON, where it serves and how servers stand')
    .addHelpText(
      'after',
      examples([
        ['tenon gateway', 'in front of ./mcp.json, at http://127.0.0.1:8080/mcp'],
        ['tenon gateway --stdio', 'the same for a client that starts it'],
        ['tenon gateway --policy policy.json --audit audit.jsonl', 'with rules, and a record of what was done'],
        ['tenon gateway --virtual docs=notes,search', 'with two of the servers at /docs'],
      ]),
    )
    .action(async (configs: string[], options: GatewayOptions) => {
      await gateway(world, configs, options);
      world.code = exit.fine;
    });
}

function withCallerSignIn(own: Command): Command {
  return own
    .option(
      '--public-url <url>',
      'the URL under which browsers reach this gateway (default: the origin of --audience)',
      publicUrl,
    )
    .option(
      '--client-id <id>',
      'with --issuer: a client registered there by hand, with the redirect URI PUBLIC-URL/sign-in/callback',
    )
    .option('--client-secret-env <VARIABLE>', 'the variable that has its secret');
}

function guarded(own: Command): Command {
  return own
    .option('--policy <file>', 'the rules by which calls are allowed, asked about or denied')
    .addOption(new Option('--approve <by>', 'who is asked (default: the terminal, else the client)').choices(MANNERS))
    .option('--store <file>', 'keep tasks, questions and long results in this SQLite file')
    .option('--lock [file]', 'hold servers to this lock (default: mcp.lock where there is one)')
    .option('--no-lock', 'hold servers to no lock')
    .addOption(
      new Option('--drift <what>', 'what becomes of changes that are not in the lock').choices([
        'block',
        'ask',
        'warn',
      ]),
    )
    .option('--audit <file>', 'record what is done in this file')
    .option('--audit-key-env <VARIABLE>', 'sign the record with the key in this variable')
    .addOption(
      new Option('--prefix <when>', 'begin names with the server; auto: when the configuration names more than one')
        .choices(['auto', 'always', 'never'])
        .default('always'),
    )
    .addOption(
      new Option('--screening <what>', 'what becomes of texts that look like instructions to a model').choices([
        'report',
        'mask',
        'block',
      ]),
    )
    .option('--budget <tokens>', 'above it, offer tools that search, describe and call the others', count)
    .option('--max-output <characters>', 'how much of one result is passed on; the rest is linked to', count)
    .option('--no-browser', 'open no browser to sign in with a server: show the URL');
}

async function gateway(world: World, configs: readonly string[], options: GatewayOptions): Promise<void> {
  const { stdio = false, trust = false } = options;
  if (stdio && options.json) throw misuse('with --stdio standard output is the protocol’s', 'leave --json out');
  if (stdio) {
    world.screen.yield();
    world.terminal.yield();
  }
  if (!stdio || options.port !== undefined) refuseUnauthenticated(world, options);
  const { entries, files, named } = await readConfiguration(world, configs);
  const { approved } = await judge(world, entries, trust);
  if (approved.length === 0) throw nothingToServe(files, entries.length);
  checkNames(
    approved.map(({ name }) => name),
    options,
  );
  // Names depend on the configuration: a server that is disabled, unreadable or not approved counts too.
  const prefix = options.prefix === 'auto' ? (named.size > 1 ? 'always' : 'never') : options.prefix;
  // The client on standard input is the user of this machine.
  const callerSignIn = stdio ? undefined : createCallersSignIn(world, options);
  const given = { ...options, ...(callerSignIn ? { callerSignIn } : {}) };
  const hosting = await hostOf(world, approved, { ...given, ...(prefix ? { prefix } : {}) });
  await serveUntilEnded(world, hosting, () => serve(world, hosting.host, files, given));
}

async function serve(world: World, host: Host, files: readonly string[], options: GatewayOptions): Promise<Running> {
  const { stdio = false } = options;
  const listening = stdio && options.port === undefined ? undefined : await overHttp(world, host, options);
  const piped = stdio ? await overStdio(host, options) : undefined;
  // How servers stand takes as long as the slowest takes; meanwhile it is served, and can be ended.
  if (listening && !stdio) void report(world, host, listening.places, files, options);
  return {
    ...(piped ? { ended: piped.closed } : {}),
    close: async () => {
      await Promise.all([listening?.close(), piped?.close()]);
    },
  };
}

function overHttp(world: World, host: Host, options: GatewayOptions): Promise<Listening> {
  return listen(host, {
    port: options.port ?? PORT,
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.allowedHosts ? { allowedHosts: options.allowedHosts } : {}),
    ...(options.servers ? { servers: options.servers } : {}),
    ...(options.virtual ? { virtual: options.virtual } : {}),
    guards: path => guardsOf(options, world.env, path),
    ...(options.callerSignIn ? { pages: options.callerSignIn } : {}),
    onError: error => world.screen.note(describeError(error)),
  });
}

async function overStdio(host: Host, { servers }: GatewayOptions) {
  const { serveStdio } = await import('tenon/stdio');
  return serveStdio(host.asServer(servers ? { servers } : {}), { exit: false });
}

async function report(
  { screen }: World,
  host: Host,
  places: readonly Place[],
  files: readonly string[],
  { json }: GatewayOptions,
): Promise<void> {
  if (json) {
    for (const place of places) screen.json({ event: 'listening', ...place });
    for (const { why, ...server } of await standing(host)) {
      screen.json({ event: 'server', ...server, ...(why === undefined ? {} : { why: shortReason(why) }) });
    }
    return;
  }
  const rows = places.flatMap(({ url, sseUrl, servers }) => [
    [url, servers ? servers.join(', ') : 'all servers'],
    ...(sseUrl === undefined ? [] : [[sseUrl, 'the same by HTTP+SSE']]),
  ]);
  screen.print(`\nGateway to the servers of ${files.join(', ')}\n\n${columns(rows)}\n`);
  screen.print(`${statesTable(await standing(host))}\n\nCtrl-C ends it.`);
}

function checkNames(known: readonly string[], { servers = [], virtual = {} }: GatewayOptions): void {
  const reserved = ['mcp', 'sse', 'messages'].find(name => Object.hasOwn(virtual, name));
  if (reserved) throw misuse(`/${reserved} is taken`, 'give the virtual server another name');
  const missing = [...servers, ...Object.values(virtual).flat()].find(name => !known.includes(name));
  if (missing === undefined) return;
  throw misuse(`there is no server "${missing}"`, `name one of these: ${known.join(', ')}`);
}

function nothingToServe(files: readonly string[], entries: number): TenonError {
  return new TenonError('cli/no-servers', `there is no server to serve in ${files.join(', ')}`, {
    next: entries === 0 ? 'name one under "mcpServers"' : 'approve one: run this in a terminal, or give --trust',
  });
}
