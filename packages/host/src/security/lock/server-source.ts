import { findSecretStart, REDACTED, redactSecrets } from '@tenon/base';
import { toFileUri } from '../../config/paths.js';
import type { CommandTarget, ServerEntry, UrlTarget } from '../../config/server-entry.js';
import type { ServerSource } from './lock.js';
import { createSecretMark } from './secret-hash.js';

/** Environment variables that make a program run other code. Their values are not secret, and are pinned. */
const LOADER_VARIABLES =
  /^(PATH|PATHEXT|(LD|DYLD)_[A-Z_]+|NODE_(OPTIONS|PATH)|BUN_OPTIONS|DENO_[A-Z_]*|PYTHON(PATH|STARTUP|HOME)|RUBY(OPT|LIB)|PERL5?(OPT|LIB|5DB)|(_?JAVA|JDK_JAVA)_[A-Z_]*OPTIONS|CLASSPATH|BASH_ENV|ENV|SHELL|COMSPEC|GIT_[A-Z_]*(COMMAND|SSH|ASKPASS)|(npm|NPM|UV|PIP)_[A-Za-z_]*(registry|REGISTRY|INDEX|INDEX_URL)|EDITOR|PAGER)$/;

/** Cache by target, because computing marks is slow and a target does not change. */
const SOURCE_CACHE = new WeakMap<ServerEntry['target'], Promise<ServerSource>>();

/** Describes the source of a server. Replaces each secret with `…` and a mark. */
export function describeSource({ target, origin, perCaller = {} }: ServerEntry): Promise<ServerSource> {
  const known = SOURCE_CACHE.get(target);
  if (known) return known;
  const { env, headers } = perCaller;
  const source =
    'command' in target
      ? describeCommand(replaceFolder({ ...target, env: { ...target.env, ...env } }, getFolder(origin?.file)))
      : describeUrl({ ...target, headers: { ...target.headers, ...headers } }, getFolder(origin?.file));
  SOURCE_CACHE.set(target, source);
  return source;
}

/** Placeholder for the folder of the configuration, so that a lock is valid for every copy of it. */
const FOLDER = '<folder>';

function getFolder(file: string | undefined): string | undefined {
  const end = file === undefined ? -1 : Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'));
  return end > 0 ? file?.slice(0, end) : undefined;
}

function replaceFolder(target: CommandTarget, folder: string | undefined): CommandTarget {
  if (folder === undefined) return target;
  const shortenText = (text: string) => {
    // The short form of a container writes its volumes so.
    const [start = ''] = /^type=bind,source=/.exec(text) ?? [];
    const path = text.slice(start.length);
    if (!path.startsWith(folder)) return text;
    const rest = path.slice(folder.length);
    const isInside = rest === '' || /^[\\/]/.test(rest) || (start !== '' && rest.startsWith(','));
    return isInside ? start + FOLDER + rest : text;
  };
  const { command, args, cwd } = target;
  return {
    ...target,
    command: shortenText(command),
    ...(args ? { args: args.map(shortenText) } : {}),
    ...(cwd === undefined ? {} : { cwd: shortenText(cwd) }),
  };
}

async function describeCommand({ command, args = [], env = {}, cwd }: CommandTarget): Promise<ServerSource> {
  const shown = await Promise.all(args.map((arg, at) => describeArgument(arg, args[at - 1])));
  const names = Object.entries(env).map(async ([name, value]) =>
    LOADER_VARIABLES.test(name.toUpperCase()) || LOADER_VARIABLES.test(name)
      ? `${name}=${await hideAndMark(value)}`
      : name,
  );
  const sorted = (await Promise.all(names)).sort();
  return { command: await hideAndMark(command), args: shown, env: sorted, ...(cwd === undefined ? {} : { cwd }) };
}

async function describeArgument(arg: string, before: string | undefined): Promise<string> {
  const start = findSecretStart(arg, before);
  return start === undefined ? hideAndMark(arg) : `${arg.slice(0, start)}${await createSecretMark(arg.slice(start))}`;
}

/**
 * Removes the secrets of a text, and appends a mark if there were any. With another secret, the result is another text.
 */
async function hideAndMark(text: string, hide = redactSecrets): Promise<string> {
  const shown = hide(text);
  return shown === text ? text : `${shown} ${await createSecretMark(text)}`;
}

async function describeUrl(
  { url, headers = {}, transport, apiUrl, openapi = {} }: UrlTarget,
  folder: string | undefined,
): Promise<ServerSource> {
  const base = folder === undefined ? undefined : `${toFileUri(folder)}/`;
  const shown = base !== undefined && url.startsWith(base) ? `${FOLDER}/${url.slice(base.length)}` : url;
  const { resources, serverOrigins } = openapi;
  const auth = Object.keys(openapi.auth ?? {}).sort();
  const names = Object.keys(headers).map(name => name.toLowerCase());
  return {
    url: await hideAndMark(shown, hideUrlSecrets),
    headers: names.sort(),
    ...(transport === undefined ? {} : { transport }),
    ...(apiUrl === undefined ? {} : { apiUrl: await hideAndMark(apiUrl, hideUrlSecrets) }),
    ...(auth.length === 0 ? {} : { auth }),
    ...(resources === undefined ? {} : { resources }),
    ...(serverOrigins === undefined ? {} : { serverOrigins }),
  };
}

/** Removes the secrets of a URL, including long IDs, because such an ID alone often grants access. */
const hideUrlSecrets = (url: string): string =>
  redactSecrets(url).replace(/(?<=\/)[0-9a-f-]{32,}(?=[/?#]|$)/gi, REDACTED);
