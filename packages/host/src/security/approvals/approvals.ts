import {
  checkValues,
  requireArgument,
  requireKnownOptions,
  runWithTimeout,
  type Stores,
  systemClock,
} from '@tenon/base';
import { requireSealed } from 'tenon/host-internals';
import type { ActionRequest, PolicyVerdict } from '../policy/action-request.js';
import { type ApprovalBinding, createApprovalBinding } from './approval-binding.js';
import { createApprovalStore } from './approval-store.js';
import {
  type Approval,
  type ApprovalAnswer,
  type Approver,
  checkAnswer,
  checkRemember,
  parseDecision,
} from './decision.js';
import { type PendingApproval, PendingApprovals, type StoredAnswer } from './pending-approvals.js';
import type { AnswerOptions, ApprovalRequestOptions, Approvals, ApprovalsOptions } from './types.js';

/** Default time for a decision, in milliseconds. */
const DEFAULT_APPROVAL_TTL = 5 * 60_000;
/** Default lifetime of a remembered approval, in milliseconds. */
const DEFAULT_REMEMBER_TTL = 30 * 24 * 60 * 60_000;
/** Maximum number of pending approvals of all principals. */
const MAX_PENDING = 1000;
const MAX_PENDING_PER_USER = 100;

const ABANDONED: Approval = { granted: false, reason: 'the caller disconnected, so the approval request was deleted' };

/** Creates the approvals of a host: pending requests, and remembered decisions. */
export function createApprovals(options: ApprovalsOptions): Approvals {
  // `createApprovals(stores)` takes stores as a whole.
  const given: ApprovalsOptions & { readonly [K in keyof Stores]?: Stores[K] | undefined } = options;
  requireKnownOptions('createApprovals', given, {
    buckets: true,
    prefix: true,
    check: true,
    getUnknownFormats: true,
    durable: true,
    now: true,
    close: true,
    clock: true,
    ttl: true,
    rememberTtl: true,
    approve: true,
    waits: true,
    maxPending: true,
    maxPendingPerUser: true,
    values: true,
    remote: true,
    bus: true,
  });
  const {
    values,
    clock = systemClock,
    ttl = DEFAULT_APPROVAL_TTL,
    rememberTtl = DEFAULT_REMEMBER_TTL,
    waits = true,
  } = options;
  requireArgument('`values` of createApprovals', values, checkValues);
  requireSealed(options, 'createApprovals');
  const { maxPending = MAX_PENDING, maxPendingPerUser = MAX_PENDING_PER_USER, approve } = options;
  const store = createApprovalStore(values, clock, rememberTtl);
  const pendingApprovals = new PendingApprovals(options, clock, {
    maxTotal: maxPending,
    maxPerUser: maxPendingPerUser,
  });

  /** Finds an approval that was granted or remembered before. */
  async function findStored(request: ActionRequest, binding: ApprovalBinding): Promise<Approval | undefined> {
    const id = await store.find(request, binding);
    if (id !== undefined)
      return { granted: true, reason: `approved before, and remembered as ${id.slice(id.indexOf('.') + 1)}` };
    const remaining = await pendingApprovals.take(binding);
    return remaining && toApproval(remaining);
  }

  async function recordAnswer(
    request: ActionRequest,
    binding: ApprovalBinding,
    answer: ApprovalAnswer,
  ): Promise<Approval> {
    checkAnswer(answer);
    checkRemember(answer, request);
    if (answer.remember === undefined) return toApproval(answer);
    const added = await store.add(request, binding, answer);
    const { granted, reason } = toApproval(answer);
    return { granted, reason: added ? `${reason}, and remembered` : `${reason}; too much is remembered already` };
  }

  async function wait(request: ActionRequest, binding: ApprovalBinding, context: DecisionContext): Promise<Approval> {
    if (await pendingApprovals.isFull(request)) return createDenial('too many approvals are pending');
    const answer = await pendingApprovals.wait(request, binding, { ...context, ttl });
    return typeof answer === 'string' ? createEnded(answer) : toApproval(answer);
  }

  async function requestDecision(
    asker: Approver,
    request: ActionRequest,
    context: DecisionContext,
  ): Promise<ApprovalAnswer | Approval> {
    return runWithTimeout(async ({ signal }) => parseDecision(await asker(request, { ...context, signal })), {
      clock,
      timeout: ttl,
      signal: context.signal,
      onTimeout: () => createEnded('late'),
      onAbort: () => createEnded('gone'),
    });
  }

  const createEnded = (decision: 'late' | 'gone'): Approval =>
    decision === 'gone' ? ABANDONED : createDenial(`no answer within ${ttl} ms`);

  return {
    async request(request, options = {}) {
      requireKnownOptions('request', options, APPROVAL_REQUEST_OPTIONS);
      const { signal = new AbortController().signal, approve: askNow, step = runImmediately, ...grounds } = options;
      const binding = createApprovalBinding(request, grounds);
      const context = { signal, verdict: grounds.verdict };
      if (signal.aborted) return ABANDONED;
      const known = await step('policy: known', () => findStored(request, binding));
      if (known) return known;
      const resolveApproval = async (answer: ApprovalAnswer | Approval): Promise<Approval> => {
        if ('granted' in answer) return answer;
        // The decision applies to the action that was shown. Later changes of the object have no effect.
        const now = createApprovalBinding(request, grounds);
        if (now.call !== binding.call) return createDenial('the call changed while its approval was pending');
        return recordAnswer(request, binding, answer);
      };
      if (approve)
        return step('policy: approved', async () => resolveApproval(await requestDecision(approve, request, context)));
      if (askNow) {
        const answer = await requestDecision(askNow, request, context);
        return 'granted' in answer ? answer : step('policy: approved', () => resolveApproval(answer));
      }
      if (!waits) return createDenial('no user can be asked for approval');
      return step('policy: approved', () => wait(request, binding, context));
    },
    async listPending(list = {}) {
      requireKnownOptions('listPending', list, LIST_OPTIONS);
      return pendingApprovals.list(list);
    },
    async answer(id, action, given = {}) {
      requireKnownOptions('answer', given, { remember: true, ttl: true, by: true });
      const answer = createStoredAnswer(action, given);
      const { question: approval, binding } = await pendingApprovals.answer(id, asked => {
        checkRemember(withoutHints(answer), toActionRequest(asked));
        return answer;
      });
      if (answer.remember !== undefined) await store.add(toActionRequest(approval), binding, answer);
      await pendingApprovals.announceAnswer(id);
    },
    watch: hear => pendingApprovals.watch(hear),
    async listStored(list = {}) {
      requireKnownOptions('listStored', list, LIST_OPTIONS);
      return store.list(list);
    },
    forget: id => store.forget(id),
  };
}

const LIST_OPTIONS = { after: true, limit: true } as const;
const APPROVAL_REQUEST_OPTIONS: { readonly [K in keyof Required<ApprovalRequestOptions>]: true } = {
  signal: true,
  approve: true,
  step: true,
  verdict: true,
  definition: true,
};

interface DecisionContext {
  readonly signal: AbortSignal;
  readonly verdict: PolicyVerdict | undefined;
}

const runImmediately = <T>(_: string, work: () => Promise<T>): Promise<T> => work();

function createDenial(reason: string): Approval {
  return { granted: false, reason };
}

function toApproval({ allow, by }: ApprovalAnswer & { readonly by?: string | undefined }): Approval {
  return { granted: allow, reason: `${allow ? 'approved' : 'denied'} by ${by ?? 'a person'}` };
}

function createStoredAnswer(action: 'allow' | 'deny', { remember, ttl, by }: AnswerOptions): StoredAnswer {
  const answer: StoredAnswer = {
    allow: action === 'allow',
    ...(remember === undefined ? {} : { remember }),
    ...(ttl === undefined ? {} : { ttl }),
    ...(by === undefined ? {} : { by }),
  };
  checkAnswer(answer);
  return answer;
}

/**
 * Removes argument patterns and hints from a remembered match before it is checked. The stored request has no unmasked
 * arguments and no annotations.
 */
function withoutHints(answer: ApprovalAnswer): ApprovalAnswer {
  if (typeof answer.remember !== 'object') return answer;
  const { arguments: _, readOnly, destructive, idempotent, openWorld, ...visibleMatch } = answer.remember;
  return { ...answer, remember: visibleMatch };
}

function toActionRequest({ kind, server, name, principal, issuer, clientId }: PendingApproval): ActionRequest {
  return { kind, server, name, arguments: {}, trusted: false, principal, issuer, clientId };
}
