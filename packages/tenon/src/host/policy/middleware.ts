import { lacking } from '../../conversation/capability.js';
import { TOO_MANY } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { USER_REJECTED } from '../../model/codes.js';
import type { ToolAnnotations } from '../../model/content.js';
import { isMethod } from '../../model/methods.js';
import { identify } from '../../model/owner.js';
import type { Context } from '../../server/context.js';
import type { Middleware, Operation } from '../../server/middleware.js';
import type { Approvals } from './approval.js';
import type { Approval } from './decision.js';
import { elicited } from './elicited.js';
import type { Policy } from './policy.js';
import type { Proposal, Verdict } from './proposal.js';
import type { Quotas } from './quotas.js';

export interface Policing {
  readonly policy: Policy;
  /**
   * Who is asked. The caller's own user is, by a form, where nobody sits at this process and the client has forms. Default:
   * a call that is to be asked about is denied.
   */
  readonly approvals?: Approvals | undefined;
  readonly quotas?: Quotas | undefined;
  /** What rules call this server. Default `server`. */
  readonly server?: string | undefined;
  /** What the tools are, by their names; a server believes its own. Default: what tools are taken for that do not say. */
  readonly annotations?: ((tool: string) => ToolAnnotations | undefined) | undefined;
}

/**
 * A policy in front of a server: tools, resources and prompts, also where they are completed, watched or listened to, and the
 * methods that the server adds to the protocol's. The policy is asked before anything runs, and for every entry of a call
 * again. A tool that is denied answers with `isError`, the rest with an error of code -1; what comes too fast is refused with
 * 429 and `data.retryAfterMs`. The caller's own user cannot be asked about an added method, because such a method has no way
 * to ask: others can, by `approvals`.
 */
export function policed(policing: Policing): Middleware {
  const { policy, quotas } = policing;
  return async (operation, next) => {
    const { context, method } = operation;
    if (!MAY_ASK.has(method) && isMethod(method)) {
      for (const each of besides(policing, operation)) refuseDenied(policy.judge(each));
      return next(operation);
    }
    const proposal = proposalOf(policing, operation);
    const verdict = policy.judge(proposal);
    if (verdict.action === 'deny') return refusal(operation, verdict.reason, verdict);
    if (quotas) {
      const over = await context.step('policy: quota', () => quotas.take(proposal));
      if (over) throw tooMany(over);
    }
    if (verdict.action === 'ask') {
      const { granted, reason } = await approvalOf(policing, proposal, verdict, context);
      if (!granted) return refusal(operation, `${verdict.reason}: ${reason}`, verdict);
    }
    return next(operation);
  };
}

const MAY_ASK: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);

/** The method of the protocol by which each kind is used. Other methods are the server's own. */
const KINDS: { readonly [method: string]: Proposal['kind'] } = {
  'tools/call': 'tool',
  'prompts/get': 'prompt',
  'resources/read': 'resource',
};

function argumentsOf(kind: Proposal['kind'], { _meta, ...params }: JsonObject): JsonObject {
  if (kind === 'method') return params;
  return kind !== 'resource' && isObject(params.arguments) ? params.arguments : {};
}

function proposalOf(policing: Policing, operation: Operation): Proposal {
  const { method, params, context } = operation;
  const kind = KINDS[method] ?? 'method';
  const name = kind === 'method' ? method : (operation.name ?? '');
  const args = argumentsOf(kind, params);
  const annotations = kind === 'tool' ? policing.annotations?.(name) : undefined;
  const { server = 'server' } = policing;
  const proposal = { kind, server, name, arguments: args, trusted: true, ...identify(context.auth) } as const;
  return annotations ? { ...proposal, annotations } : proposal;
}

/** What a method tells of things without reading them. Only what is denied is refused: nobody can be asked there. */
function besides(policing: Policing, operation: Operation): Proposal[] {
  const { method, params } = operation;
  const about = (name: unknown, of: 'resources/read' | 'prompts/get') =>
    proposalOf(policing, { ...operation, method: of, name: String(name), params: {} });
  if (method === 'resources/subscribe') return [about(params.uri, 'resources/read')];
  if (method === 'subscriptions/listen') {
    const { resourceSubscriptions = [] } = params.notifications as { resourceSubscriptions?: string[] };
    return resourceSubscriptions.map(uri => about(uri, 'resources/read'));
  }
  if (method !== 'completion/complete') return [];
  const { name, uri } = params.ref as { name?: string; uri?: string };
  return [name === undefined ? about(uri, 'resources/read') : about(name, 'prompts/get')];
}

async function approvalOf(
  { approvals }: Policing,
  proposal: Proposal,
  verdict: Verdict,
  context: Context,
): Promise<Approval> {
  if (approvals === undefined) return { granted: false, reason: 'nobody can be asked' };
  const canAsk =
    proposal.kind !== 'method' && lacking('elicitation/create', {}, context.client.capabilities) === undefined;
  return approvals.obtain(proposal, {
    verdict,
    signal: context.signal,
    step: (name, work) => context.step(name, work),
    ...(canAsk ? { ask: elicited(context) } : {}),
  });
}

function refusal({ method }: Operation, reason: string, verdict: Verdict): JsonObject {
  if (method !== 'tools/call') throw denied(reason, verdict);
  return { content: [{ type: 'text', text: `Not done: ${reason}` }], isError: true };
}

function refuseDenied(verdict: Verdict): void {
  if (verdict.action === 'deny') throw denied(verdict.reason, verdict);
}

function denied(reason: string, { rule }: Verdict): Error {
  return rpcError(USER_REJECTED, `Not done: ${reason}`, { policy: 'denied', ...(rule === undefined ? {} : { rule }) });
}

function tooMany({ retryAfter, reason }: { retryAfter: number; reason: string }): Error {
  return rpcError(TOO_MANY, `Too many requests: ${reason}`, { retryAfterMs: retryAfter });
}
