import { isCallerTemplate, toPlainText } from './caller-template.js';
import type { ReportFinding } from './config-finding.js';
import { quoteName } from './config-finding.js';
import { type EntryForm, findUnsupportedVariable, toReferences } from './entry-forms.js';
import type { JsonKind, JsonNode } from './json-node.js';
import type { ResolveVariables } from './resolve-variables.js';

/** Maximum number of arguments, of variables, of headers, of roots and of patterns of a server. */
export const MAX_VALUES = 1000;

/** State while one server entry is parsed. A value that cannot be parsed is reported, and the result is `undefined`. */
export interface EntryParser {
  readonly name: string;
  readonly node: JsonNode;
  /** Form in which the program of the file writes its entries. */
  readonly form: EntryForm;
  /** Members of the entry under their own names, including those that a host nests in another object. */
  readonly members: ReadonlyMap<string, JsonNode>;
  /** Path of the file in messages. */
  readonly file: string;
  readonly workspace: string | undefined;
  readonly home: string | undefined;
  /** True if the entry is disabled. */
  readonly isDisabled: boolean;
  /** `undefined`: variables stay as they are written. */
  readonly resolve: ResolveVariables | undefined;
  /** Values before their variables were resolved, by key. */
  readonly written: Record<string, string>;
  /** Values that contain values of the caller, by key. They are not in the target. */
  readonly templates: Record<string, string>;
  /** Reports an error. The server is then omitted from the result. */
  reportError(code: string, at: JsonNode, summary: string, details?: Parameters<ReportFinding>[4]): undefined;
  reportWarning(code: string, at: JsonNode, summary: string, details?: Parameters<ReportFinding>[4]): void;
}

const KIND_NAMES: Record<JsonKind, string> = {
  object: 'an object',
  array: 'an array',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  other: 'something that JSON does not have',
};

/** Reports a value of the wrong type. The value is not shown, because it may be a secret. */
export function reportWrongKind(parser: EntryParser, spot: JsonNode, expected: string): undefined {
  return parser.reportError('config/shape', spot, 'invalid value', {
    expected,
    received: KIND_NAMES[spot.kind],
  });
}

/** Reads a text and resolves its variables. */
export const readResolvedText = (parser: EntryParser, key: string, spot: JsonNode): Promise<string | undefined> =>
  resolveText(parser, key, spot, false);

/**
 * Reads a text that may contain values of the caller. Such a text is added to the templates, and the result is
 * `undefined`.
 */
export async function readTemplateText(parser: EntryParser, key: string, spot: JsonNode): Promise<string | undefined> {
  const text = await resolveText(parser, key, spot, parser.resolve !== undefined);
  if (text === undefined || parser.resolve === undefined) return text;
  if (!isCallerTemplate(text)) return toPlainText(text);
  parser.templates[key] = text;
  return undefined;
}

async function resolveText(
  parser: EntryParser,
  key: string,
  spot: JsonNode,
  isTemplate: boolean,
): Promise<string | undefined> {
  const plain = toText(spot);
  if (plain === undefined) return reportWrongKind(parser, spot, 'a text');
  const text = toReferences(plain, parser.form);
  const unsupported = findUnsupportedVariable(text, parser.form);
  if (unsupported !== undefined && parser.resolve)
    return parser.reportError('config/variable', spot, `\`${unsupported}\` is not supported`, {
      hint: 'use the variable of an environment variable, because no program is run for a value',
    });
  parser.written[key] = text;
  const warn = (summary: string, hint: string) => parser.reportWarning('config/secret-file', spot, summary, { hint });
  const filled = parser.resolve ? await parser.resolve(text, { isTemplate, warn }) : text;
  if (typeof filled !== 'string') {
    const { code, summary, expected, received, next: hint } = filled;
    return parser.reportError(code, spot, summary, { expected, received, hint });
  }
  // Programs in C end a string at a NUL character.
  if (filled.includes('\0'))
    return parser.reportError('config/shape', spot, 'the value contains a NUL character', {
      hint: 'remove the character',
    });
  return filled;
}

/** Converts a scalar to text. Ports and flags are often written as numbers and booleans. */
function toText({ kind, value, text }: JsonNode): string | undefined {
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? (text ?? String(value)) : undefined;
}

export async function readResolvedList(
  parser: EntryParser,
  key: string,
  spot: JsonNode,
): Promise<string[] | undefined> {
  if (!isList(parser, spot)) return undefined;
  const texts: string[] = [];
  for (const [at, item] of spot.items.entries()) {
    const text = await readResolvedText(parser, `${key}[${at}]`, item);
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

/**
 * Reads an object with text values and resolves their variables. `null` removes a name, as in VS Code. Values of the
 * caller are added to the templates.
 */
export async function readResolvedRecord(
  parser: EntryParser,
  key: string,
  spot: JsonNode,
): Promise<Record<string, string> | undefined> {
  if (spot.kind !== 'object') return reportWrongKind(parser, spot, 'an object of strings');
  if (spot.members.size > MAX_VALUES) return reportTooMany(parser, spot, spot.members.size);
  const pairs: [string, string][] = [];
  for (const [name, each] of spot.members) {
    const text = each.kind === 'null' ? undefined : await readTemplateText(parser, `${key}.${name}`, each);
    if (text !== undefined) pairs.push([name, text]);
  }
  return Object.fromEntries(pairs);
}

/** Reads a list of texts without resolving variables. */
export function readTextList(parser: EntryParser, spot: JsonNode): string[] | undefined {
  if (!isList(parser, spot)) return undefined;
  const texts = spot.items.flatMap(({ kind, value }) => (kind === 'string' && value !== '' ? [value as string] : []));
  if (texts.length === spot.items.length) return texts;
  return parser.reportError('config/shape', spot, 'invalid list', { expected: 'non-empty strings' });
}

function isList(parser: EntryParser, spot: JsonNode): boolean {
  if (spot.kind !== 'array') reportWrongKind(parser, spot, 'an array of strings');
  else if (spot.items.length > MAX_VALUES) reportTooMany(parser, spot, spot.items.length);
  else return true;
  return false;
}

function reportTooMany(parser: EntryParser, spot: JsonNode, count: number): undefined {
  return parser.reportError('config/too-large', spot, 'too many values', {
    expected: `at most ${MAX_VALUES}`,
    received: `${count}`,
  });
}

export function readFlag(parser: EntryParser, name: string): boolean | undefined {
  const spot = parser.members.get(name);
  if (!spot) return undefined;
  return spot.kind === 'boolean' ? (spot.value as boolean) : reportWrongKind(parser, spot, 'true or false');
}

/** Returns the member with one of several equivalent names. Different values under two names are reported as an error. */
export function getSingleMember(parser: EntryParser, ...names: string[]): JsonNode | undefined {
  const there = names.flatMap(name => parser.members.get(name) ?? []);
  if (there.length < 2 || there.every(({ kind, value }) => kind === 'string' && value === there[0]?.value))
    return there[0];
  parser.reportError(
    'config/target',
    there[1] as JsonNode,
    `the keys ${names.map(quoteName).join(', ')} exclude each other`,
    { hint: 'remove all but one of them' },
  );
  return there[0];
}
