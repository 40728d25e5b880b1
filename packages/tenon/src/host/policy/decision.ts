import { TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { compileMatch } from './compiled-rule.js';
import type { Proposal, Verdict } from './proposal.js';
import { matchFault } from './rule-faults.js';
import type { Match } from './rules.js';

/**
 * What is remembered of an approval, always for the same server, kind, user, OAuth client and rule. `always`: this tool, prompt or
 * resource with any arguments. `exact`: with these. A match: what fits it; it has to fit the call that was asked about.
 */
export type Remember = 'always' | 'exact' | Match;

/** What a person says. `true` is `once`, `false` is `deny`. `for`: how long it is remembered, in milliseconds. */
export type Decision =
  | boolean
  | 'once'
  | 'always'
  | 'deny'
  | { readonly remember: Remember; readonly for?: number | undefined };

/** Asks a person about a call. The proposal has the arguments as they are: take care where they are shown. */
export type Approver = (
  proposal: Proposal,
  options: { readonly signal: AbortSignal; readonly verdict?: Verdict | undefined },
) => Decision | Promise<Decision>;

/** What came of a question. */
export interface Approval {
  readonly granted: boolean;
  readonly reason: string;
}

export interface Answer {
  readonly allow: boolean;
  readonly remember?: Remember | undefined;
  readonly for?: number | undefined;
}

/** Reads a decision. Throws `policy/decision` for what is none: nothing is granted by mistake. */
export function answerOf(decision: Decision): Answer {
  if (decision === true || decision === 'once') return { allow: true };
  if (decision === false || decision === 'deny') return { allow: false };
  if (decision === 'always') return { allow: true, remember: 'always' };
  if (isObject(decision) && decision.remember !== undefined)
    return { allow: true, remember: decision.remember as Remember, for: decision.for as number | undefined };
  throw decisionError('this is no decision', 'once, always, deny, true, false or { remember }', typeof decision);
}

/** Refuses what can not be remembered. */
export function checkAnswer({ allow, remember, for: life }: Answer): void {
  if (life !== undefined && !(typeof life === 'number' && life > 0))
    throw decisionError('`for` does not fit', 'a number of milliseconds, or Infinity', String(life));
  if (remember === undefined || remember === 'always' || remember === 'exact') {
    if (remember && !allow)
      throw decisionError('a denial is not remembered', 'a rule of the policy for that', remember);
    return;
  }
  const match: JsonObject = isObject(remember) ? remember : {};
  const fault = isObject(remember) && !('action' in match || 'because' in match) ? matchFault(match) : NO_MATCH;
  if (fault) throw decisionError(`\`remember\` can not be read at /${fault.at.join('/')}`, fault.expected, 'another');
  if (!allow) throw decisionError('a denial is not remembered', 'a rule of the policy for that', 'a match');
}

const NO_MATCH = { at: [], expected: 'always, exact or a match' };

/** Refuses a match that has nothing to do with the call that was asked about. */
export function checkFit({ remember }: Answer, about: Proposal): void {
  const misfit = typeof remember === 'object' ? compileMatch(remember, true)(about) : undefined;
  if (misfit) throw decisionError('`remember` does not fit the call that was asked about', 'one that does', misfit);
}

function decisionError(summary: string, expected: string, got: string): TenonError {
  return new TenonError('policy/decision', summary, { expected, got });
}
