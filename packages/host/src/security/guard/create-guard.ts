import {
  type Clock,
  copyJson,
  getErrorType,
  hasExecuted,
  hasUnknownOutcome,
  type JsonObject,
  OUTCOME_UNKNOWN,
  rpcError,
  type Stores,
  TenonError,
  toCanonicalJson,
} from '@tenon/base';
import { USER_REJECTED } from 'tenon/host-internals';
import type { Telemetry } from 'tenon/telemetry';
import type { ServerEntry } from '../../config/server-entry.js';
import { createOverflowStore } from '../../proxy/output/overflow-store.js';
import { createApprovals } from '../approvals/approvals.js';
import type { AuditEvent } from '../audit/audit-event.js';
import type { ActionRequest } from '../policy/action-request.js';
import { createDeniedToolResult } from '../policy/denied-result.js';
import { createPolicy, type Policy } from '../policy/policy.js';
import { createQuotas, type Quota, type Quotas, type SharedQuotas } from '../policy/quotas.js';
import type { Rule } from '../policy/rules.js';
import { type ScreenAside, screenInTurns } from '../screening/large-values.js';
import { ActionAuthorizer } from './action-authorizer.js';
import { AuditRecorder } from './audit-recorder.js';
import type { HostGuardOptions } from './guard-options.js';
import type { HostGuard } from './host-guard.js';
import { InputRequestGuard } from './input-request-guard.js';
import { InventoryGuard } from './inventory-guard.js';
import { TextGuard } from './text-guard.js';

/** Dependencies of a guard, in addition to its options. */
export interface GuardContext {
  /** Configuration entries of the servers, by name. */
  readonly entries: ReadonlyMap<string, ServerEntry>;
  /** True if public names have a prefix of their server. */
  readonly hasPrefix: boolean;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly reportError: (error: TenonError) => void;
  readonly telemetry?: Telemetry | undefined;
  /**
   * Screens large values.
   * @default this thread screens each value in a turn of its own
   */
  readonly screenAside?: ScreenAside | undefined;
}

/** Creates the guard of a host. */
export function createGuard(
  options: HostGuardOptions,
  { entries, hasPrefix, stores, clock, reportError, telemetry, screenAside = screenInTurns }: GuardContext,
): HostGuard {
  const recorder = new AuditRecorder(options.audit, reportError);
  const { isRecording } = recorder;
  const admission = new InventoryGuard(entries, options, { hasPrefix, reportError, screenAside });
  const approvals =
    options.approvals ??
    createApprovals({
      values: stores.values,
      bus: stores.bus,
      clock,
      ...(options.approve ? { approve: options.approve } : {}),
    });
  const createLimits = createQuotaFactory(options.quotas, stores, clock);
  const policy = createGuardPolicy(options);
  const permission = new ActionAuthorizer(policy, createLimits(policy), approvals, recorder, telemetry);
  const overflow =
    options.output === undefined
      ? undefined
      : createOverflowStore({ values: stores.values, clock, onError: reportError });
  const texts = new TextGuard(options, overflow, screenAside);
  let current = entries;
  const inputRequests = new InputRequestGuard(options, texts, () => current.size === 1);
  const startTimes = new WeakMap<ActionRequest, number>();
  const recordOutcome = (actionRequest: ActionRequest, event: AuditEvent): void => {
    const startTime = startTimes.get(actionRequest);
    if (startTime !== undefined) recorder.recordLater(actionRequest, { ...event, ms: clock.elapsed() - startTime });
  };
  // A call ends once: its result may be blocked, which the caller gets as an error.
  const recordEnd = (actionRequest: ActionRequest, event: AuditEvent): void => {
    recordOutcome(actionRequest, event);
    startTimes.delete(actionRequest);
  };
  return {
    approvals,
    filterList: admission.filterList,
    async filterSkills(connection, skills) {
      const admitted = await admission.filterSkills(connection, skills);
      return Promise.all(admitted.map(skill => texts.screenSkill(connection.server, skill)));
    },
    isPageBlocked: (connection, uri, result) => admission.isPageBlocked(connection, uri, result),
    getFilteredTools: admission.getFilteredTools,
    getToolNames: admission.getToolNames,
    get hidesEntries() {
      return permission.hidesEntries;
    },
    isAlwaysDenied: (actionRequest, isTemplate) => permission.isAlwaysDenied(actionRequest, isTemplate),
    reload: () => admission.reset(),
    update({ entries: changed, policy: rules }) {
      if (rules !== undefined) {
        const replacement = toPolicy(rules);
        permission.update(replacement, createLimits(replacement));
      }
      if (changed === undefined) return;
      current = changed;
      admission.update(changed);
    },
    async checkServerStart(server) {
      await options.mayStart?.(server);
      const entry = current.get(server);
      const verdict = entry && (await options.lockGuard?.check(entry));
      if (verdict && !verdict.ok) throw createNotApprovedError(server);
    },
    async authorizeCall(actionRequest, context, connection, tool) {
      telemetry?.addDetails({ upstream: connection.server });
      if (isRecording) await recorder.identifyCall(actionRequest, context);
      const blocked = await admission.findBlockReason(connection, actionRequest.kind, actionRequest.name);
      if (blocked !== undefined) {
        telemetry?.addDetails({ decision: 'blocked' });
        await recorder.write(actionRequest, { action: 'denied', reason: blocked });
        return createDeniedResult(actionRequest, blocked);
      }
      const refusal = await permission.authorize(actionRequest, context, tool);
      if (refusal !== undefined) return createDeniedResult(actionRequest, refusal);
      if (!isRecording) return undefined;
      const start = () => void startTimes.set(actionRequest, clock.elapsed());
      // The step may fail after the line was written. A later run does not write it again.
      await context.step('recorded', () => recorder.write(actionRequest, { action: 'called' }).then(start));
      start();
      return undefined;
    },
    async processResult(actionRequest, result, hasOutputSchema) {
      const screened = await texts.screenResult(actionRequest, result);
      if (typeof screened !== 'string') return texts.truncateResult(actionRequest, screened, hasOutputSchema);
      recordEnd(actionRequest, { action: 'answered', outcome: 'blocked', reason: screened });
      return createDeniedResult(actionRequest, screened, 'Not passed on');
    },
    screenError: ({ server }, method, error) => texts.screenError(server, method, error),
    recordAnswer(actionRequest, { isError }) {
      recordEnd(actionRequest, { action: 'answered', outcome: isError === true ? 'tool failed' : 'ok' });
    },
    recordInputRequest(actionRequest) {
      recordOutcome(actionRequest, { action: 'answered', outcome: 'input requested' });
    },
    recordSignIn({ action, server, caller, error }) {
      const outcome = error === undefined ? 'ok' : getErrorType(error);
      telemetry?.countSignIn(server, action);
      const event = {
        action,
        server,
        kind: 'server',
        principal: caller.principal,
        outcome,
        reason: 'sign-in',
      } as const;
      void recorder.add(event).catch(() => {});
    },
    recordFailure(actionRequest, error, isCancelled) {
      const isUnknown = TenonError.is(error) && (error.code === OUTCOME_UNKNOWN || hasUnknownOutcome(error.data));
      const hasRun = TenonError.is(error) && hasExecuted(error.data);
      const refused = hasRun ? 'the server has executed the call, and its result was refused' : undefined;
      const reason = isUnknown ? 'outcome unknown: the server may have executed the call' : refused;
      const event = isCancelled ? CANCELLED : ({ action: 'failed', outcome: getErrorType(error) } as const);
      recordEnd(actionRequest, { ...event, reason });
    },
    async authorizePassive(actionRequest, connection, method) {
      await permission.authorizePassive(actionRequest, method);
      const reason = await admission.findBlockReason(connection, actionRequest.kind, actionRequest.name);
      if (reason === undefined) return;
      await recorder.write(actionRequest, { action: 'denied', reason: reason, details: { method } });
      throw rpcError(USER_REJECTED, `Not done: ${reason}`, { policy: 'denied' });
    },
    recordDenied({ method, error, ...request }) {
      const { summary } = TenonError.from(error);
      const outcome = getErrorType(error);
      return recorder.add({ ...request, action: 'refused', reason: summary, outcome, details: { method } });
    },
    createInputRequestHandler: connection => inputRequests.createHandler(connection),
    reportError,
    async screenInstructions(connection, text) {
      const isHeard = !(await admission.isServerBlocked(connection));
      return isHeard ? texts.screenInstructions(connection.server, text) : undefined;
    },
    readOverflow: (uri, identity) => texts.readOverflow(uri, identity),
  };
}

/** End of a call whose caller gave it up. Metrics count it as `cancelled` too. */
const CANCELLED = { action: 'cancelled', outcome: 'cancelled' } as const;

type Counters = Quotas | SharedQuotas;

/**
 * Creates a function that returns the counters for the quotas of the host and of a policy. Counters go on if the quotas
 * stay equal.
 */
function createQuotaFactory(
  own: readonly Quota[] = [],
  stores: Stores,
  clock: Clock,
): (policy: Policy | undefined) => Counters | undefined {
  let last: { readonly key: string; readonly counters: Counters } | undefined;
  return policy => {
    const quotas = [...own, ...(policy?.quotas ?? [])];
    const key = toCanonicalJson(copyJson(quotas));
    if (quotas.length === 0) last = undefined;
    else if (last?.key !== key) {
      const isShared = stores.durable && stores.buckets !== undefined;
      last = { key, counters: isShared ? createQuotas(quotas, { stores }) : createQuotas(quotas, { clock }) };
    }
    return last?.counters;
  };
}

function createGuardPolicy({ policy, approve }: HostGuardOptions): Policy | undefined {
  if (policy === undefined) return approve ? createPolicy([]) : undefined;
  return toPolicy(policy);
}

const toPolicy = (policy: Policy | readonly Rule[]): Policy => ('evaluate' in policy ? policy : createPolicy(policy));

/** Returns the reason as a tool result, so that the model sees it. For other methods, throws it as an error. */
function createDeniedResult({ kind }: ActionRequest, reason: string, subject = 'Not done'): JsonObject {
  if (kind !== 'tool') throw rpcError(USER_REJECTED, `${subject}: ${reason}`, { policy: 'denied' });
  return createDeniedToolResult(`${subject}: ${reason}`);
}

function createNotApprovedError(server: string): TenonError {
  return new TenonError('host/not-approved', `the server "${server}" does not match the lock and is not started`, {
    hint: 'review the changes with `tenon lock --check`, and approve them with `tenon lock`',
  });
}
