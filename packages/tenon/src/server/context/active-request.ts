import { type AbortSignalLike, LazyAbortSignal } from '../../cancellation/lazy-abort-signal.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { RequestHeaders } from '../../jsonrpc/transport.js';
import type { RequestContext } from '../request-context.js';
import { guardHeaders } from './request-headers.js';

/** The request that a handler serves. It may become another one: that of a retry, or that of none when it goes on as a task. */
export class ActiveRequest {
  requestContext: RequestContext;
  params: JsonObject;
  readonly #canRebind: boolean;
  // Most handlers never look at their signal.
  #relays: Set<LazyAbortSignal> | undefined;
  /** State that middleware and handler share; made when it is first looked at. */
  #state: { readonly value: unknown } | undefined;

  constructor(requestContext: RequestContext, params: JsonObject, canRebind: boolean) {
    this.requestContext = requestContext;
    this.params = params;
    this.#canRebind = canRebind;
  }

  /** Aborted when the request is given up, whichever it is by then: handlers take it once. */
  get signal(): AbortSignalLike {
    if (!this.#canRebind) return this.requestContext.signal;
    const [known] = this.#relays ?? [];
    if (known) return known;
    const relay = new LazyAbortSignal();
    this.#relay([relay]);
    return relay;
  }

  /** Returns the state of the request, made by `create` the first time. */
  getState(create: () => unknown): unknown {
    this.#state ??= { value: create() };
    return this.#state.value;
  }

  /** Headers of the HTTP request, without those that carry credentials. */
  get request(): RequestHeaders | undefined {
    const { request } = this.requestContext;
    return request && guardHeaders(request);
  }

  rebind(requestContext: RequestContext, params: JsonObject): void {
    this.requestContext = requestContext;
    this.params = params;
    this.#relay([...(this.#relays ?? [])]);
  }

  /** Aborts the signals that handlers took from the previous request when this one is aborted. */
  inheritSignals(previous: ActiveRequest): void {
    this.#relay([...(previous.#relays ?? [])]);
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
