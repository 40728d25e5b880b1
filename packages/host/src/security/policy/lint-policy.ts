import { checkArray, checkObject, requireArgument, requireKnownOptions } from '@tenon/base';
import type { Action } from './action-request.js';
import { checkTools, type ToolInventory } from './lint-tools.js';
import type { Quota } from './quotas.js';
import { doesRuleCover, HINTS } from './rule-coverage.js';
import { findRisks } from './rule-risks.js';
import type { Match, Rule } from './rules.js';

/** Kinds of findings: a rule without effect, a rule that allows more than intended, a wrong name. */
export type PolicyFindingKind =
  /** No request can match the rule. */
  | 'never'
  /** An earlier rule decides all requests that match this rule. */
  | 'shadowed'
  /** A `deny` or `ask` rule applies to all tools, prompts or resources of a server, but not to its other kinds. */
  | 'one-kind'
  /** An `allow` rule checks some arguments, and accepts any other argument. */
  | 'unnamed-arguments'
  /** A `deny` or `ask` rule with `only` does not match a call with an additional argument. */
  | 'escapable-only'
  /** A `deny` or `ask` rule compares a path as text. Relative paths and links bypass such a rule. */
  | 'path-as-text'
  /** A `deny` or `ask` rule requires a fragment, which servers drop. */
  | 'fragment'
  /** A `deny` or `ask` rule applies to all known principals, but not to anonymous callers. */
  | 'anonymous'
  /** An `allow` rule matches every tool. */
  | 'allow-all'
  /** The policy allows calls that match no rule. */
  | 'open-fallback'
  /** No server or tool has this name. */
  | 'unknown-name'
  /** No matching tool has this argument. */
  | 'unknown-argument'
  /** A call without the argument gets a default value that the rule should match. */
  | 'default-argument';

/** Part of a policy that probably does not work as intended. */
export interface PolicyFinding {
  /** Number of the rule, from 1 as in `message`. `undefined` if the finding is about the whole policy. */
  readonly rule: number | undefined;
  /** Number of the quota, from 1. Rate limits follow the quotas. Absent if the finding is about no quota. */
  readonly quota?: number;
  /** Kind of the finding. */
  readonly kind: PolicyFindingKind;
  /** Number of the earlier rule, for `shadowed`. */
  readonly by?: number;
  /** Description in plain text. */
  readonly message: string;
}

/** Options of `lintPolicy`. */
export interface LintOptions {
  /**
   * Tools of the servers, as `host.inventory()` returns them. Names and arguments in rules are checked against them.
   * @default no check
   */
  readonly inventory?: readonly ToolInventory[] | undefined;
}

/** Parts of a policy that are checked. */
interface LintedPolicy {
  readonly rules: readonly Rule[];
  readonly fallback?: Action | undefined;
  readonly quotas?: readonly Quota[] | undefined;
}

/** Finds rules without effect, rules that allow more than intended, and unknown names. */
export function lintPolicy(policy: LintedPolicy, options: LintOptions = {}): PolicyFinding[] {
  requireArgument(
    '`policy` of lintPolicy',
    policy,
    checkObject({ rules: checkArray(checkObject()), 'quotas?': checkArray(checkObject()) }),
  );
  requireKnownOptions('lintPolicy', options, { inventory: true });
  const { rules, fallback, quotas = [] } = policy;
  const { inventory } = options;
  const ruleFindings = rules.flatMap((rule, place): PolicyFinding[] => {
    const never = findContradiction(rule);
    if (never) return [{ rule: place + 1, kind: 'never', message: `rule ${place + 1} matches no request: ${never}` }];
    const about = inventory ? checkTools(rule, inventory) : [];
    const shapes = [...findRisks(rule), ...about].map(({ kind, message }) => {
      return { rule: place + 1, kind, message: `rule ${place + 1} (${rule.action}) ${message}` };
    });
    return [...findShadowing(rules, rule, place), ...shapes];
  });
  const findings = [...ruleFindings, ...quotas.flatMap((quota, place) => lintQuota(quota, place + 1, inventory))];
  if (fallback !== 'allow') return findings;
  const message = 'the fallback is "allow": a call that matches no rule is executed. Expected "ask" or "deny"';
  return [...findings, { rule: undefined, kind: 'open-fallback', message }];
}

/** Finds quotas that count nothing, and unknown names in their conditions. */
function lintQuota({ match = {} }: Quota, quota: number, inventory: LintOptions['inventory']): PolicyFinding[] {
  const never = findContradiction(match);
  if (never) return [{ rule: undefined, quota, kind: 'never', message: `quota ${quota} counts no call: ${never}` }];
  // Conditions of quotas match as loosely as those of `deny`.
  const about = inventory ? checkTools({ action: 'deny', ...match }, inventory) : [];
  return about.map(({ kind, message }) => {
    return { rule: undefined, quota, kind, message: `quota ${quota} ${message}` };
  });
}

function findShadowing(rules: readonly Rule[], rule: Rule, place: number): PolicyFinding[] {
  const before = rules.slice(0, place);
  const by = before.findIndex(earlier => doesRuleCover(earlier, rule));
  const name = (index: number) => `rule ${index + 1} (${rules[index]?.action})`;
  if (by >= 0) {
    const message = `rule ${place + 1} is never reached: ${name(by)} matches all its requests`;
    return [{ rule: place + 1, kind: 'shadowed', by: by + 1, message }];
  }
  const almost = before.findIndex(earlier => doesRuleCover(earlier, rule, { asWritten: true }));
  if (almost < 0) return [];
  const message = `rule ${place + 1} is reached only by other spellings: ${name(almost)} matches all that it names. Move it up`;
  return [{ rule: place + 1, kind: 'shadowed', by: almost + 1, message }];
}

function findContradiction(rule: Match): string | undefined {
  if (rule.principal === null && rule.user) return 'anonymous callers have no token';
  const kinds = (['tool', 'resource', 'prompt'] as const).filter(kind => rule[kind] !== undefined);
  if (kinds.length > 1) return `no request is for a ${kinds.join(' and a ')}`;
  const hint = HINTS.find(each => rule[each] !== undefined);
  if (hint && kinds.length > 0 && rule.tool === undefined) return `${hint} applies to tools, not to a ${kinds[0]}`;
  if (rule.readOnly && rule.destructive) return 'a read-only tool is not destructive';
  if (rule.readOnly && rule.idempotent === false) return 'a read-only tool is idempotent';
  if (rule.resource !== undefined && Object.keys(rule.arguments ?? {}).length > 0) return 'resources have no arguments';
  const empty = (['server', 'name', 'tool', 'prompt', 'resource', 'principal'] as const).find(each =>
    isEmpty(rule[each]),
  );
  if (empty) return `${empty} is an empty list`;
  if (rule.only?.length === 0 && Object.keys(rule.arguments ?? {}).length > 0) return '`only` allows no argument';
  if (isEmpty(rule.user?.groups)) return 'groups is an empty list';
  const claim = Object.entries(rule.user?.claims ?? {}).find(([, pattern]) => isUnmatchable(pattern));
  if (claim) return `no value matches the claim ${claim[0]}`;
  const argument = Object.entries(rule.arguments ?? {}).find(([, pattern]) => isUnmatchable(pattern));
  return argument && `no value matches the argument ${argument[0]}`;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && value !== null && Object.values(value).some(isEmpty);
}

function isUnmatchable(pattern: unknown): boolean {
  if (typeof pattern !== 'object' || pattern === null) return false;
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = pattern as { min?: number; max?: number };
  return min > max || isEmpty(pattern);
}
