import { lacking } from '../../conversation/capability.js';
import { TOO_MANY } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import { USER_REJECTED } from '../../model/codes.js';
import type { Tool } from '../../model/content.js';
import type { Context } from '../../server/context.js';
import { digestOf } from '../lock/pin.js';
import type { Approvals } from '../policy/approval.js';
import type { Approval } from '../policy/decision.js';
import { elicited } from '../policy/elicited.js';
import type { Policy } from '../policy/policy.js';
import type { Proposal, Verdict } from '../policy/proposal.js';
import type { Quotas } from '../policy/quotas.js';
import type { Recorder } from './recorder.js';

/** Decides whether something is done: by rules, by how much was done already, and by asking. */
export class Permission {
  readonly #policy: Policy | undefined;
  readonly #quotas: Quotas | undefined;
  readonly #approvals: Approvals;
  readonly #recorder: Recorder;

  constructor(policy: Policy | undefined, quotas: Quotas | undefined, approvals: Approvals, recorder: Recorder) {
    this.#policy = policy;
    this.#quotas = quotas;
    this.#approvals = approvals;
    this.#recorder = recorder;
  }

  /** Gives why it is not to be done. Throws 429 when too much is. */
  async refusal(proposal: Proposal, context: Context, tool?: Tool): Promise<string | undefined> {
    const verdict = this.#policy?.judge(proposal);
    if (verdict?.action === 'deny') return this.#denied(proposal, verdict, verdict.reason);
    if (this.#quotas) await this.#count(this.#quotas, proposal, context);
    if (verdict?.action !== 'ask') return undefined;
    await context.step('asked', () => this.#recorder.write(proposal, { action: 'asked', rule: verdict.rule }));
    const { granted, reason } = await this.#approval(proposal, verdict, context, tool);
    if (!granted) return this.#denied(proposal, verdict, `${verdict.reason}: ${reason}`);
    await context.step('allowed', () =>
      this.#recorder.write(proposal, { action: 'allowed', rule: verdict.rule, reason }),
    );
    return undefined;
  }

  /** For what tells of something without doing it: only what is denied is refused, for nobody can be asked there. */
  async glance(proposal: Proposal, method: string): Promise<void> {
    const verdict = this.#policy?.judge(proposal);
    if (verdict?.action !== 'deny') return;
    const { rule, reason } = verdict;
    await this.#recorder.write(proposal, { action: 'denied', rule, reason, details: { method } });
    throw rpcError(USER_REJECTED, `Not done: ${reason}`, { policy: 'denied' });
  }

  async #count(quotas: Quotas, proposal: Proposal, context: Context): Promise<void> {
    const over = await context.step('counted', () => quotas.take(proposal));
    if (over === undefined) return;
    await this.#recorder.write(proposal, { action: 'limited', reason: over.reason });
    throw rpcError(TOO_MANY, `Too many requests: ${over.reason}`, { retryAfterMs: over.retryAfter });
  }

  async #approval(proposal: Proposal, verdict: Verdict, context: Context, tool?: Tool): Promise<Approval> {
    const canAsk = lacking('elicitation/create', {}, context.client.capabilities) === undefined;
    return this.#approvals.obtain(proposal, {
      verdict,
      // What the server says of the tool may change after it was approved.
      definition: tool && (await digestOf(tool)),
      signal: context.signal,
      step: (name, work) => context.step(name, work),
      ...(canAsk ? { ask: elicited(context) } : {}),
    });
  }

  async #denied(proposal: Proposal, { rule }: Verdict, reason: string): Promise<string> {
    await this.#recorder.write(proposal, { action: 'denied', rule, reason });
    return reason;
  }
}
