import { type Clock, type ErrorObject, SharedLimit } from '@tenon/base';
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
  readonly inFlight: InFlightRequests;
  /** Bytes of the large bodies that are being read. */
  readonly readingBytes: SharedLimit;
  /** Returns the address of the client of a request, or `undefined` if it is not known. */
  readonly getAddress: (exchange: Exchange) => string | undefined;
  /** Returns the headers of an error response. They name the required scopes, if the error does. */
  readonly challenge: (exchange: Exchange, error: ErrorObject) => HeaderFields | undefined;
}

/** A request without a session whose handler runs. */
interface CancellableRequest {
  /** Index among the running requests, or -1 if the request is not one of them. */
  runningIndex: number;
  /** Cancels the handler, and responds that the outcome is unknown. */
  cancel(): void;
}

/** Counts the requests without a response by their callers, and knows if the endpoint closes. */
export class InFlightRequests extends SharedLimit {
  /** True once the endpoint will close. It still accepts requests. */
  draining = false;
  /** True once the endpoint refuses all further requests. */
  closing = false;
  readonly #idleListeners: (() => void)[] = [];
  readonly #closingListeners = new Set<() => void>();
  /** A list, because the tables that a growing `Set` leaves behind would keep old requests until a full collection. */
  readonly #running: CancellableRequest[] = [];

  override release(caller: string): void {
    super.release(caller);
    if (this.total === 0 && this.#idleListeners.length > 0) this.#notifyIdle();
  }

  #notifyIdle(): void {
    // The last responses may not be written yet.
    queueMicrotask(() => {
      if (this.total === 0) for (const listener of this.#idleListeners.splice(0)) listener();
    });
  }

  /** Refuses all further requests. */
  close(): void {
    this.draining = true;
    this.closing = true;
    for (const listener of [...this.#closingListeners]) listener();
    this.#closingListeners.clear();
  }

  /** Calls `listener` as soon as every request has its response. */
  onIdle(listener: () => void): void {
    if (this.total === 0) listener();
    else this.#idleListeners.push(listener);
  }

  /** Adds a request that `cancelAll` cancels. */
  addRunning(request: CancellableRequest): void {
    request.runningIndex = this.#running.push(request) - 1;
  }

  removeRunning(request: CancellableRequest): void {
    const index = request.runningIndex;
    if (index === -1) return;
    request.runningIndex = -1;
    const last = this.#running.pop();
    if (last === undefined || last === request) return;
    this.#running[index] = last;
    last.runningIndex = index;
  }

  /** Cancels the running requests without a session. */
  cancelAll(): void {
    for (const request of [...this.#running]) request.cancel();
  }

  /** Calls `listener` when the endpoint starts to close. Returns a function that removes the listener. */
  onClosing(listener: () => void): () => void {
    if (this.closing) listener();
    else this.#closingListeners.add(listener);
    return () => this.#closingListeners.delete(listener);
  }
}
