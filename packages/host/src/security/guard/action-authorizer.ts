import { type MaybePromise, rpcError, TOO_MANY_REQUESTS } from '@tenon/base';
import type { Context, Tool } from 'tenon';
import { findMissingForRequest, USER_REJECTED } from 'tenon/host-internals';
import type { Telemetry } from 'tenon/telemetry';
import type { Approval } from '../approvals/decision.js';
import { createElicitationApprover } from '../approvals/elicitation-approver.js';
import type { Approvals } from '../approvals/types.js';
import { computeDigest } from '../lock/pin-definition.js';
import type { ActionRequest, PolicyVerdict } from '../policy/action-request.js';
import { canDeny } from '../policy/denied-entries.js';
import type { Policy } from '../policy/policy.js';
import type { Quotas, SharedQuotas } from '../policy/quotas.js';
import type { AuditRecorder } from './audit-recorder.js';

/** Decides with rules, quotas and approvals if an action may be executed. */
export class ActionAuthorizer {
  #policy: Policy | undefined;
  #quotas: Quotas | SharedQuotas | undefined;
  readonly #approvals: Approvals;
  readonly #recorder: AuditRecorder;
  readonly #telemetry: Telemetry | undefined;

  constructor(
    policy: Policy | undefined,
    quotas: Quotas | SharedQuotas | undefined,
    approvals: Approvals,
    recorder: AuditRecorder,
    telemetry?: Telemetry,
  ) {
    this.#telemetry = telemetry;
    this.#policy = policy;
    this.#quotas = quotas;
    this.#approvals = approvals;
    this.#recorder = recorder;
  }

  /** False if no entry is always denied to any caller. */
  get hidesEntries(): boolean {
    return this.#policy !== undefined && canDeny(this.#policy.rules, this.#policy.fallback);
  }

  isAlwaysDenied(actionRequest: ActionRequest, isTemplate: boolean): boolean {
    return this.#policy?.isAlwaysDenied(actionRequest, isTemplate) ?? false;
  }

  /** Replaces the policy and the quotas for later actions. */
  update(policy: Policy | undefined, quotas: Quotas | SharedQuotas | undefined): void {
    this.#policy = policy;
    this.#quotas = quotas;
  }

  /**
   * Authorizes an action. Returns the reason of a denial, or `undefined` if it is allowed.
   *
   * @throws TenonError `rpc/error` with code 429 when a quota is exceeded.
   */
  authorize(actionRequest: ActionRequest, context: Context, tool?: Tool): MaybePromise<string | undefined> {
    const verdict = this.#policy?.evaluate(actionRequest);
    if (verdict) this.#telemetry?.addDetails({ decision: verdict.action });
    const asks = verdict?.action === 'ask' ? verdict : undefined;
    if (verdict?.action === 'deny') return this.#recordDenied(actionRequest, verdict, verdict.reason);
    if (this.#quotas === undefined) return asks && this.#ask(actionRequest, asks, context, tool);
    const counting = this.#countQuota(this.#quotas, actionRequest, context);
    return counting.then(() => asks && this.#ask(actionRequest, asks, context, tool));
  }

  async #ask(
    actionRequest: ActionRequest,
    verdict: PolicyVerdict,
    context: Context,
    tool?: Tool,
  ): Promise<string | undefined> {
    await context.step('asked', () => this.#recorder.write(actionRequest, { action: 'asked', rule: verdict.rule }));
    const { granted, reason } = await this.#requestApproval(actionRequest, verdict, context, tool);
    if (!granted) return this.#recordDenied(actionRequest, verdict, `${verdict.reason}: ${reason}`);
    await context.step('allowed', () =>
      this.#recorder.write(actionRequest, { action: 'allowed', rule: verdict.rule, reason }),
    );
    return undefined;
  }

  /**
   * Authorizes an action of a method that only lists. It is refused only if a rule denies it, because no approval can
   * be requested.
   */
  async authorizePassive(actionRequest: ActionRequest, method: string): Promise<void> {
    const verdict = this.#policy?.evaluate(actionRequest);
    if (verdict?.action !== 'deny') return;
    const { rule, reason } = verdict;
    await this.#recorder.write(actionRequest, { action: 'denied', rule, reason, details: { method } });
    throw rpcError(USER_REJECTED, `Not done: ${reason}`, { policy: 'denied' });
  }

  async #countQuota(quotas: Quotas | SharedQuotas, actionRequest: ActionRequest, context: Context): Promise<void> {
    const over = await context.step('counted', () => quotas.consume(actionRequest));
    if (over === undefined) return;
    this.#telemetry?.addDetails({ decision: 'limited' });
    await this.#recorder.write(actionRequest, { action: 'limited', reason: over.reason });
    throw rpcError(TOO_MANY_REQUESTS, `Too many requests: ${over.reason}`, { retryAfterMs: over.retryAfter });
  }

  async #requestApproval(
    actionRequest: ActionRequest,
    verdict: PolicyVerdict,
    context: Context,
    tool?: Tool,
  ): Promise<Approval> {
    const canAsk = findMissingForRequest('elicitation/create', {}, context.client.capabilities) === undefined;
    return this.#approvals.request(actionRequest, {
      verdict,
      // The tool's definition may change after the approval.
      definition: tool && computeDigest(tool),
      signal: context.signal,
      step: (name, work) => context.step(name, work),
      ...(canAsk ? { approve: createElicitationApprover(context) } : {}),
    });
  }

  async #recordDenied(actionRequest: ActionRequest, { rule }: PolicyVerdict, reason: string): Promise<string> {
    await this.#recorder.write(actionRequest, { action: 'denied', rule, reason });
    return reason;
  }
}
