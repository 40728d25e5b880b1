import type { Clock, ErrorObject, SharedLimit } from '@tenon/base';
import type { RequestHandler } from '../../../protocol/request-handler.js';
import type { EventStore } from '../sse/event-store.js';
import type { EventStreams } from '../sse/event-streams.js';
import type { Exchange, HeaderFields } from './exchange.js';
import type { Limits } from './options.js';

/** State that all parts of one endpoint share. */
export interface HttpServerContext {
  readonly handler: RequestHandler;
  /** True if `initialize` opens a session. If false, each request is handled without a session. */
  readonly keepsSessions: boolean;
  /** True if the endpoint needs no authorization. */
  readonly isPublic: boolean;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly streams: EventStreams;
  readonly eventStore: EventStore;
  /** Reports an error that no client gets. */
  readonly report: (error: unknown) => void;
  /** Requests without a response. */
  readonly inFlight: InFlightTracker;
  /** Bytes of the large bodies that are being read. */
  readonly readingBytes: SharedLimit;
  /** Returns the address of the client of a request, or `undefined` if it is not known. */
  readonly getAddress: (exchange: Exchange) => string | undefined;
  /** Returns the headers of an error response. They name the required scopes, if the error does. */
  readonly challenge: (exchange: Exchange, error: ErrorObject) => HeaderFields | undefined;
}

export interface InFlightTracker {
  /** Counts a request. Returns `false` without counting it if all callers together, or this caller, have too many. */
  enter(caller: string): boolean;
  leave(caller: string): void;
  /** Tells if the caller may have `requests` more. */
  fits(caller: string, requests: number): boolean;
  /** Announces that the endpoint will close. It still accepts requests. */
  startDraining(): void;
  readonly draining: boolean;
  /** Refuses all further requests. */
  close(): void;
  readonly closing: boolean;
  /** Calls `listener` as soon as every request has its response. */
  onIdle(listener: () => void): void;
  /** Calls `listener` when the endpoint starts to close. Returns a function that removes the listener. */
  onClosing(listener: () => void): () => void;
}
