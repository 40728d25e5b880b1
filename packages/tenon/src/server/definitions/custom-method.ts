import type { JsonObject } from '@tenon/base';
import type { Context } from '../../handler/context.js';
import type { InferArguments, Schema, WholeSchema } from '../../schemas/standard.js';

/** Params of a handler: the output of its schema, or the unchanged params without a schema. */
type CustomParams<S> = S extends Schema ? InferArguments<S> : JsonObject;

/** A method that the protocol does not define. Its name must not be a name of the protocol. */
export interface CustomMethod<S = unknown, State = unknown> {
  /** Schema of the params. It types and validates them. */
  readonly params?: (S & Schema & WholeSchema<S>) | undefined;
  /** Extension that a client must declare before it may call the method. */
  readonly extension?: string | undefined;
  /**
   * Scopes that the caller's token must have. Otherwise the request fails with a 403 and a challenge. Without
   * authorization a caller has no scopes.
   */
  readonly scopes?: readonly string[] | undefined;
  /** Handles a request and returns its result. */
  run(params: CustomParams<S>, context: Context<State>): JsonObject | Promise<JsonObject>;
}

/** Handler of a notification that the protocol does not define. */
export interface CustomNotification<S = unknown> {
  /** Schema of the params. It types and validates them. */
  readonly params?: (S & Schema & WholeSchema<S>) | undefined;
  /** Scopes that the sender's token must have. Otherwise the notification is dropped and reported to `onError`. */
  readonly scopes?: readonly string[] | undefined;
  /** Handles one notification, which has no response. */
  handle(params: CustomParams<S>, context: Pick<Context, 'auth' | 'client'>): void | Promise<void>;
}

/** Custom methods and notifications by name. `M` contains the schemas of their params. */
export type CustomMethods<M = { readonly [name: string]: unknown }, State = unknown> = {
  readonly [N in keyof M]: CustomMethod<M[N], State> | CustomNotification<M[N]>;
};
