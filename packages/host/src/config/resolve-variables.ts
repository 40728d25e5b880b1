// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { TenonError } from '@tenon/base';
import { checkCallerReference, escapeReferences, formatCallerReference } from './caller-template.js';
import { quoteName } from './config-finding.js';
import type { ResolveInput } from './inputs.js';
import { getBaseName, resolvePath } from './paths.js';
import type { ResolveFault } from './resolve-fault.js';
import type { EntryOrigin } from './server-entry.js';
import {
  MAX_DEFAULTS,
  PREDEFINED,
  type Predefined,
  parseReferences,
  type VariableReference,
} from './variable-references.js';

/**
 * Maximum length of all resolved values of one configuration, in characters. Otherwise a few variables could expand
 * without limit.
 */
const MAX_RESOLVED_TEXT = 4 * 2 ** 20;

export interface ResolveUse {
  /**
   * Keeps values of the caller as `${caller:NAME}`. The result is a template, in which `$${` stands for `${`.
   * @default `false`, and a value of the caller is refused
   */
  readonly isTemplate?: boolean | undefined;
  /** Called for a value that can be used but should be changed. */
  readonly warn?: ((summary: string, next: string) => void) | undefined;
}

/** Replaces the variables of a text. The value of a variable is not expanded again. */
export type ResolveVariables = (text: string, use?: ResolveUse) => Promise<string | ResolveFault>;

/** File with one secret. */
export interface SecretFile {
  readonly text: string;
  /** True if other users can read it. */
  readonly isExposed: boolean;
}

/** Reads a file with a secret. A `TenonError` that it throws is reported with its reason. */
export type ReadSecretFile = (path: string) => Promise<SecretFile>;

export interface VariableSources {
  /** Returns the value of an environment variable. If absent, no variable is resolved. */
  readonly env: ((name: string) => string | undefined) | undefined;
  readonly inputs: ResolveInput;
  readonly workspace: string | undefined;
  readonly home: string | undefined;
  /** Author of the configuration. Only the user's own configuration may name files with secrets. */
  readonly scope: EntryOrigin['scope'] | undefined;
  readonly readSecretFile: ReadSecretFile | undefined;
}

export function createVariableResolver(sources: VariableSources): ResolveVariables {
  const { env } = sources;
  if (!env) return async (text, { isTemplate = false } = {}) => (isTemplate ? escapeReferences(text) : text);
  let remaining = MAX_RESOLVED_TEXT;
  const resolve = async (text: string, depth: number, use: ResolveUse): Promise<string | ResolveFault> => {
    const { isTemplate = false } = use;
    if (!text.includes('${')) return text;
    let filled = '';
    for (const piece of parseReferences(text)) {
      const value = typeof piece === 'string' ? literal(piece, isTemplate) : await resolveReference(piece, depth, use);
      if (typeof value !== 'string') return value;
      remaining -= value.length;
      if (remaining < 0)
        return { code: 'config/too-large', summary: `the resolved variables exceed ${MAX_RESOLVED_TEXT} characters` };
      filled += value;
    }
    return filled;
  };
  const resolveReference = async (
    reference: VariableReference,
    depth: number,
    use: ResolveUse,
  ): Promise<string | ResolveFault> => {
    const { isTemplate = false } = use;
    if (reference.kind === 'caller') return getCallerReference(reference, isTemplate);
    const value = reference.kind === 'env' ? env(reference.name) : await getOtherValue(reference, depth, use);
    if (value !== undefined) return typeof value === 'string' ? literal(value, isTemplate) : value;
    if (reference.fallback === undefined) return createNotSetFault(reference.name);
    if (depth === MAX_DEFAULTS)
      return { code: 'config/too-large', summary: `the defaults are nested deeper than ${MAX_DEFAULTS} levels` };
    return resolve(reference.fallback, depth + 1, use);
  };
  const getOtherValue = async (
    { kind, name }: VariableReference,
    depth: number,
    { warn }: ResolveUse,
  ): Promise<string | ResolveFault> => {
    if (kind === 'predefined') return getPredefined(name as Predefined, sources);
    if (kind === 'input') return getInputValue(name, sources);
    if (kind === 'unknown') return createUnknownVariableFault(name);
    if (depth === MAX_DEFAULTS)
      return { code: 'config/too-large', summary: `the variables are nested deeper than ${MAX_DEFAULTS} levels` };
    const path = await resolve(name, depth + 1, { warn });
    return typeof path === 'string' ? getFileContent(path, sources, warn) : path;
  };
  return (text, use = {}) => resolve(text, 0, use);
}

const literal = (text: string, isTemplate: boolean): string => (isTemplate ? escapeReferences(text) : text);

function getCallerReference(reference: VariableReference, isTemplate: boolean): string | ResolveFault {
  if (isTemplate) return checkCallerReference(reference) ?? formatCallerReference(reference);
  return {
    code: 'config/caller-value',
    summary: 'a value of the caller is not allowed here, because a caller could then choose what runs, or where',
    expected: 'it only in values of `env` and `headers`, and in the path and the query of `url`',
    next: 'pass the value to the server by `env` or `headers`',
  };
}

async function getFileContent(
  path: string,
  { scope, readSecretFile, workspace, home }: VariableSources,
  warn: ResolveUse['warn'],
): Promise<string | ResolveFault> {
  if (scope === 'project')
    return {
      code: 'config/user-only',
      summary: '`${file:…}` in a file that is not your own configuration',
      expected: 'it only in your own configuration, because a project could read any file of yours',
      next: 'move the server to a configuration file of yours, or use an environment variable',
    };
  if (readSecretFile === undefined)
    return {
      code: 'config/variable',
      summary: '`${file:…}` is not supported here',
      next: 'use an environment variable',
    };
  const isInHome = home !== undefined && /^~[\\/]/.test(path);
  try {
    const { text, isExposed } = await readSecretFile(
      isInHome ? resolvePath(home, path.slice(2)) : resolvePath(workspace, path),
    );
    const secret = text.replace(/[\r\n]+$/, '');
    if (isExposed) warn?.('other users of this machine can read the file of a `${file:…}`', 'run `chmod 600` on it');
    return secret === '' ? { code: 'config/secret-file', summary: 'the file of a `${file:…}` is empty' } : secret;
  } catch (error) {
    const { summary, expected, received, hint } = TenonError.from(error);
    return {
      code: 'config/secret-file',
      summary: `\`\${file:…}\`: ${summary}`,
      ...(expected === undefined ? {} : { expected }),
      ...(received === undefined ? {} : { received }),
      ...(hint === undefined ? {} : { next: hint }),
    };
  }
}

function getPredefined(name: Predefined, { workspace, home }: VariableSources): string | ResolveFault {
  const isWindows = [workspace, home].some(place => place?.includes('\\'));
  const separator = isWindows ? '\\' : '/';
  const known = {
    workspaceFolder: workspace,
    workspaceFolderBasename: workspace === undefined ? undefined : getBaseName(workspace),
    userHome: home,
    pathSeparator: separator,
    '/': separator,
  };
  return known[name] ?? { code: 'config/variable', summary: `the variable \${${name}} has no value here` };
}

async function getInputValue(id: string, { inputs }: VariableSources): Promise<string | ResolveFault> {
  const answer = await inputs(id);
  if ('value' in answer) return answer.value;
  return {
    code: 'config/input',
    summary: answer.missing,
    next: 'set a `default` for the input in the configuration, or enter a value',
  };
}

function createNotSetFault(name: string): ResolveFault {
  return {
    code: 'config/variable',
    summary: `the variable ${quoteName(name)} is not set`,
    next: `set it, or give it a default: \${${name}:-…}`,
  };
}

function createUnknownVariableFault(body: string): ResolveFault {
  const known = ['VAR', 'VAR:-default', 'env:VAR', 'input:id', 'file:PATH', 'caller:user', ...PREDEFINED]
    .map(each => `\${${each}}`)
    .join(', ');
  // The text after the colon may be a default value, which may be a secret.
  const kind = /^[\w.-]{1,40}(?=:)/.exec(body)?.[0];
  return {
    code: 'config/variable',
    summary: kind ? `unknown kind of variable ${quoteName(kind)}` : 'a variable has an invalid name',
    next: `use one of ${known}, or write $\${ for a literal \${`,
  };
}
