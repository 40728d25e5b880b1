import type { SealKey } from '../stores/seal.js';

/** Options of input requests that end the call and are answered by a retry. */
export interface InputRequestOptions {
  /**
   * Keys that seal the state that travels by the client, 32 bytes each. The first one seals, all of them open, so that
   * keys can be changed. Give all replicas the same. Default: one made for this process, so that a client whose retry
   * reaches another process has to begin again.
   */
  readonly keys?: readonly SealKey[] | undefined;
  /** Time for the client to answer one round, in milliseconds: people think. Default 900,000: 15 minutes. */
  readonly ttl?: number | undefined;
  /** Maximum number of input requests of one call. Default 32. */
  readonly maxRounds?: number | undefined;
  /**
   * Maximum size of the state that is sent to the client, in characters, including the input requests that the handler
   * returned. Larger state is kept in `stores`. Default 16,384.
   */
  readonly maxStateSize?: number | undefined;
  /** Maximum number of handlers that wait in memory for answers; others run again. 0: all are. Default 1,000. */
  readonly maxSuspended?: number | undefined;
  /** Maximum time that a handler waits in memory, in milliseconds. Default 300,000: 5 minutes. */
  readonly suspendTimeout?: number | undefined;
}

const MINUTE = 60_000;

export const DEFAULT_INPUT_REQUEST_OPTIONS = {
  ttl: 15 * MINUTE,
  maxRounds: 32,
  maxStateSize: 16_384,
  maxSuspended: 1000,
  suspendTimeout: 5 * MINUTE,
} as const;
