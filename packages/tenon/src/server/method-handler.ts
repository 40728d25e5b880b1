import type { JsonObject } from '../jsonrpc/message.js';
import type { MethodName, ParamsOf } from '../protocol/method-types.js';
import type { Operation } from './middleware/compose-middleware.js';
import type { RequestContext } from './request-context.js';
import type { ServerRuntime } from './server-runtime.js';

/** An operation with checked params. */
export interface MethodOperation<M extends MethodName> extends Operation {
  readonly params: ParamsOf<M>;
}

/** A result, as a value where possible, because a promise makes a plain call slower. */
export type MaybeAsyncResult = JsonObject | Promise<JsonObject>;

export type ServerMethodHandler<M extends MethodName> = (
  operation: MethodOperation<M>,
  requestContext: RequestContext,
  runtime: ServerRuntime,
) => MaybeAsyncResult;

export type MethodHandlers = { readonly [M in MethodName]?: ServerMethodHandler<M> };
