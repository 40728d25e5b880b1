import type { Command, Option } from 'commander';
import type { CliContext } from '../cli-context.js';
import { getPlaceholder } from '../host/placeholders.js';
import { findSources, findUserSources, readConfigSource } from '../host/read-configuration.js';
import { listWaitingCalls } from '../questions/waiting-calls.js';
import { takeTarget } from '../target/target-reference.js';
import { type KnownArgument, type KnownEntry, type KnownNames, readKnownNames } from './known-names.js';
import { listArgumentValues, listOptionValues } from './option-values.js';

/** Possible word of a command line. */
export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

/** Commands to choose from. */
export interface CommandSource {
  /** Names of all commands. */
  readonly names: readonly string[];
  /** Loads one command, or all of them. */
  load(name?: string): Promise<readonly Command[]>;
}

/** Entries of a server that a command takes after its target, and whether arguments follow. */
const entrySelectors: { readonly [command: string]: (names: KnownNames) => readonly KnownEntry[] } = {
  call: ({ tools = [] }) => tools,
  prompt: ({ prompts = [] }) => prompts,
  read: ({ resources = [] }) => resources,
  subscribe: ({ resources = [] }) => resources,
  complete: ({ prompts = [], templates = [] }) => [...prompts, ...templates],
};
const WITH_ARGUMENTS = ['call', 'prompt', 'complete'];

/**
 * Lists the possible values of the last word. An empty list leaves the word to the shell, which completes files.
 *
 * @param words Words after `tenon`. The last one is the word that is completed.
 */
export async function listCandidates(
  context: CliContext,
  source: CommandSource,
  words: readonly string[],
): Promise<Candidate[]> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  // The command line of a server is not ours.
  if (before.includes('--')) return [];
  const all = await listAll(context, source, before, current);
  return all.filter(({ value }) => value.startsWith(current));
}

async function listAll(
  context: CliContext,
  source: CommandSource,
  before: readonly string[],
  current: string,
): Promise<Candidate[]> {
  const [name, ...rest] = before;
  if (name === undefined) return current.startsWith('-') ? toCandidates(['--help', '--version']) : listNames(source);
  if (name === 'help')
    return rest.length > 0 ? [] : current.startsWith('-') ? toCandidates(['--all']) : listNames(source);
  const [root] = source.names.includes(name) ? await source.load(name) : [];
  if (root === undefined) return [];
  const { command, positional, open } = readWords(root, rest);
  if (open) return listValues(context, name, open, current);
  if (current.startsWith('-')) return listOptions(name, command, current);
  if (command.commands.length > 0 && positional.length === 0) return command.commands.map(toCommandCandidate);
  const choices = command.registeredArguments[positional.length]?.argChoices;
  if (choices) return toCandidates(choices);
  if (name === 'answer' && positional.length === 0) return listWaiting(context);
  if (positional.length === 0 && command.registeredArguments[0]?.name() === 'command')
    return toCandidates(await listArgumentValues(name));
  if (command.registeredArguments[0]?.name() !== 'target') return [];
  return positional.length === 0 ? listServers(context) : listEntries(context, name, positional, current);
}

const toCandidates = (values: readonly string[]): Candidate[] => values.map(value => ({ value }));

const toCommandCandidate = (command: Command): Candidate => ({
  value: command.name(),
  description: command.summary() || command.description(),
});

async function listNames(source: CommandSource): Promise<Candidate[]> {
  return [
    ...(await source.load()).map(toCommandCandidate),
    { value: 'help', description: 'show the help of a command' },
  ];
}

/** Words of a command line, without options and their values. */
interface ReadWords {
  /** The innermost command that the words name. */
  readonly command: Command;
  readonly positional: readonly string[];
  /** Option whose value is the next word. */
  readonly open: Option | undefined;
}

function readWords(root: Command, words: readonly string[]): ReadWords {
  let command = root;
  let open: Option | undefined;
  const positional: string[] = [];
  for (const word of words) {
    if (open) {
      open = undefined;
    } else if (word.startsWith('-')) {
      const option = command.options.find(({ long, short }) => long === word || short === word);
      open = option && (option.required || option.optional) ? option : undefined;
    } else {
      const inner = positional.length === 0 ? command.commands.find(each => each.name() === word) : undefined;
      if (inner) command = inner;
      else positional.push(word);
    }
  }
  return { command, positional, open };
}

/** Lists the values of an option. */
async function listValues(context: CliContext, name: string, option: Option, current: string): Promise<Candidate[]> {
  if (name === 'replay' && option.long === '--against') return listServers(context);
  return toCandidates(option.argChoices ?? (await listOptionValues(name, option.long ?? '', current)));
}

async function listOptions(name: string, command: Command, current: string): Promise<Candidate[]> {
  const [, long, value = ''] = /^(--[\w-]+)=(.*)$/.exec(current) ?? [];
  if (long !== undefined) {
    const choices = command.options.find(option => option.long === long)?.argChoices;
    const values = choices ?? (await listOptionValues(name, long, value));
    return values.map(each => ({ value: `${long}=${each}` }));
  }
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long: value, description }) => (value ? [{ value, description }] : []));
}

async function listWaiting(context: CliContext): Promise<Candidate[]> {
  const calls = await listWaitingCalls(context);
  return calls.map(({ id, method, params }) => ({ value: id, description: `${method} ${String(params.name ?? '')}` }));
}

/** Lists the servers of the configurations, without a question about the values in them. */
async function listServers(context: CliContext): Promise<Candidate[]> {
  const project = await findSources(context).catch(() => []);
  const user = await findUserSources(context).catch(() => []);
  const servers = new Map<string, string>();
  for (const source of [...project, ...user]) {
    const read = await readConfigSource(source, context.env, getPlaceholder).catch(() => undefined);
    for (const { name } of read?.entries ?? []) if (!servers.has(name)) servers.set(name, source.path);
  }
  return [...servers].map(([value, description]) => ({ value, description }));
}

async function listEntries(
  context: CliContext,
  command: string,
  positional: readonly string[],
  current: string,
): Promise<Candidate[]> {
  const select = entrySelectors[command];
  if (select === undefined) return [];
  const target = readTarget(context, positional);
  if (target === undefined) return [];
  const entries = select(await readKnownNames(context, target.reference));
  const [name, ...values] = target.rest;
  if (name === undefined) return entries.map(entry => ({ value: entry.name, description: entry.description }));
  const parameters = entries.find(entry => entry.name === name)?.arguments ?? [];
  return WITH_ARGUMENTS.includes(command) ? listArguments(parameters, values, current) : [];
}

function readTarget(context: CliContext, positional: readonly string[]) {
  try {
    return takeTarget(context, positional);
  } catch {
    return undefined;
  }
}

/** Lists `name=` of each argument without a value, or the values of the argument in the current word. */
function listArguments(parameters: readonly KnownArgument[], given: readonly string[], current: string): Candidate[] {
  const [, name] = /^([^=]+?):?=/.exec(current) ?? [];
  const open = parameters.find(each => each.name === name);
  if (open) return (open.values ?? []).map(value => ({ value: `${name}=${value}` }));
  const used = new Set(given.map(word => word.replace(/:?=[\s\S]*$/, '')));
  return parameters
    .filter(each => !used.has(each.name))
    .map(each => ({ value: `${each.name}${each.isJson ? ':=' : '='}`, description: each.description }));
}
