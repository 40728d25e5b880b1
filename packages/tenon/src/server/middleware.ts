import type { JsonObject } from '../jsonrpc/message.js';
import type { Context } from './context.js';

/** One operation on its way through the onion. */
export interface Operation<S = unknown> {
  /** The protocol method, `tools/call`. */
  readonly method: string;
  /** The tool, prompt or URI that it is about, when it is about one. */
  readonly name: string | undefined;
  readonly params: JsonObject;
  readonly context: Context<S>;
}

export type Next = (operation: Operation) => Promise<JsonObject>;

/** Wraps an operation: look at it, change it, answer it yourself, look at the result or the error. `S`: type of `context.state`. */
export type Middleware<S = unknown> = (operation: Operation<S>, next: Next) => Promise<JsonObject> | JsonObject;

/** Folds an onion, first layer outermost, around its core. With no layers it is the core. */
export function onion(layers: readonly Middleware[], core: Next): Next {
  return layers.reduceRight<Next>((next, layer) => async operation => layer(operation, next), core);
}

const methodOf = new WeakMap<object, string>();

/** A layer that touches one method only. */
export function on<S = unknown>(method: string, layer: Middleware<S>): Middleware<S> {
  const own: Middleware<S> = (operation, next) =>
    operation.method === method ? layer(operation, next) : next(operation);
  methodOf.set(own, method);
  return own;
}

const NONE: readonly Middleware[] = [];
const touching = new WeakMap<readonly Middleware[], Map<string, readonly Middleware[]>>();

/** Those of the layers that touch a method: it does not pay for the others. */
export function layersOn(layers: readonly Middleware[] | undefined, method: string): readonly Middleware[] {
  if (layers === undefined) return NONE;
  const byMethod = touching.get(layers) ?? new Map<string, readonly Middleware[]>();
  touching.set(layers, byMethod);
  const known = byMethod.get(method);
  if (known) return known;
  const own = layers.filter(layer => (methodOf.get(layer) ?? method) === method);
  byMethod.set(method, own);
  return own;
}
