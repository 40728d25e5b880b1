import { TenonError } from '@tenon/base';

/** Number of failures, one after another, after which a session is given up. */
const MAX_FAILURES = 2;
/** Statuses of a proxy whose server for this session is gone. A 503 is only about the load or a store. */
const PROXY_STATUSES: ReadonlySet<number | undefined> = new Set([502, 504]);

/** One request of a session. */
export interface CountedRequest {
  /** Notes a response of the server. */
  succeed(): void;
  /** Notes an error. Returns the error of the session if the session should be given up. */
  fail(error: unknown): TenonError | undefined;
}

/**
 * Counts requests of a session that fail without a response of the server. Some proxies close the connection of a session
 * whose server is gone, for ever. Requests that run at the same time count once, because they have one cause.
 */
export class SessionFailures {
  readonly #peer: string;
  #count = 0;

  constructor(peer: string) {
    this.#peer = peer;
  }

  reset(): void {
    this.#count = 0;
  }

  begin(): CountedRequest {
    const before = this.#count;
    return {
      succeed: () => this.reset(),
      fail: error => {
        if (!TenonError.is(error)) return undefined;
        const { code, status } = error;
        const isFailure = code === 'http/interrupted' || (code === 'http/status' && PROXY_STATUSES.has(status));
        if (!isFailure) this.reset();
        if (!isFailure || before !== this.#count) return undefined;
        this.#count += 1;
        if (this.#count < MAX_FAILURES) return undefined;
        const kind = status === undefined ? 'a closed connection' : `status ${status}`;
        // The server may know the session, but cannot serve it.
        return new TenonError('session/gone', 'the session has ended, because its requests fail without a response', {
          peer: this.#peer,
          received: `${kind}, ${MAX_FAILURES} times`,
          hint: 'open a new session',
        });
      },
    };
  }
}
