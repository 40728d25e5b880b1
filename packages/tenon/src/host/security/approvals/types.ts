import type { Clock } from '../../../cancellation/clock.js';
import type { Optional } from '../../../protocol/defaults.js';
import type { ListOptions, Stores } from '../../../stores/stores.js';
import type { ActionRequest } from '../policy/action-request.js';
import type { ApprovalBasis } from './approval-binding.js';
import type { StoredApproval } from './approval-store.js';
import type { Approval, Approver, Remember } from './decision.js';
import type { PendingApproval } from './pending-approvals.js';

/** `createApprovals({ ...stores })`, or a store's `values` alone: then who waits looks for the answer every five seconds. */
export interface ApprovalsOptions extends Pick<Stores, 'values'>, Optional<Pick<Stores, 'bus'>> {
  /** Source of time, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Time for an answer, in milliseconds; then the action is denied. Default 300,000: 5 minutes. */
  readonly ttl?: number | undefined;
  /**
   * Time for which an approval without a `ttl` is remembered, in milliseconds. `Infinity`: for ever. Default
   * 2,592,000,000: 30 days.
   */
  readonly rememberTtl?: number | undefined;
  /** Asks whoever sits at this process. It goes before all others who could be asked. */
  readonly approve?: Approver | undefined;
  /** True if an approval request that nobody here can answer waits in the store for another process. Default `true`. */
  readonly waits?: boolean | undefined;
  /** Maximum number of pending approvals in the store; more are denied. Default 1,000. */
  readonly maxPending?: number | undefined;
  /** Maximum of `maxPending` of one user. Default 100. */
  readonly maxPendingPerUser?: number | undefined;
}

/** Options of asking for an approval. */
export interface ApprovalRequestOptions extends ApprovalBasis {
  /** The caller goes away: the question is withdrawn. */
  readonly signal?: AbortSignal | undefined;
  /** Asks the caller's own user, when nobody sits at this process. */
  readonly approve?: Approver | undefined;
  /**
   * For callers who may be entered again for the same call, as a handler is: `context.step`. What was found and decided is
   * then not looked for again; `approve` is called each time, and has to remember by itself, as `context.elicit` does.
   */
  readonly step?: (<T>(name: string, work: () => Promise<T>) => Promise<T>) | undefined;
}

/** Options of answering an approval. */
export interface AnswerOptions {
  /** Also from now on. The match is checked as far as the question shows it. */
  readonly remember?: Remember | undefined;
  /** Time for which the approval is remembered, in milliseconds. Default: `rememberTtl`. */
  readonly ttl?: number | undefined;
  /** Name of the person who answers, for the reason. */
  readonly by?: string | undefined;
}

/** Asks people about calls, and makes sure that what they say is good for that call only, once, and for a time. */
export interface Approvals {
  /** Throws what `approve` or the store throws, and `policy/decision` when they return no decision. */
  request(action: ActionRequest, options?: ApprovalRequestOptions): Promise<Approval>;
  /** The questions that wait in the store, in the order of their ids: at most 1000 at a time; go on with `after`. */
  listPending(options?: ListOptions): Promise<PendingApproval[]>;
  /** Throws `policy/no-pending-approval`, `policy/answered` when another was first, and `policy/decision`. */
  answer(id: string, action: 'allow' | 'deny', options?: AnswerOptions): Promise<void>;
  /** Hears when a question is laid, in any process; needs a bus. Returns what ends that. */
  watch(listener: () => void): () => void;
  /** Lists the approvals that are remembered. */
  listStored(options?: ListOptions): Promise<StoredApproval[]>;
  /** Revokes a remembered approval. False when there is none of this id. */
  forget(id: string): Promise<boolean>;
}
