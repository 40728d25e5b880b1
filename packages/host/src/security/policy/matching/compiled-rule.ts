import { computeFingerprint, createExcerpt, isSecretName } from '@tenon/base';
import type { ActionRequest, RequestTest } from '../action-request.js';
import { maskText } from '../mask-arguments.js';
import type { Match, Rule } from '../rules.js';
import { compilePath, findUnnamed, findValues } from './argument-path.js';
import { type ArgumentPattern, compilePattern, type ValueTest } from './argument-pattern.js';
import type { Globs } from './glob.js';
import { getHints, type Hints } from './hints.js';
import { countMatchSteps } from './match-work.js';
import { compileNames, listPatterns } from './name-patterns.js';
import { compileUserMatch } from './user-conditions.js';

/** Rule, compiled for matching. */
export interface CompiledRule {
  readonly rule: Rule;
  /** Identifies the rule by its content. */
  readonly mark: string;
  readonly findMismatch: RequestTest;
}

/** Number of steps of each condition of a rule. */
const STEPS_OF_TEST = 100;
/** Maximum number of characters of a value that an explanation reads. */
const MAX_DESCRIBED = 1000;

const HINTS = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const;

export function compileRule(rule: Rule): CompiledRule {
  const { because, ...reason } = rule;
  return { rule, mark: computeFingerprint(reason), findMismatch: compileMatch(rule, rule.action === 'allow') };
}

/**
 * Compiles the conditions of a rule.
 * @param certain True if the rule must match in every interpretation that a server could use.
 */
export function compileMatch(match: Match, certain: boolean): RequestTest {
  const tests = [
    ...createKindTests(match, certain),
    ...createNameTest('server', match.server, certain, ({ server }) => server),
    ...createPrincipalTest(match.principal, certain),
    ...(match.user === undefined ? [] : [compileUserMatch(match.user, certain)]),
    ...HINTS.flatMap(hint => createHintTest(hint, match[hint])),
    ...Object.entries(match.arguments ?? {}).map(([path, pattern]) => createArgumentTest(path, pattern, certain)),
    ...createOnlyTest(match.only, certain),
  ];
  return request => {
    for (const test of tests) {
      countMatchSteps(STEPS_OF_TEST);
      const mismatch = test(request);
      if (mismatch !== undefined) return mismatch;
    }
    return undefined;
  };
}

function createKindTests({ name, tool, prompt, method, resource }: Match, certain: boolean): RequestTest[] {
  return [
    ...createAnyNameTest(name, certain),
    ...(tool === undefined ? [] : [createKindTest('tool')]),
    ...createNameTest('tool', tool, certain, ({ name }) => name),
    ...(prompt === undefined ? [] : [createKindTest('prompt')]),
    ...createNameTest('prompt', prompt, certain, ({ name }) => name),
    ...(method === undefined ? [] : [createKindTest('method')]),
    ...createNameTest('method', method, certain, ({ name }) => name),
    ...(resource === undefined ? [] : [createKindTest('resource'), createResourceTest(resource, certain)]),
  ];
}

function createKindTest(kind: ActionRequest['kind']): RequestTest {
  return request => (request.kind === kind ? undefined : () => `it is about a ${kind}, and this is a ${request.kind}`);
}

/**
 * Creates the test for names. A resource is compared by its URI in any spelling. Tools and prompts are compared by
 * their names.
 */
function createAnyNameTest(name: Globs | undefined, certain: boolean): RequestTest[] {
  if (name === undefined) return [];
  const uri = createResourceTest(name, certain);
  const [other] = createNameTest('name', name, certain, request => request.name);
  return [request => (request.kind === 'resource' ? uri(request) : other?.(request))];
}

function createNameTest(
  what: string,
  globs: Globs | undefined,
  certain: boolean,
  getName: (request: ActionRequest) => string,
): RequestTest[] {
  if (globs === undefined) return [];
  const fits = compileNames(globs, certain);
  const wanted = describeWanted(listPatterns(globs).patterns);
  return [
    request => {
      const name = getName(request);
      return fits(name) ? undefined : () => describeMismatch(what, name, wanted);
    },
  ];
}

function createResourceTest(resource: NonNullable<Match['resource']>, certain: boolean): RequestTest {
  const patterns = typeof resource === 'string' || Array.isArray(resource) ? [resource].flat() : [resource];
  const tests: ValueTest[] = patterns.map(pattern => compilePattern(pattern as ArgumentPattern));
  const wanted = describeWanted(resource);
  return ({ name }) =>
    tests.some(test => test(name, certain)) ? undefined : () => describeMismatch('resource', name, wanted);
}

function createPrincipalTest(principal: Match['principal'], certain: boolean): RequestTest[] {
  if (principal === undefined) return [];
  if (principal === null)
    return [request => (request.principal === undefined ? undefined : () => 'the caller is not anonymous')];
  const fits = compileNames(principal, certain);
  const wanted = describeWanted(listPatterns(principal).patterns);
  return [
    ({ principal: name }) => {
      if (name === undefined) return () => 'the caller is anonymous';
      return fits(name) ? undefined : () => describeMismatch('principal', name, wanted);
    },
  ];
}

function createHintTest(hint: keyof Hints, wanted: boolean | undefined): RequestTest[] {
  if (wanted === undefined) return [];
  return [
    request => {
      if (request.kind !== 'tool') return () => `${hint} is about tools, and this is a ${request.kind}`;
      if (getHints(request)[hint] === wanted) return undefined;
      const reason = request.trusted ? '' : ': the server is not trusted, so its annotations do not count';
      return () => `${hint} is ${!wanted}${reason}`;
    },
  ];
}

function createArgumentTest(path: string, pattern: ArgumentPattern, certain: boolean): RequestTest {
  const steps = compilePath(path, certain);
  const names = steps.map(({ text }) => text);
  const test = compilePattern(pattern);
  const wanted = describeWanted(pattern);
  const shown = createExcerpt(path, 80);
  return ({ arguments: args }) => {
    const { values, isComplete, isTruncated } = findValues(args, steps);
    if (!certain) {
      if (isTruncated || values.some(value => test(value, false))) return undefined;
      return values.length === 0
        ? () => `argument ${shown} is absent`
        : () => describeArgumentMismatch(names, values[0], wanted);
    }
    if (isTruncated) return () => `argument ${shown} has more values than are looked at`;
    if (!isComplete || values.length === 0)
      return () => `argument ${shown} is absent${values.length > 0 ? ' somewhere' : ''}`;
    const place = values.findIndex(value => !test(value, true));
    return place < 0 ? undefined : () => describeArgumentMismatch(names, values[place], wanted);
  };
}

function createOnlyTest(only: Match['only'], certain: boolean): RequestTest[] {
  if (only === undefined) return [];
  const paths = only.map(path => compilePath(path, certain));
  return [
    ({ arguments: args }) => {
      const unnamed = findUnnamed(args, paths);
      return unnamed === undefined ? undefined : () => `argument ${createExcerpt(unnamed, 80)} is not in \`only\``;
    },
  ];
}

function describeArgumentMismatch(steps: readonly string[], value: unknown, wanted: string): string {
  const name = steps.join('.');
  const secret = steps.some(isSecretName);
  const got = typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(cutText(value));
  const shown = secret ? '…' : createExcerpt(maskText(got ?? 'nothing'), 80);
  return `argument ${createExcerpt(name, 80)} is ${shown}, not ${secret ? 'the expected value' : wanted}`;
}

function describeMismatch(what: string, got: string, wanted: string): string {
  return `${what} is ${createExcerpt(JSON.stringify(cutText(got)), 120)}, not ${wanted}`;
}

/** Describes a pattern. It is done once, because a list of patterns may be long. */
function describeWanted(wanted: unknown): string {
  const list = Array.isArray(wanted) && wanted.length === 1 ? wanted[0] : wanted;
  return createExcerpt(JSON.stringify(list), 200);
}

/** Cuts a long text before it is written. */
function cutText(value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, MAX_DESCRIBED) : value;
}
