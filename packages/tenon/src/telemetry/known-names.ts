import { INVALID_PARAMS } from '../jsonrpc/error-codes.js';
import type { TraceFailure, TraceTarget } from './attributes.js';

/** Different names of tools and prompts in measurements. */
const MAX_NAMES = 1000;
/** Replaces names that may be invented by a caller. */
const OTHER = '_OTHER';

/** Names of tools and prompts that exist, so that callers cannot create a measurement for each name they invent. */
export class KnownNames {
  readonly #names = new Set<string>();

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
}
