import { resolve } from 'node:path';
import { type AskInput, type ConfigInput, findNearestKey, sanitizeText } from '@tenon/host';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { createInputPrompt } from '../host/input-prompt.js';
import { parseDecimal } from '../tools/parse-decimal.js';
import { createUsageError, readVariable } from '../usage-error.js';
import type { UserConfigField, UserConfigValue } from './manifest.js';

/** Options that give the values which a bundle requests from the user. */
export interface UserConfigOptions {
  /** Plain values, by name. */
  readonly userConfig?: Readonly<Record<string, string>>;
  /** Names of environment variables with values, by name. */
  readonly userConfigEnv?: Readonly<Record<string, string>>;
  /** False if the user is never asked. */
  readonly input?: boolean;
}

type Fields = Readonly<Record<string, UserConfigField>>;

/** Values of a user, and the places where they come from. */
export interface UserConfigSource {
  /** Returns the text that the user wrote for a field. */
  readonly read: (name: string, field: UserConfigField) => string | undefined;
  /** Asks the user. The ID of an input is the name of the field. */
  readonly ask: AskInput;
  /** Tells how to give the value of a field. */
  readonly describeOption: (name: string, field: UserConfigField) => string;
  /** Folder that relative paths refer to. */
  readonly cwd: string;
}

const MAX_TEXT = 300;

/** Collects the values of a bundle: those that the user wrote, else those that the user types, else the defaults. */
export async function collectUserConfig(
  fields: Fields,
  { read, ask, describeOption, cwd }: UserConfigSource,
  expand: (text: string) => string,
): Promise<Record<string, UserConfigValue>> {
  const values: Record<string, UserConfigValue> = {};
  for (const [name, field] of Object.entries(fields)) {
    // An empty answer of the user is none. An empty text in a configuration is a value.
    const text = read(name, field) ?? ((await ask(toInput(name, field)))?.trim() || undefined);
    const value = text === undefined ? expandDefault(field.default, expand) : parseValue(name, field, text, cwd);
    if (value !== undefined) values[name] = value;
    else if (field.required) throw createMissingError(name, field, describeOption(name, field));
  }
  return values;
}

/** Creates the source that reads the options of a command. */
export function createOptionSource(context: CliContext, fields: Fields, options: UserConfigOptions): UserConfigSource {
  checkNames(fields, options);
  return {
    read: (name, field) => readOption(context, name, field, options),
    ask: options.input === false ? () => undefined : createInputPrompt(context),
    describeOption: (name, { sensitive }) =>
      `${sensitive ? `pass --user-config-env ${name}=VARIABLE` : `pass --user-config ${name}=VALUE`}, or run this in a terminal`,
    cwd: context.cwd,
  };
}

function checkNames(fields: Fields, { userConfig = {}, userConfigEnv = {} }: UserConfigOptions): void {
  checkValueNames('the bundle has no value', Object.keys({ ...userConfig, ...userConfigEnv }), Object.keys(fields));
}

/**
 * Throws an error for the first name of a value that the server does not request.
 *
 * @param summary Beginning of the message, in front of the name.
 */
export function checkValueNames(summary: string, given: readonly string[], names: readonly string[]): void {
  const unknown = given.find(name => !names.includes(name));
  if (unknown === undefined) return;
  const nearest = findNearestKey(unknown, [...names]);
  throw createUsageError(
    `${summary} "${sanitizeText(unknown, { max: 100 })}"`,
    nearest === undefined ? `use one of: ${names.join(', ') || '(none)'}` : `did you mean "${nearest}"?`,
  );
}

function readOption(
  { env }: CliContext,
  name: string,
  { sensitive }: UserConfigField,
  { userConfig = {}, userConfigEnv = {} }: UserConfigOptions,
): string | undefined {
  const variable = Object.hasOwn(userConfigEnv, name) ? userConfigEnv[name] : undefined;
  if (variable !== undefined) return readVariable(env, variable, `--user-config-env ${name}=VARIABLE`);
  if (!Object.hasOwn(userConfig, name)) return undefined;
  if (!sensitive) return userConfig[name];
  // Every user of the machine can see arguments.
  throw createUsageError(
    `--user-config: "${name}" is a secret`,
    `set an environment variable, and pass its name: --user-config-env ${name}=VARIABLE`,
  );
}

/** Converts a field to an input, whose prompt tells what is expected. */
export function toInput(id: string, field: UserConfigField): ConfigInput {
  const { title, description, type, sensitive = false, required, multiple, default: usual } = field;
  const notes = [
    sanitizeText(description ?? '', { max: MAX_TEXT }),
    ...(type === 'string' ? [] : [type]),
    ...(multiple ? ['several with commas between them'] : []),
    ...(required ? [] : ['optional']),
  ].filter(note => note !== '');
  return {
    id,
    type: 'promptString',
    description: `${sanitizeText(title, { max: 100 })} (${notes.join('; ')})`,
    password: sensitive,
    ...(usual === undefined ? {} : { default: String(usual) }),
  };
}

/** Returns the default value of a field, with the folders of this system. */
export function expandDefault(
  value: UserConfigValue | undefined,
  expand: (text: string) => string,
): UserConfigValue | undefined {
  if (typeof value === 'string') return expand(value);
  return Array.isArray(value) ? value.map(each => expand(each)) : value;
}

/** Converts a text to the type of a field. Errors do not show it, because it may be a secret. */
export function parseValue(name: string, field: UserConfigField, text: string, cwd: string): UserConfigValue {
  const { type, multiple, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = field;
  if (multiple) return text.split(',').map(each => readPath(field, each.trim(), cwd));
  if (type === 'boolean') {
    if (/^(?:true|yes|y)$/i.test(text)) return true;
    if (/^(?:false|no|n)$/i.test(text)) return false;
    throw createValueError(name, 'true or false');
  }
  if (type !== 'number') return readPath(field, text, cwd);
  const value = parseDecimal(text);
  if (value !== undefined && value >= min && value <= max) return value;
  throw createValueError(name, `a number from ${min} to ${max}`);
}

const readPath = ({ type }: UserConfigField, text: string, cwd: string): string =>
  type === 'directory' || type === 'file' ? resolve(cwd, text) : text;

function createValueError(name: string, expected: string): TenonError {
  return new TenonError('cli/usage', `invalid value for "${name}" of the bundle`, { expected });
}

/** Creates the error for a required value that is missing. */
export function createMissingError(name: string, { title }: UserConfigField, option: string): TenonError {
  return createUsageError(`the bundle needs a value for "${name}" (${sanitizeText(title, { max: 100 })})`, option);
}
