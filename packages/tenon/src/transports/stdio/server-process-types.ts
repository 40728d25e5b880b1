import type { ByteReader, ByteSink, ByteSource } from './byte-streams.js';
import type { StdioTransportOptions } from './client.js';

/** Exit of a process: with a code, or by a signal. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A server that runs as a child of this process. */
export interface ServerProcess {
  /** Its stdin. */
  readonly input: ByteSink;
  /** Its stdout. */
  readonly output: ByteSource;
  /** Its stderr, unless it is ignored. */
  readonly errors: { read(reader: ByteReader): void } | undefined;
  /** Never rejects. */
  readonly exited: Promise<ProcessExit>;
  isRunning(): boolean;
  /** True if it, or any process that it started and that can still be found, is running. */
  isTreeRunning(): boolean;
  /** Keeps this process from ending by itself until the returned function is called. */
  keepAlive(): () => void;
  /** Asks the process and all of its children to end. */
  terminate(): void;
  /** Ends it and all that it started. */
  kill(): void;
}

/** Starts a server. Rejects with a `TenonError` `stdio/spawn` when there is no such program, or it may not be run. */
export type SpawnServer = (options: StdioTransportOptions, peer: string) => Promise<ServerProcess>;
