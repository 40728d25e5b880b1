import { escapeInvisibleJson, toCanonicalJson } from '@tenon/base';
import {
  type Definitions,
  LOCKFILE_VERSION,
  type Lock,
  type LockedServer,
  type PinnedDefinition,
  requireLock,
} from './lock.js';

/** Serializes a lock as stable JSON with one definition per line. Invisible characters are escaped, as in `\u202e`. */
export function serializeLock(lock: Lock): string {
  requireLock('serializeLock', lock);
  const servers = formatBlock(
    sortEntries(lock.servers).map(([name, server]) => formatMember(name, serializeServer(server), '    ')),
    '  ',
  );
  return `{\n  "lockfileVersion": ${LOCKFILE_VERSION},\n  "servers": ${servers}\n}\n`;
}

function serializeServer({
  source,
  serverInfo,
  tools,
  prompts,
  resources,
  templates,
  skills,
  pages,
}: LockedServer): string {
  const sections = {
    ...{ tools, prompts, resources, templates },
    ...(skills && skills.size > 0 ? { skills } : {}),
    ...(pages && pages.size > 0 ? { pages } : {}),
  };
  const lines = Object.entries(sections).map(([name, each]) =>
    formatMember(name, serializeDefinitions(each), '      '),
  );
  const first = [
    formatMember('source', toJson(source), '      '),
    formatMember('about', serializePinned(serverInfo), '      '),
  ];
  return formatBlock([...first, ...lines], '    ');
}

function serializeDefinitions(definitions: Definitions): string {
  return formatBlock(
    sortEntries(definitions).map(([name, each]) => formatMember(name, serializePinned(each), '        ')),
    '      ',
  );
}

/** Serializes a pinned definition. The digest comes first, because readers of a diff look for it. */
function serializePinned({ digest, definition, cut }: PinnedDefinition): string {
  const rest = cut === undefined ? '' : `, "cut": ${toJson(cut)}`;
  return `{ "digest": ${toJson(digest)}, "definition": ${toJson(definition)}${rest} }`;
}

const toJson = (value: unknown): string => escapeInvisibleJson(toCanonicalJson(value));
const formatMember = (name: string, text: string, indent: string): string => `${indent}${toJson(name)}: ${text}`;

const formatBlock = (lines: readonly string[], indent: string): string =>
  lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`;

const sortEntries = <T>(map: ReadonlyMap<string, T>): [string, T][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
