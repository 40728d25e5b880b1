import { type AbortSignalLike, type JsonObject, LazyAbortSignal } from '@tenon/base';
import type { RequestHeaders } from '../../jsonrpc/transport.js';
import type { RequestContext } from '../request-context.js';
import { NotificationMerger } from './notification-merger.js';

/** Maximum number of notifications that wait for the next request. The oldest ones are dropped. */
const MAX_WAITING = 64;

/**
 * Headers that contain credentials. Handlers must use `ctx.auth` instead, so that they cannot pass on a token that was
 * issued for this server. Only `authorize` and `protect` read these headers.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/security_best_practices
 */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie', 'dpop']);

const guardedViews = new WeakMap<RequestHeaders, RequestHeaders>();

/**
 * The request that a handler serves. It may be replaced: by a retry, or by a context without a request when the handler
 * continues as a task.
 */
export class ActiveRequest {
  requestContext: RequestContext;
  params: JsonObject;
  readonly #canRebind: boolean;
  /** Signals that handlers took. They are created on first use, because most handlers read none. */
  #relays: readonly LazyAbortSignal[] | undefined;
  /** State that middleware and handler share. Created on first use. */
  #state: { readonly value: unknown } | undefined;
  #merger: NotificationMerger | undefined;
  #waiting: readonly ((request: ActiveRequest) => void)[] | undefined;

  constructor(requestContext: RequestContext, params: JsonObject, canRebind: boolean) {
    this.requestContext = requestContext;
    this.params = params;
    this.#canRebind = canRebind;
  }

  /**
   * Signal that is aborted when the current request is cancelled. Handlers read it once, so it outlives a change of the
   * request.
   */
  get signal(): AbortSignalLike {
    if (!this.#canRebind) return this.requestContext.signal;
    const [relay = new LazyAbortSignal()] = this.#relays ?? [];
    if (this.#relays === undefined) this.#relay([relay]);
    return relay;
  }

  /** Returns the state of the request. Creates it with `create` the first time. */
  getState(create: () => unknown): unknown {
    this.#state ??= { value: create() };
    return this.#state.value;
  }

  /** Headers of the HTTP request, without headers that contain credentials. */
  get request(): RequestHeaders | undefined {
    const { request } = this.requestContext;
    return request && guardHeaders(request);
  }

  rebind(requestContext: RequestContext, params: JsonObject): void {
    this.requestContext = requestContext;
    this.params = params;
    this.#merger = undefined;
    this.#relay(this.#relays);
  }

  /**
   * Continues after the previous request of the handler. A cancellation of this request also aborts the signals that
   * handlers took from the previous one. Notifications that waited are sent.
   */
  continueFrom(previous: ActiveRequest): void {
    if (previous.#relays) this.#relay([...(this.#relays ?? []), ...previous.#relays]);
    for (const send of previous.#waiting ?? []) send(this);
  }

  /**
   * Sends a notification now, or with the next request if this one has its response. A handler can send some while it
   * waits for the answer to an input request that was the response.
   */
  sendWhenOpen(send: (request: ActiveRequest) => void): void {
    if (this.requestContext.isDone) this.#waiting = [...(this.#waiting ?? []), send].slice(-MAX_WAITING);
    else send(this);
  }

  /** Sends a notification. Notifications with the same key are merged if they exceed the rate. */
  notifyMerged(key: string, method: string, params: JsonObject): void {
    const { requestContext } = this;
    const { mergeOptions } = requestContext;
    if (mergeOptions === undefined) return requestContext.notify(method, params);
    this.#merger ??= new NotificationMerger((name, body) => requestContext.notify(name, body), mergeOptions);
    this.#merger.notify(key, method, params);
  }

  /** Aborts these signals when the current request is cancelled. */
  #relay(relays: readonly LazyAbortSignal[] | undefined): void {
    if (relays === undefined) return;
    this.#relays = relays;
    const { requestContext } = this;
    const { signal } = requestContext;
    const abort = () => {
      if (this.requestContext === requestContext) for (const relay of relays) relay.abort(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }
}

/**
 * Returns a view of a request's headers without those that contain credentials. The same request always gets the same
 * view.
 */
function guardHeaders(request: RequestHeaders): RequestHeaders {
  const cached = guardedViews.get(request);
  if (cached !== undefined) return cached;
  const view: RequestHeaders = {
    header(name) {
      const key = name.toLowerCase();
      return CREDENTIAL_HEADERS.has(key) ? undefined : request.header(key);
    },
  };
  guardedViews.set(request, view);
  return view;
}
