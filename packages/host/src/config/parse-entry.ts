import { findNearestKey } from '@tenon/base';
import { type AssumableCapability, assumableCapabilities, type ProtocolVersion, protocolVersions } from 'tenon';
import { type CallerTemplates, findTemplateIssues } from './caller-template.js';
import { quoteName, type ReportFinding } from './config-finding.js';
import { getEntryForm, isForeignExtension, readMembers } from './entry-forms.js';
import { type EntryParser, readFlag, readResolvedList, readTextList, reportWrongKind } from './entry-parser.js';
import type { ReadEnvFile } from './env-file.js';
import { deriveObject, type JsonNode } from './json-node.js';
import {
  couldRestrict,
  IGNORED_KEYS,
  MISTAKEN_KEYS,
  SUPPORTED_KEYS,
  TOOL_RESTRICTIONS,
  UNSUPPORTED_KEYS,
} from './keys.js';
import { type HasProgram, readTarget } from './parse-target.js';
import { isAbsolute, resolvePath, toFileUri } from './paths.js';
import type { ResolveVariables } from './resolve-variables.js';
import { readAuthExceptions } from './sections/auth-exceptions.js';
import { readServiceAccount } from './sections/service-account.js';
import { readTools } from './sections/tool-settings.js';
import type { ConfiguredEntry, EntryOrigin, ServerEntry } from './server-entry.js';
import { readTimeouts } from './timeouts.js';

/** Maximum length of the name of a server, in characters. */
const MAX_NAME = 256;

export interface EntrySources {
  readonly file: string;
  readonly scope: EntryOrigin['scope'] | undefined;
  readonly workspace: string | undefined;
  readonly home: string | undefined;
  /** `undefined`: variables stay as they are written. */
  readonly fill: ResolveVariables | undefined;
  readonly readEnvFile: ReadEnvFile | undefined;
  readonly hasProgram: HasProgram | undefined;
  readonly report: ReportFinding;
}

/**
 * Parses one server. Returns `undefined` for an invalid entry, which is reported, and for an extension of another
 * program that is no MCP server.
 */
export async function parseEntry(
  name: string,
  written: JsonNode,
  sources: EntrySources,
): Promise<ConfiguredEntry | undefined> {
  let failed = false;
  const { report, fill, readEnvFile, hasProgram, ...rest } = sources;
  const isUrl = written.kind === 'string' && /^https?:\/\//i.test(String(written.value));
  const node = isUrl ? deriveObject(written, [['url', written]]) : written;
  if (isUrl)
    report('warning', 'config/spelling', written, 'the text is read as the URL of a server', {
      hint: 'write an object with `url`',
    });
  const form = getEntryForm(node, rest.file);
  if (isForeignExtension(node, form)) return undefined;
  const { members, renamed, conflicts } = readMembers(node, form);
  const parser: EntryParser = {
    ...rest,
    name,
    node,
    form,
    members,
    isDisabled: isDisabled(node),
    // A disabled server needs no variables, so the user is not asked for its inputs.
    resolve: isDisabled(node) ? undefined : fill,
    written: Object.create(null) as Record<string, string>,
    templates: Object.create(null) as Record<string, string>,
    reportError(...message) {
      failed = true;
      report('error', ...message);
    },
    reportWarning: (...message) => report('warning', ...message),
  };
  if (!hasUsableNames(parser)) return undefined;
  for (const { key, at, name: meant } of renamed)
    parser.reportWarning('config/spelling', at, `${quoteName(key)} is read as \`${meant}\``, {
      hint: `write \`${meant}\``,
    });
  for (const { key, at, name: meant } of conflicts)
    parser.reportError('config/target', at, `${quoteName(key)} and another key both mean \`${meant}\``, {
      hint: 'remove one of them',
    });
  checkKeys(parser);
  const target = await readTarget(parser, {
    readEnvFile: parser.resolve ? readEnvFile : async () => ({}),
    hasProgram,
  });
  const more = { ...readTimeouts(parser), ...(await readSettings(parser, sources.scope)) };
  const perCaller = readTemplates(parser);
  if (failed || !target) return undefined;
  const { file, scope } = sources;
  const origin = scope && { origin: { file, line: node.line ?? 1, scope } };
  return { name, target, ...(perCaller && { perCaller }), ...more, ...origin, written: { ...parser.written } };
}

/** Returns the parts of a server that contain values of the caller, after they were checked. */
function readTemplates(parser: EntryParser): CallerTemplates | undefined {
  const { templates, members, node } = parser;
  const keys = Object.keys(templates);
  if (keys.length === 0) return undefined;
  const collect = (kind: 'env' | 'headers') => {
    const own = keys.filter(key => key.startsWith(`${kind}.`));
    return own.length === 0
      ? {}
      : { [kind]: Object.fromEntries(own.map(key => [key.slice(kind.length + 1), templates[key] ?? ''])) };
  };
  const perCaller = { ...collect('env'), ...collect('headers'), ...(templates.url && { url: templates.url }) };
  for (const { key, fault } of findTemplateIssues(perCaller)) {
    const [kind = '', name = ''] = key.split(/\.(.*)/s);
    const section = members.get(kind);
    const { code, summary, expected, next: hint } = fault;
    parser.reportError(code, section?.members.get(name) ?? section ?? node, summary, { expected, hint });
  }
  if (templates.url && members.has('authExceptions'))
    parser.reportError('config/caller-value', node, '`authExceptions` beside a value of the caller in `url`', {
      expected: 'exceptions for one URL',
      hint: 'pass the value by `headers`, or remove the exceptions',
    });
  return perCaller;
}

const isDisabled = ({ members }: JsonNode): boolean =>
  members.get('disabled')?.value === true || members.get('enabled')?.value === false;

function hasUsableNames(parser: EntryParser): boolean {
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
  for (const [key, spot] of parser.members) {
    if (SUPPORTED_KEYS.includes(key) || IGNORED_KEYS.includes(key)) continue;
    const hint = Object.hasOwn(UNSUPPORTED_KEYS, key) ? UNSUPPORTED_KEYS[key] : undefined;
    if (hint) {
      parser.reportWarning('config/not-followed', spot, `the key ${quoteName(key)} is not supported`, { hint });
      continue;
    }
    const nearest = Object.hasOwn(MISTAKEN_KEYS, key)
      ? MISTAKEN_KEYS[key]
      : findNearestKey(key, [...SUPPORTED_KEYS, ...Object.keys(UNSUPPORTED_KEYS)]);
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

type EntrySettings = Pick<
  ServerEntry,
  | 'disabled'
  | 'trusted'
  | 'authExceptions'
  | 'serviceAccount'
  | 'tools'
  | 'roots'
  | 'share'
  | 'strict'
  | 'assumeCapabilities'
  | 'protocolVersion'
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
  const serviceAccount = await readServiceAccount(parser);
  const assumeCapabilities = readAssumedCapabilities(parser);
  const protocolVersion = readProtocolVersion(parser);
  const [tools, roots] = [readTools(parser), await readRoots(parser)];
  return {
    ...((disabled || enabled === false) && { disabled: true }),
    ...(trusted !== undefined && { trusted }),
    ...(share !== undefined && { share }),
    ...(strict !== undefined && { strict }),
    ...(assumeCapabilities && { assumeCapabilities }),
    ...(protocolVersion && { protocolVersion }),
    ...(authExceptions && { authExceptions }),
    ...(serviceAccount && { serviceAccount }),
    ...(tools && { tools }),
    ...(roots && { roots }),
  };
}

function readAssumedCapabilities(parser: EntryParser): AssumableCapability[] | undefined {
  const spot = parser.members.get('assumeCapabilities');
  const names = spot && readTextList(parser, spot);
  if (!spot || !names) return undefined;
  const known = assumableCapabilities.filter(name => names.includes(name));
  if (new Set(names).size === known.length) return known;
  return parser.reportError('config/shape', spot, 'invalid list', { expected: assumableCapabilities.join(', ') });
}

function readProtocolVersion(parser: EntryParser): ProtocolVersion | undefined {
  const spot = parser.members.get('protocolVersion');
  if (spot === undefined) return undefined;
  const known = protocolVersions.find(version => version === spot.value);
  return (
    known ??
    parser.reportError('config/shape', spot, 'unknown protocol version', { expected: protocolVersions.join(', ') })
  );
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
