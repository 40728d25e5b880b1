import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { JsonObject } from 'tenon';
import { createUsageError } from '../usage-error.js';
import { coerceArgument } from './coerce.js';
import { listParameters } from './type-text.js';

/** Input for the arguments of a call. */
export interface ArgumentInput {
  /** Words of the command line: `key=value`, `key:=json`, `key=@file`. */
  readonly words: readonly string[];
  /** JSON object with all arguments, or `-` for standard input. */
  readonly json?: string | undefined;
  /** Values that need no conversion, by name. */
  readonly values?: JsonObject | undefined;
  readonly cwd: string;
}

type ArgumentWord =
  | { readonly name: string; readonly kind: 'text'; readonly text: string }
  | { readonly name: string; readonly kind: 'value'; readonly value: unknown };

/**
 * Parses the arguments of a call, and converts texts to the types of the schema. Later arguments take precedence over
 * `--args`.
 */
export async function parseArguments(
  schema: unknown,
  { words, json, values = {}, cwd }: ArgumentInput,
): Promise<JsonObject> {
  const parameters = new Map(listParameters(schema).map(each => [each.name, each.schema]));
  const base = json === undefined ? {} : await readJsonArguments(json);
  const texts = new Map<string, string[]>();
  const parsed: JsonObject = { ...values };
  const given = await Promise.all(words.map(word => parseWord(word, cwd)));
  const names = [...given.map(({ name }) => name), ...Object.keys(values)];
  for (const name of names) await checkName(name, [...parameters.keys()], names, schema);
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

async function parseWord(word: string, cwd: string): Promise<ArgumentWord> {
  const [, name, operator, rest = ''] = /^([^=]+?)(:=|=@|=)([\s\S]*)$/.exec(word) ?? [];
  if (name === undefined)
    throw createUsageError(`argument without a name: ${word}`, 'write NAME=VALUE, NAME:=JSON or NAME=@FILE');
  if (operator === '=') return { name, kind: 'text', text: rest };
  if (operator === '=@') return { name, kind: 'text', text: await readArgumentFile(name, resolve(cwd, rest)) };
  return { name, kind: 'value', value: parseJson(rest, `argument "${name}"`) };
}

async function readArgumentFile(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw createUsageError(`argument "${name}": cannot read ${path}: ${code}`, 'pass the path of a file that exists');
  }
}

async function readJsonArguments(json: string): Promise<JsonObject> {
  const value = parseJson(json === '-' ? await text(process.stdin) : json, '--args');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw createUsageError(
    '--args: not a JSON object',
    `pass an object such as '{"title":"x"}', or - for standard input`,
  );
}

function parseJson(json: string, subject: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw createUsageError(`${subject}: invalid JSON`, 'check the quotes, which the shell may have removed');
  }
}

/** Rejects a name that the schema does not have, unless the schema explicitly allows other names. */
async function checkName(
  name: string,
  known: readonly string[],
  given: readonly string[],
  schema: unknown,
): Promise<void> {
  if (known.includes(name) || acceptsUnknown(schema)) return;
  const { findNearestKey } = await import('tenon/host');
  // An argument that is given already is not what the user has meant.
  const missing = known.filter(each => !given.includes(each));
  const nearest = findNearestKey(name, missing);
  const names = known.length === 0 ? 'pass no arguments' : `use one of: ${known.join(', ')}`;
  throw createUsageError(`unknown argument "${name}"`, nearest === undefined ? names : `did you mean "${nearest}"?`);
}

function acceptsUnknown(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  const { additionalProperties, patternProperties, properties } = schema as JsonObject;
  return (additionalProperties ?? false) !== false || patternProperties !== undefined || properties === undefined;
}
