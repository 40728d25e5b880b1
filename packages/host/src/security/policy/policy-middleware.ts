import {
  type Check,
  checkFunction,
  checkObject,
  checkOptional,
  describeMismatch,
  isObject,
  isPromise,
  type JsonObject,
  requireArgument,
  requireKnownOptions,
  requireResult,
  rpcError,
  TOO_MANY_REQUESTS,
  toJsonObject,
} from '@tenon/base';
import type { Context, Middleware, Operation, ToolAnnotations } from 'tenon';
import { findMissingForRequest, isMethod, USER_REJECTED } from 'tenon/host-internals';
import type { Approval } from '../approvals/decision.js';
import { createElicitationApprover } from '../approvals/elicitation-approver.js';
import type { Approvals } from '../approvals/types.js';
import { type ActionRequest, describeUser, type PolicyVerdict } from './action-request.js';
import { createDeniedToolResult } from './denied-result.js';
import type { Policy } from './policy.js';
import { createQuotas, type Quotas, type SharedQuotas } from './quotas.js';

/** Options of `policyMiddleware`. */
export interface PolicyMiddlewareOptions {
  /** Policy to apply. */
  readonly policy: Policy;
  /**
   * Approvals for actions that need one. The caller's own user is asked with a form if the approvals have no
   * `approve` and the client supports forms.
   * @default none, and such a call is denied
   */
  readonly approvals?: Approvals | undefined;
  /**
   * Quotas for allowed calls, in place of those of the policy.
   * @default those of the policy, counted in this process
   */
  readonly quotas?: Quotas | SharedQuotas | undefined;
  /**
   * Name of this server in the rules.
   * @default `server`
   */
  readonly server?: string | undefined;
  /**
   * Returns the annotations of a tool. They are trusted, because they belong to this server.
   * @default the defaults of the specification
   */
  readonly annotations?: ((tool: string) => ToolAnnotations | undefined) | undefined;
}

/**
 * Applies a policy to a server: tools, resources, prompts, completion, subscriptions and custom methods, before each
 * run of a handler.
 *
 * A denied tool call returns `isError`. Other denials are errors with code -1. Quotas refuse with 429 and
 * `data.retryAfterMs`.
 *
 * Approvals for custom methods need `approvals`, because such a method cannot request input from its caller.
 */
export function policyMiddleware(options: PolicyMiddlewareOptions): Middleware {
  requireKnownOptions('policyMiddleware', options, {
    policy: true,
    approvals: true,
    quotas: true,
    server: true,
    annotations: true,
  });
  const { policy } = options;
  requireArgument('`policy` of policyMiddleware', policy, checkObject({ evaluate: checkFunction }));
  const quotas = options.quotas ?? (policy.quotas.length > 0 ? createQuotas(policy.quotas) : undefined);
  return async (operation, next) => {
    const { context, method } = operation;
    if (!APPROVABLE_METHODS.has(method) && isMethod(method)) {
      for (const each of listPassiveRequests(options, operation)) refuseDenied(policy.evaluate(each));
      return next(operation);
    }
    const request = toActionRequest(options, operation);
    const verdict = policy.evaluate(request);
    if (verdict.action === 'deny') return createRefusal(operation, verdict.reason, verdict);
    if (quotas) {
      const quotaError = await context.step('policy: quota', () => quotas.consume(request));
      if (quotaError) throw createQuotaError(quotaError);
    }
    if (verdict.action === 'ask') {
      const { granted, reason } = await requestApproval(options, request, verdict, context);
      if (!granted) return createRefusal(operation, `${verdict.reason}: ${reason}`, verdict);
    }
    return next(operation);
  };
}

const APPROVABLE_METHODS: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);

/** Protocol method of each kind of action. Other methods are custom methods. */
const KINDS: { readonly [method: string]: ActionRequest['kind'] } = {
  'tools/call': 'tool',
  'prompts/get': 'prompt',
  'resources/read': 'resource',
};

function getArguments(kind: ActionRequest['kind'], { _meta, ...params }: JsonObject): JsonObject {
  if (kind === 'method') return params;
  return kind !== 'resource' ? toJsonObject(params.arguments) : {};
}

/** A promise has no annotations, so that rules for them would not apply. */
const checkAnnotations: Check = checkOptional(value =>
  isObject(value) && !isPromise(value) ? undefined : describeMismatch('an object and no promise', value),
);

function toActionRequest(options: PolicyMiddlewareOptions, operation: Operation): ActionRequest {
  const { method, params, context } = operation;
  const kind = KINDS[method] ?? 'method';
  const name = kind === 'method' ? method : (operation.name ?? '');
  const args = getArguments(kind, params);
  const annotations = kind === 'tool' ? options.annotations?.(name) : undefined;
  requireResult('the result of `annotations` of policyMiddleware', annotations, checkAnnotations, 'options/invalid');
  const { server = 'server' } = options;
  const request = { kind, server, name, arguments: args, trusted: true, ...describeUser(context.auth) } as const;
  return annotations ? { ...request, annotations } : request;
}

/**
 * Lists the actions of methods that name resources without reading them. They are refused only if a rule denies them,
 * because no approval can be requested.
 */
function listPassiveRequests(policing: PolicyMiddlewareOptions, operation: Operation): ActionRequest[] {
  const { method, params } = operation;
  const createRequest = (name: unknown, of: 'resources/read' | 'prompts/get') =>
    toActionRequest(policing, { ...operation, method: of, name: String(name), params: {} });
  if (method === 'resources/subscribe') return [createRequest(params.uri, 'resources/read')];
  if (method === 'subscriptions/listen') {
    const { resourceSubscriptions = [] } = params.notifications as { resourceSubscriptions?: string[] };
    return resourceSubscriptions.map(uri => createRequest(uri, 'resources/read'));
  }
  if (method !== 'completion/complete') return [];
  const { name, uri } = params.ref as { name?: string; uri?: string };
  return [name === undefined ? createRequest(uri, 'resources/read') : createRequest(name, 'prompts/get')];
}

async function requestApproval(
  { approvals }: PolicyMiddlewareOptions,
  request: ActionRequest,
  verdict: PolicyVerdict,
  context: Context,
): Promise<Approval> {
  if (approvals === undefined) return { granted: false, reason: 'no user can be asked for approval' };
  const canAsk =
    request.kind !== 'method' &&
    findMissingForRequest('elicitation/create', {}, context.client.capabilities) === undefined;
  return approvals.request(request, {
    verdict,
    signal: context.signal,
    step: (name, work) => context.step(name, work),
    ...(canAsk ? { approve: createElicitationApprover(context) } : {}),
  });
}

function createRefusal({ method }: Operation, reason: string, verdict: PolicyVerdict): JsonObject {
  if (method !== 'tools/call') throw createDeniedError(reason, verdict);
  return createDeniedToolResult(`Not done: ${reason}`);
}

function refuseDenied(verdict: PolicyVerdict): void {
  if (verdict.action === 'deny') throw createDeniedError(verdict.reason, verdict);
}

function createDeniedError(reason: string, { rule }: PolicyVerdict): Error {
  return rpcError(USER_REJECTED, `Not done: ${reason}`, { policy: 'denied', ...(rule === undefined ? {} : { rule }) });
}

function createQuotaError({ retryAfter, reason }: { retryAfter: number; reason: string }): Error {
  return rpcError(TOO_MANY_REQUESTS, `Too many requests: ${reason}`, { retryAfterMs: retryAfter });
}
