import type { Clock } from '../../jsonrpc/clock.js';
import { rpcError, TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { USER_REJECTED } from '../../model/codes.js';
import type { Stores } from '../../stores/stores.js';
import type { ServerEntry } from '../config/server-entry.js';
import type { Guard } from '../guard.js';
import { createSpill } from '../output/spill.js';
import { createApprovals } from '../policy/approvals.js';
import { createPolicy, type Policy } from '../policy/policy.js';
import type { Proposal } from '../policy/proposal.js';
import { createQuotas } from '../policy/quotas.js';
import { Admission } from './admission.js';
import { Delivery } from './delivery.js';
import type { GuardOptions } from './options.js';
import { Permission } from './permission.js';
import { Questions } from './questions.js';
import { Recorder } from './recorder.js';

/** What a guard is made of beside its options. */
export interface GuardFacts {
  /** What the lock and the rules know of the servers, by their names. */
  readonly entries: ReadonlyMap<string, ServerEntry>;
  /** Names are offered with a prefix of their server. */
  readonly hasPrefix: boolean;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly problem: (error: TenonError) => void;
}

/** Makes the guard of a host. */
export function createGuard(options: GuardOptions, { entries, hasPrefix, stores, clock, problem }: GuardFacts): Guard {
  const recorder = new Recorder(options.audit, problem);
  const admission = new Admission(entries, options, hasPrefix);
  const approvals =
    options.approvals ??
    createApprovals({
      values: stores.values,
      bus: stores.bus,
      clock,
      ...(options.approve ? { approve: options.approve } : {}),
    });
  const quotas = options.quotas && createQuotas(options.quotas, { clock });
  const permission = new Permission(policyOf(options), quotas, approvals, recorder);
  const spill =
    options.output === undefined ? undefined : createSpill({ values: stores.values, clock, onProblem: problem });
  const delivery = new Delivery(options, spill);
  const questions = new Questions(options, entries.size === 1);
  const began = new WeakMap<Proposal, number>();
  const tookOf = (proposal: Proposal): number => {
    const now = clock.now();
    return now - (began.get(proposal) ?? now);
  };
  return {
    approvals,
    admit: admission.admit,
    reconsider: () => admission.forget(),
    async start(server) {
      await options.mayStart?.(server);
      const entry = entries.get(server);
      const verdict = entry && (await options.gate?.check(entry));
      if (verdict && !verdict.ok) throw notApproved(server);
    },
    async before(proposal, context, line, tool) {
      const why = await admission.blocked(line, proposal.kind, proposal.name);
      if (why !== undefined) await recorder.write(proposal, { action: 'denied', reason: why });
      const refusal = why ?? (await permission.refusal(proposal, context, tool));
      if (refusal !== undefined) return notDone(proposal, refusal);
      await context.step('recorded', () => recorder.write(proposal, { action: 'called' }));
      began.set(proposal, clock.now());
      return undefined;
    },
    async after(proposal, result, hasOutputSchema) {
      const delivered = await delivery.result(proposal, result, hasOutputSchema);
      const reason = 'blocked' in delivered ? delivered.blocked : undefined;
      const outcome = reason === undefined ? (result.isError === true ? 'tool failed' : 'ok') : 'blocked';
      recorder.note(proposal, { action: 'answered', outcome, reason, ms: tookOf(proposal) });
      return 'blocked' in delivered ? notDone(proposal, delivered.blocked, 'Not passed on') : delivered.result;
    },
    recordSignIn({ action, server, caller, error }) {
      const outcome = error === undefined ? 'ok' : TenonError.from(error).code;
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
    failed(proposal, error) {
      const { code } = TenonError.from(error);
      recorder.note(proposal, { action: 'failed', outcome: code, ms: tookOf(proposal) });
    },
    async glance(proposal, line, method) {
      await permission.glance(proposal, method);
      const why = await admission.blocked(line, proposal.kind, proposal.name);
      if (why === undefined) return;
      await recorder.write(proposal, { action: 'denied', reason: why, details: { method } });
      throw rpcError(USER_REJECTED, `Not done: ${why}`, { policy: 'denied' });
    },
    refused({ method, error, ...request }) {
      const { summary, rpc, code } = TenonError.from(error);
      const outcome = rpc === undefined ? code : String(rpc);
      return recorder.add({ ...request, action: 'refused', reason: summary, outcome, details: { method } });
    },
    questions: line => questions.of(line),
    problem,
    async instructions(line, text) {
      const isHeard = !(await admission.isShut(line));
      return isHeard ? delivery.instructions(line.server, text) : undefined;
    },
    read: (uri, identity) => delivery.read(uri, identity),
  };
}

function policyOf({ policy, approve }: GuardOptions): Policy | undefined {
  if (policy === undefined) return approve ? createPolicy([]) : undefined;
  return 'judge' in policy ? policy : createPolicy(policy);
}

/** A tool says it to the model; where there is nobody to tell it is an error. */
function notDone({ kind }: Proposal, reason: string, subject = 'Not done'): JsonObject {
  if (kind !== 'tool') throw rpcError(USER_REJECTED, `${subject}: ${reason}`, { policy: 'denied' });
  return { content: [{ type: 'text', text: `${subject}: ${reason}` }], isError: true };
}

function notApproved(server: string): TenonError {
  return new TenonError('host/not-approved', `the server "${server}" is not as it was approved: it is not started`, {
    next: 'look at what has changed (`tenon lock --check`), and approve it (`tenon lock`)',
  });
}
