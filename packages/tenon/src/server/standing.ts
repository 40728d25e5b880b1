import type { RequestHeaders } from '../jsonrpc/channel.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { guardHeaders } from './request-headers.js';
import type { Turn } from './turn.js';

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** The request that a handler serves. It may become another one: that of a retry, or that of none when it goes on as a task. */
export class Standing {
  turn: Turn;
  params: JsonObject;
  readonly #mayMove: boolean;
  // Most handlers never look at their signal.
  #relays: Set<AbortController> | undefined;
  /** State that middleware and handler share; made when it is first looked at. */
  #state: { readonly value: unknown } | undefined;

  constructor(turn: Turn, params: JsonObject, mayMove: boolean) {
    this.turn = turn;
    this.params = params;
    this.#mayMove = mayMove;
  }

  /** Aborted when the request is given up, whichever it is by then: handlers take it once. */
  get signal(): AbortSignal {
    if (!this.#mayMove) return this.turn.signal;
    const [relay = new AbortController()] = this.#relays ?? [];
    this.#relay([relay]);
    return relay.signal;
  }

  /** Returns the state of the request, made by `create` the first time. */
  getState(create: () => unknown): unknown {
    this.#state ??= { value: create() };
    return this.#state.value;
  }

  /** Headers of the HTTP request, without those that carry credentials. */
  get request(): RequestHeaders | undefined {
    const { request } = this.turn;
    return request && guardHeaders(request);
  }

  move(turn: Turn, params: JsonObject): void {
    this.turn = turn;
    this.params = params;
    this.#relay([...(this.#relays ?? [])]);
  }

  /** Who has taken the signal of a request before hears of this one. */
  follows(before: Standing): void {
    this.#relay([...(before.#relays ?? [])]);
  }

  #relay(relays: readonly AbortController[]): void {
    if (relays.length === 0) return;
    this.#relays ??= new Set();
    for (const relay of relays) this.#relays.add(relay);
    const all = this.#relays;
    const { turn } = this;
    const abort = () => {
      if (this.turn === turn) for (const relay of all) relay.abort(turn.signal.reason);
    };
    if (turn.signal.aborted) abort();
    else turn.signal.addEventListener('abort', abort, { once: true });
  }
}
