import { checkText, type JsonObject } from '@tenon/base';
import { quoteName } from '../config-finding.js';
import { type EntryParser, readTextList, reportWrongKind } from '../entry-parser.js';
import { type JsonNode, toJsonValue } from '../json-node.js';
import type { ServerEntry, ToolOverride } from '../server-entry.js';

/** Maximum number of renamed tools and texts of a server. */
const MAX_OVERRIDES = 1000;
const MAX_TEXT = 10_000;
const NAME_FORM = '1 to 128 letters, digits, `_`, `-` and `.`';
const TEXT_KEYS: readonly string[] = ['name', 'title', 'description'];
const ARGUMENT_KEYS: readonly string[] = ['defaults', 'hide'];

/** Checks the name of a tool for callers. */
export const checkToolName = checkText(NAME_FORM, name => /^[\w.-]{1,128}$/.test(name));

/**
 * Reads the tool settings: `tools: { include, exclude, overrides }`, a list (Copilot CLI), `includeTools` (Gemini CLI)
 * or `disabledTools` (Windsurf). An unknown key refuses the entry, because without it the host would offer more tools.
 */
export function readTools(parser: EntryParser): ServerEntry['tools'] {
  const { members } = parser;
  const tools = members.get('tools');
  if (tools && tools.kind !== 'object' && tools.kind !== 'array')
    return reportWrongKind(parser, tools, 'an array or an object');
  for (const [key, spot] of tools?.members ?? [])
    if (!['include', 'exclude', 'overrides'].includes(key))
      parser.reportError('config/unknown-key', spot, `unknown key ${quoteName(key)}`, {
        hint: 'use `include`, `exclude` or `overrides`',
      });
  const listOf = (...spots: (JsonNode | undefined)[]) => {
    const there = spots.filter(spot => spot !== undefined);
    return there.length ? there.flatMap(spot => readTextList(parser, spot) ?? []) : undefined;
  };
  const getMember = (name: string) => tools?.members.get(name);
  const include = listOf(tools?.kind === 'array' ? tools : getMember('include'), members.get('includeTools'));
  const exclude = listOf(getMember('exclude'), members.get('excludeTools'), members.get('disabledTools'));
  const overrides = readOverrides(parser, getMember('overrides'));
  if (!include && !exclude && !overrides) return undefined;
  return { ...(include && { include }), ...(exclude && { exclude }), ...(overrides && { overrides }) };
}

function readOverrides(
  parser: EntryParser,
  spot: JsonNode | undefined,
): Readonly<Record<string, ToolOverride>> | undefined {
  if (spot === undefined) return undefined;
  if (spot.kind !== 'object') return reportWrongKind(parser, spot, 'an object of tools by their names at the server');
  if (spot.members.size > MAX_OVERRIDES)
    return parser.reportError('config/too-large', spot, 'too many values', { expected: `at most ${MAX_OVERRIDES}` });
  const overrides = [...spot.members].flatMap(([tool, node]): [string, ToolOverride][] => {
    const override = readOverride(parser, node);
    return override ? [[tool, override]] : [];
  });
  const names = overrides.flatMap(([, { name }]) => name ?? []);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return Object.fromEntries(overrides);
  return parser.reportError('config/duplicate-key', spot, `two tools have the name ${quoteName(twice)}`, {
    hint: 'rename one of them',
  });
}

function readOverride(parser: EntryParser, node: JsonNode): ToolOverride | undefined {
  if (node.kind !== 'object')
    return reportWrongKind(parser, node, 'an object with name, title, description, defaults or hide');
  for (const [key, spot] of node.members) {
    if (ARGUMENT_KEYS.includes(key)) continue;
    if (!TEXT_KEYS.includes(key))
      return parser.reportError('config/unknown-key', spot, `unknown key ${quoteName(key)}`, {
        hint: 'use `name`, `title`, `description`, `defaults` or `hide`',
      });
    if (spot.kind !== 'string' || String(spot.value).length > MAX_TEXT)
      return reportWrongKind(parser, spot, `a text of at most ${MAX_TEXT} characters`);
  }
  const [name, title, description] = TEXT_KEYS.map(key => node.members.get(key)?.value as string | undefined);
  if (name !== undefined && checkToolName(name) !== undefined)
    return parser.reportError('config/shape', node, 'invalid name of a tool', { expected: NAME_FORM });
  const [defaultsSpot, hideSpot] = ARGUMENT_KEYS.map(key => node.members.get(key));
  if (defaultsSpot && defaultsSpot.kind !== 'object')
    return reportWrongKind(parser, defaultsSpot, 'an object of arguments with their values');
  const hide = hideSpot && readTextList(parser, hideSpot);
  if (hideSpot && hide === undefined) return undefined;
  return {
    ...(name !== undefined && { name }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(defaultsSpot && { defaults: toJsonValue(defaultsSpot) as JsonObject }),
    ...(hide && { hide }),
  };
}
