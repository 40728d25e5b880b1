/** A call of a store on one key, with the time of its start and its end. */
export interface RecordedCall {
  readonly kind: 'get' | 'put' | 'delete';
  readonly key: string;
  /** Number that a put wrote. */
  readonly wrote?: number;
  /** Version that the call required. */
  readonly version?: number | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  /** For a get the number and version, for a put the new version, for a delete true or false. */
  readonly result: unknown;
}

/** A value with its version. Version 0: there is no value. */
interface Register {
  readonly number: number;
  readonly version: number;
}

const EMPTY: Register = { number: 0, version: 0 };

/** Returns the register after a call, or `undefined` if the call cannot have had its result. */
function apply({ kind, version, wrote = 0, result }: RecordedCall, before: Register): Register | undefined {
  const fits = version === undefined || version === before.version;
  if (kind === 'get') return JSON.stringify(result ?? EMPTY) === JSON.stringify(before) ? before : undefined;
  if (kind === 'put') {
    if (!fits) return result === undefined ? before : undefined;
    return result === before.version + 1 ? { number: wrote, version: before.version + 1 } : undefined;
  }
  const isDeleted = fits && before.version > 0;
  if (result !== isDeleted) return undefined;
  return isDeleted ? EMPTY : before;
}

/**
 * Tells if there is an order of the calls on one key in which each has its result, and in which no call comes before one
 * that ended before its start.
 */
export function isLinearizable(calls: readonly RecordedCall[], before: Register = EMPTY): boolean {
  if (calls.length === 0) return true;
  const firstEnd = Math.min(...calls.map(({ endedAt }) => endedAt));
  return calls.some((call, index) => {
    if (call.startedAt > firstEnd) return false;
    const after = apply(call, before);
    return after !== undefined && isLinearizable(calls.toSpliced(index, 1), after);
  });
}
