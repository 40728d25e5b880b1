import { copyOf } from '../../conversation/asking/json-value.js';
import { TenonError } from '../../jsonrpc/error.js';
import { type CompiledRule, compileRule } from './compiled-rule.js';
import { masked, visible } from './masked.js';
import type { Action, Proposal, Verdict } from './proposal.js';
import { type Fault, MAX_RULES, ruleFault } from './rule-faults.js';
import type { Rule } from './rules.js';

export interface PolicyOptions {
  /** What happens to what no rule fits. Default `ask`. */
  readonly fallback?: Action | undefined;
}

/** Rules in the order in which they are tried: the first that fits decides. */
export interface Policy {
  readonly rules: readonly Rule[];
  readonly fallback: Action;
  judge(proposal: Proposal): Verdict;
  /** A text for people: each rule that was tried and why it does not fit, until the one that does. Secrets are left out. */
  explain(proposal: Proposal): string;
  /** What would be decided, without anything being done or asked. */
  dryRun(proposals: readonly Proposal[]): { readonly proposal: Proposal; readonly verdict: Verdict }[];
}

const done: { readonly [A in Action]: string } = { allow: 'allowed', ask: 'to be asked', deny: 'denied' };

/** Makes a policy. Throws `policy/rule`, which names the place, when a rule can not be read. */
export function createPolicy(rules: readonly Rule[], { fallback = 'ask' }: PolicyOptions = {}): Policy {
  if (rules.length > MAX_RULES) throw ruleError({ at: [], expected: `at most ${MAX_RULES} rules`, got: rules.length });
  if (!Object.hasOwn(done, fallback))
    throw ruleError({ at: ['fallback'], expected: '"allow", "ask" or "deny"', got: fallback });
  const compiled = rules.map((given, place) => {
    // What is changed later changes nothing here.
    const rule = copyOf(given);
    const fault = ruleFault(rule);
    if (fault) throw ruleError({ ...fault, at: ['rules', place, ...fault.at] });
    return compileRule(rule);
  });
  const judge = (proposal: Proposal): Verdict => {
    const place = compiled.findIndex(each => each.misfit(proposal) === undefined);
    const found = compiled[place];
    if (found) return verdictOf(found, place);
    return { action: fallback, reason: `${done[fallback]} by default: no rule is about it`, rule: undefined };
  };
  return {
    rules: compiled.map(({ rule }) => rule),
    fallback,
    judge,
    explain: proposal => explanation(compiled, proposal, judge(proposal)),
    dryRun: proposals => proposals.map(proposal => ({ proposal, verdict: judge(proposal) })),
  };
}

function verdictOf({ rule, mark }: CompiledRule, place: number): Verdict {
  const because = rule.because === undefined ? '' : `: ${rule.because}`;
  const number = place + 1;
  return { action: rule.action, reason: `${done[rule.action]} by rule ${number}${because}`, rule: number, mark };
}

function explanation(compiled: readonly CompiledRule[], proposal: Proposal, verdict: Verdict): string {
  const { kind, server, name, principal, trusted } = proposal;
  const who = principal === undefined ? 'by nobody that is known' : `by ${visible(principal)}`;
  const what = `${kind} ${visible(name)} of ${visible(server)} (${trusted ? 'trusted' : 'not trusted'}), ${who}`;
  const tried = compiled.slice(0, verdict.rule).map(({ rule, misfit }, place) => {
    const { action, because, ...match } = rule;
    return `${place + 1}. ${action} ${visible(JSON.stringify(masked({ ...match })), 500)}: ${misfit(proposal) ?? 'fits'}`;
  });
  const args = visible(JSON.stringify(masked(proposal.arguments)), 1000);
  return [`${what}: ${args}`, ...tried, `→ ${visible(verdict.reason, 700)}`].join('\n');
}

/** The error of a rule that can not be read. `where` goes before its place. */
export function ruleError({ at, expected, got }: Fault, where = ''): TenonError {
  const place = at.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  const facts = got === undefined ? {} : { got: visible(JSON.stringify(got) ?? typeof got, 100) };
  return new TenonError('policy/rule', `${where}${place || '/'} can not be read`, { expected, ...facts });
}
