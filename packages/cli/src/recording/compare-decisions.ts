import { countActions, type DecisionReport, type RecordedDecision } from './report-decisions.js';

/** Decision of one policy, without the call. */
export type DecisionOfPolicy = Pick<RecordedDecision, 'action' | 'rule' | 'reason'>;

/** Call about which two policies decide differently. */
export interface ChangedDecision extends Omit<RecordedDecision, keyof DecisionOfPolicy> {
  readonly before: DecisionOfPolicy;
  readonly after: DecisionOfPolicy;
}

/** Output of `tenon policy try --json`. */
export interface PolicyTrial {
  /** Number of calls about which both policies have decided. */
  readonly calls: number;
  /** Calls with another action than before, in the order of the recording. */
  readonly changes: readonly ChangedDecision[];
  /** Number of calls for each action, before and after. */
  readonly counts: { readonly before: ActionCounts; readonly after: ActionCounts };
}

type ActionCounts = DecisionReport['counts'];

/**
 * Compares the decisions of two policies about the same calls. Another rule with the same action is no change, because
 * each rule that is added or moved renumbers those after it.
 */
export function compareDecisions(before: readonly RecordedDecision[], after: readonly RecordedDecision[]): PolicyTrial {
  const changes = before.flatMap((decision, index): ChangedDecision[] => {
    const changed = after[index];
    if (changed === undefined || changed.action === decision.action) return [];
    const { line, kind, server, name } = decision;
    return [{ line, kind, server, name, before: toDecision(decision), after: toDecision(changed) }];
  });
  return { calls: before.length, changes, counts: { before: countActions(before), after: countActions(after) } };
}

const toDecision = ({ action, rule, reason }: RecordedDecision): DecisionOfPolicy => ({ action, rule, reason });
