/** One challenge of a `WWW-Authenticate` header. https://www.rfc-editor.org/rfc/rfc9110#name-www-authenticate */
export interface Challenge {
  /** Lower-case: `bearer`, `dpop`. */
  readonly scheme: string;
  /** By their lower-case names. Of a parameter that is repeated the first counts. */
  readonly params: Readonly<Record<string, string>>;
  /** What some schemes carry in place of parameters. */
  readonly token68?: string;
}

/** How much of a header is read, in characters. */
const MAX_HEADER = 16 * 1024;
const MAX_CHALLENGES = 16;
const MAX_PARAMS = 32;

const GAP = /[ \t,]*/y;
const TOKEN = /[!#$%&'*+.^_`|~\w-]+/y;
const EQUALS = /[ \t]*=[ \t]*/y;
const TOKEN68 = /[ \t]+([\w\-.~+/]+=*)(?=[ \t]*(?:,|$))/y;
const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;
/** Some servers leave the quotes away around what is no token. */
const BARE = /[^\s,"]*/y;
const SKIPPED = /[^,]*/y;

interface Open {
  readonly scheme: string;
  readonly params: Map<string, string>;
  token68?: string;
}

/** Reads a header, or several that were joined by commas. What is malformed is passed over: it never throws. */
export function readChallenges(header: string | undefined): Challenge[] {
  const read = createReader((header ?? '').slice(0, MAX_HEADER));
  const found: Open[] = [];
  for (read(GAP); !read.ended(); read(GAP)) {
    const [name] = read(TOKEN) ?? [];
    if (name === undefined) {
      read(SKIPPED);
    } else if (read(EQUALS)) {
      take(found.at(-1), name.toLowerCase(), read(QUOTED)?.[1]?.replace(/\\([\s\S])/g, '$1') ?? read(BARE)?.[0] ?? '');
    } else {
      if (found.length >= MAX_CHALLENGES) break;
      const [, token68] = read(TOKEN68) ?? [];
      found.push({ scheme: name.toLowerCase(), params: new Map(), ...(token68 === undefined ? {} : { token68 }) });
    }
  }
  return found.map(({ params, ...challenge }) => ({ ...challenge, params: Object.fromEntries(params) }));
}

function take(open: Open | undefined, name: string, value: string): void {
  if (open && open.params.size < MAX_PARAMS && !open.params.has(name)) open.params.set(name, value);
}

interface Reader {
  /** Goes past what the pattern matches here, if it does. */
  (pattern: RegExp): RegExpExecArray | undefined;
  ended(): boolean;
}

function createReader(text: string): Reader {
  let at = 0;
  const read = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match ?? undefined;
  };
  return Object.assign(read, { ended: () => at >= text.length });
}

/** The first challenge of a scheme, whose name is lower-case. */
export function challengeOf(challenges: readonly Challenge[], scheme: string): Challenge | undefined {
  return challenges.find(each => each.scheme === scheme);
}

/** A challenge as it is written: parameters without a value are left out. */
export interface Written {
  /** `Bearer`, `DPoP`. */
  readonly scheme: string;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Writes a header. What can not stand in one (line breaks, other characters than those of ASCII) becomes `?`. */
export function writeChallenges(challenges: readonly Written[]): string {
  return challenges
    .map(({ scheme, params }) => {
      const said = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return [scheme, said.map(([name, value]) => `${name}=${quoted(value)}`).join(', ')].filter(Boolean).join(' ');
    })
    .join(', ');
}

function quoted(value: string): string {
  return `"${value.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}
