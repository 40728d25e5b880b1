import { isLoaderVariable } from './loader-variables.js';
import { hasSecretReference, maskArgument, maskUrl, maskValue, shortenText } from './mask-secrets.js';
import { listCredentialValues } from './sections/openapi-settings.js';
import type { CommandTarget, ConfiguredEntry, UrlTarget } from './server-entry.js';

/** Part of a server entry that the user approves. */
export interface EntryPart {
  /** Path of the part: `command`, `args[0]`, `env.TOKEN`, `url`, … */
  readonly key: string;
  /** Text as written, without secrets, which may be shown and stored. */
  readonly shown: string;
  /** Resolved value, if it differs and may be shown. It is not stored, because variables may contain secrets. */
  readonly resolved?: string;
  /** Values that must not change for the approval to stay valid. They may contain secrets. */
  readonly identity: readonly (string | undefined)[];
}

/**
 * Lists the parts that decide which program runs, with which arguments and permissions. The name and the timeouts are
 * not included.
 */
export function listEntryParts(entry: ConfiguredEntry): EntryPart[] {
  const {
    target,
    trusted,
    authExceptions,
    serviceAccount,
    tools,
    roots,
    share,
    strict,
    assumeCapabilities,
    protocolVersion,
    perCaller = {},
    written = {},
  } = entry;
  const parts =
    'url' in target
      ? listUrlParts({ ...target, headers: { ...target.headers, ...perCaller.headers } }, written)
      : listCommandParts({ ...target, env: { ...target.env, ...perCaller.env } }, written);
  const plain: [string, string | undefined][] = [
    ['trusted', trusted === undefined ? undefined : String(trusted)],
    ['authExceptions', authExceptions && JSON.stringify(authExceptions)],
    ['tools.include', tools?.include && JSON.stringify(tools.include)],
    ['tools.exclude', tools?.exclude && JSON.stringify(tools.exclude)],
    ['tools.overrides', tools?.overrides && JSON.stringify(tools.overrides)],
    ['share', share === undefined ? undefined : String(share)],
    ['strict', strict === undefined ? undefined : String(strict)],
    ['assumeCapabilities', assumeCapabilities && JSON.stringify(assumeCapabilities)],
    ['protocolVersion', protocolVersion],
    ['roots', roots && JSON.stringify(roots)],
  ];
  const settings = plain.flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, shown: shortenText(value), identity: [value] }],
  );
  const account = Object.entries(serviceAccount ?? {}).map(([name, value]) =>
    createWrittenPart(`auth.${name}`, value, written, name === 'clientId' || name === 'issuer' || name === 'scopes'),
  );
  return [...parts, ...account, ...settings];
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

function listUrlParts(target: UrlTarget, written: WrittenValues): EntryPart[] {
  const { url, headers = {}, transport, apiUrl, openapi = {} } = target;
  const { auth = {}, ...choice } = openapi;
  return [
    createResolvedPart('url', url, written, maskUrl),
    ...(transport === undefined ? [] : [{ key: 'transport', shown: transport, identity: [transport] }]),
    ...(apiUrl === undefined ? [] : [createResolvedPart('apiUrl', apiUrl, written, maskUrl)]),
    ...Object.entries(headers).map(([name, value]) => createWrittenPart(`headers.${name}`, value, written, false)),
    ...listCredentialValues(auth).map(([key, value]) => createWrittenPart(key, value, written, false)),
    ...Object.entries(choice).map(([key, value]) => {
      const text = JSON.stringify(value);
      return { key, shown: shortenText(text), identity: [text] };
    }),
  ];
}

/** Creates a part that must not change, neither as written nor as resolved. */
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
 * Creates a part that must not change as written. The value of a variable belongs to the user and may change at any
 * time. A value from an `envFile` belongs to the project, so the value itself must not change.
 */
function createWrittenPart(key: string, value: string, written: WrittenValues, isShown: boolean): EntryPart {
  const text = written[key];
  const identity = text === undefined ? ['value', value] : ['written', text];
  return { key, shown: isShown ? shortenText(text ?? value) : maskValue(text ?? value), identity };
}
