/** Output of one connection that its reader has not taken yet. */
export interface UnreadOutput {
  /** Bytes that wait. */
  readonly bufferedAmount: number;
  /** Ends the connection and drops what waits. */
  destroy(): void;
}

/** One limit for the unread output of all connections. */
export interface UnreadLimit {
  /**
   * Counts what waits in an output, again after each write. When all outputs together exceed the limit, those of the
   * caller with the most waiting are cut, the largest first.
   */
  count(output: UnreadOutput, caller: string): void;
  /** Forgets an output that has ended. */
  forget(output: UnreadOutput): void;
  /** Bytes that were waiting when they were last counted. */
  readonly total: number;
}

interface UnreadEntry {
  readonly caller: string;
  bytes: number;
}

export function createUnreadLimit(maxBytes: number): UnreadLimit {
  const entries = new Map<UnreadOutput, UnreadEntry>();
  let total = 0;

  const set = (output: UnreadOutput, entry: UnreadEntry, bytes: number): void => {
    total += bytes - entry.bytes;
    entry.bytes = bytes;
    if (bytes === 0) entries.delete(output);
  };
  const forget = (output: UnreadOutput): void => {
    const entry = entries.get(output);
    if (entry !== undefined) set(output, entry, 0);
  };
  /** Reads by others since then are known only by looking. */
  const recount = (): void => {
    for (const [output, entry] of [...entries]) set(output, entry, output.bufferedAmount);
  };
  const destroyLargest = (): void => {
    const sums = new Map<string, number>();
    for (const { caller, bytes } of entries.values()) sums.set(caller, (sums.get(caller) ?? 0) + bytes);
    const [largestCaller] = [...sums].reduce((most, each) => (each[1] > most[1] ? each : most));
    const callerEntries = [...entries].filter(([, { caller }]) => caller === largestCaller);
    const [largest] = callerEntries.reduce((most, each) => (each[1].bytes > most[1].bytes ? each : most));
    forget(largest);
    largest.destroy();
  };

  return {
    count(output, caller) {
      const { bufferedAmount } = output;
      let entry = entries.get(output);
      if (entry === undefined) {
        if (bufferedAmount === 0) return;
        entry = { caller, bytes: 0 };
        entries.set(output, entry);
      }
      set(output, entry, bufferedAmount);
      if (total <= maxBytes) return;
      recount();
      while (total > maxBytes && entries.size > 0) destroyLargest();
    },
    forget,
    get total() {
      return total;
    },
  };
}
