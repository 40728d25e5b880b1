import { isLoading } from './dangers.js';
import { hasSecretReference, maskedArgument, maskedUrl, maskedValue, short } from './mask.js';
import type { CommandTarget, ConfiguredEntry, UrlTarget } from './server-entry.js';

/** One of the things that are approved of a server. */
export interface Part {
  /** `command`, `args[0]`, `env.TOKEN`, `url`, … */
  readonly key: string;
  /** As it may be shown and kept: as it is written, without secrets. */
  readonly shown: string;
  /** What it has become, where that may be shown and is something else. It is not kept: variables may hold secrets. */
  readonly filled?: string;
  /** What must be the same for the approval to hold. It holds secrets. */
  readonly identity: readonly (string | undefined)[];
}

/** All that decides what runs, with what, where, and what it may do. What a server is called and its time limits do not. */
export function partsOf(entry: ConfiguredEntry): Part[] {
  const { target, trusted, tools, roots, share, written = {} } = entry;
  const parts = 'url' in target ? urlParts(target, written) : commandParts(target, written);
  const plain: [string, string | undefined][] = [
    ['trusted', trusted === undefined ? undefined : String(trusted)],
    ['tools.include', tools?.include && JSON.stringify(tools.include)],
    ['tools.exclude', tools?.exclude && JSON.stringify(tools.exclude)],
    ['share', share === undefined ? undefined : String(share)],
    ['roots', roots && JSON.stringify(roots)],
  ];
  const told = plain.flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, shown: short(value), identity: [value] }],
  );
  return [...parts, ...told];
}

type Written = Readonly<Record<string, string>>;

function commandParts({ command, args = [], env = {}, cwd }: CommandTarget, written: Written): Part[] {
  const texts = args.map((each, at) => written[`args[${at}]`] ?? each);
  const { envFile } = written;
  return [
    filledPart('command', command, written, short),
    ...args.map((each, at) => filledPart(`args[${at}]`, each, written, text => maskedArgument(text, texts[at - 1]))),
    ...(cwd === undefined ? [] : [filledPart('cwd', cwd, written, short)]),
    ...(envFile === undefined ? [] : [{ key: 'envFile', shown: short(envFile), identity: [envFile] }]),
    ...Object.entries(env).map(([name, value]) => valuePart(`env.${name}`, value, written, isLoading(name))),
  ];
}

function urlParts({ url, headers = {}, transport }: UrlTarget, written: Written): Part[] {
  return [
    filledPart('url', url, written, maskedUrl),
    ...(transport === undefined ? [] : [{ key: 'transport', shown: transport, identity: [transport] }]),
    ...Object.entries(headers).map(([name, value]) => valuePart(`headers.${name}`, value, written, false)),
  ];
}

/** What is to be the same both as it is written and as it is filled in. */
function filledPart(key: string, value: string, written: Written, mask: (text: string) => string): Part {
  const text = written[key] ?? value;
  const tellsMore = text !== value && !hasSecretReference(text);
  return { key, shown: mask(text), ...(tellsMore && { filled: mask(value) }), identity: [text, value] };
}

/**
 * What is to be the same as it is written. Where variables stand, what they hold is the user's own and may change each
 * hour; what comes from an `envFile` is written nowhere else, and is the project's.
 */
function valuePart(key: string, value: string, written: Written, isShown: boolean): Part {
  const text = written[key];
  const identity = text === undefined ? ['value', value] : ['written', text];
  return { key, shown: isShown ? short(text ?? value) : maskedValue(text ?? value), identity };
}
