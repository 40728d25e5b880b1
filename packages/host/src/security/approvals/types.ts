import type { Clock, ListOptions, Optional, Stores } from '@tenon/base';
import type { ActionRequest } from '../policy/action-request.js';
import type { ApprovalBasis } from './approval-binding.js';
import type { StoredApproval } from './approval-store.js';
import type { Approval, Approver, Remember } from './decision.js';
import type { PendingApproval } from './pending-approvals.js';

/**
 * Options of `createApprovals`. Pass `stores`, or only its `values`. Without a bus, waiting requests poll the store
 * every five seconds.
 */
export interface ApprovalsOptions extends Pick<Stores, 'values' | 'remote'>, Optional<Pick<Stores, 'bus'>> {
  /**
   * Clock, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
  /**
   * Time limit for a decision, in milliseconds. The action is denied afterwards.
   * @default 300,000 (5 minutes)
   */
  readonly ttl?: number | undefined;
  /**
   * Lifetime of a remembered approval without its own `ttl`, in milliseconds. `Infinity`: no expiry.
   * @default 2,592,000,000 (30 days)
   */
  readonly rememberTtl?: number | undefined;
  /**
   * Asks the operator of this process. It takes precedence over the caller's own user and the store.
   * @default none
   */
  readonly approve?: Approver | undefined;
  /**
   * True if an approval request that this process cannot answer waits in the store for another process.
   * @default `true`
   */
  readonly waits?: boolean | undefined;
  /**
   * Maximum number of pending approvals in the store. Further requests are denied.
   * @default 1,000
   */
  readonly maxPending?: number | undefined;
  /**
   * Maximum number of pending approvals of one user.
   * @default 100
   */
  readonly maxPendingPerUser?: number | undefined;
}

/** Options of `Approvals.request`. */
export interface ApprovalRequestOptions extends ApprovalBasis {
  /**
   * Aborted when the caller disconnects. The approval request is then deleted.
   * @default never aborted
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Asks the caller's own user. Used only if the option `approve` of `createApprovals` is absent.
   * @default none
   */
  readonly approve?: Approver | undefined;
  /**
   * Runs a step only once for a handler that runs several times for the same call: `context.step`. Results of earlier
   * steps are reused. `approve` is called in each run, so it must remember its own result, as `context.elicit` does.
   * @default every step runs
   */
  readonly step?: (<T>(name: string, work: () => Promise<T>) => Promise<T>) | undefined;
}

/** Options of `Approvals.answer`. */
export interface AnswerOptions {
  /**
   * Scope in which the decision is remembered. A match is checked against the request, as far as the request shows
   * its arguments.
   * @default the decision is not remembered
   */
  readonly remember?: Remember | undefined;
  /**
   * Lifetime of the remembered decision, in milliseconds.
   * @default `rememberTtl`
   */
  readonly ttl?: number | undefined;
  /**
   * Name of the person who decides, for the reason.
   * @default `a person`
   */
  readonly by?: string | undefined;
}

/** Requests approvals for calls. Each decision is valid for one call only, and for a limited time. */
export interface Approvals {
  /**
   * Requests an approval, and resolves with the decision. Also rejects with an error of `approve` or the store.
   *
   * @throws TenonError `policy/decision` when `approve` returns an invalid decision.
   */
  request(action: ActionRequest, options?: ApprovalRequestOptions): Promise<Approval>;
  /**
   * Lists the pending requests in the store, sorted by ID: at most 1,000 at a time. Pass the last ID as `after` to
   * continue.
   */
  listPending(options?: ListOptions): Promise<PendingApproval[]>;
  /**
   * Answers a pending request.
   *
   * @throws TenonError `policy/no-pending-approval`, `policy/answered` when it was answered before, `policy/decision`
   */
  answer(id: string, action: 'allow' | 'deny', options?: AnswerOptions): Promise<void>;
  /**
   * Calls a listener for each new approval request of any process. Requires `bus`. Returns a function that removes the
   * listener.
   */
  watch(listener: () => void): () => void;
  /** Lists the remembered approvals. */
  listStored(options?: ListOptions): Promise<StoredApproval[]>;
  /** Revokes a remembered approval. Resolves with false when the ID is unknown. */
  forget(id: string): Promise<boolean>;
}
