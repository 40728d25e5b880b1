import type { MaybeAsyncResult } from '../handler/operation.js';
import type { MethodCall, MethodRequest, ServerMethodHandler, ServerRuntime } from './server-runtime.js';

/** Key of the part of a server that a server uses in which it is mounted. All copies of this module have the same key. */
export const MOUNTABLE: unique symbol = Symbol.for('tenon.mountable') as never;

/** Runs a request that an outer server received at the server of the request: with its middleware and its state. */
export type RunMounted = (
  request: MethodRequest,
  outer: MethodCall,
  handler: ServerMethodHandler<never>,
) => MaybeAsyncResult;

/** The part of a server that a server uses in which it is mounted. */
export interface MountableServer {
  readonly runtime: ServerRuntime;
  readonly run: RunMounted;
}
