import type { Spot } from './document.js';
import type { ReadEnvFile } from './env-file.js';
import { envOf } from './env-file.js';
import { resolvePath } from './places.js';
import { quoted } from './problem.js';
import type { CommandTarget, ServerEntry, UrlTarget } from './server-entry.js';
import { type Draft, filledAt, filledList, filledRecord, oneOf, wrongShape } from './values.js';

type Kind = 'command' | 'url' | 'http' | 'http-sse';

/** What hosts call the ways to a server, in small letters and without `-` and `_`. */
const KINDS: Readonly<Record<string, Kind>> = {
  stdio: 'command',
  local: 'command',
  http: 'http',
  streamablehttp: 'http',
  sse: 'http-sse',
  httpsse: 'http-sse',
  remote: 'url',
};

/** Reads how a server is reached: by a command that starts it, or at a URL. */
export async function readTarget(
  draft: Draft,
  readEnvFile: ReadEnvFile | undefined,
): Promise<ServerEntry['target'] | undefined> {
  const command = draft.members.get('command');
  const url = oneOf(draft, 'url', 'serverUrl', 'httpUrl');
  const kind = readKind(draft);
  if (kind === 'wrong') return undefined;
  const byCommand = kind === undefined ? command !== undefined : kind === 'command';
  const [used, unused] = byCommand ? [command, url] : [url, command];
  const facts = { expected: byCommand ? 'a `command`' : kind ? 'a `url`' : 'a `command`, or a `url`' };
  if (!used) return draft.fault('config/target', draft.spot, 'there is no way to this server', facts);
  if (unused && kind === undefined)
    return draft.fault('config/target', unused, 'this server has a command and a URL', {
      next: 'take one out, or say by `type` which is meant',
    });
  if (unused) draft.warn('config/not-followed', unused, 'another way is taken, which `type` names');
  return byCommand ? readCommand(draft, used, readEnvFile) : readUrl(draft, used, kind);
}

function readKind(draft: Draft): Kind | 'wrong' | undefined {
  const kinds: Kind[] = [];
  for (const key of ['type', 'transport', 'transportType']) {
    const spot = draft.members.get(key);
    if (!spot) continue;
    const word = typeof spot.value === 'string' ? spot.value.toLowerCase().replace(/[-_]/g, '') : '';
    const kind = Object.hasOwn(KINDS, word) ? KINDS[word] : undefined;
    if (kind === undefined) {
      wrongShape(draft, spot, 'stdio, http, streamable-http or sse');
      return 'wrong';
    }
    kinds.push(kind);
  }
  if (new Set(kinds).size < 2) return kinds[0];
  draft.fault('config/target', draft.spot, '`type` and `transport` name different ways');
  return 'wrong';
}

async function readCommand(
  draft: Draft,
  spot: Spot,
  readEnvFile: ReadEnvFile | undefined,
): Promise<CommandTarget | undefined> {
  const command = await filledAt(draft, 'command', spot);
  if (command?.trim() === '') return draft.fault('config/target', spot, 'the command is empty');
  const argsSpot = draft.members.get('args');
  const args = argsSpot && (await filledList(draft, 'args', argsSpot));
  const env = await envOf(draft, readEnvFile);
  const cwdSpot = draft.members.get('cwd');
  const cwd = cwdSpot && (await filledAt(draft, 'cwd', cwdSpot));
  warnOfHeaders(draft);
  if (command === undefined) return undefined;
  if (!args?.length && /^[^\s/\\]+\s+\S/.test(command))
    draft.warn('config/command-line', spot, 'no shell takes this command apart', {
      next: 'write the program as `command`, and each argument in `args`',
    });
  return {
    command,
    ...(args && { args }),
    ...(env && { env }),
    ...(cwd && { cwd: resolvePath(draft.workspace, cwd) }),
  };
}

function warnOfHeaders(draft: Draft): void {
  const headers = draft.members.get('headers');
  if (headers) draft.warn('config/not-followed', headers, 'a server that is started has no headers');
}

async function readUrl(draft: Draft, spot: Spot, kind: Kind | undefined): Promise<UrlTarget | undefined> {
  const url = await filledAt(draft, 'url', spot);
  const headersSpot = draft.members.get('headers');
  const headers = headersSpot && (await filledRecord(draft, 'headers', headersSpot));
  if (url === undefined) return undefined;
  const transport = transportOf(spot, kind);
  const target = { url, ...(headers && { headers }), ...(transport && { transport }) };
  if (draft.isOff && url.includes('${')) return target;
  const read = parsed(url);
  if (!read) return draft.fault('config/url', spot, 'this is no URL', { expected: 'http://… or https://…' });
  if (read.username || read.password)
    return draft.fault('config/url', spot, 'no name and password may stand in a URL', {
      next: 'give them by `headers`: Authorization',
    });
  for (const [name, value] of Object.entries(headers ?? {})) checkHeader(draft, headersSpot as Spot, name, value);
  if (Object.keys(headers ?? {}).length && read.protocol === 'http:' && !isLoopback(read.hostname))
    draft.warn('config/plain-http', spot, 'anybody on the way reads the headers', { next: 'write https://' });
  return target;
}

/** Gemini CLI tells the two transports of HTTP apart by the key of the URL. */
function transportOf(spot: Spot, kind: Kind | undefined): UrlTarget['transport'] {
  if (kind === 'http' || kind === 'http-sse') return kind;
  return spot.path.at(-1) === 'httpUrl' ? 'http' : undefined;
}

function parsed(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return ['http:', 'https:'].includes(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

const isLoopback = (name: string): boolean => /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(name);

function checkHeader(draft: Draft, spot: Spot, name: string, value: string): void {
  const at = spot.members.get(name) ?? spot;
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    draft.fault('config/header', at, `${quoted(name)} can not be the name of a header`);
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    draft.fault('config/header', at, 'this value can not be sent as a header', {
      expected: 'one line of characters of Latin-1',
    });
}
