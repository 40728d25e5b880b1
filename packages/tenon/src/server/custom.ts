import type { JsonObject } from '../jsonrpc/message.js';
import type { Schema } from '../schemas/standard.js';
import type { Context } from './context.js';

/** A method of your own, or of an extension. Its name must not be one of the protocol's. */
export interface CustomMethod {
  readonly params?: Schema;
  /** The extension that a client has to declare before it may call. */
  readonly extension?: string;
  run(params: never, context: Context): JsonObject | Promise<JsonObject>;
}

export interface CustomNotification {
  readonly params?: Schema;
  /** Called for each one; nothing is answered. */
  hear(params: never, context: Pick<Context, 'auth' | 'client'>): void | Promise<void>;
}

export type CustomMethods = { readonly [name: string]: CustomMethod | CustomNotification };
