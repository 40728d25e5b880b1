/**
 * Challenge of a `WWW-Authenticate` header.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-www-authenticate
 */
export interface Challenge {
  /** Authentication scheme in lower case: `bearer`, `dpop`. */
  readonly scheme: string;
  /** Parameters by lower-case name. If a name is repeated, its first value is used. */
  readonly params: Readonly<Record<string, string>>;
  /** Value of a scheme that has a single token instead of parameters. */
  readonly token68?: string;
}

/** Maximum number of characters of a header that are parsed. */
const MAX_HEADER_LENGTH = 16 * 1024;
const MAX_CHALLENGES = 16;
const MAX_PARAMS = 32;

const SEPARATOR = /[ \t,]*/y;
const TOKEN = /[!#$%&'*+.^_`|~\w-]+/y;
const EQUALS = /[ \t]*=[ \t]*/y;
const TOKEN68 = /[ \t]+([\w\-.~+/]+=*)(?=[ \t]*(?:,|$))/y;
const QUOTED_STRING = /"((?:[^"\\]|\\[\s\S])*)"/y;
/** Some servers omit the quotes around values that are not RFC 9110 tokens. */
const UNQUOTED_VALUE = /[^\s,"]*/y;
const INVALID_PART = /[^,]*/y;

interface PartialChallenge {
  readonly scheme: string;
  readonly params: Map<string, string>;
  token68?: string;
}

/** Parses a header, or several headers joined by commas. Skips malformed parts and never throws. */
export function parseChallenges(header: string | undefined): Challenge[] {
  const matchNext = createHeaderReader((header ?? '').slice(0, MAX_HEADER_LENGTH));
  const challenges: PartialChallenge[] = [];
  for (matchNext(SEPARATOR); !matchNext.isAtEnd(); matchNext(SEPARATOR)) {
    const [name] = matchNext(TOKEN) ?? [];
    if (name === undefined) {
      matchNext(INVALID_PART);
    } else if (matchNext(EQUALS)) {
      addParam(
        challenges.at(-1),
        name.toLowerCase(),
        matchNext(QUOTED_STRING)?.[1]?.replace(/\\([\s\S])/g, '$1') ?? matchNext(UNQUOTED_VALUE)?.[0] ?? '',
      );
    } else {
      if (challenges.length >= MAX_CHALLENGES) break;
      const [, token68] = matchNext(TOKEN68) ?? [];
      challenges.push({ scheme: name.toLowerCase(), params: new Map(), ...(token68 === undefined ? {} : { token68 }) });
    }
  }
  return challenges.map(({ params, ...challenge }) => ({ ...challenge, params: Object.fromEntries(params) }));
}

function addParam(challenge: PartialChallenge | undefined, name: string, value: string): void {
  if (challenge && challenge.params.size < MAX_PARAMS && !challenge.params.has(name)) challenge.params.set(name, value);
}

interface HeaderReader {
  /** Matches the pattern at the current position, and advances past the match. */
  (pattern: RegExp): RegExpExecArray | undefined;
  isAtEnd(): boolean;
}

function createHeaderReader(text: string): HeaderReader {
  let position = 0;
  const matchNext = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    if (match) position = pattern.lastIndex;
    return match ?? undefined;
  };
  return Object.assign(matchNext, { isAtEnd: () => position >= text.length });
}

/** Challenge to format. Parameters with the value `undefined` are omitted. */
export interface ChallengeToWrite {
  /** Authentication scheme: `Bearer`, `DPoP`. */
  readonly scheme: string;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Formats a `WWW-Authenticate` header. Replaces line breaks and characters outside ASCII with `?`. */
export function formatChallenges(challenges: readonly ChallengeToWrite[]): string {
  return challenges
    .map(({ scheme, params }) => {
      const present = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return [scheme, present.map(([name, value]) => `${name}=${quoteString(value)}`).join(', ')]
        .filter(Boolean)
        .join(' ');
    })
    .join(', ');
}

function quoteString(value: string): string {
  return `"${value.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}
