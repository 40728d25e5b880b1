import { resolve } from 'node:path';
import { TenonError } from 'tenon';
import { findNearestKey, sanitizeText } from 'tenon/host';
import type { CliContext } from '../cli-context.js';
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

const MAX_TEXT = 300;

/** Collects the values of a bundle: those of the options, else those that the user types, else the defaults. */
export async function collectUserConfig(
  context: CliContext,
  fields: Fields,
  options: UserConfigOptions,
  expand: (text: string) => string,
): Promise<Record<string, UserConfigValue>> {
  checkNames(fields, options);
  const values: Record<string, UserConfigValue> = {};
  for (const [name, field] of Object.entries(fields)) {
    const text = readOption(context, name, field, options) ?? (await askValue(context, field, options));
    const value =
      text === undefined ? expandDefault(field.default, expand) : parseValue(name, field, text, context.cwd);
    if (value !== undefined) values[name] = value;
    else if (field.required) throw createMissingError(name, field);
  }
  return values;
}

function checkNames(fields: Fields, { userConfig = {}, userConfigEnv = {} }: UserConfigOptions): void {
  const unknown = [...Object.keys(userConfig), ...Object.keys(userConfigEnv)].find(
    name => !Object.hasOwn(fields, name),
  );
  if (unknown === undefined) return;
  const names = Object.keys(fields);
  const nearest = findNearestKey(unknown, names);
  throw createUsageError(
    `the bundle has no value "${sanitizeText(unknown, { max: 100 })}"`,
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

async function askValue(
  { terminal }: CliContext,
  { title, description, type, sensitive = false, required, multiple, default: usual }: UserConfigField,
  { input = true }: UserConfigOptions,
): Promise<string | undefined> {
  if (!input || !terminal.interactive) return undefined;
  const notes = [
    sanitizeText(description ?? '', { max: MAX_TEXT }),
    ...(type === 'string' ? [] : [type]),
    ...(multiple ? ['several with commas between them'] : []),
    ...(required ? [] : ['optional']),
  ].filter(note => note !== '');
  const shown = usual === undefined || sensitive ? '' : ` [${sanitizeText(String(usual), { max: 100 })}]`;
  const question = `${sanitizeText(title, { max: 100 })} (${notes.join('; ')})${shown}: `;
  const answer = await terminal.ask(question, { hidden: sensitive });
  return answer === undefined || answer.trim() === '' ? undefined : answer.trim();
}

function expandDefault(
  value: UserConfigValue | undefined,
  expand: (text: string) => string,
): UserConfigValue | undefined {
  if (typeof value === 'string') return expand(value);
  return Array.isArray(value) ? value.map(each => expand(each)) : value;
}

/** Converts a text to the type of a field. Errors do not show it, because it may be a secret. */
function parseValue(name: string, field: UserConfigField, text: string, cwd: string): UserConfigValue {
  const { type, multiple, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = field;
  if (multiple) return text.split(',').map(each => readPath(field, each.trim(), cwd));
  if (type === 'boolean') {
    if (/^(?:true|yes|y)$/i.test(text)) return true;
    if (/^(?:false|no|n)$/i.test(text)) return false;
    throw createValueError(name, 'true or false');
  }
  if (type !== 'number') return readPath(field, text, cwd);
  const value = Number(text);
  if (Number.isFinite(value) && value >= min && value <= max) return value;
  throw createValueError(name, `a number from ${min} to ${max}`);
}

const readPath = ({ type }: UserConfigField, text: string, cwd: string): string =>
  type === 'directory' || type === 'file' ? resolve(cwd, text) : text;

function createValueError(name: string, expected: string): TenonError {
  return new TenonError('cli/usage', `invalid value for "${name}" of the bundle`, { expected });
}

function createMissingError(name: string, { title, sensitive }: UserConfigField): TenonError {
  const option = sensitive ? `--user-config-env ${name}=VARIABLE` : `--user-config ${name}=VALUE`;
  return createUsageError(
    `the bundle needs a value for "${name}" (${sanitizeText(title, { max: 100 })})`,
    `pass ${option}, or run this in a terminal`,
  );
}
