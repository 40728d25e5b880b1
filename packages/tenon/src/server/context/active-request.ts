import { type AbortSignalLike, LazyAbortSignal } from '../../cancellation/lazy-abort-signal.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { RequestHeaders } from '../../jsonrpc/transport.js';
import type { RequestContext } from '../request-context.js';
import { guardHeaders } from './request-headers.js';

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
    this.#relay([...(this.#relays ?? [])]);
  }

  /** Lets a cancellation of this request also abort the signals that handlers took from the previous request. */
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
