import { isObject, type JsonObject, TenonError, toJsonObject } from '@tenon/base';
import type { ActionRequest, PolicyVerdict } from '../policy/action-request.js';
import { compileMatch } from '../policy/matching/compiled-rule.js';
import { limitMatchWork } from '../policy/matching/match-work.js';
import { findMatchFault } from '../policy/rule-faults.js';
import type { Match } from '../policy/rules.js';

/**
 * Scope of a remembered approval, for the same server, kind, user, OAuth client and rule.
 *
 * - `always`: any arguments.
 * - `exact`: the same arguments.
 * - A match: all calls that it matches, which must include the approved call.
 */
export type Remember = 'always' | 'exact' | Match;

/**
 * Decision of a person. `true` means `once`, and `false` means `deny`. `ttl`: lifetime of a remembered decision, in
 * milliseconds.
 */
export type Decision =
  | boolean
  | 'once'
  | 'always'
  | 'deny'
  | { readonly remember: Remember; readonly ttl?: number | undefined };

/** Asks a person for a decision about an action. Its arguments are not masked, so take care where you show them. */
export type Approver = (
  request: ActionRequest,
  options: { readonly signal: AbortSignal; readonly verdict?: PolicyVerdict | undefined },
) => Decision | Promise<Decision>;

/** Result of `Approvals.request`. */
export interface Approval {
  /** True if the action may proceed. */
  readonly granted: boolean;
  /** Reason in plain text. */
  readonly reason: string;
}

export interface ApprovalAnswer {
  readonly allow: boolean;
  readonly remember?: Remember | undefined;
  /** Lifetime of a remembered decision, in milliseconds. */
  readonly ttl?: number | undefined;
}

/**
 * Parses a decision.
 *
 * @throws TenonError `policy/decision` for an invalid decision, so that nothing is granted by mistake.
 */
export function parseDecision(decision: Decision): ApprovalAnswer {
  if (decision === true || decision === 'once') return { allow: true };
  if (decision === false || decision === 'deny') return { allow: false };
  if (decision === 'always') return { allow: true, remember: 'always' };
  if (isObject(decision) && decision.remember !== undefined)
    return { allow: true, remember: decision.remember as Remember, ttl: decision.ttl as number | undefined };
  throw createDecisionError('invalid decision', 'once, always, deny, true, false or { remember }', typeof decision);
}

/** Rejects a decision that cannot be remembered. */
export function checkAnswer({ allow, remember, ttl }: ApprovalAnswer): void {
  if (ttl !== undefined && !(typeof ttl === 'number' && ttl > 0))
    throw createDecisionError('invalid `ttl`', 'a number of milliseconds, or Infinity', String(ttl));
  if (remember === undefined || remember === 'always' || remember === 'exact') {
    if (remember && !allow)
      throw createDecisionError('a denial cannot be remembered', 'a deny rule in the policy', remember);
    return;
  }
  const match: JsonObject = toJsonObject(remember);
  const fault =
    isObject(remember) && !('action' in match || 'because' in match) ? findMatchFault(match) : INVALID_MATCH;
  if (fault)
    throw createDecisionError(`invalid \`remember\` at /${fault.at.join('/')}`, fault.expected, 'another value');
  if (!allow) throw createDecisionError('a denial cannot be remembered', 'a deny rule in the policy', 'a match');
}

const INVALID_MATCH = { at: [], expected: 'always, exact or a match' };

/** Rejects a match that does not include the approved call. */
export function checkRemember({ remember }: ApprovalAnswer, request: ActionRequest): void {
  const mismatch =
    typeof remember === 'object'
      ? limitMatchWork(
          () => compileMatch(remember, true)(request)?.(),
          () => 'a call that takes too long to compare',
        )
      : undefined;
  if (mismatch)
    throw createDecisionError(
      '`remember` does not match the requested call',
      'a match that includes the call',
      mismatch,
    );
}

function createDecisionError(summary: string, expected: string, received: string): TenonError {
  return new TenonError('policy/decision', summary, { expected, received });
}
