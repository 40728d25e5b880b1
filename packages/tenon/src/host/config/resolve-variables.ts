import type { ResolveInput } from './inputs.js';
import { getBaseName } from './paths.js';
import { quoteName } from './problem.js';
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

/** Reason why the variables of a text cannot be resolved. */
export interface ResolveFault {
  readonly code: 'config/variable' | 'config/input' | 'config/too-large';
  readonly summary: string;
  readonly next?: string;
}

/** Replaces the variables of a text. The value of a variable is not expanded again. */
export type ResolveVariables = (text: string) => Promise<string | ResolveFault>;

export interface VariableSources {
  /** Returns the value of an environment variable. If absent, no variable is resolved. */
  readonly env: ((name: string) => string | undefined) | undefined;
  readonly inputs: ResolveInput;
  readonly workspace: string | undefined;
  readonly home: string | undefined;
}

export function createVariableResolver(sources: VariableSources): ResolveVariables {
  const { env } = sources;
  if (!env) return async text => text;
  let remaining = MAX_RESOLVED_TEXT;
  const resolve = async (text: string, depth: number): Promise<string | ResolveFault> => {
    if (!text.includes('${')) return text;
    let filled = '';
    for (const piece of parseReferences(text)) {
      const value = typeof piece === 'string' ? piece : await getValue(piece, depth);
      if (typeof value !== 'string') return value;
      remaining -= value.length;
      if (remaining < 0)
        return { code: 'config/too-large', summary: `the resolved variables exceed ${MAX_RESOLVED_TEXT} characters` };
      filled += value;
    }
    return filled;
  };
  const getValue = async (reference: VariableReference, depth: number): Promise<string | ResolveFault> => {
    if (reference.kind === 'predefined') return getPredefined(reference.name as Predefined, sources);
    if (reference.kind === 'input') return getInputValue(reference.name, sources);
    if (reference.kind === 'unknown') return createUnknownVariableFault(reference.name);
    const value = env(reference.name);
    if (typeof value === 'string') return value;
    if (reference.fallback === undefined) return createNotSetFault(reference.name);
    if (depth === MAX_DEFAULTS)
      return { code: 'config/too-large', summary: `the defaults are nested deeper than ${MAX_DEFAULTS} levels` };
    return resolve(reference.fallback, depth + 1);
  };
  return text => resolve(text, 0);
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
  const known = ['VAR', 'VAR:-default', 'env:VAR', 'input:id', ...PREDEFINED].map(each => `\${${each}}`).join(', ');
  // The text after the colon may be a default value, which may be a secret.
  const kind = /^[\w.-]{1,40}(?=:)/.exec(body)?.[0];
  return {
    code: 'config/variable',
    summary: kind ? `unknown kind of variable ${quoteName(kind)}` : 'a variable has an invalid name',
    next: `use one of ${known}, or write $\${ for a literal \${`,
  };
}
