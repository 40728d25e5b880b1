import { isObject, type JsonObject, parseJsonText, redactUrl, stringifyJson } from '@tenon/base';
import { type Shell, type WordPart, writeShellWord } from '@tenon/base/writers';
import { type CapturedCall, type CapturedRequest, captureRequests } from './capture-requests.js';
import type { SecretMarkers } from './secret-markers.js';

/** Headers that the client sets itself. All others are those of the user, and may be secrets. */
const OWN_HEADER = /^(?:accept|content-type|mcp-.*)$/;
/** Headers of HTTP clients that curl sets itself. */
const DROPPED_HEADER = /^(?:user-agent|content-length|host|connection|accept-encoding|accept-language|sec-.*)$/;

/** Writes a call as lines of curl, with the headers that its protocol version requires. */
export async function writeCurl(call: CapturedCall, markers: SecretMarkers, shell: Shell): Promise<string> {
  const address = String(call.target.url);
  const url = redactUrl(address) === address ? address : markers.create('URL');
  const requests = await captureRequests(call);
  const lines = requests.map(request => {
    const isOpening = request.method === 'initialize';
    const isLast = request === requests.at(-1);
    // The session ID is a header of the response, and the body of all but the last response is of no interest.
    const options = isLast ? [] : ['-o', shell === 'powershell' ? 'NUL' : '/dev/null'];
    const more = isOpening ? ['-w', '%header{mcp-session-id}'] : [];
    const line = writeLine(url, request, [...options, ...more], markers, shell);
    return isOpening ? assignSession(line, shell) : line;
  });
  return lines.join('\n');
}

function writeLine(
  url: string,
  { headers, body }: CapturedRequest,
  options: readonly string[],
  markers: SecretMarkers,
  shell: Shell,
): string {
  const write = (parts: readonly WordPart[]) => writeShellWord(parts, shell);
  const given = Object.entries(headers).flatMap(([name, value]) => {
    if (DROPPED_HEADER.test(name)) return [];
    return [`-H ${write([`${name}: `, ...splitHeader(name, value, markers)])}`];
  });
  const content = markers.split(stringifyJson(toReadableBody(parseJsonText(body))));
  const command = shell === 'powershell' ? 'curl.exe' : 'curl';
  const words = [`${command} -sS ${[...options.map(each => write([each])), write(markers.split(url))].join(' ')}`];
  // Older releases of PowerShell drop the quotation marks of arguments, but not those of their input.
  if (shell === 'powershell') return `${write(content)} | ${[...words, ...given, `--data-binary '@-'`].join(' `\n  ')}`;
  return [...words, ...given, `-d ${write(content)}`].join(' \\\n  ');
}

function splitHeader(name: string, value: string, markers: SecretMarkers): WordPart[] {
  if (name === 'mcp-session-id') return [{ variable: 'session' }];
  if (OWN_HEADER.test(name)) return markers.split(value);
  const [, scheme = ''] = name === 'authorization' ? (/^(\w+ )/.exec(value) ?? []) : [];
  return [scheme, ...markers.split(markers.create(name === 'authorization' ? 'TOKEN' : name))];
}

/** Removes the progress token, because curl shows no progress. */
function toReadableBody(message: unknown): unknown {
  if (!isObject(message) || !isObject(message.params) || !isObject(message.params._meta)) return message;
  const { progressToken: _, ...meta } = message.params._meta;
  const { _meta: __, ...params }: JsonObject = message.params;
  return { ...message, params: Object.keys(meta).length === 0 ? params : { ...params, _meta: meta } };
}

function assignSession(line: string, shell: Shell): string {
  if (shell === 'fish') return `set session (${line})`;
  return shell === 'powershell' ? `$env:session = ${line}` : `session=$(${line})`;
}
