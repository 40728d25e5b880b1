import type { ByteReader, ByteSink, ByteSource } from './byte-streams.js';
import type { StdioTransportOptions } from './client.js';

/** Exit of a process: its exit code or its signal. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A server that runs as a child process. */
export interface ServerProcess {
  /** Standard input of the process. */
  readonly input: ByteSink;
  /** Standard output of the process. */
  readonly output: ByteSource;
  /** Standard error of the process. Undefined if it is ignored. */
  readonly errors: { read(reader: ByteReader): void } | undefined;
  /** Resolves when the process has exited. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  isRunning(): boolean;
  /** Tells if the process, or a process that it started and that can be found, is running. */
  isTreeRunning(): boolean;
  /**
   * Returns the time that the process and its children have used the processor, in milliseconds. `undefined` if the
   * platform does not tell it.
   */
  getProcessorTime(): number | undefined;
  /** Keeps this process from exiting until the returned function is called. */
  keepAlive(): () => void;
  /** Requests the process and all its children to exit. */
  terminate(): void;
  /** Kills the process and all its children. */
  kill(): void;
}

/**
 * Starts a server. Rejects with `stdio/spawn` when the program does not exist or cannot be executed. `stop` closes the
 * input of the process, and resolves when the process has ended.
 */
export type SpawnServer = (
  options: StdioTransportOptions,
  peer: string,
  stop: () => Promise<void>,
) => Promise<ServerProcess>;
