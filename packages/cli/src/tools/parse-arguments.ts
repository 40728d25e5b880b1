import { resolve } from 'node:path';
import { isObject } from '@tenon/base';
import type { JsonObject } from 'tenon';
import { createUsageError } from '../usage-error.js';
import { type ArgumentWord, splitArgumentWords } from './argument-words.js';
import { checkNames } from './check-names.js';
import { coerceArgument, isFlag } from './coerce.js';
import { readArgumentFile, readJson } from './read-json.js';
import { listParameters } from './type-text.js';

/** Input for the arguments of a call. */
export interface ArgumentInput {
  /** Words of the command line, in a spelling of `splitArgumentWords`. */
  readonly words: readonly string[];
  /** JSON object with all arguments, `@FILE`, or `-` for standard input. */
  readonly json?: string | undefined;
  /** Values that need no conversion, by name. */
  readonly values?: JsonObject | undefined;
  readonly cwd: string;
  /**
   * True if the command has `--args`.
   * @default `true`
   */
  readonly hasArgsOption?: boolean | undefined;
}

type ReadArgument =
  | { readonly name: string; readonly kind: 'text'; readonly text: string }
  | { readonly name: string; readonly kind: 'value'; readonly value: unknown };

/**
 * Parses the arguments of a call, and converts texts to the types of the schema. Later arguments take precedence over
 * `--args`.
 */
export async function parseArguments(
  schema: unknown,
  { words, json, values = {}, cwd, hasArgsOption }: ArgumentInput,
): Promise<JsonObject> {
  const parameters = new Map(listParameters(schema).map(each => [each.name, each.schema]));
  const base = json === undefined ? {} : await readJsonArguments(json, cwd);
  const texts = new Map<string, string[]>();
  const parsed: JsonObject = { ...values };
  const known = [...parameters].map(([name, node]) => ({ name, isFlag: isFlag(node, schema) }));
  const split = splitArgumentWords(words, known);
  const names = [...split.map(({ name }) => name), ...Object.keys(values)];
  const options = split.flatMap(({ name, isOption }) => (isOption ? [name] : []));
  await checkNames(schema, { names, others: Object.keys(base), options, hasArgsOption });
  const given = await Promise.all(split.map(word => readArgument(word, cwd)));
  for (const argument of given) {
    if (argument.kind === 'value') parsed[argument.name] = argument.value;
    else texts.set(argument.name, [...(texts.get(argument.name) ?? []), argument.text]);
  }
  for (const [name, given] of texts) parsed[name] = coerceArgument(name, given, parameters.get(name) ?? {}, schema);
  return { ...base, ...parsed };
}

/** Assigns values without a name to the parameters in their order. */
export function nameValues(schema: unknown, positional: readonly unknown[]): JsonObject {
  const names = listParameters(schema).map(({ name }) => name);
  if (positional.length > names.length) {
    throw createUsageError(
      `${positional.length} values, and the tool has ${names.length} parameters`,
      names.length === 0 ? 'pass no values' : `pass values for ${names.join(', ')}`,
    );
  }
  return Object.fromEntries(positional.map((value, index) => [names[index] ?? '', value]));
}

async function readArgument({ name, operator, text }: ArgumentWord, cwd: string): Promise<ReadArgument> {
  const subject = `argument "${name}"`;
  if (operator === ':=') return { name, kind: 'value', value: await readJson({ source: text, subject, cwd }) };
  if (operator === '=') return { name, kind: 'text', text };
  const hint = `pass the path of a file that exists, or write ${name}=@@${text} for a text that begins with @`;
  return { name, kind: 'text', text: await readArgumentFile(resolve(cwd, text), subject, hint) };
}

async function readJsonArguments(source: string, cwd: string): Promise<JsonObject> {
  const value = await readJson({ source, subject: '--args', cwd, acceptsStdin: true });
  if (isObject(value)) return value;
  throw createUsageError(
    '--args: not a JSON object',
    `pass an object such as '{"title":"x"}', @FILE for a file, or - for standard input`,
  );
}
