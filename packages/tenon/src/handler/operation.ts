import type { JsonObject } from '@tenon/base';
import type { MethodName, ParamsOf } from '../protocol/method-types.js';
import type { Context } from './context.js';

/** One operation that passes the middleware. */
export interface Operation<S = unknown> {
  /** The protocol method, for example `tools/call`. */
  readonly method: string;
  /** Name of the tool or prompt, or URI of the resource. Undefined for other methods. */
  readonly name: string | undefined;
  /** Params of the request, in the newest protocol version. */
  readonly params: JsonObject;
  /** Context that the handler of the request gets. */
  readonly context: Context<S>;
}

/** Runs the rest of the middleware and the handler. */
export type Next = (operation: Operation) => Promise<JsonObject>;

/**
 * Wraps an operation. It may inspect or change the operation, return its own result, or handle the result or the error.
 * `S` is the type of `context.state`.
 */
export type Middleware<S = unknown> = (operation: Operation<S>, next: Next) => Promise<JsonObject> | JsonObject;

/** An operation with checked params. */
export interface MethodOperation<M extends MethodName> extends Operation {
  readonly params: ParamsOf<M>;
}

/** A result, as a value where possible, because a promise makes a plain call slower. */
export type MaybeAsyncResult = JsonObject | Promise<JsonObject>;
