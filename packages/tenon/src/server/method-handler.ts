import type { JsonObject } from '../jsonrpc/message.js';
import type { MethodName, ParamsOf } from '../protocol/method-types.js';
import type { Operation } from './middleware/compose-middleware.js';
import type { RequestContext } from './request-context.js';
import type { ServerRuntime } from './server-runtime.js';

/** An operation whose params were checked. */
export interface MethodOperation<M extends MethodName> extends Operation {
  readonly params: ParamsOf<M>;
}

/** A result, at once where possible: a promise costs a plain call time. */
export type MaybeAsyncResult = JsonObject | Promise<JsonObject>;

export type ServerMethodHandler<M extends MethodName> = (
  operation: MethodOperation<M>,
  requestContext: RequestContext,
  runtime: ServerRuntime,
) => MaybeAsyncResult;

export type MethodHandlers = { readonly [M in MethodName]?: ServerMethodHandler<M> };
