import { TenonError, TOO_MANY_REQUESTS } from '@tenon/base';
import { RETRY_AFTER } from './process-limit.js';
import type { UpstreamConnection } from './upstream-connection.js';

interface HeldConnection {
  readonly caller: string;
  readonly close: () => void;
}

/**
 * Limits the connections and processes of one caller to servers whose entries contain values of the caller. Otherwise a
 * caller could start any number of processes by other values.
 */
export class CallerLimit {
  readonly #max: number;
  /** Connections, in the order of their last use. */
  readonly #held = new Map<UpstreamConnection, HeldConnection>();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Makes room for another connection of a caller, by closing the one that has been idle for the longest time.
   *
   * @throws TenonError `host/too-many-connections` with code 429 and `retryAfterMs` when all are busy.
   */
  makeRoom(caller: string, server: string): void {
    const own = [...this.#held].filter(([, held]) => held.caller === caller);
    if (own.length < this.#max) return;
    const idlest = own.find(([connection]) => !connection.isBusy);
    if (idlest) return idlest[1].close();
    throw new TenonError(
      'host/too-many-connections',
      `no free connection to the server "${server}": all ${this.#max} connections of the caller are in use`,
      {
        hint: 'try again later, or raise `maxConnectionsPerCaller`',
        rpcCode: TOO_MANY_REQUESTS,
        data: { retryAfterMs: RETRY_AFTER },
      },
    );
  }

  add(connection: UpstreamConnection, held: HeldConnection): void {
    this.#held.set(connection, held);
  }

  /** Marks a connection as used, so that less recently used ones are closed first. */
  markUsed(connection: UpstreamConnection): void {
    const held = this.#held.get(connection);
    if (held === undefined) return;
    this.#held.delete(connection);
    this.#held.set(connection, held);
  }

  release(connection: UpstreamConnection): void {
    this.#held.delete(connection);
  }
}
