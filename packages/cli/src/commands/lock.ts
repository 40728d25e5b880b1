import { resolve } from 'node:path';
import type { Command } from 'commander';
import { accept, compare, type Drift, describeDrift, type Lock, type LockFile, lockFile, safeName } from 'tenon/host';
import { type Configuration, readConfiguration } from '../configuration.js';
import { type ExitCode, exit } from '../exit.js';
import { askAll } from '../offering.js';
import { shortReason } from '../reporting.js';
import { YES_OR_NO } from '../terminal.js';
import { judge } from '../trusting.js';
import type { World } from '../world.js';
import { command, examples } from './command.js';

interface LockOptions {
  readonly check?: boolean;
  readonly strict?: boolean;
  readonly file: string;
  readonly yes?: boolean;
  readonly trust?: boolean;
  readonly json?: boolean;
}

export function lockCommand(world: World): Command {
  return command('lock', 'write down what servers offer, and tell when they offer something else')
    .argument('[config...]', 'configurations (default: ./mcp.json, else what this folder has)')
    .option(
      '--check',
      'write nothing: end with 1 when something must be approved, with 2 when a server can not be asked',
    )
    .option('--strict', 'with --check: end with 1 for what is worth no more than a note, too')
    .option('--file <path>', 'where the lock is', 'mcp.lock')
    .option('--yes', 'write it without asking')
    .option('--trust', 'run what the configurations name without asking: they are your own')
    .option('--json', 'print what differs as JSON')
    .addHelpText(
      'after',
      examples([
        ['tenon lock', 'shows what changes, asks, and writes mcp.lock'],
        ['tenon lock --check --trust', 'in CI, where the configuration is your own'],
      ]),
    )
    .action(async (configs: string[], options: LockOptions) => {
      world.code = await lock(world, configs, options);
    });
}

/** What servers offer beside what the lock has of them. */
interface Comparison {
  readonly drifts: readonly Drift[];
  /** The servers that could not be asked. */
  readonly absent: readonly string[];
}

async function lock(world: World, configs: readonly string[], options: LockOptions): Promise<ExitCode> {
  const configuration = await readConfiguration(world, configs);
  const file = lockFile(resolve(world.cwd, options.file));
  const before = await file.read();
  const known = before ?? { servers: new Map() };
  const found = await compared(world, configuration, known, options);
  if (options.json) world.screen.json(asJson(found));
  else if (found.drifts.length > 0) world.screen.print(`${describeDrift(found.drifts)}\n`);
  return options.check
    ? checked(world, before, found, options)
    : written(world, { file, before: known }, found, options);
}

async function compared(
  world: World,
  { entries, named, broken }: Configuration,
  before: Lock,
  options: LockOptions,
): Promise<Comparison> {
  const { approved, refused } = await judge(world, entries, options.trust ?? false);
  const { offered, absent } = await askAll(world, approved);
  for (const { server, why } of absent) world.screen.note(`${safeName(server)} can not be asked: ${shortReason(why)}`);
  const drifts: Drift[] = [];
  for (const entry of approved) {
    const own = offered.find(({ server }) => server === entry.name);
    if (own) drifts.push(...(await compare(before, entry, own)));
  }
  for (const name of before.servers.keys()) {
    if (!named.has(name)) drifts.push({ server: name, kind: 'removed server', severity: 'note', of: 'server', name });
  }
  return { drifts, absent: [...absent.map(({ server }) => server), ...refused.map(({ name }) => name), ...broken] };
}

function checked(
  { screen }: World,
  before: Lock | undefined,
  { drifts, absent }: Comparison,
  options: LockOptions,
): ExitCode {
  const grave = options.strict ? drifts : drifts.filter(isGrave);
  if (before === undefined) screen.note(`there is no ${options.file}: write it with \`tenon lock\``);
  if (grave.length > 0) {
    screen.note(`${counted(grave.length, 'change')} to be approved: look, then \`tenon lock\``);
    return exit.no;
  }
  if (before === undefined) return exit.no;
  if (absent.length > 0) return exit.failed;
  screen.note(`nothing differs from ${options.file}${drifts.length > 0 ? ' that must be approved' : ''}`);
  return exit.fine;
}

async function written(
  world: World,
  { file, before }: { readonly file: LockFile; readonly before: Lock },
  { drifts, absent }: Comparison,
  options: LockOptions,
): Promise<ExitCode> {
  const { screen, terminal } = world;
  const { file: path } = options;
  const failed = absent.map(each => safeName(each)).join(', ');
  // An empty lock blocks every server, so a passing failure must not become one.
  if (absent.length > 0 && (await accept(before, drifts)).servers.size === 0) {
    screen.note(`${path} is not written: no server could be asked. Start these, then run this again: ${failed}`);
    return exit.failed;
  }
  const isAsked = drifts.some(isGrave) && !options.yes;
  if (isAsked && !terminal.interactive) {
    screen.note(`${path} is not written: there is nobody to ask. Look at what changes, and give --yes`);
    return exit.no;
  }
  if (isAsked && (await terminal.choose(`Write this into ${path}? [y/n] `, YES_OR_NO)) !== 'yes') return exit.no;
  const after = await file.update(held => accept(held, drifts));
  screen.note(`${path} has ${counted(after.servers.size, 'server')}`);
  if (absent.length > 0) screen.note(`${failed} could not be asked, and what is not in ${path} will not be started`);
  return absent.length > 0 ? exit.failed : exit.fine;
}

const isGrave = ({ severity }: Drift): boolean => severity === 'approve';

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** What was found of a server that the lock does not know has maps in it, and is told by its names. */
function asJson({ drifts, absent }: Comparison) {
  const told = drifts.map(({ found, ...drift }) => (found ? { ...drift, source: found.source } : drift));
  return { drifts: told, absent };
}
