import { CompactMap, INVALID_REQUEST, TOO_MANY_REQUESTS, thenMaybe } from '@tenon/base';
import { createFailure, formatId, type Id, type JsonRpcResponse } from './message.js';
import { RequestScope } from './request-scope.js';

/** Maximum number of requests of one peer in progress. Cancelled requests count until their handlers end. */
const MAX_IN_FLIGHT = 1000;

export type SendReply = (response: JsonRpcResponse | undefined) => void;

interface IncomingRequest {
  readonly scope: RequestScope;
  readonly reply: SendReply;
}

/** The requests of a peer that are in progress, by ID. */
export class IncomingRequests {
  readonly #requests = new CompactMap<IncomingRequest>();
  /** Number of requests in progress, including cancelled requests whose handlers still run. */
  active = 0;

  get size(): number {
    return this.#requests.size;
  }

  /**
   * Runs `work` for a request and passes its response to `reply`, unless the request is cancelled first. Calls `onDone`
   * in either case. A request that cannot be accepted now only gets an error.
   */
  start(
    id: Id,
    work: (scope: RequestScope) => JsonRpcResponse | Promise<JsonRpcResponse>,
    reply: SendReply,
    onDone: (scope: RequestScope) => void,
  ): void {
    if (this.#requests.has(id)) {
      const message = `Invalid request: the id ${formatId(id)} is in use`;
      return reply(createFailure(id, { code: INVALID_REQUEST, message }));
    }
    if (this.active >= MAX_IN_FLIGHT) {
      const message = `Too many requests: ${MAX_IN_FLIGHT} are being worked on`;
      return reply(createFailure(id, { code: TOO_MANY_REQUESTS, message }));
    }
    const scope = new RequestScope();
    const job: IncomingRequest = { scope, reply };
    this.#requests.set(id, job);
    this.active += 1;
    void thenMaybe(work(scope), response => {
      scope.finish();
      this.active -= 1;
      if (this.#requests.get(id) === job) {
        this.#requests.delete(id);
        reply(response);
      }
      onDone(scope);
    });
  }

  /** Cancels a request, so that no response follows. Returns false if no such request is in progress. */
  cancel(id: Id, reason?: string): boolean {
    const job = this.#requests.get(id);
    if (job === undefined) return false;
    this.#requests.delete(id);
    job.scope.cancel(reason);
    job.reply(undefined);
    return true;
  }

  cancelAll(reason: string): void {
    const jobs = this.#requests.entries();
    this.#requests.clear();
    for (const [, { scope }] of jobs) scope.cancel(reason);
  }
}
