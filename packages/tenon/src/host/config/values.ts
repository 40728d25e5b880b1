import type { Kind, Spot } from './document.js';
import type { Report } from './problem.js';
import { quoted } from './problem.js';
import type { Fill } from './variables.js';

/** How many arguments, variables, headers, roots or patterns a server may have of each. */
export const MAX_VALUES = 1000;

/** A server that is being read. What can not be read is reported, and is undefined. */
export interface Draft {
  readonly name: string;
  readonly spot: Spot;
  /** What is read of its members: those of `spot`, or what a host lays into another for them. */
  readonly members: ReadonlyMap<string, Spot>;
  /** The file's name in messages. */
  readonly file: string;
  readonly workspace: string | undefined;
  /** Whether it is disabled, and so not filled in. */
  readonly isOff: boolean;
  readonly fill: Fill;
  /** What is filled in, as it was before. */
  readonly written: Record<string, string>;
  /** Reports an error: the server will not be given. */
  fault(code: string, at: Spot, summary: string, facts?: Parameters<Report>[4]): undefined;
  warn(code: string, at: Spot, summary: string, facts?: Parameters<Report>[4]): void;
}

const NAMES: Record<Kind, string> = {
  object: 'an object',
  array: 'an array',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  other: 'something that JSON does not have',
};

/** Reports that something else stands there. Never what: it may be a secret. */
export function wrongShape(draft: Draft, spot: Spot, expected: string): undefined {
  return draft.fault('config/shape', spot, 'this value does not fit', { expected, got: NAMES[spot.kind] });
}

/** A text with its variables filled in. */
export async function filledAt(draft: Draft, key: string, spot: Spot): Promise<string | undefined> {
  const text = asText(spot);
  if (text === undefined) return wrongShape(draft, spot, 'a text');
  draft.written[key] = text;
  const filled = await draft.fill(text);
  if (typeof filled !== 'string') {
    const { code, summary, next } = filled;
    return draft.fault(code, spot, summary, next === undefined ? {} : { next });
  }
  // The end of a text in C, where commands go.
  if (filled.includes('\0')) return draft.fault('config/shape', spot, 'there is a NUL character in it');
  return filled;
}

/** Numbers and truth values stand for what they look like: ports are often written so. */
function asText({ kind, value }: Spot): string | undefined {
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? String(value) : undefined;
}

export async function filledList(draft: Draft, key: string, spot: Spot): Promise<string[] | undefined> {
  if (!isList(draft, spot)) return undefined;
  const texts: string[] = [];
  for (const [at, item] of spot.items.entries()) {
    const text = await filledAt(draft, `${key}[${at}]`, item);
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

/** Texts by their names. `null` takes a name out, as in VS Code. */
export async function filledRecord(draft: Draft, key: string, spot: Spot): Promise<Record<string, string> | undefined> {
  if (spot.kind !== 'object') return wrongShape(draft, spot, 'an object of texts');
  if (spot.members.size > MAX_VALUES) return tooMany(draft, spot, spot.members.size);
  const pairs: [string, string][] = [];
  for (const [name, each] of spot.members) {
    const text = each.kind === 'null' ? undefined : await filledAt(draft, `${key}.${name}`, each);
    if (text !== undefined) pairs.push([name, text]);
  }
  return Object.fromEntries(pairs);
}

/** Texts as they stand. */
export function textList(draft: Draft, spot: Spot): string[] | undefined {
  if (!isList(draft, spot)) return undefined;
  const texts = spot.items.flatMap(({ kind, value }) => (kind === 'string' && value !== '' ? [value as string] : []));
  if (texts.length === spot.items.length) return texts;
  return draft.fault('config/shape', spot, 'this list does not fit', { expected: 'texts that are not empty' });
}

function isList(draft: Draft, spot: Spot): boolean {
  if (spot.kind !== 'array') wrongShape(draft, spot, 'a list of texts');
  else if (spot.items.length > MAX_VALUES) tooMany(draft, spot, spot.items.length);
  else return true;
  return false;
}

function tooMany(draft: Draft, spot: Spot, count: number): undefined {
  return draft.fault('config/too-large', spot, 'too many values', {
    expected: `at most ${MAX_VALUES}`,
    got: `${count}`,
  });
}

export function flagAt(draft: Draft, name: string): boolean | undefined {
  const spot = draft.members.get(name);
  if (!spot) return undefined;
  return spot.kind === 'boolean' ? (spot.value as boolean) : wrongShape(draft, spot, 'true or false');
}

/** The one of several names for a thing that is there. More than one is a mistake. */
export function oneOf(draft: Draft, ...names: string[]): Spot | undefined {
  const there = names.flatMap(name => draft.members.get(name) ?? []);
  if (there.length < 2) return there[0];
  draft.fault('config/target', there[1] as Spot, `only one of ${names.map(quoted).join(', ')} can be meant`);
  return there[0];
}
