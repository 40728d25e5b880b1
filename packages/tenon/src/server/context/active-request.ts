import { type AbortSignalLike, LazyAbortSignal } from '../../cancellation/lazy-abort-signal.js';
import { isId, isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { RequestHeaders } from '../../jsonrpc/transport.js';
import type { RequestContext } from '../request-context.js';
import { NotificationMerger } from './notification-merger.js';
import { guardHeaders } from './request-headers.js';

/** Maximum number of notifications that wait for the next request. The oldest ones are dropped. */
const MAX_HELD = 64;

/** A notification that waits for the next request. With a key it is merged with others. */
interface HeldNotification {
  readonly key?: string;
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * The request that a handler serves. It may be replaced: by a retry, or by a context without a request when the handler
 * continues as a task.
 */
export class ActiveRequest {
  requestContext: RequestContext;
  params: JsonObject;
  readonly #canRebind: boolean;
  // The signal is created on first use, because most handlers do not read it.
  #relays: Set<LazyAbortSignal> | undefined;
  /** State that middleware and handler share. Created on first use. */
  #state: { readonly value: unknown } | undefined;
  #merger: NotificationMerger | undefined;
  #held: HeldNotification[] | undefined;

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
    const [known] = this.#relays ?? [];
    if (known) return known;
    const relay = new LazyAbortSignal();
    this.#relay([relay]);
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
    this.#relay([...(this.#relays ?? [])]);
  }

  /**
   * Continues after the previous request of the handler. A cancellation of this request also aborts the signals that
   * handlers took from the previous one. Notifications that waited are sent, with the progress token of this request.
   */
  continueFrom(previous: ActiveRequest): void {
    this.#relay([...(previous.#relays ?? [])]);
    const { progressToken } = isObject(this.params._meta) ? this.params._meta : {};
    for (const { key, method, params } of previous.#held ?? []) {
      if (!('progressToken' in params)) this.#send(method, params, key);
      else if (isId(progressToken)) this.#send(method, { ...params, progressToken }, key);
    }
  }

  notify(method: string, params: JsonObject): void {
    this.#send(method, params);
  }

  /** Sends a notification. Notifications with the same key are merged if they exceed the rate. */
  notifyMerged(key: string, method: string, params: JsonObject): void {
    this.#send(method, params, key);
  }

  /**
   * Sends a notification, or keeps it for the next request. A handler can send some while it waits for the answer to an
   * input request that was the response.
   */
  #send(method: string, params: JsonObject, key?: string): void {
    const { requestContext } = this;
    if (this.#canRebind && requestContext.isDone)
      return this.#hold({ method, params, ...(key !== undefined && { key }) });
    const mergeOptions = key === undefined || this.#merger ? undefined : requestContext.mergeOptions;
    if (mergeOptions)
      this.#merger = new NotificationMerger((name, body) => requestContext.notify(name, body), mergeOptions);
    if (key === undefined || this.#merger === undefined) requestContext.notify(method, params);
    else this.#merger.notify(key, method, params);
  }

  #hold(notification: HeldNotification): void {
    this.#held ??= [];
    this.#held.push(notification);
    if (this.#held.length > MAX_HELD) this.#held.shift();
  }

  #relay(relays: readonly LazyAbortSignal[]): void {
    if (relays.length === 0) return;
    this.#relays ??= new Set();
    for (const relay of relays) this.#relays.add(relay);
    const controllers = this.#relays;
    const { requestContext } = this;
    const abort = () => {
      if (this.requestContext === requestContext)
        for (const relay of controllers) relay.abort(requestContext.signal.reason);
    };
    if (requestContext.signal.aborted) abort();
    else requestContext.signal.addEventListener('abort', abort, { once: true });
  }
}
