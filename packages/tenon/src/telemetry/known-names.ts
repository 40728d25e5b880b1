import { INVALID_PARAMS, METHOD_NOT_FOUND } from '@tenon/base';
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
  readonly #names = { tool: new Set<string>(), prompt: new Set<string>(), method: new Set<string>() };
  readonly #errorTypes = new Set<string>();

  /** Returns the name for a measurement. A call that succeeded proves that its tool or prompt exists. */
  toLabel({ kind, name }: TraceTarget, isKnown: boolean | undefined, failure: TraceFailure | undefined): string {
    if (this.#names[kind].has(name)) return name;
    const exists = isKnown ?? !(failure?.rpcCode === INVALID_PARAMS || failure?.type === 'tool_error');
    return exists ? this.#add(kind, name) : OTHER;
  }

  /** Returns the method for a measurement. A method outside the protocol exists if it was ever found. */
  toMethodLabel(method: string, failure: TraceFailure | undefined): string {
    if (isMethod(method)) return method;
    const name = method.slice(0, MAX_METHOD);
    if (this.#names.method.has(name)) return name;
    return failure?.rpcCode === METHOD_NOT_FOUND ? OTHER : this.#add('method', name);
  }

  toErrorLabel(type: string): string {
    if (this.#errorTypes.has(type)) return type;
    if (this.#errorTypes.size >= MAX_ERROR_TYPES) return OTHER;
    this.#errorTypes.add(type);
    return type;
  }

  #add(kind: TraceTarget['kind'] | 'method', name: string): string {
    const { tool, prompt, method } = this.#names;
    if (tool.size + prompt.size + method.size >= MAX_NAMES) return OTHER;
    this.#names[kind].add(name);
    return name;
  }
}
