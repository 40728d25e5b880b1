import {
  findSecretStart,
  isSecretName,
  isSecretWord,
  redactTokens,
  requireArgument,
  requireKnownOptions,
} from '@tenon/base';
import { listCredentialValues } from './sections/openapi-settings.js';
import { type CommandTarget, checkTarget, type ServiceAccount, type UrlTarget } from './server-entry.js';
import { parseReferences } from './variable-references.js';

/** Values that stand for "no secret". */
const NO_SECRET = /^(?:true|false|none|null|undefined)?$/i;
const SCHEME = /^\s*(?:bearer|basic|token|dpop)\s*/i;
/** User name without a password, as in `git+ssh://git@example.com`. */
const USER_ONLY = /:\/\/[^/@\s:]+@/g;

export interface LiteralSecretOptions {
  /**
   * Service account of the server.
   * @default none
   */
  readonly serviceAccount?: ServiceAccount | undefined;
}

/**
 * Finds secrets that a server entry contains itself, instead of a variable such as `${TOKEN}`. Returns the paths of the
 * parts: `env.TOKEN`, `args[1]`, `headers.Authorization`, `auth.clientSecret`, `url`. It cannot detect every secret.
 */
export function findLiteralSecrets(target: CommandTarget | UrlTarget, options: LiteralSecretOptions = {}): string[] {
  requireArgument('`target` of findLiteralSecrets', target, checkTarget);
  requireKnownOptions('findLiteralSecrets', options, { serviceAccount: true });
  const { clientSecret, privateKey } = options.serviceAccount ?? {};
  const credentials = Object.entries({ clientSecret, privateKey }).flatMap(([name, value]) =>
    value === undefined || NO_SECRET.test(getLiteral(value).trim()) ? [] : [`auth.${name}`],
  );
  return [...findTargetSecrets(target), ...credentials];
}

function findTargetSecrets(target: CommandTarget | UrlTarget): string[] {
  if ('url' in target) {
    const credentials = listCredentialValues(target.openapi?.auth ?? {}).flatMap(([path, value]) =>
      path.endsWith('.username') || NO_SECRET.test(getLiteral(value).trim()) ? [] : [path],
    );
    return [
      ...(isSecretUrl(target.url) ? ['url'] : []),
      ...findSecretMembers('headers', target.headers),
      ...credentials,
    ];
  }
  const { command, args = [], env } = target;
  const words = args.flatMap((each, index) => (isSecretArgument(each, args[index - 1]) ? [`args[${index}]`] : []));
  return [...(hasToken(command) ? ['command'] : []), ...words, ...findSecretMembers('env', env)];
}

function findSecretMembers(kind: string, members: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const literal = getLiteral(value).replace(SCHEME, '').trim();
    const isSecret = isSecretName(name) ? !NO_SECRET.test(literal) : hasSecretWord(literal);
    return isSecret ? [`${kind}.${name}`] : [];
  });
}

function isSecretArgument(argument: string, before: string | undefined): boolean {
  const start = findSecretStart(argument, before);
  if (start !== undefined) return !NO_SECRET.test(getLiteral(argument.slice(start)).replace(SCHEME, '').trim());
  return hasToken(getLiteral(argument).replace(USER_ONLY, '://'));
}

function isSecretUrl(text: string): boolean {
  const literal = getLiteral(text);
  if (hasToken(literal) || /^[a-z]+:\/\/[^/?#]*@/i.test(literal)) return true;
  const [place = '', query = ''] = text.split(/[?#]/, 2);
  const isSecretParameter = ([name, value]: [string, string]) =>
    isSecretName(name) && !NO_SECRET.test(getLiteral(value));
  if ([...new URLSearchParams(query)].some(isSecretParameter)) return true;
  return getLiteral(place).split('/').some(isSecretWord);
}

/** Returns a text without its variables. */
function getLiteral(text: string): string {
  return parseReferences(text)
    .filter(each => typeof each === 'string')
    .join(' ');
}

const hasToken = (text: string): boolean => redactTokens(text) !== text;

const hasSecretWord = (text: string): boolean => hasToken(text) || text.split(/[\s=:,"']+/).some(isSecretWord);
