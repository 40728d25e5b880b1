import { canonical } from '../../conversation/asking/canonical.js';
import { coversGlob } from './glob.js';
import type { Globs, Match, Rule } from './rules.js';

/** Something in a policy that is hardly meant as it stands. */
export interface Finding {
  /** The place of the rule, from 0. */
  readonly rule: number;
  /** `never`: nothing fits it. `shadowed`: whatever fits it, an earlier rule has decided. */
  readonly problem: 'never' | 'shadowed';
  /** The earlier rule. */
  readonly by?: number;
  readonly message: string;
}

/** Finds rules that can never decide anything, as far as that is seen without trying all calls. */
export function lint({ rules }: { readonly rules: readonly Rule[] }): Finding[] {
  return rules.flatMap((rule, place): Finding[] => {
    const never = neverFits(rule);
    if (never) return [{ rule: place, problem: 'never', message: `rule ${place + 1} fits nothing: ${never}` }];
    const by = rules.slice(0, place).findIndex(earlier => covers(earlier, rule));
    if (by < 0) return [];
    const message = `rule ${place + 1} is never reached: rule ${by + 1} (${rules[by]?.action}) fits all that it fits`;
    return [{ rule: place, problem: 'shadowed', by, message }];
  });
}

const HINTS = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const;

function neverFits(rule: Rule): string | undefined {
  const kinds = (['tool', 'resource', 'prompt'] as const).filter(kind => rule[kind] !== undefined);
  if (kinds.length > 1) return `nothing is a ${kinds.join(' and a ')}`;
  const hint = HINTS.find(each => rule[each] !== undefined);
  if (hint && kinds.length > 0 && rule.tool === undefined) return `${hint} is about tools, not about a ${kinds[0]}`;
  if (rule.readOnly && rule.destructive) return 'what only reads is not destructive';
  if (rule.readOnly && rule.idempotent === false) return 'what only reads is idempotent';
  if (rule.resource !== undefined && Object.keys(rule.arguments ?? {}).length > 0) return 'resources have no arguments';
  const empty = (['server', 'tool', 'prompt', 'resource', 'principal'] as const).find(name => isEmpty(rule[name]));
  if (empty) return `${empty} is an empty list`;
  const argument = Object.entries(rule.arguments ?? {}).find(([, pattern]) => nothingIs(pattern));
  return argument && `nothing is what the argument ${argument[0]} has to be`;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && value !== null && Object.values(value).some(isEmpty);
}

function nothingIs(pattern: unknown): boolean {
  if (typeof pattern !== 'object' || pattern === null) return false;
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = pattern as { min?: number; max?: number };
  return min > max || isEmpty(pattern);
}

/** Whether all that fits `later` fits `earlier`. `false` says nothing. */
function covers(earlier: Rule, later: Rule): boolean {
  // What fits in some way need not fit in all ways.
  const asStrict = earlier.action !== 'allow' || later.action === 'allow';
  const same = (name: 'arguments' | 'resource', one: unknown, other: unknown) =>
    one === undefined || (asStrict && other !== undefined && sameOrWider(name, one, other));
  return (
    (['server', 'tool', 'prompt'] as const).every(name => coversGlobs(earlier[name], later[name])) &&
    coversPrincipal(earlier.principal, later.principal) &&
    HINTS.every(hint => earlier[hint] === undefined || earlier[hint] === hintOf(later, hint)) &&
    same('resource', earlier.resource, later.resource) &&
    same('arguments', earlier.arguments, later.arguments)
  );
}

/** What only reads is known to be idempotent and not destructive. But a rule for hints is one for tools. */
function hintOf(rule: Rule, hint: (typeof HINTS)[number]): boolean | undefined {
  if (rule[hint] !== undefined || rule.readOnly !== true) return rule[hint];
  return hint === 'idempotent' ? true : hint === 'destructive' ? false : undefined;
}

function sameOrWider(name: 'arguments' | 'resource', one: unknown, other: unknown): boolean {
  if (name === 'resource') return canonical(one) === canonical(other) || one === '*';
  const wanted = other as NonNullable<Match['arguments']>;
  return Object.entries(one as typeof wanted).every(
    ([path, pattern]) => Object.hasOwn(wanted, path) && canonical(pattern) === canonical(wanted[path]),
  );
}

function coversGlobs(wide: Globs | undefined, narrow: Globs | undefined): boolean {
  if (wide === undefined) return true;
  if (narrow === undefined) return false;
  return [narrow].flat().every(each => [wide].flat().some(one => coversGlob(one, each)));
}

function coversPrincipal(wide: Match['principal'], narrow: Match['principal']): boolean {
  if (wide === null || narrow === null) return wide === undefined || wide === narrow;
  return coversGlobs(wide, narrow);
}
