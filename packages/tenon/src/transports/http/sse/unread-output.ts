/** Output of one connection that its client has not read yet. */
export interface UnreadOutput {
  /** Number of waiting bytes. */
  readonly bufferedAmount: number;
  /** Closes the connection and discards the waiting data. */
  destroy(): void;
}

/** A common limit for the unread output of all connections. */
export interface UnreadLimit {
  /**
   * Counts the waiting bytes of an output. Call it after each write. When all outputs together exceed the limit, those
   * of the caller with the most waiting bytes are destroyed, the largest first.
   */
  count(output: UnreadOutput, caller: string): void;
  /** Removes an output that has ended. */
  forget(output: UnreadOutput): void;
  /** Number of waiting bytes at the last count. */
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
  /** Counts all outputs again, because clients may have read data since the last count. */
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
