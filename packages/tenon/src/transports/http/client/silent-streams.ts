/** One open stream, and the checks since it last brought a byte. */
export interface WatchedStream {
  /** Called for each piece that comes. `isHeartbeat`: it holds a comment, which servers send to keep a stream open. */
  noteBytes(isHeartbeat: boolean): void;
  stop(): void;
}

/** Checks in a row without a byte before a stream counts as dead. */
export interface SilenceLimits {
  /** For streams of a server that sends heartbeats. */
  readonly withHeartbeats: number;
  /** For other streams that can be resumed by an event id, so that nothing is lost. */
  readonly resumable: number;
}

interface WatchEntry {
  checks: number;
  readonly isResumable: () => boolean;
  readonly end: () => void;
}

/**
 * The streams of one channel on which a server may be silent for long. Time is counted in checks, so that a stream
 * needs no timer. A stream without heartbeats that cannot be resumed is never ended for its silence: it may be a good
 * one.
 */
export class SilentStreams {
  readonly #streams = new Set<WatchEntry>();
  #hasHeartbeats = false;
  /** The most checks that passed between two signs of a good stream, of which the second was a heartbeat. */
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
        // A comment at the beginning of a stream is a greeting and does not show that keep-alives follow.
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

  /** Counts a check, and ends the streams that were silent for too many. */
  check({ withHeartbeats, resumable }: SilenceLimits): void {
    for (const entry of [...this.#streams]) {
      entry.checks += 1;
      const isDead = this.#hasHeartbeats
        ? entry.checks >= withHeartbeats + 2 * this.#longestGap
        : entry.checks >= resumable && entry.isResumable();
      if (isDead) entry.end();
    }
  }

  /** Ends all streams, because the server cannot be reached. */
  endAll(): void {
    for (const entry of [...this.#streams]) entry.end();
  }
}
