import type { Service } from '../../conversation/service.js';
import type { Clock } from '../../jsonrpc/clock.js';
import type { ErrorObject } from '../../jsonrpc/message.js';
import { SharedLimit } from '../../jsonrpc/shared-limit.js';
import type { Exchange, HeaderFields } from './exchange.js';
import type { Bounds } from './options.js';
import type { EventLog } from './replay.js';
import type { Streams } from './streams.js';

/** What all parts of one endpoint share. */
export interface Road {
  readonly service: Service;
  /** Tells whether `initialize` opens a session. Otherwise each request is served by itself. */
  readonly keepsSessions: boolean;
  readonly bounds: Bounds;
  readonly clock: Clock;
  readonly streams: Streams;
  readonly log: EventLog;
  /** Tells the operator about an error that nobody else hears of. */
  readonly report: (error: unknown) => void;
  /** Requests that came and are not answered. */
  readonly traffic: Traffic;
  /** Bytes of large bodies that are being read. */
  readonly reading: SharedLimit;
  /** The address of the client that sent a request, where it is known. */
  readonly getAddress: (exchange: Exchange) => string | undefined;
  /** The header fields of an answer that is an error, where that says which scopes the request needs. */
  readonly challenge: (exchange: Exchange, error: ErrorObject) => HeaderFields | undefined;
}

export interface Traffic {
  /** Counts a request. Returns `false`, and counts nothing, when all, or this caller, have too many. */
  enter(caller: string): boolean;
  leave(caller: string): void;
  /** Tells whether `requests` more of a caller fit. */
  fits(caller: string, requests: number): boolean;
  /** Nothing new is let in from now on. */
  close(): void;
  readonly closing: boolean;
  /** Calls `quiet` as soon as nothing is unanswered. */
  whenQuiet(quiet: () => void): void;
  /** Calls `ending` when the endpoint begins to close, unless it is called off before. */
  whenClosing(ending: () => void): () => void;
}

export function createTraffic({ maxRequests, maxShare }: Pick<Bounds, 'maxRequests' | 'maxShare'>): Traffic {
  const requests = new SharedLimit(maxRequests, maxShare);
  const quietListeners: (() => void)[] = [];
  const endings = new Set<() => void>();
  let closing = false;
  return {
    enter: caller => requests.take(caller),
    fits: (caller, more) => requests.fits(caller, more),
    leave(caller) {
      requests.release(caller);
      if (requests.total > 0 || quietListeners.length === 0) return;
      // What has just been answered is still to be written.
      queueMicrotask(() => {
        if (requests.total === 0) for (const quiet of quietListeners.splice(0)) quiet();
      });
    },
    close() {
      closing = true;
      for (const ending of [...endings]) ending();
      endings.clear();
    },
    get closing() {
      return closing;
    },
    whenQuiet(quiet) {
      if (requests.total === 0) quiet();
      else quietListeners.push(quiet);
    },
    whenClosing(ending) {
      if (closing) ending();
      else endings.add(ending);
      return () => endings.delete(ending);
    },
  };
}
