import { resolve } from 'node:path';
import { type AskInput, findLiteralSecrets, sanitizeText } from '@tenon/host';
import type { CliContext } from '../cli-context.js';
import { formatReference, getReference, toVariableName } from '../mcp-hosts/hosts/variable-text.js';
import { checkValueNames } from '../mcpb/user-config.js';
import { parseDecimal } from '../tools/parse-decimal.js';
import { createUsageError } from '../usage-error.js';
import type { RegistryInput, RegistryServer } from './registry-document.js';
import { createRegistryTarget, type ReadInput, readDefault } from './registry-target.js';

type Texts = Readonly<Record<string, string>>;

/** Places where the values of an entry come from. */
export interface InputSource {
  /** Values that the user wrote, by name. Values of other names are refused. */
  readonly given: Texts;
  /** Further values that the user wrote. Those of other names have another purpose. */
  readonly others: Texts;
  readonly ask: AskInput;
  /** Tells if the user is asked for a value that was not written. */
  readonly isAsked: (input: RequestedInput) => boolean;
  /** True if the values are used at once, and not written into a file: secrets may be among them. */
  readonly canUseSecrets: boolean;
}

/** Value that an entry requests. */
export interface RequestedInput extends RegistryInput {
  readonly name: string;
}

const MAX_TEXT = 300;
/** Maximum number of times that the user is asked after an invalid value. */
const MAX_TRIES = 5;

/**
 * Collects the values that an entry requests: those that the user wrote, else those that the user types, else the
 * defaults.
 *
 * @returns The values by name. A secret that is not typed is missing, so that it becomes a reference.
 * @throws TenonError `cli/usage` for required values that are missing, and for invalid ones.
 */
export async function collectInputs(
  context: Pick<CliContext, 'screen' | 'cwd'>,
  server: RegistryServer,
  source: InputSource,
): Promise<Texts> {
  const inputs = listInputs(server);
  const { given, others, canUseSecrets } = source;
  const names = inputs.map(({ name }) => name);
  checkValueNames(`${server.name} has no value`, Object.keys(given), names);
  const written = { ...others, ...given };
  const values: Record<string, string> = {};
  for (const input of inputs) {
    const { name } = input;
    const text = Object.hasOwn(written, name) ? written[name] : undefined;
    const isAsked = text === undefined && source.isAsked(input);
    const value = isAsked
      ? await askValue(context, input, source.ask)
      : text && checkWritten(input, text, canUseSecrets, context.cwd);
    if (value !== undefined) values[name] = value;
  }
  if (!canUseSecrets)
    checkMissing(
      context,
      server,
      inputs.filter(({ name }) => !Object.hasOwn(values, name)),
    );
  return values;
}

/** Throws an error for required values without a text, unless they are secrets. Tells about optional secrets. */
function checkMissing(
  { screen }: Pick<CliContext, 'screen'>,
  { name: server }: RegistryServer,
  inputs: readonly RequestedInput[],
): void {
  const withoutDefault = inputs.filter(each => each.default === undefined);
  const missing = withoutDefault.filter(each => each.isRequired && !isSecret(each)).map(formatName);
  if (missing.length > 0)
    throw createUsageError(
      `${server} requires values: ${missing.join(', ')}`,
      `pass ${missing.map(name => `--user-config ${name}=VALUE`).join(' ')}, or run this in a terminal`,
    );
  for (const each of withoutDefault.filter(input => !input.isRequired && isSecret(input)))
    screen.note(`Optional secret: ${formatName(each)}. To pass it, ${describeReference(each)}`);
}

/** Returns the values of an entry: those that are collected, else the defaults and references. */
export const readCollected =
  (values: Texts): ReadInput =>
  (name, input) =>
    Object.hasOwn(values, name) ? values[name] : readDefault(name, input);

/** Lists the values that an entry requests, each name once. */
function listInputs(server: RegistryServer): RequestedInput[] {
  const inputs = new Map<string, RequestedInput>();
  createRegistryTarget(server, (name, input) => {
    if (!inputs.has(name)) inputs.set(name, { ...input, name });
    return readDefault(name, input);
  });
  return [...inputs.values()];
}

/** Tells if a value is a secret: the entry says so, or its name is one of secrets, such as `API_KEY`. */
export const isSecret = ({ name, isSecret: isDeclared }: RequestedInput): boolean =>
  isDeclared === true || findLiteralSecrets({ command: '', env: { [name]: 'value' } }).length > 0;

function checkWritten(input: RequestedInput, text: string, canUseSecrets: boolean, cwd: string): string {
  // `--env NAME` passes the variable of this name.
  if (getReference(text) !== undefined) return text;
  const name = formatName(input);
  if (isSecret(input) && !canUseSecrets)
    throw createUsageError(`"${name}" is a secret, and a configuration must not contain one`, describeReference(input));
  const parsed = parseInput(input, text, cwd);
  if (parsed.value !== undefined) return parsed.value;
  throw createUsageError(`invalid value for "${name}": expected ${parsed.expected}`, 'correct the value');
}

/** Asks until the value is valid. */
async function askValue(
  { screen, cwd }: Pick<CliContext, 'screen' | 'cwd'>,
  input: RequestedInput,
  ask: AskInput,
): Promise<string | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const text = (await ask(describeInput(input)))?.trim();
    if (text === undefined || text === '') return undefined;
    const parsed = parseInput(input, text, cwd);
    if (parsed.value !== undefined) return parsed.value;
    screen.note(`${formatName(input)}: expected ${parsed.expected}`);
  }
  return undefined;
}

function describeInput(input: RequestedInput): Parameters<AskInput>[0] {
  const { name, description, format = 'string', isRequired, choices, default: usual } = input;
  const notes = [
    sanitizeText(description ?? '', { max: MAX_TEXT }),
    ...(format === 'string' ? [] : [sanitizeText(format, { max: 50 })]),
    ...(isRequired || usual !== undefined ? [] : ['optional']),
  ].filter(note => note !== '');
  return {
    id: name,
    type: choices === undefined ? 'promptString' : 'pickString',
    description: `${formatName(input)}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`,
    password: isSecret(input),
    ...(choices === undefined ? {} : { options: choices }),
    ...(usual === undefined ? {} : { default: usual }),
  };
}

/** Checks a text against the choices and the format of an input. */
function parseInput(
  { format, choices }: RegistryInput,
  text: string,
  cwd: string,
): { readonly value: string; readonly expected?: never } | { readonly value?: never; readonly expected: string } {
  if (choices !== undefined && !choices.includes(text))
    return { expected: `one of: ${choices.map(each => sanitizeText(each, { max: 100 })).join(', ')}` };
  switch (format) {
    case 'number':
      return parseDecimal(text) === undefined ? { expected: 'a number' } : { value: text };
    case 'boolean':
      return text === 'true' || text === 'false' ? { value: text } : { expected: 'true or false' };
    case 'filepath':
      // Hosts start servers in folders of their own.
      return { value: resolve(cwd, text) };
    default:
      return { value: text };
  }
}

const describeReference = (input: RequestedInput): string =>
  `set a variable, and write --user-config '${formatName(input)}=${formatReference(toVariableName(input.name))}'`;

const formatName = ({ name }: RequestedInput): string => sanitizeText(name, { max: 100 });
