import { canonical } from '../../conversation/asking/canonical.js';
import { type Definitions, LOCKFILE_VERSION, type Lock, type LockedServer, type Pinned } from './lock.js';
import { visibleJson } from './visible.js';

/**
 * A lock as text: JSON, the same for the same lock, one definition a line, and with what the eye does not see in a text
 * (control characters, directions, zero width) written as `\u202e`.
 */
export function writeLock(lock: Lock): string {
  const servers = block(
    sorted(lock.servers).map(([name, server]) => member(name, serverText(server), '    ')),
    '  ',
  );
  return `{\n  "lockfileVersion": ${LOCKFILE_VERSION},\n  "servers": ${servers}\n}\n`;
}

function serverText({ source, about, tools, prompts, resources, templates }: LockedServer): string {
  const sections = { tools, prompts, resources, templates };
  const lines = Object.entries(sections).map(([name, each]) => member(name, definitionsText(each), '      '));
  const first = [member('source', json(source), '      '), member('about', pinnedText(about), '      ')];
  return block([...first, ...lines], '    ');
}

function definitionsText(definitions: Definitions): string {
  return block(
    sorted(definitions).map(([name, each]) => member(name, pinnedText(each), '        ')),
    '      ',
  );
}

/** The digest comes first: it is what one looks for in a difference. */
function pinnedText({ digest, definition, cut }: Pinned): string {
  const rest = cut === undefined ? '' : `, "cut": ${json(cut)}`;
  return `{ "digest": ${json(digest)}, "definition": ${json(definition)}${rest} }`;
}

const json = (value: unknown): string => visibleJson(canonical(value));
const member = (name: string, text: string, indent: string): string => `${indent}${json(name)}: ${text}`;

const block = (lines: readonly string[], indent: string): string =>
  lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`;

const sorted = <T>(map: ReadonlyMap<string, T>): [string, T][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
