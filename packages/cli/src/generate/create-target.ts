import { type ConfiguredEntry, findLiteralSecrets } from '@tenon/host';
import { formatReference, getReference } from '../mcp-hosts/hosts/variable-text.js';
import type { ResolvedTarget } from '../target/resolve-target.js';
import type { TargetOptions } from '../target/target-options.js';
import type { TargetReference } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';

/** Text with variables that the generated program reads. */
export type GeneratedText = readonly (string | GeneratedVariable)[];

interface GeneratedVariable {
  readonly variable: string;
}

/** Server that the generated program connects to. */
export type GeneratedTarget =
  | { readonly url: GeneratedText; readonly headers: Readonly<Record<string, GeneratedText>> }
  | {
      readonly command: GeneratedText;
      readonly args: readonly GeneratedText[];
      readonly env: Readonly<Record<string, GeneratedText>>;
    };

type Template = ConfiguredEntry['target'];

const PASS_HINT = 'pass names with --pass';

/** Variables of editors, which have no value outside of the editor. */
const EDITOR_VARIABLES: readonly string[] = ['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator'];

/**
 * Returns the target to write. Environment variables of a configured server stay variables.
 *
 * @throws TenonError `cli/usage` for one that may contain a secret, or that only this machine can start, because the
 * file is shared
 */
export function createGeneratedTarget(
  reference: TargetReference,
  { target, template, label }: ResolvedTarget,
  { pass = [], env, cwd }: TargetOptions,
): GeneratedTarget {
  if (env !== undefined) throw createUsageError('--env: its value may be secret, and the file is shared', PASS_HINT);
  if (cwd !== undefined) throw createUsageError('--cwd: the file has no working directory', 'remove the option');
  if (template !== undefined) return convertTemplate(template, label, pass);
  if (reference.kind === 'url' && 'url' in target) return { url: [checkUrl(String(target.url))], headers: {} };
  if (!('command' in target) || (reference.kind !== 'command' && reference.kind !== 'file'))
    throw createUsageError(
      `${label}: only this machine has the files of the server`,
      'pass a URL, or a command after --',
    );
  const { command, args = [] } = target;
  refuseSecrets({ command, args }, label);
  return { command: [command], args: args.map(each => [each]), env: createPassedMembers(pass) };
}

function convertTemplate(template: Template, label: string, pass: readonly string[]): GeneratedTarget {
  refuseSecrets(template, label);
  const parse = (text: string) => parseText(text, label);
  if ('url' in template) return { url: parse(template.url), headers: parseMembers(template.headers, parse) };
  const { command, args = [], env, cwd } = template;
  if (cwd !== undefined)
    throw createUsageError(
      `${label}: the server has a working directory, and the file has none`,
      'remove "cwd" from the configuration, or pass the command after --',
    );
  return {
    command: parse(command),
    args: args.map(parse),
    env: { ...parseMembers(env, parse), ...createPassedMembers(pass) },
  };
}

const parseMembers = (members: Readonly<Record<string, string>> = {}, parse: (text: string) => GeneratedText) =>
  Object.fromEntries(Object.entries(members).map(([name, text]) => [name, parse(text)]));

const createPassedMembers = (names: readonly string[]): Record<string, GeneratedText> =>
  Object.fromEntries(names.map(name => [name, [{ variable: name }]]));

function refuseSecrets(target: Template, label: string): void {
  const [first] = findLiteralSecrets(target);
  if (first === undefined) return;
  throw createUsageError(
    `${label}: ${first} may be secret, and the file is shared`,
    `write ${formatReference('TOKEN')} into the configuration, or pass the variable with --pass`,
  );
}

/** Splits a text at its variables: `${NAME}`, or `${env:NAME}`. */
function parseText(text: string, label: string): GeneratedText {
  const parts = text
    .replaceAll('$' + '{env:', '$' + '{')
    .split(/(\$*\{[^}]*\})/)
    .filter(part => part !== '')
    .map(part => {
      const variable = getReference(part);
      return variable === undefined || EDITOR_VARIABLES.includes(variable) ? part : { variable };
    });
  if (parts.every(part => typeof part !== 'string' || !part.includes('$' + '{'))) return parts;
  throw createUsageError(
    `${label}: only variables of the environment can be written into the file`,
    `write ${formatReference('NAME')} into the configuration in place of inputs, defaults and folders`,
  );
}

function checkUrl(text: string): string {
  const url = requireUrlWithoutSecrets(text, 'remove it, and pass the token when the command runs');
  refuseSecrets({ url: text }, 'the URL of the server');
  return url;
}

/** Returns the URL of a server for a file that others read. Refuses one with parts that may be secret. */
export function requireUrlWithoutSecrets(text: string, hint: string): string {
  const { href, username, password, search } = new URL(text);
  if (username === '' && password === '' && search === '') return href;
  throw createUsageError('the URL of the server has a user, a password or a query, which may be secret', hint);
}

/** Lists the variables that a target reads. */
export function listEnvironmentVariables(target: GeneratedTarget): string[] {
  const texts =
    'url' in target
      ? [target.url, ...Object.values(target.headers)]
      : [target.command, ...target.args, ...Object.values(target.env)];
  const names = texts.flat().flatMap(part => (typeof part === 'string' ? [] : [part.variable]));
  return [...new Set(names)];
}
