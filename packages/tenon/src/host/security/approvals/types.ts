import type { Clock } from '../../../cancellation/clock.js';
import type { Optional } from '../../../protocol/defaults.js';
import type { ListOptions, Stores } from '../../../stores/stores.js';
import type { ActionRequest } from '../policy/action-request.js';
import type { ApprovalBasis } from './approval-binding.js';
import type { StoredApproval } from './approval-store.js';
import type { Approval, Approver, Remember } from './decision.js';
import type { PendingApproval } from './pending-approvals.js';

/**
 * `createApprovals({ ...stores })`, or a store's `values` alone: then who waits looks for the answer every five
 * seconds.
 */
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
  /** Asks the operator of this process. Takes precedence over the caller's own user and the store. */
  readonly approve?: Approver | undefined;
  /**
   * True if an approval request that cannot be answered here waits in the store for another process. Default `true`.
   */
  readonly waits?: boolean | undefined;
  /** Maximum number of pending approvals in the store; more are denied. Default 1,000. */
  readonly maxPending?: number | undefined;
  /** Maximum of `maxPending` of one user. Default 100. */
  readonly maxPendingPerUser?: number | undefined;
}

/** Options of an approval request. */
export interface ApprovalRequestOptions extends ApprovalBasis {
  /** Aborted when the caller disconnects. The approval request is then withdrawn. */
  readonly signal?: AbortSignal | undefined;
  /** Asks the caller's own user if this process has no `ask`. */
  readonly approve?: Approver | undefined;
  /**
   * For callers who may be entered again for the same call, as a handler is: `context.step`. What was found and decided
   * is then not looked for again; `approve` is called each time, and has to remember by itself, as `context.elicit`
   * does.
   */
  readonly step?: (<T>(name: string, work: () => Promise<T>) => Promise<T>) | undefined;
}

/** Options of answering an approval. */
export interface AnswerOptions {
  /** The decision is also remembered. The match is checked against the request as far as it shows the arguments. */
  readonly remember?: Remember | undefined;
  /** Time for which the approval is remembered, in milliseconds. Default: `rememberTtl`. */
  readonly ttl?: number | undefined;
  /** Name of the person who answers, for the reason. */
  readonly by?: string | undefined;
}

/** Requests approvals for calls. Each decision is valid for one call, once, and for a limited time. */
export interface Approvals {
  /** Throws what `approve` or the store throws, and `policy/decision` when they return no decision. */
  request(action: ActionRequest, options?: ApprovalRequestOptions): Promise<Approval>;
  /**
   * Lists the pending requests in the store, in the order of their ids: at most 1,000 at a time. Continue with `after`.
   */
  listPending(options?: ListOptions): Promise<PendingApproval[]>;
  /** Throws `policy/no-pending-approval`, `policy/answered` when another was first, and `policy/decision`. */
  answer(id: string, action: 'allow' | 'deny', options?: AnswerOptions): Promise<void>;
  /**
   * Calls a listener for each new approval request of any process. Needs a bus. Returns a function that removes the
   * listener.
   */
  watch(listener: () => void): () => void;
  /** Lists the approvals that are remembered. */
  listStored(options?: ListOptions): Promise<StoredApproval[]>;
  /** Revokes a remembered approval. False when there is none of this id. */
  forget(id: string): Promise<boolean>;
}
