import type { SealKey } from '@tenon/base';

/**
 * Options of input requests that end the call and are answered by a retry.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export interface InputRequestOptions {
  /**
   * Keys that seal the state that the client carries, 32 bytes each. They also seal everything that goes into stores on
   * another machine, such as Redis, and are required with these. The first key seals, and all keys open, so that keys
   * can be rotated. Give all replicas the same keys.
   * @default a key of this process, so a retry that reaches another process fails
   */
  readonly keys?: readonly SealKey[] | undefined;
  /**
   * Time for the client to answer one round, in milliseconds.
   * @default 900,000 (15 minutes)
   */
  readonly ttl?: number | undefined;
  /**
   * Maximum number of input requests of one call.
   * @default 32
   */
  readonly maxRounds?: number | undefined;
  /**
   * Maximum size of the state that is sent to the client, in characters. The input requests that the handler returned
   * are part of it. Larger state is stored in `stores`.
   * @default 16,384
   */
  readonly maxStateSize?: number | undefined;
  /**
   * Maximum number of handlers that wait in memory for answers. Beyond it, a handler runs again from the start. With
   * 0, all handlers run again.
   * @default 1,000
   */
  readonly maxSuspended?: number | undefined;
  /**
   * Maximum time that a handler waits in memory, in milliseconds.
   * @default 300,000 (5 minutes)
   */
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
