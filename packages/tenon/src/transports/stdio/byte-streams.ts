/** Receives bytes from a source of the platform. */

export interface ByteReader {
  /** Called with the next bytes. The buffer is reused after the call, so copy the bytes to keep them. */
  push(bytes: Uint8Array): void;
  /** Called once when no more bytes arrive. */
  end(error?: unknown): void;
}

export interface ByteSource {
  /** Starts to read. Call it once. */
  read(reader: ByteReader): void;
  pause(): void;
  resume(): void;
}

export interface ByteSink {
  /**
   * Writes text as UTF-8. Calls `onDone` once, when the platform has accepted the text or an error prevents it. Never
   * throws.
   */
  write(text: string, onDone: (error?: unknown) => void): void;
  /** Ends the output after the pending writes. */
  end(): void;
  /**
   * Runs a function at the end of the current turn of the event loop, so that the messages of one turn share a write.
   */
  schedule(run: () => void): void;
}
