import { checkString, isObject, isTextList, type JsonObject, requireArgument } from '@tenon/base';
import {
  type Definitions,
  LOCKFILE_VERSION,
  type Lock,
  type LockedServer,
  MAX_PINNED,
  type PinnedDefinition,
  type ServerSource,
  type TruncatedMember,
} from './lock.js';
import { createDigestError, createShapeError, createVersionError, parseLock } from './lock-syntax.js';
import { createPinned, getMember } from './pin-definition.js';

/**
 * Parses a lock file.
 *
 * @param name Name of the file in errors.
 * @throws TenonError `lock/syntax` (invalid JSON, a duplicate name, merge markers), `lock/version`, `lock/shape`,
 * `lock/digest` (a definition was edited) or `lock/too-large`. Each error names the position.
 */
export async function parseLockFile(text: string, name = 'mcp.lock'): Promise<Lock> {
  requireArgument('`text` of parseLockFile', text, checkString);
  const value = parseLock(text, name);
  if (!isObject(value)) throw createShapeError(name, [], 'an object', value);
  if (value.lockfileVersion !== LOCKFILE_VERSION) throw createVersionError(name, value.lockfileVersion);
  const servers = new Map<string, LockedServer>();
  for (const [key, each] of listEntries(value, 'servers', { name, at: [] })) {
    servers.set(key, readServer(each, { name, at: ['servers', key] }));
  }
  return { servers };
}

/** Name of the lock, and path of the member that is being parsed. */
interface LockLocation {
  readonly name: string;
  readonly at: readonly string[];
}

const enterMember = ({ name, at }: LockLocation, member: string): LockLocation => ({ name, at: [...at, member] });

function readServer(value: unknown, place: LockLocation): LockedServer {
  if (!isObject(value)) throw createShapeError(place.name, place.at, 'an object', value);
  const readSection = (member: string) =>
    readDefinitions(listEntries(value, member, place), enterMember(place, member));
  return {
    source: readSource(value.source, enterMember(place, 'source')),
    serverInfo: readPinned(value.about, enterMember(place, 'about')),
    tools: readSection('tools'),
    prompts: readSection('prompts'),
    resources: readSection('resources'),
    templates: readSection('templates'),
    // Only locks of servers with skills or pages have them.
    ...(Object.hasOwn(value, 'skills') ? { skills: readSection('skills') } : {}),
    ...(Object.hasOwn(value, 'pages') ? { pages: readSection('pages') } : {}),
  };
}

function readDefinitions(entries: readonly [string, unknown][], place: LockLocation): Definitions {
  if (entries.length > MAX_PINNED) {
    throw createShapeError(place.name, place.at, `at most ${MAX_PINNED} definitions`, entries.length);
  }
  const definitions = new Map<string, PinnedDefinition>();
  for (const [key, each] of entries) definitions.set(key, readPinned(each, enterMember(place, key)));
  return definitions;
}

function readPinned(value: unknown, place: LockLocation): PinnedDefinition {
  if (!isObject(value)) throw createShapeError(place.name, place.at, 'an object', value);
  const { digest, definition, cut } = value;
  if (!isObject(definition)) throw createShapeError(place.name, [...place.at, 'definition'], 'an object', definition);
  if (cut !== undefined && !(isObject(cut) && Object.values(cut).every(isCut))) {
    throw createShapeError(place.name, [...place.at, 'cut'], 'an object of { digest, length, excerpt }', cut);
  }
  const pinned = createPinned(definition, cut as Record<string, TruncatedMember> | undefined);
  if (pinned.digest !== digest) throw createDigestError(place.name, place.at);
  return pinned;
}

function isCut(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { digest, length, excerpt } = value;
  return typeof digest === 'string' && typeof length === 'number' && typeof excerpt === 'string';
}

function readSource(value: unknown, place: LockLocation): ServerSource {
  if (!isObject(value)) throw createShapeError(place.name, place.at, 'an object', value);
  const readText = (member: string) => {
    const each = getMember(value, member);
    if (typeof each !== 'string') throw createShapeError(place.name, [...place.at, member], 'a string', each);
    return each;
  };
  const readTexts = (member: string) => {
    const each = getMember(value, member);
    if (isTextList(each)) return each;
    throw createShapeError(place.name, [...place.at, member], 'an array of strings', each);
  };
  const readOptional = (member: string) => (Object.hasOwn(value, member) ? { [member]: readText(member) } : {});
  const readOptionalTexts = (member: string) => (Object.hasOwn(value, member) ? { [member]: readTexts(member) } : {});
  return 'command' in value
    ? { command: readText('command'), args: readTexts('args'), env: readTexts('env'), ...readOptional('cwd') }
    : {
        url: readText('url'),
        headers: readTexts('headers'),
        ...readOptional('transport'),
        ...readOptional('apiUrl'),
        ...readOptionalTexts('auth'),
        ...readOptionalTexts('resources'),
        ...readOptionalTexts('serverOrigins'),
      };
}

function listEntries(value: JsonObject, member: string, { name, at }: LockLocation): [string, unknown][] {
  const each = getMember(value, member);
  if (!isObject(each)) throw createShapeError(name, [...at, member], 'an object', each);
  return Object.entries(each);
}
