/** A source of bytes, provided by the platform. */

export interface ByteReader {
  /** The buffer is reused after the call: copy the bytes to keep them. */
  push(bytes: Uint8Array): void;
  /** Nothing comes any more. Called once. */
  end(error?: unknown): void;
}

export interface ByteSource {
  /** Begins to read. Called once. */
  read(reader: ByteReader): void;
  pause(): void;
  resume(): void;
}

export interface ByteSink {
  /** Writes text as UTF-8. `done` is called once, when the platform has taken it or never will. Never throws. */
  write(text: string, onDone: (error?: unknown) => void): void;
  /** Nothing more will be written. */
  end(): void;
  /**
   * Runs something after everything that this turn of the event loop has under way, so that its messages share a write.
   */
  schedule(run: () => void): void;
}
