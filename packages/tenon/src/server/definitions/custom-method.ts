import type { JsonObject } from '../../jsonrpc/message.js';
import type { InferArguments, Schema } from '../../schemas/standard.js';
import type { Context } from '../context/context.js';

/** Params of a handler: the output of its schema, or the params as they were sent. */
type CustomParams<S> = S extends Schema ? InferArguments<S> : JsonObject;

/** A method of your own, or of an extension. Its name must not be one of the protocol's. */
export interface CustomMethod<S = unknown, State = unknown> {
  /** Types and checks what the handler is given. */
  readonly params?: (S & Schema) | undefined;
  /** The extension that a client has to declare before it may call. */
  readonly extension?: string | undefined;
  /** Scopes that the caller's token must have, else 403 with a challenge. Without authorization a caller has none. */
  readonly scopes?: readonly string[] | undefined;
  /** Handles a request. */
  run(params: CustomParams<S>, context: Context<State>): JsonObject | Promise<JsonObject>;
}

/** Handler of a notification that the protocol does not define. */
export interface CustomNotification<S = unknown> {
  /** Types and checks what the handler is given. */
  readonly params?: (S & Schema) | undefined;
  /** Scopes that the sender's token must have. A notification of others is dropped and reported to `onError`. */
  readonly scopes?: readonly string[] | undefined;
  /** Called for each one; nothing is answered. */
  handle(params: CustomParams<S>, context: Pick<Context, 'auth' | 'client'>): void | Promise<void>;
}

/** Methods and notifications of your own, by name. `M` are the schemas of their params. */
export type CustomMethods<M = { readonly [name: string]: unknown }, State = unknown> = {
  readonly [N in keyof M]: CustomMethod<M[N], State> | CustomNotification<M[N]>;
};
