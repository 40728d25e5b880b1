import { isLoaderVariable } from './dangerous-commands.js';
import { hasSecretReference, maskArgument, maskUrl, maskValue, shortenText } from './mask-secrets.js';
import type { CommandTarget, ConfiguredEntry, UrlTarget } from './server-entry.js';

/** One of the things that are approved of a server. */
export interface EntryPart {
  /** `command`, `args[0]`, `env.TOKEN`, `url`, … */
  readonly key: string;
  /** As it may be shown and kept: as it is written, without secrets. */
  readonly shown: string;
  /** The resolved value, if it differs and may be shown. It is not kept: variables may hold secrets. */
  readonly resolved?: string;
  /** Values that must stay the same for the approval to stay valid. It holds secrets. */
  readonly identity: readonly (string | undefined)[];
}

/** All that decides what runs, with what, where, and what it may do. What a server is called and its time limits do not. */
export function listEntryParts(entry: ConfiguredEntry): EntryPart[] {
  const { target, trusted, tools, roots, share, written = {} } = entry;
  const parts = 'url' in target ? listUrlParts(target, written) : listCommandParts(target, written);
  const plain: [string, string | undefined][] = [
    ['trusted', trusted === undefined ? undefined : String(trusted)],
    ['tools.include', tools?.include && JSON.stringify(tools.include)],
    ['tools.exclude', tools?.exclude && JSON.stringify(tools.exclude)],
    ['share', share === undefined ? undefined : String(share)],
    ['roots', roots && JSON.stringify(roots)],
  ];
  const told = plain.flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, shown: shortenText(value), identity: [value] }],
  );
  return [...parts, ...told];
}

type WrittenValues = Readonly<Record<string, string>>;

function listCommandParts({ command, args = [], env = {}, cwd }: CommandTarget, written: WrittenValues): EntryPart[] {
  const texts = args.map((each, at) => written[`args[${at}]`] ?? each);
  const { envFile } = written;
  return [
    createResolvedPart('command', command, written, shortenText),
    ...args.map((each, at) =>
      createResolvedPart(`args[${at}]`, each, written, text => maskArgument(text, texts[at - 1])),
    ),
    ...(cwd === undefined ? [] : [createResolvedPart('cwd', cwd, written, shortenText)]),
    ...(envFile === undefined ? [] : [{ key: 'envFile', shown: shortenText(envFile), identity: [envFile] }]),
    ...Object.entries(env).map(([name, value]) =>
      createWrittenPart(`env.${name}`, value, written, isLoaderVariable(name)),
    ),
  ];
}

function listUrlParts({ url, headers = {}, transport }: UrlTarget, written: WrittenValues): EntryPart[] {
  return [
    createResolvedPart('url', url, written, maskUrl),
    ...(transport === undefined ? [] : [{ key: 'transport', shown: transport, identity: [transport] }]),
    ...Object.entries(headers).map(([name, value]) => createWrittenPart(`headers.${name}`, value, written, false)),
  ];
}

/** Creates a part that must stay the same both as written and as resolved. */
function createResolvedPart(
  key: string,
  value: string,
  written: WrittenValues,
  mask: (text: string) => string,
): EntryPart {
  const text = written[key] ?? value;
  const tellsMore = text !== value && !hasSecretReference(text);
  return { key, shown: mask(text), ...(tellsMore && { resolved: mask(value) }), identity: [text, value] };
}

/**
 * Creates a part that must stay the same as written. Where variables stand, what they hold is the user's own and may
 * change each hour; what comes from an `envFile` is written nowhere else, and is the project's.
 */
function createWrittenPart(key: string, value: string, written: WrittenValues, isShown: boolean): EntryPart {
  const text = written[key];
  const identity = text === undefined ? ['value', value] : ['written', text];
  return { key, shown: isShown ? shortenText(text ?? value) : maskValue(text ?? value), identity };
}
