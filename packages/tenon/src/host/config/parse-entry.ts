import { ASSUMABLE_CAPABILITIES, type AssumableCapability } from '../../protocol/capabilities.js';
import { findNearestKey } from '../../protocol/nearest-key.js';
import { type EntryParser, readFlag, readResolvedList, readTextList, reportWrongKind } from './entry-parser.js';
import type { ReadEnvFile } from './env-file.js';
import type { JsonNode } from './json-node.js';
import { couldRestrict, IGNORED_KEYS, SUPPORTED_KEYS, TOOL_RESTRICTIONS, UNSUPPORTED_KEYS } from './keys.js';
import { readTarget } from './parse-target.js';
import { isAbsolute, resolvePath, toFileUri } from './paths.js';
import { quoteName, type ReportProblem } from './problem.js';
import type { ResolveVariables } from './resolve-variables.js';
import { readAuthExceptions } from './sections/auth-exceptions.js';
import { readTools } from './sections/tool-settings.js';
import type { ConfiguredEntry, EntryOrigin, ServerEntry } from './server-entry.js';
import { readTimeouts } from './timeouts.js';

/** Maximum length of the name of a server, in characters. */
const MAX_NAME = 256;

export interface EntrySources {
  readonly file: string;
  readonly scope: EntryOrigin['scope'] | undefined;
  readonly workspace: string | undefined;
  readonly fill: ResolveVariables;
  readonly readEnvFile: ReadEnvFile | undefined;
  readonly report: ReportProblem;
}

/** Parses one server. Returns `undefined` for an invalid entry, which is reported. */
export async function parseEntry(
  name: string,
  node: JsonNode,
  sources: EntrySources,
): Promise<ConfiguredEntry | undefined> {
  let failed = false;
  const { report, fill, readEnvFile, ...rest } = sources;
  const parser: EntryParser = {
    ...rest,
    name,
    node,
    members: collectMembers(node),
    // A disabled server needs no variables, so the user is not asked for its inputs.
    isDisabled: isDisabled(node),
    resolve: isDisabled(node) ? async text => text : fill,
    written: Object.create(null) as Record<string, string>,
    reportError(...message) {
      failed = true;
      report('error', ...message);
    },
    reportWarning: (...message) => report('warning', ...message),
  };
  if (!checkDuplicates(parser)) return undefined;
  checkKeys(parser);
  const target = await readTarget(parser, parser.isDisabled ? async () => ({}) : readEnvFile);
  const more = { ...readTimeouts(parser), ...(await readSettings(parser, sources.scope)) };
  if (failed || !target) return undefined;
  const { file, scope } = sources;
  const origin = scope && { origin: { file, line: node.line ?? 1, scope } };
  return { name, target, ...more, ...origin, written: { ...parser.written } };
}

const isDisabled = ({ members }: JsonNode): boolean =>
  members.get('disabled')?.value === true || members.get('enabled')?.value === false;

/** Collects the members of an entry. Some versions of Zed nest the command, arguments and environment in an object. */
function collectMembers({ members, path }: JsonNode): ReadonlyMap<string, JsonNode> {
  const command = path[0] === 'context_servers' ? members.get('command') : undefined;
  if (command?.kind !== 'object') return members;
  const { path: program, args, env, timeout } = Object.fromEntries(command.members);
  const inner = Object.entries({ command: program, args, env, timeout }).filter(([, spot]) => spot !== undefined);
  return new Map([...[...members].filter(([key]) => key !== 'command'), ...(inner as [string, JsonNode][])]);
}

function checkDuplicates(parser: EntryParser): boolean {
  const { name, node } = parser;
  if (node.kind !== 'object') reportWrongKind(parser, node, 'an object');
  else if (name.trim() === '' || name.length > MAX_NAME || /\p{Cc}/u.test(name))
    parser.reportError('config/name', node, 'invalid server name', {
      expected: `1 to ${MAX_NAME} printable characters`,
    });
  else if (listRepeated(node).length)
    for (const each of listRepeated(node))
      parser.reportError('config/duplicate-key', each, 'duplicate key', { hint: 'remove one of them' });
  else return true;
  return false;
}

/**
 * Lists the members with repeated names. Hosts use different ones, so the user could see one value, and the host could
 * run another.
 */
function listRepeated(spot: JsonNode): readonly JsonNode[] {
  const inner = [...spot.members.values()];
  return [spot, ...inner, ...inner.flatMap(each => [...each.members.values()])].flatMap(each => each.repeated);
}

/**
 * Reports the keys that are not supported. An unknown key refuses the entry if it could be a restriction, or if the
 * entry restricts its tools, because the key may then be a misspelled part of the restriction. A disabled entry only
 * gets warnings, because it does not run.
 */
function checkKeys(parser: EntryParser): void {
  const isRestricted = TOOL_RESTRICTIONS.some(key => restrictsTools(parser.members.get(key)));
  for (const [key, spot] of listKeys(parser)) {
    if (SUPPORTED_KEYS.includes(key) || IGNORED_KEYS.includes(key)) continue;
    const hint = Object.hasOwn(UNSUPPORTED_KEYS, key) ? UNSUPPORTED_KEYS[key] : undefined;
    if (hint) {
      parser.reportWarning('config/not-followed', spot, `the key ${quoteName(key)} is not supported`, { hint });
      continue;
    }
    const nearest = findNearestKey(key, [...SUPPORTED_KEYS, ...Object.keys(UNSUPPORTED_KEYS)]);
    const meant = nearest === undefined ? undefined : `did you mean ${quoteName(nearest)}?`;
    if (parser.isDisabled || !(isRestricted || couldRestrict(key, spot.value, nearest))) {
      const details = meant === undefined ? {} : { hint: meant };
      parser.reportWarning('config/unknown-key', spot, `unknown key ${quoteName(key)}`, details);
    } else {
      const reason = isRestricted ? 'beside a restriction of the tools' : 'that could restrict the server';
      parser.reportError('config/unknown-key', spot, `unknown key ${quoteName(key)} ${reason}`, {
        hint: meant ?? 'use `disabled` or `tools`, or remove the key',
      });
    }
  }
}

/** Tells if a setting of tools selects some of them. Copilot CLI writes `["*"]` into each entry. */
const restrictsTools = (spot: JsonNode | undefined): boolean =>
  spot !== undefined && !spot.items.some(({ value }) => value === '*');

/** Lists the members of an entry by name, also those that Zed nests beside the path of the command. */
function listKeys({ node, members }: EntryParser): (readonly [string, JsonNode])[] {
  const command = node.members.get('command');
  const nested = command === members.get('command') ? [] : [...(command?.members ?? [])];
  return [...node.members, ...nested.filter(([key]) => key !== 'path')];
}

type EntrySettings = Pick<
  ServerEntry,
  'disabled' | 'trusted' | 'authExceptions' | 'tools' | 'roots' | 'share' | 'strict' | 'assumeCapabilities'
>;

async function readSettings(parser: EntryParser, scope: EntrySources['scope']): Promise<EntrySettings> {
  const [disabled, enabled, trusted, share, strict] = ['disabled', 'enabled', 'trusted', 'share', 'strict'].map(name =>
    readFlag(parser, name),
  );
  const sandbox = parser.members.get('sandboxEnabled');
  // Running a server without its sandbox would contradict the configuration.
  if (sandbox && readFlag(parser, 'sandboxEnabled') && !parser.isDisabled)
    parser.reportError('config/sandbox', sandbox, '`sandboxEnabled` is not supported', {
      hint: 'start the server with docker or bwrap, or remove `sandboxEnabled`',
    });
  const authExceptions = readAuthExceptions(parser, scope);
  const assumeCapabilities = readAssumedCapabilities(parser);
  const [tools, roots] = [readTools(parser), await readRoots(parser)];
  return {
    ...((disabled || enabled === false) && { disabled: true }),
    ...(trusted !== undefined && { trusted }),
    ...(share !== undefined && { share }),
    ...(strict !== undefined && { strict }),
    ...(assumeCapabilities && { assumeCapabilities }),
    ...(authExceptions && { authExceptions }),
    ...(tools && { tools }),
    ...(roots && { roots }),
  };
}

function readAssumedCapabilities(parser: EntryParser): AssumableCapability[] | undefined {
  const spot = parser.members.get('assumeCapabilities');
  const names = spot && readTextList(parser, spot);
  if (!spot || !names) return undefined;
  const known = ASSUMABLE_CAPABILITIES.filter(name => names.includes(name));
  if (new Set(names).size === known.length) return known;
  return parser.reportError('config/shape', spot, 'invalid list', { expected: ASSUMABLE_CAPABILITIES.join(', ') });
}

async function readRoots(parser: EntryParser): Promise<string[] | undefined> {
  const spot = parser.members.get('roots');
  const roots = spot && (await readResolvedList(parser, 'roots', spot));
  return roots?.map(root => {
    if (/^[a-z][a-z0-9+.-]+:/i.test(root)) return root;
    const path = resolvePath(parser.workspace, root);
    return isAbsolute(path) ? toFileUri(path) : root;
  });
}
