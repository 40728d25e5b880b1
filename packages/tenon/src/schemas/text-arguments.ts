import { isObject, type JsonObject, toJsonObject } from '@tenon/base';
import { resolveReference } from './json-schema.js';
import { inferTypes, MAX_DEPTH, toList } from './json-types.js';

/** One argument that a message carries as text, such as an argument of a prompt. */
export interface TextArgument {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly required: boolean;
  /** The JSON types that the schema of the argument accepts. */
  readonly types: ReadonlySet<string>;
}

/** The types that can be parsed from text. */
const SCALARS = ['string', 'number', 'boolean'];

/**
 * Reads the arguments that a schema describes. Returns `undefined` when the schema accepts no object. Arguments of all
 * its alternatives are included.
 */
export function readTextArguments(json: JsonObject): TextArgument[] | undefined {
  if (!inferTypes(json, json).has('object')) return undefined;
  return [...collectArguments(json, json, 0).values()];
}

/** Tells if an argument can be passed as text. */
export function isScalar({ types }: TextArgument): boolean {
  return SCALARS.some(type => types.has(type));
}

/**
 * Converts texts to the numbers and booleans that the schema expects. A text that cannot be converted stays unchanged,
 * so that the validation reports it.
 */
export function coerceTexts(args: JsonObject, described: readonly TextArgument[]): JsonObject {
  let coerced: JsonObject | undefined;
  for (const { name, types } of described) {
    const text = Object.hasOwn(args, name) ? args[name] : undefined;
    if (typeof text !== 'string' || types.has('string')) continue;
    const value = coerceText(text, types);
    if (value === text) continue;
    coerced ??= { ...args };
    coerced[name] = value;
  }
  return coerced ?? args;
}

function coerceText(text: string, types: ReadonlySet<string>): unknown {
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (!types.has('number') || !/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return text;
  const number = Number(text);
  // The validation reports an integer that a number cannot represent, as the text that it is.
  const isExact = !/^[+-]?\d{16,}$/.test(text) || BigInt(text.replace('+', '')) === BigInt(number);
  return Number.isFinite(number) && isExact ? number : text;
}

type Arguments = Map<string, TextArgument>;

function collectArguments(schema: unknown, root: JsonObject, depth: number): Arguments {
  if (!isObject(schema) || depth > MAX_DEPTH) return new Map();
  const parts = [readOwnArguments(schema, root)];
  if (typeof schema.$ref === 'string')
    parts.push(collectArguments(resolveReference(root, schema.$ref), root, depth + 1));
  for (const each of toList(schema.allOf)) parts.push(collectArguments(each, root, depth + 1));
  for (const forms of [toList(schema.anyOf), toList(schema.oneOf)]) {
    if (forms.length > 0) parts.push(uniteArguments(forms.map(form => collectArguments(form, root, depth + 1))));
  }
  return parts.reduce(intersectArguments);
}

function readOwnArguments({ properties, required }: JsonObject, root: JsonObject): Arguments {
  const needed = toList(required);
  const entries = Object.entries(toJsonObject(properties)).map(([name, schema]) => {
    const { title, description } = toJsonObject(schema);
    const argument: TextArgument = {
      name,
      title: typeof title === 'string' ? title : undefined,
      description: typeof description === 'string' ? description : undefined,
      required: needed.includes(name),
      types: inferTypes(schema, root),
    };
    return [name, argument] as const;
  });
  return new Map(entries);
}

/** Combines the arguments of schemas that must all match. */
function intersectArguments(one: Arguments, other: Arguments): Arguments {
  return mergeArguments([one, other], (a, b) => ({
    ...mergeDescriptions(a, b),
    required: a.required || b.required,
    types: new Set([...a.types].filter(type => b.types.has(type))),
  }));
}

/** Combines the arguments of schemas of which only one must match. */
function uniteArguments(forms: readonly Arguments[]): Arguments {
  const merged = mergeArguments(forms, (a, b) => ({
    ...mergeDescriptions(a, b),
    required: a.required && b.required,
    types: new Set([...a.types, ...b.types]),
  }));
  for (const [name, argument] of merged) {
    if (!forms.every(form => form.has(name))) merged.set(name, { ...argument, required: false });
  }
  return merged;
}

function mergeArguments(
  all: readonly Arguments[],
  join: (a: TextArgument, b: TextArgument) => TextArgument,
): Arguments {
  const merged: Arguments = new Map();
  for (const argument of all.flatMap(each => [...each.values()])) {
    const before = merged.get(argument.name);
    merged.set(argument.name, before ? join(before, argument) : argument);
  }
  return merged;
}

function mergeDescriptions(a: TextArgument, b: TextArgument): Pick<TextArgument, 'name' | 'title' | 'description'> {
  return { name: a.name, title: a.title ?? b.title, description: a.description ?? b.description };
}
