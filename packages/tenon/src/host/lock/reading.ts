import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import {
  type Cut,
  type Definitions,
  LOCKFILE_VERSION,
  type Lock,
  type LockedServer,
  MAX_PINNED,
  type Pinned,
  type Source,
} from './lock.js';
import { misshapen, parseLock, wrongDigest, wrongVersion } from './parsing.js';
import { memberOf, sealed } from './pin.js';

/**
 * Reads a lock. `name` is what errors call it. Rejects with `lock/syntax` (no JSON, a name twice, the marks of a merge),
 * `lock/version`, `lock/shape`, `lock/digest` (a definition was changed by hand) and `lock/too-large`; each says where.
 */
export async function readLock(text: string, name = 'mcp.lock'): Promise<Lock> {
  const value = parseLock(text, name);
  if (!isObject(value)) throw misshapen(name, [], 'an object', value);
  if (value.lockfileVersion !== LOCKFILE_VERSION) throw wrongVersion(name, value.lockfileVersion);
  const servers = new Map<string, LockedServer>();
  for (const [key, each] of entriesOf(value, 'servers', { name, at: [] })) {
    servers.set(key, await readServer(each, { name, at: ['servers', key] }));
  }
  return { servers };
}

/** The lock's name, and the members that lead to what is being read. */
interface Place {
  readonly name: string;
  readonly at: readonly string[];
}

const within = ({ name, at }: Place, member: string): Place => ({ name, at: [...at, member] });

async function readServer(value: unknown, place: Place): Promise<LockedServer> {
  if (!isObject(value)) throw misshapen(place.name, place.at, 'an object', value);
  const section = (member: string) => readDefinitions(entriesOf(value, member, place), within(place, member));
  return {
    source: readSource(value.source, within(place, 'source')),
    about: await readPinned(value.about, within(place, 'about')),
    tools: await section('tools'),
    prompts: await section('prompts'),
    resources: await section('resources'),
    templates: await section('templates'),
  };
}

async function readDefinitions(entries: readonly [string, unknown][], place: Place): Promise<Definitions> {
  if (entries.length > MAX_PINNED) {
    throw misshapen(place.name, place.at, `${MAX_PINNED} definitions at the most`, entries.length);
  }
  const definitions = new Map<string, Pinned>();
  for (const [key, each] of entries) definitions.set(key, await readPinned(each, within(place, key)));
  return definitions;
}

async function readPinned(value: unknown, place: Place): Promise<Pinned> {
  if (!isObject(value)) throw misshapen(place.name, place.at, 'an object', value);
  const { digest, definition, cut } = value;
  if (!isObject(definition)) throw misshapen(place.name, [...place.at, 'definition'], 'an object', definition);
  if (cut !== undefined && !(isObject(cut) && Object.values(cut).every(isCut))) {
    throw misshapen(place.name, [...place.at, 'cut'], 'an object of { digest, length, excerpt }', cut);
  }
  const pinned = await sealed(definition, cut as Record<string, Cut> | undefined);
  if (pinned.digest !== digest) throw wrongDigest(place.name, place.at);
  return pinned;
}

function isCut(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { digest, length, excerpt } = value;
  return typeof digest === 'string' && typeof length === 'number' && typeof excerpt === 'string';
}

function readSource(value: unknown, place: Place): Source {
  if (!isObject(value)) throw misshapen(place.name, place.at, 'an object', value);
  const text = (member: string) => {
    const each = memberOf(value, member);
    if (typeof each !== 'string') throw misshapen(place.name, [...place.at, member], 'a string', each);
    return each;
  };
  const texts = (member: string) => {
    const each = memberOf(value, member);
    if (Array.isArray(each) && each.every(one => typeof one === 'string')) return each as string[];
    throw misshapen(place.name, [...place.at, member], 'an array of strings', each);
  };
  const maybe = (member: string) => (Object.hasOwn(value, member) ? { [member]: text(member) } : {});
  return 'command' in value
    ? { command: text('command'), args: texts('args'), env: texts('env'), ...maybe('cwd') }
    : { url: text('url'), headers: texts('headers'), ...maybe('transport') };
}

function entriesOf(value: JsonObject, member: string, { name, at }: Place): [string, unknown][] {
  const each = memberOf(value, member);
  if (!isObject(each)) throw misshapen(name, [...at, member], 'an object', each);
  return Object.entries(each);
}
