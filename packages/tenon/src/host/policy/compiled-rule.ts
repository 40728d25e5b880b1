import { fingerprint } from '../../conversation/asking/fingerprint.js';
import { compilePath, findUnnamed, valuesAt } from './argument-path.js';
import { type Hints, hintsOf } from './hints.js';
import { isSecretName, maskedText, visible } from './masked.js';
import { type ArgumentPattern, compilePattern, type ValueTest } from './pattern.js';
import type { Proposal } from './proposal.js';
import type { Globs, Match, Rule } from './rules.js';
import { compileNames, listPatterns } from './texts.js';

/** Why a proposal does not fit; undefined when it does. */
type Test = (proposal: Proposal) => string | undefined;

/** A rule that can be asked. */
export interface CompiledRule {
  readonly rule: Rule;
  /** Tells it from others by what it says. */
  readonly mark: string;
  /** Why a proposal does not fit it; undefined when it does. */
  misfit(proposal: Proposal): string | undefined;
}

const HINTS = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const;

export function compileRule(rule: Rule): CompiledRule {
  const { because, ...said } = rule;
  return { rule, mark: fingerprint(said), misfit: compileMatch(rule, rule.action === 'allow') };
}

/** `certain`: the match has to hold in whatever way a server reads the call. */
export function compileMatch(match: Match, certain: boolean): Test {
  const tests = [
    ...kindTests(match, certain),
    ...nameTest('server', match.server, certain, ({ server }) => server),
    ...principalTest(match.principal, certain),
    ...HINTS.flatMap(hint => hintTest(hint, match[hint])),
    ...Object.entries(match.arguments ?? {}).map(([path, pattern]) => argumentTest(path, pattern, certain)),
    ...onlyTest(match.only, certain),
  ];
  return proposal => {
    for (const test of tests) {
      const misfit = test(proposal);
      if (misfit !== undefined) return misfit;
    }
    return undefined;
  };
}

function kindTests({ name, tool, prompt, method, resource }: Match, certain: boolean): Test[] {
  return [
    ...anyNameTest(name, certain),
    ...(tool === undefined ? [] : [onlyOf('tool')]),
    ...nameTest('tool', tool, certain, ({ name }) => name),
    ...(prompt === undefined ? [] : [onlyOf('prompt')]),
    ...nameTest('prompt', prompt, certain, ({ name }) => name),
    ...(method === undefined ? [] : [onlyOf('method')]),
    ...nameTest('method', method, certain, ({ name }) => name),
    ...(resource === undefined ? [] : [onlyOf('resource'), resourceTest(resource, certain)]),
  ];
}

function onlyOf(kind: Proposal['kind']): Test {
  return proposal => (proposal.kind === kind ? undefined : `it is about a ${kind}, and this is a ${proposal.kind}`);
}

/** A resource is named by its URI, in any spelling; tools and prompts by their names. */
function anyNameTest(name: Globs | undefined, certain: boolean): Test[] {
  if (name === undefined) return [];
  const uri = resourceTest(name, certain);
  const [other] = nameTest('name', name, certain, proposal => proposal.name);
  return [proposal => (proposal.kind === 'resource' ? uri(proposal) : other?.(proposal))];
}

function nameTest(
  what: string,
  globs: Globs | undefined,
  certain: boolean,
  of: (proposal: Proposal) => string,
): Test[] {
  if (globs === undefined) return [];
  const fits = compileNames(globs, certain);
  return [
    proposal => {
      const name = of(proposal);
      return fits(name) ? undefined : unlike(what, name, listPatterns(globs).patterns);
    },
  ];
}

function resourceTest(resource: NonNullable<Match['resource']>, certain: boolean): Test {
  const patterns = typeof resource === 'string' || Array.isArray(resource) ? [resource].flat() : [resource];
  const tests: ValueTest[] = patterns.map(pattern => compilePattern(pattern as ArgumentPattern));
  return ({ name }) => (tests.some(test => test(name, certain)) ? undefined : unlike('resource', name, resource));
}

function principalTest(principal: Match['principal'], certain: boolean): Test[] {
  if (principal === undefined) return [];
  if (principal === null)
    return [proposal => (proposal.principal === undefined ? undefined : 'somebody is known to ask')];
  const fits = compileNames(principal, certain);
  return [
    ({ principal: name }) => {
      if (name === undefined) return 'nobody is known to ask';
      return fits(name) ? undefined : unlike('principal', name, listPatterns(principal).patterns);
    },
  ];
}

function hintTest(hint: keyof Hints, wanted: boolean | undefined): Test[] {
  if (wanted === undefined) return [];
  return [
    proposal => {
      if (proposal.kind !== 'tool') return `${hint} is about tools, and this is a ${proposal.kind}`;
      if (hintsOf(proposal)[hint] === wanted) return undefined;
      const why = proposal.trusted ? '' : ': the server is not trusted, so its annotations do not count';
      return `${hint} is ${!wanted}${why}`;
    },
  ];
}

function argumentTest(path: string, pattern: ArgumentPattern, certain: boolean): Test {
  const steps = compilePath(path, certain);
  const names = steps.map(({ text }) => text);
  const test = compilePattern(pattern);
  return ({ arguments: args }) => {
    const { values, whole, cut } = valuesAt(args, steps);
    const shown = visible(path, 80);
    if (!certain) {
      if (cut || values.some(value => test(value, false))) return undefined;
      return values.length === 0 ? `argument ${shown} is absent` : unlikeArgument(names, values[0], pattern);
    }
    if (cut) return `argument ${shown} has more values than are looked at`;
    if (!whole || values.length === 0) return `argument ${shown} is absent${values.length > 0 ? ' somewhere' : ''}`;
    const other = values.find(value => !test(value, true));
    return other === undefined && values.every(value => test(value, true))
      ? undefined
      : unlikeArgument(names, other, pattern);
  };
}

function onlyTest(only: Match['only'], certain: boolean): Test[] {
  if (only === undefined) return [];
  const paths = only.map(path => compilePath(path, certain));
  return [
    ({ arguments: args }) => {
      const unnamed = findUnnamed(args, paths);
      return unnamed === undefined ? undefined : `argument ${visible(unnamed, 80)} is not in \`only\``;
    },
  ];
}

function unlikeArgument(steps: readonly string[], value: unknown, pattern: ArgumentPattern): string {
  const name = steps.join('.');
  const secret = steps.some(isSecretName);
  const got = typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value);
  const shown = secret ? '…' : visible(maskedText(got ?? 'nothing'), 80);
  return `argument ${visible(name, 80)} is ${shown}, not ${secret ? 'as wanted' : visible(JSON.stringify(pattern), 200)}`;
}

function unlike(what: string, got: string, wanted: unknown): string {
  const list = Array.isArray(wanted) && wanted.length === 1 ? wanted[0] : wanted;
  return `${what} is ${visible(JSON.stringify(got), 120)}, not ${visible(JSON.stringify(list), 200)}`;
}
