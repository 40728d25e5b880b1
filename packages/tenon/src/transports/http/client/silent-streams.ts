/** One open stream. */
export interface WatchedStream {
  /**
   * Called for each chunk that arrives. `isHeartbeat` is true for a chunk with a comment, which servers send to keep a
   * stream open.
   */
  noteBytes(isHeartbeat: boolean): void;
  stop(): void;
}

/** Numbers of consecutive checks without a byte, after which a stream counts as broken. */
export interface SilenceLimits {
  /** Limit for streams of a server that sends heartbeats. */
  readonly withHeartbeats: number;
  /** Limit for other streams that can be resumed by an event ID, so that no message is lost. */
  readonly resumable: number;
}

interface WatchEntry {
  checks: number;
  readonly isResumable: () => boolean;
  readonly end: () => void;
}

/**
 * The streams of one transport on which a server may be silent for a long time. Time is counted in checks, so that a
 * stream needs no timer. A stream without heartbeats that cannot be resumed is never ended, because it may still work.
 */
export class SilentStreams {
  readonly #streams = new Set<WatchEntry>();
  #hasHeartbeats = false;
  /** Maximum number of checks between two signs of activity on a stream, of which the second was a heartbeat. */
  #longestGap = 0;

  get size(): number {
    return this.#streams.size;
  }

  watch(isResumable: () => boolean, end: () => void): WatchedStream {
    const entry: WatchEntry = { checks: 0, isResumable, end };
    let hasBegun = false;
    this.#streams.add(entry);
    return {
      noteBytes: isHeartbeat => {
        // A comment at the start of a stream does not show that heartbeats follow.
        if (isHeartbeat && hasBegun) {
          this.#hasHeartbeats = true;
          this.#longestGap = Math.max(this.#longestGap, entry.checks);
        }
        hasBegun = true;
        entry.checks = 0;
      },
      stop: () => void this.#streams.delete(entry),
    };
  }

  /** Counts a check, and ends the streams that were silent for too many checks. */
  check({ withHeartbeats, resumable }: SilenceLimits): void {
    for (const entry of [...this.#streams]) {
      entry.checks += 1;
      const isDead = this.#hasHeartbeats
        ? entry.checks >= withHeartbeats + 2 * this.#longestGap
        : entry.checks >= resumable && entry.isResumable();
      if (isDead) entry.end();
    }
  }

  /** Ends all streams, because the server is unreachable. */
  endAll(): void {
    for (const entry of [...this.#streams]) entry.end();
  }
}
