import { addUrlScheme, isEncryptedOrLocal, parseWebUrl } from '@tenon/base';
import { mapCallerValues } from './caller-template.js';
import { splitCommandLine } from './command-line.js';
import { quoteName } from './config-finding.js';
import {
  type EntryParser,
  getSingleMember,
  readResolvedList,
  readResolvedRecord,
  readResolvedText,
  readTemplateText,
  reportWrongKind,
} from './entry-parser.js';
import { type ReadEnvFile, readEnv } from './env-file.js';
import { deriveList, deriveScalar, type JsonNode } from './json-node.js';
import { isAbsolute, resolvePath, toFileUri } from './paths.js';
import { CONTAINER_ENGINES, readContainer } from './sections/container.js';
import { OPENAPI_KEYS, readOpenApiSettings } from './sections/openapi-settings.js';
import type { CommandTarget, ServerEntry, UrlTarget } from './server-entry.js';

type TargetKind = 'command' | 'url' | 'http' | 'http-sse';

/** Kinds of targets by the names that hosts use, in lower case without `-` and `_`. */
const TARGET_KINDS: Readonly<Record<string, TargetKind>> = {
  stdio: 'command',
  local: 'command',
  http: 'http',
  streamablehttp: 'http',
  sse: 'http-sse',
  httpsse: 'http-sse',
  remote: 'url',
  httpstream: 'http',
  streaming: 'http',
};

/**
 * Tells if there is a program with exactly this name or path, which contains spaces.
 *
 * @param folder Folder in which the program would be started.
 */
export type HasProgram = (command: string, folder: string | undefined) => boolean | Promise<boolean>;

interface TargetSources {
  readonly readEnvFile: ReadEnvFile | undefined;
  readonly hasProgram: HasProgram | undefined;
}

/** Parses the target of a server: a command, a URL or an OpenAPI document. */
export async function readTarget(
  parser: EntryParser,
  sources: TargetSources,
): Promise<ServerEntry['target'] | undefined> {
  const [engine, other] = CONTAINER_ENGINES.filter(name => parser.members.has(name));
  const container = engine === undefined ? undefined : parser.members.get(engine);
  if (container && other !== undefined)
    return parser.reportError('config/target', container, `\`${engine}\` and \`${other}\` exclude each other`, {
      hint: 'remove one of them',
    });
  if (container && engine !== undefined) {
    const kind = readKind(parser);
    if (kind !== undefined && kind !== 'command')
      return parser.reportError('config/target', container, `\`${engine}\` runs a server over stdio`, {
        hint: 'remove `type` and `transport`',
      });
    return readContainer(parser, engine, container, sources.readEnvFile);
  }
  const openapi = parser.members.get('openapi');
  if (openapi) return readOpenApi(parser, openapi);
  for (const key of OPENAPI_KEYS) {
    const spot = parser.members.get(key);
    if (spot) parser.reportWarning('config/not-followed', spot, 'the key is ignored without `openapi`');
  }
  const command = parser.members.get('command');
  const url = getSingleMember(parser, 'url', 'serverUrl', 'httpUrl');
  const kind = readKind(parser);
  if (kind === 'wrong') return undefined;
  const byCommand = kind === undefined ? command !== undefined : kind === 'command';
  const [used, unused] = byCommand ? [command, url] : [url, command];
  if (!used) {
    const missing = byCommand ? 'command' : kind && 'URL';
    const summary = `the server has no ${missing ? `${missing}, which its transport needs` : 'command and no URL'}`;
    return parser.reportError('config/target', parser.node, summary, {
      expected: byCommand ? '`command`' : kind ? '`url`' : '`command`, `docker`, `url` or `openapi`',
      hint: unused && 'correct `type`',
    });
  }
  if (unused && kind === undefined)
    return parser.reportError('config/target', unused, 'the server has a command and a URL', {
      hint: 'remove one of them, or select one with `type`',
    });
  if (unused)
    parser.reportWarning('config/not-followed', unused, 'the key is ignored because `type` selects another transport');
  return byCommand ? readCommand(parser, used, sources) : readUrl(parser, used, kind);
}

function readKind(parser: EntryParser): TargetKind | 'wrong' | undefined {
  const kinds: TargetKind[] = [];
  for (const key of ['type', 'transport', 'transportType']) {
    const spot = parser.members.get(key);
    if (!spot) continue;
    const word = typeof spot.value === 'string' ? spot.value.toLowerCase().replace(/[-_]/g, '') : '';
    const kind = Object.hasOwn(TARGET_KINDS, word) ? TARGET_KINDS[word] : undefined;
    if (kind === undefined) {
      reportWrongKind(parser, spot, 'stdio, http, streamable-http or sse');
      return 'wrong';
    }
    kinds.push(kind);
  }
  if (new Set(kinds).size < 2) return kinds[0];
  parser.reportError('config/target', parser.node, '`type` and `transport` name different transports', {
    hint: 'remove one of them',
  });
  return 'wrong';
}

async function readCommand(
  parser: EntryParser,
  spot: JsonNode,
  { readEnvFile, hasProgram }: TargetSources,
): Promise<CommandTarget | undefined> {
  const cwdSpot = parser.members.get('cwd');
  const cwd = cwdSpot && (await readResolvedText(parser, 'cwd', cwdSpot));
  const folder = cwd === undefined ? parser.workspace : resolvePath(parser.workspace, cwd);
  const line = await readCommandLine(parser, spot, name => hasProgram?.(name, folder) ?? false);
  const command = line && (await readResolvedText(parser, 'command', line.program));
  if (command?.trim() === '')
    return parser.reportError('config/target', spot, 'the command is empty', { hint: 'set a program' });
  const args = line?.args && (await readResolvedList(parser, 'args', line.args));
  const env = await readEnv(parser, readEnvFile);
  warnAboutIgnored(parser, 'command', ['headers']);
  if (command === undefined) return undefined;
  return {
    command,
    ...(args && { args }),
    ...(env && { env }),
    ...(cwd && { cwd: resolvePath(parser.workspace, cwd) }),
  };
}

/**
 * Reads the program and its arguments. A list is both. A text with spaces and without `args` is split into words, if no
 * program has that name. Nothing in it is expanded, and the variables of a word stay in that word.
 */
async function readCommandLine(
  parser: EntryParser,
  spot: JsonNode,
  hasProgram: (name: string) => boolean | Promise<boolean>,
): Promise<{ readonly program: JsonNode; readonly args: JsonNode | undefined } | undefined> {
  const args = parser.members.get('args');
  const unsplit = { program: spot, args };
  if (spot.kind === 'array') {
    const [program, ...rest] = spot.items;
    if (!program) return parser.reportError('config/target', spot, 'the command is empty', { hint: 'set a program' });
    // OpenCode writes all commands so.
    if (parser.form !== 'opencode')
      parser.reportWarning('config/spelling', spot, 'the list is read as the program and its arguments', {
        hint: 'set the program in `command` and each argument in `args`',
      });
    return { program, args: deriveList(spot, [...rest, ...(args?.items ?? [])]) };
  }
  const text = spot.kind === 'string' ? String(spot.value).trim() : '';
  if (!/\s/.test(text) || (args && (args.kind !== 'array' || args.items.length > 0))) return unsplit;
  if (await hasProgram(text)) return unsplit;
  const words = splitCommandLine(text);
  if (words === undefined)
    return parser.reportError('config/command-line', spot, 'the command line needs a shell', {
      hint: 'start the shell: set `command` to sh and `args` to ["-c", "…"], and variables in `env`',
    });
  const [program = '', ...rest] = words;
  // The first word of a path with spaces is no program.
  if (rest.length === 0 || (/[\\/]/.test(program) && !(await hasProgram(program)))) return unsplit;
  parser.reportWarning(
    'config/command-line',
    spot,
    `the command line is read as a program and ${rest.length} arguments`,
    {
      hint: 'set the program in `command` and each argument in `args`',
    },
  );
  const [first, ...others] = words.map(word => deriveScalar(spot, word));
  return { program: first ?? spot, args: deriveList(spot, others) };
}

/** Warns of values that are for the other kind of server. */
function warnAboutIgnored(parser: EntryParser, target: 'command' | 'url', keys: readonly string[]): void {
  for (const key of keys) {
    const spot = parser.members.get(key);
    if (spot)
      parser.reportWarning('config/not-followed', spot, `\`${key}\` is ignored for a server with \`${target}\``);
  }
}

async function readUrl(
  parser: EntryParser,
  spot: JsonNode,
  kind: TargetKind | undefined,
): Promise<UrlTarget | undefined> {
  const plainUrl = await readTemplateText(parser, 'url', spot);
  const template = parser.templates.url;
  // The lock, the log and errors show the names of the values.
  const url =
    template === undefined ? plainUrl : mapCallerValues(template, ({ name }) => encodeURIComponent(`{caller:${name}}`));
  const { headers, hasHeaders } = await readHeaders(parser);
  // Some programs write empty values of a command into each entry.
  const filled = ['args', 'env', 'envFile', 'cwd'].filter(key => {
    const { value, items = [], members } = parser.members.get(key) ?? {};
    return value || items.length > 0 || (members?.size ?? 0) > 0;
  });
  warnAboutIgnored(parser, 'url', filled);
  if (url === undefined) return undefined;
  const transport = getTransport(parser, spot, kind);
  const target = { url, ...(headers && { headers }), ...(transport && { transport }) };
  if (!parser.resolve && url.includes('${')) return target;
  const read = parseWebUrl(url);
  if (!read) {
    const completed = addUrlScheme(url);
    const hint = completed === undefined ? undefined : `write ${completed.split('?')[0]}`;
    return parser.reportError('config/url', spot, 'invalid URL', { expected: 'an http: or https: URL', hint });
  }
  if (read.username || read.password)
    return parser.reportError('config/url', spot, 'the URL contains credentials', {
      hint: 'use the header `Authorization` in `headers`',
    });
  if (hasHeaders) warnAboutPlainHttp(parser, spot, read);
  return target;
}

async function readHeaders(
  parser: EntryParser,
): Promise<{ readonly headers: Record<string, string> | undefined; readonly hasHeaders: boolean }> {
  const spot = parser.members.get('headers');
  if (spot === undefined) return { headers: undefined, hasHeaders: false };
  const headers = await readResolvedRecord(parser, 'headers', spot);
  const names = [...spot.members].flatMap(([name, { kind }]) => (kind === 'null' ? [] : [name]));
  for (const name of names) checkHeader(parser, spot, name, headers?.[name] ?? '');
  return { headers, hasHeaders: names.length > 0 };
}

function warnAboutPlainHttp(
  parser: EntryParser,
  spot: JsonNode,
  url: URL,
  sent: 'headers' | 'credentials' = 'headers',
): void {
  if (!isEncryptedOrLocal(url))
    parser.reportWarning('config/plain-http', spot, `the ${sent} are sent without encryption`, {
      hint: 'use an https: URL',
    });
}

/** Reads the path or URL of an OpenAPI document. The host serves it, so that the entry needs no program. */
async function readOpenApi(parser: EntryParser, spot: JsonNode): Promise<UrlTarget | undefined> {
  const other = ['command', 'url', 'serverUrl', 'httpUrl'].find(key => parser.members.has(key));
  if (other !== undefined)
    return parser.reportError('config/target', spot, `\`openapi\` and \`${other}\` exclude each other`, {
      hint: 'remove one of them',
    });
  const text = await readResolvedText(parser, 'url', spot);
  const apiSpot = parser.members.get('apiUrl');
  const apiUrl = apiSpot && (await readResolvedText(parser, 'apiUrl', apiSpot));
  const { headers, hasHeaders } = await readHeaders(parser);
  const openapi = await readOpenApiSettings(parser);
  if (text === undefined) return undefined;
  const target = {
    transport: 'openapi' as const,
    ...(headers && { headers }),
    ...(apiUrl && { apiUrl }),
    ...(openapi && { openapi }),
  };
  if (!parser.resolve && `${text}${apiUrl ?? ''}`.includes('${')) return { url: text, ...target };
  const api = apiUrl === undefined ? undefined : parseWebUrl(apiUrl);
  if (apiSpot && !api)
    return parser.reportError('config/url', apiSpot, 'invalid URL', { expected: 'an http: or https: URL' });
  const sent = hasHeaders ? 'headers' : openapi?.auth ? 'credentials' : undefined;
  if (sent && api) warnAboutPlainHttp(parser, apiSpot ?? spot, api, sent);
  const document = parseWebUrl(text);
  if (document?.username || document?.password)
    return parser.reportError('config/url', spot, 'the URL contains credentials', { hint: 'download the document' });
  if (document) return { url: text, ...target };
  const path = resolvePath(parser.workspace, text);
  if (isAbsolute(path)) return { url: toFileUri(path), ...target };
  return parser.reportError('config/url', spot, 'the path of the document is relative', {
    expected: 'an absolute path, or an http: or https: URL',
  });
}

/** Determines the transport. Gemini CLI distinguishes the two HTTP transports by the key of the URL. */
function getTransport({ members }: EntryParser, spot: JsonNode, kind: TargetKind | undefined): UrlTarget['transport'] {
  if (kind === 'http' || kind === 'http-sse') return kind;
  return members.get('httpUrl') === spot ? 'http' : undefined;
}

function checkHeader(parser: EntryParser, spot: JsonNode, name: string, value: string): void {
  const at = spot.members.get(name) ?? spot;
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    parser.reportError('config/header', at, `invalid header name ${quoteName(name)}`);
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    parser.reportError('config/header', at, 'invalid header value', {
      expected: 'one line of Latin-1 characters',
    });
}
