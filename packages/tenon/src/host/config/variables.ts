import type { Inputs } from './inputs.js';
import { nameOf } from './places.js';
import { quoted } from './problem.js';
import { MAX_DEFAULTS, PREDEFINED, type Predefined, type Reference, referencesIn } from './references.js';

/** How much text the variables of one configuration may be filled in to, in characters: a few can grow without end. */
const MAX_FILLED = 4 * 2 ** 20;

/** Why a text can not be filled in. */
export interface FillFault {
  readonly code: 'config/variable' | 'config/input' | 'config/too-large';
  readonly summary: string;
  readonly next?: string;
}

/** Fills the variables of a text in. What a variable holds is taken as it is, whatever it looks like. */
export type Fill = (text: string) => Promise<string | FillFault>;

export interface VariableSources {
  /** The environment; without one nothing is filled in. */
  readonly env: ((name: string) => string | undefined) | undefined;
  readonly inputs: Inputs;
  readonly workspace: string | undefined;
  readonly home: string | undefined;
}

export function createFill(sources: VariableSources): Fill {
  const { env } = sources;
  if (!env) return async text => text;
  let left = MAX_FILLED;
  const fill = async (text: string, depth: number): Promise<string | FillFault> => {
    if (!text.includes('${')) return text;
    let filled = '';
    for (const piece of referencesIn(text)) {
      const value = typeof piece === 'string' ? piece : await valueFor(piece, depth);
      if (typeof value !== 'string') return value;
      left -= value.length;
      if (left < 0) return { code: 'config/too-large', summary: `variables grow beyond ${MAX_FILLED} characters` };
      filled += value;
    }
    return filled;
  };
  const valueFor = async (reference: Reference, depth: number): Promise<string | FillFault> => {
    if (reference.kind === 'predefined') return predefined(reference.name as Predefined, sources);
    if (reference.kind === 'input') return inputValue(reference.name, sources);
    if (reference.kind === 'unknown') return unknownVariable(reference.name);
    const value = env(reference.name);
    if (typeof value === 'string') return value;
    if (reference.fallback === undefined) return notSet(reference.name);
    if (depth === MAX_DEFAULTS) return { code: 'config/too-large', summary: 'defaults in defaults in defaults' };
    return fill(reference.fallback, depth + 1);
  };
  return text => fill(text, 0);
}

function predefined(name: Predefined, { workspace, home }: VariableSources): string | FillFault {
  const isWindows = [workspace, home].some(place => place?.includes('\\'));
  const separator = isWindows ? '\\' : '/';
  const known = {
    workspaceFolder: workspace,
    workspaceFolderBasename: workspace === undefined ? undefined : nameOf(workspace),
    userHome: home,
    pathSeparator: separator,
    '/': separator,
  };
  return known[name] ?? { code: 'config/variable', summary: `nothing is known to fill \${${name}} in with` };
}

async function inputValue(id: string, { inputs }: VariableSources): Promise<string | FillFault> {
  const answer = await inputs(id);
  if ('value' in answer) return answer.value;
  return {
    code: 'config/input',
    summary: answer.missing,
    next: 'give the input a `default` in the configuration, or answer it when it is asked for',
  };
}

function notSet(name: string): FillFault {
  return {
    code: 'config/variable',
    summary: `the variable ${quoted(name)} is not set`,
    next: `set it, or give it a default: \${${name}:-…}`,
  };
}

function unknownVariable(body: string): FillFault {
  const known = ['VAR', 'VAR:-default', 'env:VAR', 'input:id', ...PREDEFINED].map(each => `\${${each}}`).join(', ');
  // What stands behind the colon may be a default, and that may be a secret.
  const kind = /^[\w.-]{1,40}(?=:)/.exec(body)?.[0];
  return {
    code: 'config/variable',
    summary: kind ? `variables of the kind ${quoted(kind)} are not known` : 'a variable without a proper name',
    next: `write one of ${known}; for a \${ that is meant as it stands $\${`,
  };
}
