import {
  checkAnything,
  checkArray,
  checkObject,
  checkOneOf,
  checkString,
  copyJson,
  createExcerpt,
  requireArgument,
  stringifyJson,
  TenonError,
  toJsonPointer,
} from '@tenon/base';
import type { Action, ActionRequest, PolicyVerdict } from './action-request.js';
import { createDenialCheck } from './denied-entries.js';
import { maskArguments } from './mask-arguments.js';
import { type CompiledRule, compileMatch, compileRule } from './matching/compiled-rule.js';
import { limitMatchWork, MAX_MATCH_STEPS } from './matching/match-work.js';
import { findQuotaFault } from './quota-faults.js';
import { describeQuota, type Quota } from './quotas.js';
import { findRuleFault, MAX_RULES, type RuleFault } from './rule-faults.js';
import type { Rule } from './rules.js';

/** Options of `createPolicy`. */
export interface PolicyOptions {
  /**
   * Action for requests that match no rule.
   * @default `ask`
   */
  readonly fallback?: Action | undefined;
  /**
   * Limits on the number of calls.
   * @default none
   */
  readonly quotas?: readonly Quota[] | undefined;
}

/** Policy for actions. Rules are evaluated in order, and the first matching rule decides. */
export interface Policy {
  /** Rules, in the order in which they are evaluated. */
  readonly rules: readonly Rule[];
  /** Action for requests that match no rule. */
  readonly fallback: Action;
  /** Limits on the number of calls. A host and `policyMiddleware` apply them to calls that no rule denies. */
  readonly quotas: readonly Quota[];
  /**
   * Returns the decision for an action. An action that takes more than 9,000,000 steps to compare with the rules is
   * denied.
   *
   * @throws TenonError `options/invalid` for a value that is no action.
   */
  evaluate(request: ActionRequest): PolicyVerdict;
  /**
   * Tells if every use of an entry is denied, whatever its arguments are. Hosts do not list such entries.
   *
   * @param isTemplate True if `name` is a URI template, which stands for unknown URIs.
   */
  isAlwaysDenied(request: ActionRequest, isTemplate?: boolean): boolean;
  /**
   * Describes each evaluated rule and the reason why it does not match, up to the deciding one, and each quota. Secrets
   * are omitted.
   */
  explain(request: ActionRequest): string;
  /** Evaluates requests without executing them. */
  dryRun(requests: readonly ActionRequest[]): { readonly request: ActionRequest; readonly verdict: PolicyVerdict }[];
}

const ACTION_TEXTS: { readonly [A in Action]: string } = { allow: 'allowed', ask: 'approval required', deny: 'denied' };

const checkAction = checkObject({
  kind: checkOneOf('tool', 'resource', 'prompt', 'method'),
  server: checkString,
  name: checkString,
  arguments: checkObject(),
});

/** Decision for a request that takes too long to compare with the rules. */
const TOO_MUCH_WORK: PolicyVerdict = {
  action: 'deny',
  reason: `${ACTION_TEXTS.deny} because comparing it with the rules takes more than ${MAX_MATCH_STEPS} steps. Send shorter arguments`,
  rule: undefined,
};

/**
 * Creates a policy from rules.
 *
 * @throws TenonError `policy/rule` with the position of an invalid rule or quota.
 */
export function createPolicy(rules: readonly Rule[], options: PolicyOptions = {}): Policy {
  requireArgument('the object with the options of createPolicy', options, checkObject(), 'policy/rule');
  const { fallback = 'ask', quotas: limits = [] } = options;
  requireArgument('the list of rules of createPolicy', rules, checkArray(checkAnything), 'policy/rule');
  requireArgument('`quotas` of createPolicy', limits, checkArray(checkAnything), 'policy/rule');
  if (rules.length > MAX_RULES)
    throw createRuleError({ at: [], expected: `at most ${MAX_RULES} rules`, got: rules.length });
  if (!Object.hasOwn(ACTION_TEXTS, fallback))
    throw createRuleError({ at: ['fallback'], expected: '"allow", "ask" or "deny"', got: fallback });
  const compiled = rules.map((given, place) => {
    // Later changes to the passed object have no effect.
    const rule = copyJson(given);
    const fault = findRuleFault(rule);
    if (fault) throw createRuleError({ ...fault, at: ['rules', place, ...fault.at] });
    return compileRule(rule);
  });
  const quotas = limits.map((given, place) => {
    const quota = copyJson(given);
    const fault = findQuotaFault(quota);
    if (fault) throw createRuleError({ ...fault, at: ['quotas', place, ...fault.at] });
    return quota;
  });
  const findVerdict = (request: ActionRequest): PolicyVerdict => {
    const place = compiled.findIndex(each => each.findMismatch(request) === undefined);
    const match = compiled[place];
    if (match) return toVerdict(match, place);
    return { action: fallback, reason: `${ACTION_TEXTS[fallback]} by default: no rule is about it`, rule: undefined };
  };
  const evaluate = (request: ActionRequest): PolicyVerdict => {
    // No rule about resources would match a request without its kind, and a rule about everything would allow it.
    requireArgument('the action of a policy', request, checkAction);
    return limitMatchWork(
      () => findVerdict(request),
      () => TOO_MUCH_WORK,
    );
  };
  const isAlwaysDenied = createDenialCheck(
    compiled.map(({ rule }) => rule),
    fallback,
  );
  return {
    rules: compiled.map(({ rule }) => rule),
    fallback,
    quotas,
    evaluate,
    isAlwaysDenied(request, isTemplate = false) {
      requireArgument('the action of a policy', request, checkAction);
      return limitMatchWork(
        () => isAlwaysDenied(request, isTemplate),
        () => true,
      );
    },
    explain: request => formatExplanation(compiled, quotas, request, evaluate(request)),
    dryRun: requests => requests.map(request => ({ request, verdict: evaluate(request) })),
  };
}

function toVerdict({ rule, mark }: CompiledRule, place: number): PolicyVerdict {
  const because = rule.because === undefined ? '' : `: ${rule.because}`;
  const number = place + 1;
  return {
    action: rule.action,
    reason: `${ACTION_TEXTS[rule.action]} by rule ${number}${because}`,
    rule: number,
    mark,
  };
}

function formatExplanation(
  compiled: readonly CompiledRule[],
  quotas: readonly Quota[],
  request: ActionRequest,
  verdict: PolicyVerdict,
): string {
  const { kind, server, name, principal, trusted } = request;
  const who = principal === undefined ? 'by an anonymous caller' : `by ${createExcerpt(principal)}`;
  const what = `${kind} ${createExcerpt(name)} of ${createExcerpt(server)} (${trusted ? 'trusted' : 'not trusted'}), ${who}`;
  const tried = compiled.slice(0, verdict.rule).map(({ rule, findMismatch }, place) => {
    const { action, because, ...match } = rule;
    return `${place + 1}. ${action} ${createExcerpt(JSON.stringify(maskArguments({ ...match })), 500)}: ${explainMatch(findMismatch, request) ?? 'fits'}`;
  });
  const args = createExcerpt(stringifyJson(maskArguments(request.arguments)), 1000);
  const limits = verdict.action === 'deny' ? [] : quotas.map((quota, place) => formatQuota(quota, place + 1, request));
  return [`${what}: ${args}`, ...tried, `→ ${createExcerpt(verdict.reason, 700)}`, ...limits].join('\n');
}

/** Returns the reason why a request does not match a rule, or `undefined` if it does. */
function explainMatch(findMismatch: CompiledRule['findMismatch'], request: ActionRequest): string | undefined {
  return limitMatchWork(
    () => findMismatch(request)?.(),
    () => `matching takes more than ${MAX_MATCH_STEPS} steps`,
  );
}

function formatQuota(quota: Quota, number: number, request: ActionRequest): string {
  const mismatch = explainMatch(compileMatch(quota.match ?? {}, false), request);
  const effect = mismatch === undefined ? 'counts this call' : `does not count this call: ${mismatch}`;
  return `quota ${number}, ${describeQuota(quota)}, ${effect}`;
}

/**
 * Creates the error for an invalid rule.
 *
 * @param where Prefix of its position.
 */
export function createRuleError({ at, summary = 'invalid value', expected, got }: RuleFault, where = ''): TenonError {
  const location = toJsonPointer(at);
  const details = got === undefined ? {} : { received: createExcerpt(JSON.stringify(got) ?? typeof got, 100) };
  return new TenonError('policy/rule', `${where}${location || '/'}: ${summary}`, { expected, ...details });
}
