import type { Clock } from '../../../cancellation/clock.js';
import type { ErrorObject } from '../../../jsonrpc/message.js';
import type { SharedLimit } from '../../../jsonrpc/shared-limit.js';
import type { RequestHandler } from '../../../protocol/request-handler.js';
import type { EventStore } from '../sse/event-store.js';
import type { EventStreams } from '../sse/event-streams.js';
import type { Exchange, HeaderFields } from './exchange.js';
import type { Limits } from './options.js';

/** State that all parts of one endpoint share. */
export interface HttpServerContext {
  readonly handler: RequestHandler;
  /** True if `initialize` opens a session. Otherwise each request is served by itself. */
  readonly keepsSessions: boolean;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly streams: EventStreams;
  readonly eventStore: EventStore;
  /** Reports an error that no client gets. */
  readonly report: (error: unknown) => void;
  /** Requests that came and are not answered. */
  readonly inFlight: InFlightTracker;
  /** Bytes of large bodies that are being read. */
  readonly readingBytes: SharedLimit;
  /** The address of the client that sent a request, where it is known. */
  readonly getAddress: (exchange: Exchange) => string | undefined;
  /** The headers of an error response. They name the scopes that the request needs, if the error does. */
  readonly challenge: (exchange: Exchange, error: ErrorObject) => HeaderFields | undefined;
}

export interface InFlightTracker {
  /** Counts a request. Returns `false`, and counts nothing, when all, or this caller, have too many. */
  enter(caller: string): boolean;
  leave(caller: string): void;
  /** Tells if the caller may have `requests` more. */
  fits(caller: string, requests: number): boolean;
  /** Nothing new is let in from now on. */
  close(): void;
  readonly closing: boolean;
  /** Calls `quiet` as soon as nothing is unanswered. */
  onIdle(listener: () => void): void;
  /** Calls `ending` when the endpoint begins to close, unless it is called off before. */
  onClosing(listener: () => void): () => void;
}
