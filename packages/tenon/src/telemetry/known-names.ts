import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../jsonrpc/error-codes.js';
import { isMethod } from '../protocol/methods.js';
import type { TraceFailure, TraceTarget } from './attributes.js';

const MAX_METHOD = 128;
/** Different names of tools and prompts in measurements. */
const MAX_NAMES = 1000;
/** Replaces names that may be invented by a caller. */
const OTHER = '_OTHER';

/** Different values of `error.type` in measurements. The other side may send any error code. */
const MAX_ERROR_TYPES = 100;

/** Names of tools and prompts that exist, so that callers cannot create a measurement for each name they invent. */
export class KnownNames {
  readonly #names = new Set<string>();
  readonly #errorTypes = new Set<string>();

  /** Returns the name for a measurement. A call that succeeded proves that its tool or prompt exists. */
  toLabel(target: TraceTarget, isKnown: boolean | undefined, failure: TraceFailure | undefined): string {
    const { kind, name } = target;
    const key = `${kind} ${name}`;
    if (this.#names.has(key)) return name;
    const exists = isKnown ?? !(failure?.rpcCode === INVALID_PARAMS || failure?.type === 'tool_error');
    if (!exists || this.#names.size >= MAX_NAMES) return OTHER;
    this.#names.add(key);
    return name;
  }

  /** Returns the method for a measurement. A method outside the protocol exists if it was ever found. */
  toMethodLabel(method: string, failure: TraceFailure | undefined): string {
    const key = `method ${method}`;
    if (isMethod(method) || this.#names.has(key)) return method;
    if (failure?.rpcCode === METHOD_NOT_FOUND || this.#names.size >= MAX_NAMES) return OTHER;
    this.#names.add(key);
    return method.slice(0, MAX_METHOD);
  }

  toErrorLabel(type: string): string {
    if (this.#errorTypes.has(type)) return type;
    if (this.#errorTypes.size >= MAX_ERROR_TYPES) return OTHER;
    this.#errorTypes.add(type);
    return type;
  }
}
