import { isObject, parseJsonPointer } from '@tenon/base';
import { matchGlob } from './glob.js';
import { countMatchSteps } from './match-work.js';
import { foldCase } from './name-patterns.js';

/** Maximum number of values of one argument, over all its arrays. */
const MAX_VALUES = 10_000;
const MAX_DEPTH = 64;
const MAX_VISITS = 100_000;
/** Number of steps of each visited value, and of each member of an object that is listed. */
const STEPS_OF_VISIT = 75;
const STEPS_OF_MEMBER = 5;

/** Values at a path of the arguments. */
export interface PathValues {
  readonly values: readonly unknown[];
  /** True if the member exists in every element of the arrays on the path. */
  readonly isComplete: boolean;
  /** True if a limit ended the search early, so that further values may exist. */
  readonly isTruncated: boolean;
}

/** Step of a path. */
export interface PathStep {
  readonly text: string;
  /** Kind of the step. `rest`: all descendants. `deep`: any number of steps. */
  readonly kind: 'member' | 'rest' | 'deep';
  readonly isIndex: boolean;
  /** True if only the member with exactly this name matches. */
  readonly isLiteral: boolean;
  /** Tells if the step matches a member name. */
  matches(name: string): boolean;
}

/** Splits a JSON Pointer or a dotted path into steps. */
function splitPath(path: string): readonly string[] {
  return path.startsWith('/') ? parseJsonPointer(path) : path.split('.');
}

/**
 * Compiles a path.
 *
 * @param certain True to compare names case-sensitively, as required for `allow`.
 */
export function compilePath(path: string, certain: boolean): readonly PathStep[] {
  const steps = splitPath(path);
  return steps.map((text, place) => {
    const isLast = place === steps.length - 1;
    const kind = /^\*+$/.test(text) && (isLast || text !== '*') ? (isLast ? 'rest' : 'deep') : 'member';
    const isLiteral = certain && !/[*?]/.test(text);
    return { text, kind, isIndex: /^\d+$/.test(text), isLiteral, matches: createMemberTest(text, certain) };
  });
}

function createMemberTest(text: string, certain: boolean): (name: string) => boolean {
  const folded = foldCase(text);
  const isWild = /[*?]/.test(text);
  const exact = isWild ? (name: string) => matchGlob(text, name) : (name: string) => name === text;
  if (certain) return exact;
  const loose = isWild
    ? (name: string) => matchGlob(folded, foldCase(name))
    : (name: string) => foldCase(name) === folded;
  return name => exact(name) || loose(name);
}

/**
 * Finds the values at a path. At an array, the next step applies to each element, unless the step is an index. An array
 * at the end counts as its elements.
 */
export function findValues(value: unknown, steps: readonly PathStep[]): PathValues {
  const visitor = new PathVisitor(steps);
  visitor.visit(value, 0, 0, false);
  return visitor;
}

class PathVisitor implements PathValues {
  readonly values: unknown[] = [];
  isComplete = true;
  isTruncated = false;
  #visits = 0;
  readonly #steps: readonly PathStep[];

  constructor(steps: readonly PathStep[]) {
    this.#steps = steps;
  }

  /**
   * Visits a value.
   *
   * @param optional True if the member may be missing, because the path declares it optional.
   */
  visit(at: unknown, place: number, depth: number, optional: boolean): void {
    countMatchSteps(STEPS_OF_VISIT);
    if (depth > MAX_DEPTH || this.values.length >= MAX_VALUES || ++this.#visits > MAX_VISITS) {
      this.isTruncated = true;
      return;
    }
    const step = this.#steps[place];
    if (step?.kind === 'rest') this.#collectValues(at, depth);
    else if (step?.kind === 'deep') {
      this.visit(at, place + 1, depth + 1, true);
      for (const each of getChildren(at)) this.visit(each, place, depth + 1, true);
    } else if (Array.isArray(at) && !step?.isIndex) {
      for (const element of at) this.visit(element, place, depth + 1, optional);
    } else if (step === undefined) this.values.push(at);
    else this.#visitMembers(step, at, place, depth, optional);
  }

  #visitMembers(step: PathStep, at: unknown, place: number, depth: number, optional: boolean): void {
    let isThere = false;
    for (const value of getMatchingMembers(at, step)) {
      isThere = true;
      this.visit(value, place + 1, depth, optional);
    }
    if (!isThere && !optional) this.isComplete = false;
  }

  #collectValues(at: unknown, depth: number): void {
    countMatchSteps(STEPS_OF_VISIT);
    if (depth > MAX_DEPTH || this.values.length >= MAX_VALUES || ++this.#visits > MAX_VISITS) this.isTruncated = true;
    else if (typeof at !== 'object' || at === null) this.values.push(at);
    else for (const each of getChildren(at)) this.#collectValues(each, depth + 1);
  }
}

function getChildren(value: unknown): readonly unknown[] {
  const children = typeof value === 'object' && value !== null ? Object.values(value) : [];
  countMatchSteps(children.length * STEPS_OF_MEMBER);
  return children;
}

function getMatchingMembers(value: unknown, step: PathStep): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = value as { readonly [name: string]: unknown };
  if (step.isLiteral) return Object.hasOwn(members, step.text) ? [members[step.text]] : [];
  const names = Object.keys(members);
  countMatchSteps(names.length * STEPS_OF_MEMBER);
  return names.filter(name => step.matches(name)).map(name => members[name]);
}

/** Finds the first argument that no path names. A named argument includes its descendants. */
export function findUnnamed(value: unknown, paths: readonly (readonly PathStep[])[], place = ''): string | undefined {
  if (place.split('/').length > MAX_DEPTH) return place;
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) return paths.some(([step]) => step === undefined) ? undefined : place;
  for (const [name, member] of Object.entries(value)) {
    countMatchSteps(STEPS_OF_VISIT * (1 + paths.length));
    const here = `${place}/${name}`;
    const rest = paths.flatMap(path => getRemainingSteps(path, name, isList));
    if (rest.some(path => path.length === 0)) continue;
    const unnamed = rest.length === 0 ? here : findUnnamed(member, rest, here);
    if (unnamed !== undefined) return unnamed;
  }
  return undefined;
}

/** Returns the remaining steps of a path below a member. */
function getRemainingSteps(path: readonly PathStep[], name: string, inList: boolean): (readonly PathStep[])[] {
  const [step, ...rest] = path;
  if (step === undefined || step.kind !== 'member') return [[]];
  if (inList && !step.isIndex) return [path];
  return step.matches(name) ? [rest] : [];
}
